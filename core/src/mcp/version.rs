//! The revisions of the protocol.

/// The modern revision served: the only one in `server/discover`, because a legacy one there would tell a client that
/// it may put it into `_meta`.
pub(super) const MODERN: &str = "2026-07-28";

/// The legacy revisions served, the latest first.
pub(super) const LEGACY: [&str; 3] = ["2025-11-25", "2025-06-18", "2025-03-26"];

/// The revision that a legacy request without a version header has, and the only one with batches.
pub(super) const BATCHES: &str = "2025-03-26";

/// What `initialize` answers: the same revision when it is served, else the latest legacy one.
pub(super) fn negotiated(asked: &str) -> &'static str {
    LEGACY.into_iter().find(|served| *served == asked).unwrap_or(LEGACY[0])
}

/// Whether a version names the modern era. Revisions are dates and compare as text; so `v999` is modern too and gets
/// that era's error.
pub(super) fn is_modern(version: &str) -> bool {
    version >= MODERN
}

#[cfg(test)]
mod tests {
    use super::{is_modern, negotiated};

    /// MCP-01, MCP-03, MCP-04.
    #[test]
    fn eras() {
        for (version, modern) in [
            ("2026-07-28", true),
            ("2026-07-29", true),
            ("2030-01-01", true),
            ("v999.0.0", true),
            ("2026-07-27", false),
            ("2025-11-25", false),
            ("2023-01-01", false),
            ("1", false),
            ("", false),
        ] {
            assert_eq!(is_modern(version), modern, "{version}");
        }
    }

    /// MCP-20.
    #[test]
    fn initialize_never_gives_a_modern_revision() {
        for (asked, given) in [
            ("2025-11-25", "2025-11-25"),
            ("2025-06-18", "2025-06-18"),
            ("2025-03-26", "2025-03-26"),
            ("2024-11-05", "2025-11-25"),
            ("2026-07-28", "2025-11-25"),
            ("2030-01-01", "2025-11-25"),
            ("junk", "2025-11-25"),
        ] {
            assert_eq!(negotiated(asked), given, "{asked}");
        }
    }
}
