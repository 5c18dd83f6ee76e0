//! The data folder: `DIR` of the plan's "Data folder and state", held by one process at a time.

mod address_lock;
mod folder;
mod lock;
pub(crate) mod private;
mod token;
pub(crate) mod trouble;
mod view;
mod writer;

pub use address_lock::{AddressLock, AddressLockError};
pub use folder::{DataFolder, FolderError, KeptOptions, Listening, ServerInfo};
pub use token::Token;
pub use view::{FolderView, Holder, Unusable, log_file};
pub use writer::Writer;
