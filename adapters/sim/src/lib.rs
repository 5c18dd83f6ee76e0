//! An in-memory SimpleX network that speaks the text API of the SimpleX core.
