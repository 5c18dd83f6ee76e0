//! The language of the SimpleX core: commands to text, JSON to responses, events and errors; links, names, markdown,
//! encoded sizes.

pub mod command;
mod envelope;
pub mod error;
pub mod event;
pub mod model;
pub mod response;
