//! The file that `claude` keeps its entries in: read, and written only to undo what the command left.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::args::Scope;
use crate::claude::Claude;
use crate::failure::Failure;

/// The folder of its configuration, when it is not the home folder.
const CONFIG_DIR: &str = "CLAUDE_CONFIG_DIR";
/// The file.
const FILE: &str = ".claude.json";

/// Where Claude Code keeps the entries of a scope.
#[derive(Debug)]
pub(super) struct Config {
    path: PathBuf,
    is_default: bool,
    /// The folder that a local entry applies in.
    project: Option<String>,
}

/// An entry before it was removed.
#[derive(Debug)]
pub(super) struct Before {
    entry: String,
    /// The whole file.
    text: String,
}

impl Config {
    /// The file, and in it the place of a scope.
    ///
    /// # Errors
    ///
    /// There is no current folder.
    pub(super) fn find(scope: Scope) -> Result<Self, Failure> {
        let folder = std::env::var_os(CONFIG_DIR).filter(|folder| !folder.is_empty()).map(PathBuf::from);
        let is_default = folder.is_none();
        let folder = folder.or_else(std::env::home_dir).unwrap_or_default();
        let project = match scope {
            Scope::User => None,
            Scope::Local => {
                let current = std::env::current_dir();
                let current =
                    current.map_err(|error| Failure::outside(format!("The current folder: {error}")))?;
                Some(project(&current).to_string_lossy().into_owned())
            }
        };
        Ok(Self { path: folder.join(FILE), is_default, project })
    }

    /// The folder of a local entry.
    pub(super) fn project(&self) -> Option<&str> {
        self.project.as_deref()
    }

    /// The file as a message names it.
    pub(super) fn shown(&self) -> String {
        if self.is_default { format!("~/{FILE}") } else { self.path.display().to_string() }
    }

    /// The text of the file.
    pub(super) fn text(&self) -> Option<String> {
        fs::read_to_string(&self.path).ok()
    }

    /// The entry of a server.
    pub(super) fn entry(&self, server: &str) -> Option<Before> {
        let text = self.text()?;
        let all: Value = serde_json::from_str(&text).ok()?;
        let place = match &self.project {
            None => &all,
            Some(project) => all.get("projects")?.get(project)?,
        };
        let entry = place.get("mcpServers")?.get(server)?.to_string();
        Some(Before { entry, text })
    }

    /// Puts back an entry that was removed: by the command, or, when it refuses that too and nobody has written the
    /// file since, by writing the file as it was. Whether the entry is there at the end.
    pub(super) fn restore(
        &self,
        claude: &Claude,
        server: &str,
        scope: Scope,
        before: &Before,
        left: Option<&str>,
    ) -> bool {
        let is_back = || self.entry(server).is_some_and(|entry| entry.entry == before.entry);
        if is_back() {
            return true;
        }
        let _ = claude.run(&["mcp", "add-json", "--scope", scope.word(), server, &before.entry]);
        if !is_back() && self.text().as_deref() == left {
            self.write(&before.text);
        }
        is_back()
    }

    /// Writes the file as it was, whole or not at all, with its mode. What fails shows when the file is read again.
    fn write(&self, text: &str) {
        let Ok(path) = self.path.canonicalize() else { return };
        let temporary = path.with_extension(format!("json.{}.tmp", std::process::id()));
        let written = fs::copy(&path, &temporary)
            .and_then(|_| fs::write(&temporary, text))
            .and_then(|()| fs::rename(&temporary, &path));
        if written.is_err() {
            let _ = fs::remove_file(&temporary);
        }
    }
}

/// The folder that Claude Code keys local entries by: the root of the git repository around `folder`, for a worktree
/// that of its main repository, and `folder` itself outside a repository (the plan, "Register"; seen in 2.1.197).
fn project(folder: &Path) -> PathBuf {
    let Some(root) = folder.ancestors().find(|folder| folder.join(".git").exists()) else {
        return folder.to_owned();
    };
    main_repository(root).unwrap_or_else(|| root.to_owned())
}

/// The main repository of a worktree, whose `.git` is a file that names `MAIN/.git/worktrees/NAME`.
fn main_repository(root: &Path) -> Option<PathBuf> {
    let text = fs::read_to_string(root.join(".git")).ok()?;
    let named = root.join(text.strip_prefix("gitdir:")?.trim()).canonicalize().ok()?;
    let worktrees = named.parent().filter(|folder| folder.ends_with("worktrees"))?;
    worktrees.parent().filter(|git| git.ends_with(".git"))?.parent().map(Path::to_owned)
}
