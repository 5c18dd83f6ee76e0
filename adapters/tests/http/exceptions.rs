//! What the `tiny_http` front end does not do, with the reason. Everything else it does like the default one.

/// Tests that do not hold, and why.
pub(crate) const TINY: &[(&str, &str)] = &[];

/// Why a test does not hold for `tiny_http`.
#[allow(dead_code)]
pub(crate) fn reason(test: &str) -> Option<&'static str> {
    TINY.iter().find(|(name, _)| *name == test).map(|(_, reason)| *reason)
}
