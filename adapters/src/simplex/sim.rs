//! The simulator as a SimpleX core: a simulated network in this process, with a real clock and a file.

mod host;
mod store;

pub use host::{SimCore, SimHost, SimOpenError};
