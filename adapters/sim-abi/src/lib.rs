//! The C ABI of `libsimplex` over `simplex-sim`, so that a program that loads the library by dlopen is tested for
//! real, and can be tried without a network.
//!
//! It exports what digest 1.1 lists. Results are allocated with libc's `malloc` and belong to the caller, who frees
//! them with `free`. Controllers are numbers in the form of pointers: a null pointer, a closed or an invented one
//! is looked up and refused, never followed.
//!
//! The environment, read once: `SIMPLEX_SIM_SCENARIO`, a scenario file (default: the people of `demo`,
//! with an owner who approves), and
//! `SIMPLEX_SIM_SEED`, a number (default 1). All controllers of a process live in one network; its state is kept in
//! `PREFIX_sim.json` of each open file prefix.
//!
//! This is the only file of the crate with `unsafe`.

#![deny(unsafe_op_in_unsafe_fn)]

#[forbid(unsafe_code)]
mod answer;
#[forbid(unsafe_code)]
mod cipher;
#[forbid(unsafe_code)]
mod control;
#[forbid(unsafe_code)]
mod server;
#[cfg(test)]
#[forbid(unsafe_code)]
mod tests;

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;
use std::time::Duration;

unsafe extern "C" {
    /// libc's `malloc`: what the caller's `free` takes.
    fn malloc(size: usize) -> *mut c_void;
}

/// Does nothing: there is no Haskell runtime to start.
#[unsafe(no_mangle)]
pub extern "C" fn hs_init(_argc: *mut c_int, _argv: *mut *mut *mut c_char) {}

/// Does nothing: there is no Haskell runtime to start.
#[unsafe(no_mangle)]
pub extern "C" fn hs_init_with_rtsopts(_argc: *mut c_int, _argv: *mut *mut *mut c_char) {}

/// Opens or creates the store of a file prefix; for an answer `ok`, `*control` is the controller.
///
/// # Safety
///
/// The texts are null or NUL-terminated, and `control` is null or a place for one pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chat_migrate_init(
    path: *const c_char,
    key: *const c_char,
    confirm: *const c_char,
    control: *mut *mut c_void,
) -> *mut c_char {
    // SAFETY: the caller's promise about the texts.
    let (path, key, confirm) = unsafe { (text(path), text(key), text(confirm)) };
    let (answer, opened) = control::open(path, key, confirm, !control.is_null());
    if let Some(number) = opened {
        // SAFETY: not null, for then nothing is opened, and so by the caller's promise a place for one pointer.
        unsafe { control.write(ptr::without_provenance_mut(number)) };
    }
    give(answer)
}

/// As [`chat_migrate_init`]; whether the key is kept, and running in the background, make no difference here.
///
/// # Safety
///
/// As [`chat_migrate_init`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chat_migrate_init_key(
    path: *const c_char,
    key: *const c_char,
    _keep_key: c_int,
    confirm: *const c_char,
    _background: c_int,
    control: *mut *mut c_void,
) -> *mut c_char {
    // SAFETY: the caller's promise is the same.
    unsafe { chat_migrate_init(path, key, confirm, control) }
}

/// Closes the store: an empty text, or why not.
#[unsafe(no_mangle)]
pub extern "C" fn chat_close_store(control: *mut c_void) -> *mut c_char {
    give(control::close(control.addr()))
}

/// Opens a closed store again: an empty text, or why not.
#[unsafe(no_mangle)]
pub extern "C" fn chat_reopen_store(control: *mut c_void) -> *mut c_char {
    give(control::reopen(control.addr()))
}

/// Runs a command to its end.
///
/// # Safety
///
/// `command` is null or NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chat_send_cmd(control: *mut c_void, command: *const c_char) -> *mut c_char {
    // SAFETY: the caller's promise.
    let command = unsafe { text(command) };
    give(control::command(control.addr(), command))
}

/// As [`chat_send_cmd`]: the simulator retries nothing.
///
/// # Safety
///
/// As [`chat_send_cmd`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chat_send_cmd_retry(
    control: *mut c_void,
    command: *const c_char,
    _retry: c_int,
) -> *mut c_char {
    // SAFETY: the caller's promise is the same.
    unsafe { chat_send_cmd(control, command) }
}

