//! The program `simplex-mcp`.

fn main() {}
