//! bowline.

fn main() {}