/// Answers that there is no such remote host.
///
/// # Safety
///
/// None is needed; it is `unsafe` to have the form of its neighbours.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chat_send_remote_cmd(
    _control: *mut c_void,
    remote_host: c_int,
    _command: *const c_char,
) -> *mut c_char {
    give(answer::no_remote_host(remote_host))
}

/// As [`chat_send_remote_cmd`].
///
/// # Safety
///
/// As [`chat_send_remote_cmd`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chat_send_remote_cmd_retry(
    _control: *mut c_void,
    remote_host: c_int,
    _command: *const c_char,
    _retry: c_int,
) -> *mut c_char {
    give(answer::no_remote_host(remote_host))
}

/// The next event; waits for it without limit. An empty text once the store is closed.
#[unsafe(no_mangle)]
pub extern "C" fn chat_recv_msg(control: *mut c_void) -> *mut c_char {
    give(control::receive(control.addr(), Duration::MAX))
}

/// The next event, or an empty text when none came within `wait` microseconds; a negative `wait` has no limit.
#[unsafe(no_mangle)]
pub extern "C" fn chat_recv_msg_wait(control: *mut c_void, wait: c_int) -> *mut c_char {
    let wait = u64::try_from(wait).map_or(Duration::MAX, Duration::from_micros);
    give(control::receive(control.addr(), wait))
}

/// The formatted parts of a text: `{"formattedText":[…]}`, or `{}`.
///
/// # Safety
///
/// `markdown` is null or NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chat_parse_markdown(markdown: *const c_char) -> *mut c_char {
    // SAFETY: the caller's promise.
    give(answer::markdown(&unsafe { lossy(markdown) }))
}

/// The valid form of a display name.
///
/// # Safety
///
/// `name` is null or NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chat_valid_name(name: *const c_char) -> *mut c_char {
    // SAFETY: the caller's promise.
    give(answer::valid_name(&unsafe { lossy(name) }))
}

/// How many bytes the text has as the content of a JSON string.
///
/// # Safety
///
/// `string` is null or NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chat_json_length(string: *const c_char) -> c_int {
    // SAFETY: the caller's promise.
    answer::json_length(&unsafe { lossy(string) })
}

/// The parts of the address of a router.
///
/// # Safety
///
/// `address` is null or NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chat_parse_server(address: *const c_char) -> *mut c_char {
    // SAFETY: the caller's promise.
    give(server::parse(&unsafe { lossy(address) }))
}

/// The scheme of a URI. The simulator sanitises nothing.
///
/// # Safety
///
/// `uri` is null or NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chat_parse_uri(uri: *const c_char, _safe: c_int) -> *mut c_char {
    // SAFETY: the caller's promise.
    give(answer::uri(&unsafe { lossy(uri) }))
}

/// A hash of a password with a salt, base64url.
///
/// # Safety
///
/// The texts are null or NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chat_password_hash(password: *const c_char, salt: *const c_char) -> *mut c_char {
    // SAFETY: the caller's promise.
    let (password, salt) = unsafe { (lossy(password), lossy(salt)) };
    give(cipher::password_hash(&password, &salt))
}

/// Answers that there are no calls.
#[unsafe(no_mangle)]
pub extern "C" fn chat_encrypt_media(
    _control: *mut c_void,
    _key: *const c_char,
    _frame: *mut c_char,
    _length: c_int,
) -> *mut c_char {
    give("the simulator has no calls".to_owned())
}

/// Answers that there are no calls.
#[unsafe(no_mangle)]
pub extern "C" fn chat_decrypt_media(
    _key: *const c_char,
    _frame: *mut c_char,
    _length: c_int,
) -> *mut c_char {
    give("the simulator has no calls".to_owned())
}

/// Encrypts data into a file: its key and nonce, or the error.
///
/// # Safety
///
/// `path` is null or NUL-terminated, and `data` is null or has `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chat_write_file(
    _control: *mut c_void,
    path: *const c_char,
    data: *const c_char,
    length: c_int,
) -> *mut c_char {
    // SAFETY: the caller's promise.
    let path = unsafe { lossy(path) };
    let data = match usize::try_from(length) {
        // SAFETY: not null, and of this length by the caller's promise.
        Ok(length) if !data.is_null() => unsafe { std::slice::from_raw_parts(data.cast::<u8>(), length) },
        _ => &[],
    };
    give(cipher::write(&path, data))
}

