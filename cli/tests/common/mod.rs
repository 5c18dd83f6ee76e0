//! What the tests of the program need.
#![allow(dead_code, clippy::unwrap_used)]

#[cfg(unix)]
pub(crate) mod server;

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// A home folder of its own, removed at the end of the test.
pub(crate) struct Home(PathBuf);

impl Home {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("simplex-mcp-home-{}-{number}", std::process::id()));
        std::fs::create_dir(&path).unwrap();
        Self(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// The default data folder of an agent.
    pub(crate) fn data(&self, name: &str) -> PathBuf {
        self.0.join(".simplex-mcp").join(name)
    }

    /// Everything in the home folder, as sorted relative paths.
    pub(crate) fn files(&self) -> Vec<String> {
        fn walk(root: &Path, folder: &Path, found: &mut Vec<String>) {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                found.push(path.strip_prefix(root).unwrap().to_str().unwrap().to_owned());
                if path.is_dir() && !path.is_symlink() {
                    walk(root, &path, found);
                }
            }
        }
        let mut found = Vec::new();
        walk(&self.0, &self.0, &mut found);
        found.sort();
        found
    }

    /// The program, in this home and with nothing of the tester's environment that it reads.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_simplex-mcp"));
        command.args(args).env("HOME", &self.0).current_dir(&self.0);
        for name in
            ["SIMPLEX_LIBS_DIR", "XDG_CACHE_HOME", "SSL_CERT_FILE", "https_proxy", "no_proxy", "NO_PROXY"]
        {
            command.env_remove(name);
        }
        // No test reaches the network: nobody is that proxy.
        command.env("HTTPS_PROXY", "http://127.0.0.1:9");
        command.stdin(Stdio::null());
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Ended {
        Ended::of(&self.command(args).output().unwrap())
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// How a run ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ended {
    pub(crate) fn of(output: &Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout.clone()).unwrap(),
            stderr: String::from_utf8(output.stderr.clone()).unwrap(),
        }
    }

    /// One line on stderr, nothing on stdout, this exit code.
    pub(crate) fn line(&self, code: i32) -> &str {
        assert_eq!(self.code, Some(code), "{self:?}");
        assert_eq!(self.stdout, "", "{self:?}");
        let line = self.stderr.strip_suffix('\n').unwrap();
        assert!(!line.is_empty() && !line.contains('\n'), "{self:?}");
        line
    }
}

/// Some library that this process has loaded, where the system tells.
pub(crate) fn loaded_library(name: &str) -> Option<String> {
    let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
    maps.lines()
        .filter_map(|line| line.split_whitespace().last())
        .find(|path| path.contains(name))
        .map(str::to_owned)
}

/// The folder of the library that cargo built beside this test.
pub(crate) fn library_folder() -> PathBuf {
    let name = if cfg!(target_vendor = "apple") { "libsimplex.dylib" } else { "libsimplex.so" };
    let exe = std::env::current_exe().unwrap();
    let deps = exe.parent().unwrap();
    let found = [deps, deps.parent().unwrap()].into_iter().find(|folder| folder.join(name).exists());
    found.expect("cargo builds the library with this test; run cargo build -p simplex-sim-abi").to_owned()
}
