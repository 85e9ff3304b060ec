// Enums of Rust for uprobes: tags of their own, of some width and sign, and tags that are spare values of other data.
use std::num::NonZeroU32;
#[inline(never)] fn black_box<T>(x: T) -> T { x }
pub enum Op { Nop, Add(i32), Name { id: u64, text: &'static str }, Far(Box<i64>) }
pub enum Single { Only(u32, u8) }
pub enum Deep { A(Option<Op>), B(Result<u32, char>), C }
#[repr(u8)] pub enum Wide { X(u64), Y, Z(i8) }
#[repr(i16)] pub enum Negative { M(u8), P(u8) }
#[derive(Clone, Copy)] pub enum Color { Red = 3, Green = 9 }
pub struct Options<'a> { small: Option<u32>, pointer: Option<&'a u32>, number: Option<NonZeroU32>, color: Option<Color>, letter: Option<char>, truth: Option<Option<bool>>, large: Option<u128> }
#[inline(never)] pub fn op(o: &Op) -> i32 { match o { Op::Nop => 1, Op::Add(n) => *n, Op::Name { id, text } => *id as i32 + text.len() as i32, Op::Far(b) => **b as i32 } }
#[inline(never)] pub fn options(o: &Options) -> usize { o.small.is_some() as usize + o.pointer.is_some() as usize + o.number.is_some() as usize + o.color.is_some() as usize + o.letter.is_some() as usize + o.truth.is_some() as usize + o.large.is_some() as usize }
#[inline(never)] pub fn others(s: &Single, d: &Deep, w: &Wide, n: &Negative) -> i32 {
    match s { Single::Only(a, b) => *a as i32 + *b as i32 };
    match d { Deep::A(x) => x.is_some() as i32, Deep::B(x) => x.is_ok() as i32, Deep::C => 1 };
    match w { Wide::X(x) => *x as i32, Wide::Y => 1, Wide::Z(z) => *z as i32 };
    match n { Negative::M(x) => *x as i32, Negative::P(y) => *y as i32 }
}
fn main() {
    let six = 6;
    for o in [Op::Nop, Op::Add(-7), Op::Name { id: 77, text: "op text" }, Op::Far(Box::new(9)), Op::Add(4)] { black_box(op(&o)); }
    black_box(options(&Options { small: Some(5), pointer: Some(&six), number: NonZeroU32::new(4), color: Some(Color::Green), letter: Some('x'), truth: Some(None), large: Some(8) }));
    black_box(options(&Options { small: None, pointer: None, number: None, color: None, letter: None, truth: None, large: None }));
    black_box(options(&Options { small: None, pointer: None, number: None, color: Some(Color::Red), letter: None, truth: Some(Some(true)), large: None }));
    let n = [Negative::M(8), Negative::P(9)];
    black_box(others(&Single::Only(3, 4), &Deep::A(Some(Op::Add(3))), &Wide::X(1), &n[0]));
    black_box(others(&Single::Only(3, 4), &Deep::A(None), &Wide::Y, &n[1]));
    black_box(others(&Single::Only(3, 4), &Deep::B(Ok(2)), &Wide::Z(-2), &n[1]));
    black_box(others(&Single::Only(3, 4), &Deep::B(Err('e')), &Wide::Z(-2), &n[1]));
    black_box(others(&Single::Only(3, 4), &Deep::C, &Wide::Z(-2), &n[1]));
}