/// The data of an encrypted file: byte 0, four bytes of length in native order, the data; or byte 1 and an error text.
///
/// # Safety
///
/// The texts are null or NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chat_read_file(
    path: *const c_char,
    key: *const c_char,
    nonce: *const c_char,
) -> *mut u8 {
    // SAFETY: the caller's promise.
    let (path, key, nonce) = unsafe { (lossy(path), lossy(key), lossy(nonce)) };
    give_bytes(&cipher::read_framed(&path, &key, &nonce))
}

/// Encrypts one file into another: its key and nonce, or the error.
///
/// # Safety
///
/// The texts are null or NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chat_encrypt_file(
    _control: *mut c_void,
    from: *const c_char,
    to: *const c_char,
) -> *mut c_char {
    // SAFETY: the caller's promise.
    let (from, to) = unsafe { (lossy(from), lossy(to)) };
    give(cipher::encrypt_file(&from, &to))
}

/// Decrypts one file into another: an empty text, or the error.
///
/// # Safety
///
/// The texts are null or NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chat_decrypt_file(
    from: *const c_char,
    key: *const c_char,
    nonce: *const c_char,
    to: *const c_char,
) -> *mut c_char {
    // SAFETY: the caller's promise.
    let (from, key, nonce, to) = unsafe { (lossy(from), lossy(key), lossy(nonce), lossy(to)) };
    give(cipher::decrypt_file(&from, &key, &nonce, &to))
}

/// The caller's text; `None` for a null pointer and for bytes that are no UTF-8.
///
/// # Safety
///
/// `text` is null or NUL-terminated, and stays so while the result is used.
unsafe fn text<'a>(text: *const c_char) -> Option<&'a str> {
    if text.is_null() {
        return None;
    }
    // SAFETY: not null, and the caller's promise.
    unsafe { CStr::from_ptr(text) }.to_str().ok()
}

/// The caller's text; empty for a null pointer, with replacements for bytes that are no UTF-8.
///
/// # Safety
///
/// `text` is null or NUL-terminated.
unsafe fn lossy(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: not null, and the caller's promise.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

/// Gives a text to the caller. A NUL inside, which no answer has, would end it early.
fn give(text: String) -> *mut c_char {
    let mut bytes = text.into_bytes();
    bytes.push(0);
    give_bytes(&bytes).cast()
}

/// Gives bytes to the caller, in memory of `malloc`.
fn give_bytes(bytes: &[u8]) -> *mut u8 {
    // SAFETY: any size may be asked for.
    let place = unsafe { malloc(bytes.len()) }.cast::<u8>();
    if place.is_null() {
        // As the real library: without memory there is no way on.
        std::process::abort();
    }
    // SAFETY: `place` is new, of this length, and so overlaps nothing.
    unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), place, bytes.len()) };
    place
}

/// The functions with texts in and out, for tests: what a C program has to do around each call.
#[cfg(test)]
mod caller {
    use super::*;

    unsafe extern "C" {
        fn free(pointer: *mut c_void);
    }

    fn take(text: *mut c_char) -> String {
        assert!(!text.is_null());
        // SAFETY: results are NUL-terminated and belong to the caller, who frees them once.
        unsafe {
            let taken = CStr::from_ptr(text).to_string_lossy().into_owned();
            free(text.cast());
            taken
        }
    }

    fn pointer(text: Option<&CStr>) -> *const c_char {
        text.map_or(ptr::null(), CStr::as_ptr)
    }

    pub(crate) fn migrate_init(
        [path, key, confirm]: [Option<&CStr>; 3],
        place: Option<&mut usize>,
    ) -> String {
        let mut control: *mut c_void = ptr::null_mut();
        let control_place = if place.is_some() { &raw mut control } else { ptr::null_mut() };
        // SAFETY: texts that are null or NUL-terminated, and null or a place for a pointer.
        let answer =
            take(unsafe { chat_migrate_init(pointer(path), pointer(key), pointer(confirm), control_place) });
        if let Some(place) = place {
            *place = control.addr();
        }
        answer
    }

