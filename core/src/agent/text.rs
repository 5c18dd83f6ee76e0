//! Every text that a person or a model reads from the agent, one module per audience, one function or constant per
//! text, so that they can be read and corrected at a glance (decisions 1).
//!
//! | module | audience |
//! |---|---|
//! | [`owner`] | the owner, in the agent control chat |
//! | [`person`] | who runs the program, at the terminal |
//! | [`model`] | the model, through MCP |
//!
//! [`host`] writes the entries of MCP hosts.
//! [`shown`] makes what others wrote safe to show; [`peer`] says what a chat is called; [`what`] names an action in a
//! few words; [`entry`] prints `--owners` entries; [`time`] prints moments.

pub mod entry;
pub mod host;
#[cfg(test)]
pub(crate) mod judge;
pub mod model;
pub mod owner;
pub mod peer;
pub mod person;
pub mod shown;
pub mod time;
pub mod what;
