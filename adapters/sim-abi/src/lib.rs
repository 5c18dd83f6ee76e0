//! The C ABI of `libsimplex` over `simplex-sim`.
