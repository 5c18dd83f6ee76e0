//! One JSON-RPC 2.0 message: decode, encode, ids kept with their JSON type.
