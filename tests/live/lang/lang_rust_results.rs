// Results of Rust that are no plain scalars: in one register, in two, where the caller said; each function says itself
// what it returned.
#![allow(dead_code)]
use std::num::NonZeroU32;
#[inline(never)] fn opaque<T: Copy>(x: T) -> T { unsafe { std::ptr::read_volatile(&x) } }
#[derive(Debug, Clone, Copy)] pub struct Point { x: i64, y: i64, z: i64 }
#[derive(Debug, Clone, Copy)] pub struct Small { a: u8, b: u32 }
#[derive(Debug, Clone, Copy)] pub struct Packed { a: u8, b: u16, c: u8 }
#[derive(Debug, Clone, Copy)] pub struct Floats { a: u32, b: f64 }
#[derive(Debug, Clone, Copy, PartialEq)] pub enum Color { Red = 3, Green = 9 }
#[derive(Debug, Clone)] pub enum Op { Nop, Add(i32), Name { id: u64, text: String } }
#[inline(never)] pub fn number(k: i32) -> i32 { k - 5 }
#[inline(never)] pub fn option(k: u32) -> Option<u32> { if k > 1 { Some(k * 3) } else { None } }
#[inline(never)] pub fn byte(k: u32) -> Option<u8> { if k > 1 { Some(k as u8 * 3) } else { None } }
#[inline(never)] pub fn result(k: u32) -> Result<u64, u64> { if k > 1 { Ok(k as u64 + 100) } else { Err(k as u64 + 7) } }
#[inline(never)] pub fn text(k: u32) -> Result<String, u32> { if k > 1 { Ok(format!("text {}", k)) } else { Err(k + 40) } }
#[inline(never)] pub fn string(k: u32) -> String { format!("string {}", k) }
#[inline(never)] pub fn slice(s: &str, k: u32) -> &str { &s[k as usize..] }
#[inline(never)] pub fn numbers(s: &[u16], k: u32) -> &[u16] { &s[k as usize..] }
#[inline(never)] pub fn niche(k: u32) -> Option<NonZeroU32> { NonZeroU32::new(k - 1) }
#[inline(never)] pub fn color(k: u32) -> Option<Color> { if k == 1 { None } else if k == 2 { Some(Color::Red) } else { Some(Color::Green) } }
#[inline(never)] pub fn point(k: i64) -> Point { Point { x: k, y: opaque(-k), z: k * k } }
#[inline(never)] pub fn small(k: u32) -> Small { Small { a: k as u8 + 1, b: k + 70000 } }
#[inline(never)] pub fn packed(k: u32) -> Packed { Packed { a: k as u8, b: k as u16 + 300, c: k as u8 + 2 } }
#[inline(never)] pub fn three(k: u32) -> (u32, u32, u32) { (k, k + 1, opaque(k + 2)) }
#[inline(never)] pub fn wide(k: u32) -> u128 { (k as u128) << 64 | 5 }
#[inline(never)] pub fn op(k: u32) -> Op { match k { 1 => Op::Nop, 2 => Op::Add(-7), _ => Op::Name { id: 77, text: format!("op {}", k) } } }
#[inline(never)] pub fn floats(k: u32) -> Floats { Floats { a: k + 9, b: opaque(k as f64 / 2.0) } }
#[inline(never)] pub fn nothing(k: u32) { opaque(k); }
#[inline(never)] pub fn constant(k: u32) -> Option<u32> { if opaque(k) > 1 { Some(12) } else { None } }
#[inline(never)] pub fn left(k: u32) -> i8 { opaque(k + 1); -3 }
#[inline(never)] pub fn passed(k: u32) -> i8 { left(k + 1) }
#[inline(never)] pub fn unread(k: u32) -> u64 { opaque(k + 2); k as u64 * 3 }
#[inline(never)] pub fn double(k: u32) -> f64 { opaque(k as f64) }
fn main() {
    let s = "abcdefgh"; let n = [1u16, 2, 3, 4];
    for k in 1..=3u32 {
        let k = opaque(k);
        println!("{:?}", number(k as i32)); println!("{:?}", option(k)); println!("{:?}", byte(k)); println!("{:?}", result(k));
        println!("{:?}", text(k)); println!("{:?}", string(k)); println!("{:?}", slice(s, k)); let v = numbers(&n, k); println!("[{}, {}]", v[0], v.len());
        println!("{}", niche(k).map_or(0, |n| n.get())); println!("{}", color(k).map_or(0, |c| c as u8)); println!("{:?}", point(k as i64)); println!("{:?}", small(k));
        println!("{:?}", packed(k)); println!("{:?}", three(k)); println!("{:?}", wide(k) >> 64); match op(k) { Op::Nop => println!("Nop"), Op::Add(n) => println!("Add({})", n), Op::Name { id, text } => println!("Name {} {}", id, text) }
        println!("{}", floats(k).a);
        nothing(k); opaque(constant(k)); opaque(left(k)); opaque(passed(k)); unread(k); opaque(double(k));
    }
}
