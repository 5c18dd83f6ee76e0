//! The C ABI of `libsimplex` (digest 1.1 and 1.2). This is the only file of the crate with `unsafe`.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::fmt;
use std::path::{Path, PathBuf};
use std::ptr;
use std::sync::{Mutex, Once, PoisonError};
use std::time::Duration;

use libloading::Library;

use super::LoadError;

type HsInit = unsafe extern "C" fn(*mut c_int, *mut *mut *mut c_char);
type MigrateInit =
    unsafe extern "C" fn(*const c_char, *const c_char, *const c_char, *mut *mut c_void) -> *mut c_char;
type CloseStore = unsafe extern "C" fn(*mut c_void) -> *mut c_char;
type SendCmd = unsafe extern "C" fn(*mut c_void, *const c_char) -> *mut c_char;
type RecvMsgWait = unsafe extern "C" fn(*mut c_void, c_int) -> *mut c_char;

unsafe extern "C" {
    /// libc's `free`: the library allocates its results with libc's `malloc`.
    fn free(pointer: *mut c_void);
}

/// The functions of a loaded library.
pub(super) struct Api {
    hs_init: HsInit,
    migrate_init: MigrateInit,
    close_store: CloseStore,
    send_cmd: SendCmd,
    recv_msg_wait: RecvMsgWait,
}

impl fmt::Debug for Api {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Api")
    }
}

/// The library of this process. A Haskell runtime cannot be started twice, and a second library would bring one.
static LOADED: Mutex<Option<(PathBuf, &'static Api)>> = Mutex::new(None);
static RUNTIME: Once = Once::new();

impl Api {
    /// Loads the library at an absolute path, once for the process.
    pub(super) fn load(path: &Path) -> Result<&'static Self, LoadError> {
        let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
        match &*loaded {
            Some((known, api)) if known == path => return Ok(api),
            Some((known, _)) => return Err(LoadError::Another(known.clone())),
            None => {}
        }
        // SAFETY: loading runs the initialisers of whatever the person put at this path; they chose it as the
        // SimpleX library of their system, and nothing else of this program depends on state they could break.
        let library = unsafe { Library::new(path) }.map_err(|error| LoadError::Refused(one_line(&error)))?;
        // SAFETY: the types are those of digest 1.1 for these names, and `library` is leaked below, so that the
        // functions stay valid for the life of the process.
        let api = unsafe {
            Self {
                hs_init: symbol(&library, "hs_init_with_rtsopts")?,
                migrate_init: symbol(&library, "chat_migrate_init")?,
                close_store: symbol(&library, "chat_close_store")?,
                send_cmd: symbol(&library, "chat_send_cmd")?,
                recv_msg_wait: symbol(&library, "chat_recv_msg_wait")?,
            }
        };
        // A runtime with threads of its own must never be unloaded.
        std::mem::forget(library);
        let api: &'static Self = Box::leak(Box::new(api));
        *loaded = Some((path.to_owned(), api));
        Ok(api)
    }

    /// Opens or creates the store of a file prefix: the answer of `chat_migrate_init`, and the controller when it
    /// gave one.
    pub(super) fn migrate_init(
        &'static self,
        prefix: &CStr,
        key: &CStr,
        confirm: &CStr,
    ) -> (String, Option<Controller>) {
        self.start_runtime();
        let mut control: *mut c_void = ptr::null_mut();
        // SAFETY: the three texts are NUL-terminated and read during the call only; `control` is a valid place for
        // one pointer, written only for an answer `ok`; the runtime has been started.
        let answer =
            unsafe { (self.migrate_init)(prefix.as_ptr(), key.as_ptr(), confirm.as_ptr(), &raw mut control) };
        let controller = (!control.is_null()).then_some(Controller { api: self, control });
        (take(answer).unwrap_or_default(), controller)
    }

    /// Starts the Haskell runtime, once for the process, with the options of the official clients: large
    /// allocation areas, the non-moving collector (not on Windows), and signals left to this program.
    fn start_runtime(&self) {
        RUNTIME.call_once(|| {
            let mut options = vec!["simplex", "+RTS", "-A64m", "-H64m"];
            if !cfg!(windows) {
                options.push("-xn");
            }
            options.push("--install-signal-handlers=no");
            let texts = options.into_iter().filter_map(|option| CString::new(option).ok());
            let mut argv: Vec<*mut c_char> = texts.map(CString::into_raw).collect();
            let mut argc = c_int::try_from(argv.len()).unwrap_or(0);
            argv.push(ptr::null_mut());
            // The runtime keeps pointers into its arguments, so they are leaked, with the place of `argv` itself.
            let argv: &'static mut [*mut c_char] = argv.leak();
            let place: &'static mut *mut *mut c_char = Box::leak(Box::new(argv.as_mut_ptr()));
            // SAFETY: `argc` texts and a final null pointer, all alive for the life of the process; `Once` makes
            // this the only call.
            unsafe { (self.hs_init)(&raw mut argc, place) }
        });
    }
}

/// One open store. The pointer is never freed by the library, so calls after a close answer with errors.
pub(super) struct Controller {
    api: &'static Api,
    control: *mut c_void,
}

// SAFETY: the pointer is a handle that the library looks up; the official clients use it from many threads at a
// time, in parallel with the receiver (digest 1.2).
unsafe impl Send for Controller {}
// SAFETY: as above.
unsafe impl Sync for Controller {}

impl fmt::Debug for Controller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Controller")
    }
}

impl Controller {
    /// Runs a command to its end; `None` when the library gave a null pointer.
    pub(super) fn send_cmd(&self, line: &CStr) -> Option<String> {
        // SAFETY: `control` came from this library and is never freed; the text is read during the call only.
        take(unsafe { (self.api.send_cmd)(self.control, line.as_ptr()) })
    }

    /// The next event, or an empty text after `wait`; `None` when the library gave a null pointer.
    pub(super) fn recv_msg_wait(&self, wait: Duration) -> Option<String> {
        let micros = c_int::try_from(wait.as_micros()).unwrap_or(c_int::MAX);
        // SAFETY: `control` came from this library and is never freed.
        take(unsafe { (self.api.recv_msg_wait)(self.control, micros) })
    }

    /// Closes the store; an empty text is success.
    pub(super) fn close_store(&self) -> Option<String> {
        // SAFETY: `control` came from this library and is never freed.
        take(unsafe { (self.api.close_store)(self.control) })
    }
}

/// The function of this name.
///
/// # Safety
///
/// `T` is the function's type, and the result is not used after `library` is unloaded.
unsafe fn symbol<T: Copy>(library: &Library, name: &'static str) -> Result<T, LoadError> {
    // SAFETY: the caller vouches for the type; copying the pointer out is allowed while the library stays loaded.
    let found = unsafe { library.get::<T>(name) };
    found.map(|function| *function).map_err(|_| LoadError::Lacks(name))
}

/// Takes over a text that the library allocated. Bytes that are not UTF-8 are replaced: JSON texts of the core
/// always are, and a broken one shall be shown, not lost.
fn take(text: *mut c_char) -> Option<String> {
    if text.is_null() {
        return None;
    }
    // SAFETY: results are NUL-terminated and belong to the caller (digest 1.1).
    let taken = unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned();
    // SAFETY: it was allocated with `malloc`, and nothing refers to it any more.
    unsafe { free(text.cast()) };
    Some(taken)
}

/// An error and its causes on one line.
fn one_line(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
