//! The test vectors, the schemas, and texts that want to be slow.

mod hostile;
mod offers;
mod vectors;
mod writing;
