//! Files that are encrypted in name only: a stream of SHA-256 blocks and a check, so that a wrong key is noticed.
//! Nothing here protects anything; the simulator is for tests.

use std::fs;
use std::io;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE;
use serde_json::json;
use sha2::{Digest, Sha256, Sha512};

/// Bytes of the check in front of the data.
const CHECK: usize = 16;

/// The answer of `chat_password_hash`.
pub(crate) fn password_hash(password: &str, salt: &str) -> String {
    URL_SAFE.encode(Sha512::new().chain_update(password).chain_update(salt).finalize())
}

/// The answer of `chat_write_file`. Key and nonce are made from the path and the data: the simulator draws no
/// random numbers.
pub(crate) fn write(path: &str, data: &[u8]) -> String {
    let seed = |what: &str| Sha256::new().chain_update(what).chain_update(path).chain_update(data).finalize();
    let key = URL_SAFE.encode(seed("key"));
    let nonce = URL_SAFE.encode(seed("nonce").get(..24).unwrap_or_default());
    let mut bytes = check(&key, &nonce, data);
    bytes.extend_from_slice(data);
    if let Some(data) = bytes.get_mut(CHECK..) {
        stream(&key, &nonce, data);
    }
    match fs::write(path, &bytes) {
        Ok(()) => json!({"type": "result", "cryptoArgs": {"fileKey": key, "fileNonce": nonce}}).to_string(),
        Err(error) => write_error(&error.to_string()),
    }
}

/// The answer of `chat_read_file`.
pub(crate) fn read_framed(path: &str, key: &str, nonce: &str) -> Vec<u8> {
    let read = read(path, key, nonce).and_then(|data| match u32::try_from(data.len()) {
        Ok(length) => Ok((length, data)),
        Err(_) => Err("the file is too large".to_owned()),
    });
    match read {
        Ok((length, data)) => [&[0][..], &length.to_ne_bytes(), &data].concat(),
        Err(error) => [&[1][..], error.as_bytes(), &[0]].concat(),
    }
}

/// The answer of `chat_encrypt_file`.
pub(crate) fn encrypt_file(from: &str, to: &str) -> String {
    match fs::read(from) {
        Ok(data) => write(to, &data),
        Err(error) => write_error(&error.to_string()),
    }
}

/// The answer of `chat_decrypt_file`.
pub(crate) fn decrypt_file(from: &str, key: &str, nonce: &str, to: &str) -> String {
    let written =
        read(from, key, nonce).and_then(|data| fs::write(to, data).map_err(|error| error.to_string()));
    written.err().unwrap_or_default()
}

fn read(path: &str, key: &str, nonce: &str) -> Result<Vec<u8>, String> {
    let bytes = fs::read(path).map_err(|error: io::Error| error.to_string())?;
    let (expected, data) = bytes.split_at_checked(CHECK).ok_or("the file is too short")?;
    let mut data = data.to_vec();
    stream(key, nonce, &mut data);
    if check(key, nonce, &data) == expected { Ok(data) } else { Err("the file has another key".to_owned()) }
}

fn check(key: &str, nonce: &str, data: &[u8]) -> Vec<u8> {
    let sum = Sha256::new().chain_update(key).chain_update(nonce).chain_update(data).finalize();
    sum.iter().copied().take(CHECK).collect()
}

/// Mixes data with the stream of a key and nonce; twice is as it was.
fn stream(key: &str, nonce: &str, data: &mut [u8]) {
    for (number, block) in (0u64..).zip(data.chunks_mut(32)) {
        let mix =
            Sha256::new().chain_update(key).chain_update(nonce).chain_update(number.to_le_bytes()).finalize();
        for (byte, mix) in block.iter_mut().zip(mix) {
            *byte ^= mix;
        }
    }
}

fn write_error(error: &str) -> String {
    json!({"type": "error", "writeError": error}).to_string()
}
