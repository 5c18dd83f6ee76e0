//! Every text script below `tests/scripts` (see `simplex_proptests::script`).

use std::path::Path;

use simplex_proptests::script::check_all;

/// What is seen is what the scripts say; which rules each proves stands in its comments.
#[test]
fn scripts() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scripts");
    assert!(check_all(&folder) > 0, "there are scripts");
}
