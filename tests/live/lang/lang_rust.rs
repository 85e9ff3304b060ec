// A Rust program for uprobes: text, enums, options, methods.
#[inline(never)]
fn black_box<T>(x: T) -> T { x }
pub struct Point { pub x: i32, pub y: f64, pub label: String }
pub enum Op { Nop, Add(i32), Name { id: u64, text: &'static str } }
#[derive(Clone, Copy)]
pub enum Color { Red = 3, Green = 9 }
impl Point { #[inline(never)] pub fn scale(&self, k: u32) -> i32 { self.x * k as i32 + self.label.len() as i32 } }
#[inline(never)]
pub fn greet(name: &str, owned: &String, bytes: &[u8], c: Color, n: i64, opt: Option<u32>) -> usize { name.len() + owned.len() + bytes.len() + c as usize + (n + 5) as usize + opt.unwrap_or(0) as usize }
#[inline(never)]
pub fn eval(op: &Op, pair: (i16, u8)) -> i64 { match op { Op::Nop => 0, Op::Add(n) => *n as i64 + pair.0 as i64, Op::Name { id, text } => *id as i64 + text.len() as i64 } }
fn main() {
    let p = Point { x: 6, y: 1.5, label: String::from("labelled") };
    let s = String::from("owned text");
    black_box(p.scale(black_box(7)));
    black_box(greet(black_box("borrowed"), &s, b"bytes", black_box(Color::Green), black_box(-5), black_box(Some(8))));
    black_box(eval(&black_box(Op::Name { id: 77, text: "op text" }), black_box((-3, 200))));
    black_box(p.y);
}
