//! The safety properties of the architecture, each tried by random interleavings on the simulator, and each judge shown
//! able to find what it looks for.
//!
//! `PROPTEST_CASES=1000 cargo test -p simplex-proptests --test properties` goes on for longer. A failing list of steps
//! shrinks, and its seed is kept in `regressions/`.

mod doctor;
mod p1;
mod p11;
mod p12;
mod p13;
mod p2;
mod p3;
mod p4;
mod p5;
mod p6;
mod p7;
mod runs;
