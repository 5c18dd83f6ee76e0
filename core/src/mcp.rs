//! The Model Context Protocol over HTTP, both eras: `http` says what a request means, `server` keeps the open calls.

pub mod http;
