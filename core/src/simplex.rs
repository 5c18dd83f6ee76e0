//! The language of the SimpleX core: commands to text, JSON to responses, events and errors; links, names, markdown,
//! encoded sizes.

pub mod chat_ref;
pub mod command;
mod envelope;
pub mod error;
pub mod event;
pub mod fold;
pub mod markdown;
pub mod model;
pub mod name;
pub mod response;
pub mod router;
pub mod size;
pub mod target;
mod unicode;
pub mod version;

pub use chat_ref::ChatRef;