    pub(crate) fn send_cmd(control: usize, command: Option<&CStr>) -> String {
        // SAFETY: a text that is null or NUL-terminated.
        take(unsafe { chat_send_cmd(ptr::without_provenance_mut(control), pointer(command)) })
    }

    pub(crate) fn send_cmd_retry(control: usize, command: Option<&CStr>) -> String {
        // SAFETY: a text that is null or NUL-terminated.
        take(unsafe { chat_send_cmd_retry(ptr::without_provenance_mut(control), pointer(command), 3) })
    }

    pub(crate) fn send_remote_cmd(control: usize, command: Option<&CStr>) -> String {
        // SAFETY: a text that is null or NUL-terminated.
        take(unsafe { chat_send_remote_cmd(ptr::without_provenance_mut(control), 4, pointer(command)) })
    }

    pub(crate) fn close_store(control: usize) -> String {
        take(chat_close_store(ptr::without_provenance_mut(control)))
    }

    pub(crate) fn reopen_store(control: usize) -> String {
        take(chat_reopen_store(ptr::without_provenance_mut(control)))
    }

    pub(crate) fn recv_msg(control: usize) -> String {
        take(chat_recv_msg(ptr::without_provenance_mut(control)))
    }

    pub(crate) fn recv_msg_wait(control: usize, wait: c_int) -> String {
        take(chat_recv_msg_wait(ptr::without_provenance_mut(control), wait))
    }

    pub(crate) fn on_text(
        function: unsafe extern "C" fn(*const c_char) -> *mut c_char,
        text: Option<&CStr>,
    ) -> String {
        // SAFETY: a text that is null or NUL-terminated; the functions of this form ask for no more.
        take(unsafe { function(pointer(text)) })
    }

    pub(crate) fn json_length(text: Option<&CStr>) -> c_int {
        // SAFETY: a text that is null or NUL-terminated.
        unsafe { chat_json_length(pointer(text)) }
    }

    pub(crate) fn parse_uri(text: Option<&CStr>) -> String {
        // SAFETY: a text that is null or NUL-terminated.
        take(unsafe { chat_parse_uri(pointer(text), 1) })
    }

    pub(crate) fn password_hash(password: Option<&CStr>, salt: Option<&CStr>) -> String {
        // SAFETY: texts that are null or NUL-terminated.
        take(unsafe { chat_password_hash(pointer(password), pointer(salt)) })
    }

    pub(crate) fn write_file(path: Option<&CStr>, data: &[u8]) -> String {
        let length = c_int::try_from(data.len()).unwrap();
        // SAFETY: a text that is null or NUL-terminated, and data of its length.
        take(unsafe { chat_write_file(ptr::null_mut(), pointer(path), data.as_ptr().cast(), length) })
    }

    pub(crate) fn read_file(
        path: Option<&CStr>,
        key: Option<&CStr>,
        nonce: Option<&CStr>,
    ) -> Result<Vec<u8>, String> {
        // SAFETY: texts in; out come bytes of the documented form, which the caller frees once.
        unsafe {
            let bytes = chat_read_file(pointer(path), pointer(key), pointer(nonce));
            let result = match *bytes {
                0 => {
                    let length = bytes.add(1).cast::<u32>().read_unaligned();
                    Ok(std::slice::from_raw_parts(bytes.add(5), length as usize).to_vec())
                }
                _ => Err(CStr::from_ptr(bytes.add(1).cast()).to_string_lossy().into_owned()),
            };
            free(bytes.cast());
            result
        }
    }

    pub(crate) fn encrypt_file(from: Option<&CStr>, to: Option<&CStr>) -> String {
        // SAFETY: texts that are null or NUL-terminated.
        take(unsafe { chat_encrypt_file(ptr::null_mut(), pointer(from), pointer(to)) })
    }

    pub(crate) fn decrypt_file(from: Option<&CStr>, key: &CStr, nonce: &CStr, to: Option<&CStr>) -> String {
        // SAFETY: texts that are null or NUL-terminated.
        take(unsafe { chat_decrypt_file(pointer(from), key.as_ptr(), nonce.as_ptr(), pointer(to)) })
    }
}
