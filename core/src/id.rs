//! Identifiers of the seam. Each is a private number with a short printed form.

use core::fmt;

use serde::{Deserialize, Serialize};

/// Declares one identifier type: a newtype over `u64` whose printed form has `$prefix`.
macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(u64);

        impl $name {
            /// The identifier with this number. Whoever allocates them never gives one number twice in one run.
            pub const fn new(number: u64) -> Self {
                Self(number)
            }

            /// The number.
            pub const fn number(self) -> u64 {
                self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
    };
}

id!(
    /// One effect that ends: allocated by the machine, comes back in [`Input::Done`](crate::Input::Done).
    OpId,
    "op"
);
id!(
    /// One HTTP request: allocated by the host when the request has been read.
    RequestId,
    "req"
);
id!(
    /// One tool call, inside the machine: one HTTP request holds several when it is a batch.
    CallId,
    "call"
);
