//! The language of the SimpleX core: commands to text, JSON to responses, events and errors; links, names, markdown,
//! encoded sizes.
