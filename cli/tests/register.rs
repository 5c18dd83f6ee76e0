//! `register`: what it runs, prints and leaves, with a `claude` of the test's own.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

mod common;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;

use common::{Ended, Home};
use serde_json::{Value, json};

const ENTRY: &str = r#"{"type": "http", "url": "http://127.0.0.1:5301/mcp", "headersHelper": "cat HOME/.simplex-mcp/my-agent/headers.json", "timeout": 101400000}"#;

/// A home with an agent that was started, and a `claude` whose script this is; none for an empty one.
fn home(claude: &str) -> Home {
    let home = Home::new();
    let data = home.data("my-agent");
    fs::create_dir_all(&data).unwrap();
    fs::create_dir(home.path().join("bin")).unwrap();
    fs::write(data.join("server.json"), r#"{"name":"my-agent","port":5301,"expireHours":4}"#).unwrap();
    fs::write(data.join("token"), "secret").unwrap();
    if !claude.is_empty() {
        let path = home.path().join("bin/claude");
        fs::write(&path, format!("#!/bin/sh\n{claude}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    home
}

fn command(home: &Home, args: &[&str]) -> Command {
    let mut command = home.command(args);
    let path = format!("{}:/usr/bin:/bin", home.path().join("bin").display());
    command.env("PATH", path).env_remove("CLAUDE_CONFIG_DIR");
    command
}

fn run(home: &Home, args: &[&str]) -> Ended {
    Ended::of(&command(home, args).output().unwrap())
}

fn entry(home: &Home) -> String {
    ENTRY.replace("HOME", home.path().to_str().unwrap())
}

/// REG-01, REG-02, REG-03: the two commands, word by word, and a missing entry that `remove` complains of.
#[test]
fn what_claude_is_asked() {
    let script = r#"for word in "$@"; do printf '[%s]' "$word"; done >>"$HOME/asked"; echo >>"$HOME/asked"
        test "$2" != remove || { echo 'No MCP server named "simplex-my-agent" in user scope' >&2; exit 1; }
        test "$2" != get || echo "$3:""#;
    for (args, scope) in [
        (&["register", "my-agent"][..], "user"),
        (&["register", "--scope=user", "my-agent"], "user"),
        (&["register", "my-agent", "--scope", "local"], "local"),
    ] {
        let home = home(script);
        let stdout = format!("Added to Claude Code: scope {scope}, server simplex-my-agent.\n");
        assert_eq!(run(&home, args), Ended { code: Some(0), stdout, stderr: String::new() });
        let asked = fs::read_to_string(home.path().join("asked")).unwrap();
        let entry = entry(&home);
        let expected = format!(
            "[mcp][remove][--scope][{scope}][simplex-my-agent]\n[mcp][add-json][--scope][{scope}][simplex-my-agent][{entry}]\n[mcp][get][simplex-my-agent]\n"
        );
        assert_eq!(asked, expected);
    }
}

/// REG-04: an agent that was never started, with the folder that was given; nothing is made.
#[test]
fn never_started() {
    let home = home("touch \"$HOME/asked\"");
    let before = home.files();
    let ended = run(&home, &["register", "other"]);
    assert_eq!(ended.line(1), "Agent \"other\" was never started. Start it with: simplex-mcp serve other");
    let ended = run(&home, &["register", "other", "--data", "a b"]);
    let folder = home.path().join("a b");
    assert_eq!(
        ended.line(1),
        format!(
            "Agent \"other\" was never started. Start it with: simplex-mcp serve other --data '{}'",
            folder.display()
        )
    );
    let data = home.data("my-agent");
    let ended = run(&home, &["register", "other", "--data", data.to_str().unwrap()]);
    let expected = format!(
        "{0} is the data folder of agent \"my-agent\". Use register my-agent --data {0}.",
        data.display()
    );
    assert_eq!(ended.line(1), expected);
    fs::write(data.join("server.json"), "{").unwrap();
    let ended = run(&home, &["register", "my-agent"]);
    assert!(ended.line(1).contains("server.json is damaged"), "{ended:?}");
    assert_eq!(home.files(), before);
}

/// REG-05, REG-06: without `claude` the entry to add by hand, and where; a repository is its root, a worktree its main
/// repository.
#[test]
fn without_claude() {
    let home = home("");
    // A file that is no program is none.
    fs::write(home.path().join("bin/claude"), "#!/bin/sh\n").unwrap();
    let (repository, worktree) = (home.path().join("repo"), home.path().join("wt"));
    for folder in [repository.join("sub"), repository.join(".git/worktrees/wt"), worktree.join("sub")] {
        fs::create_dir_all(folder).unwrap();
    }
    fs::write(worktree.join(".git"), "gitdir: ../repo/.git/worktrees/wt\n").unwrap();
    let entry = entry(&home);
    let ended = run(&home, &["register", "my-agent"]);
    let user =
        format!("Add this entry under \"mcpServers\" in ~/.claude.json: {{\"simplex-my-agent\": {entry}}}");
    assert_eq!(ended.line(1), user);
    for (from, project) in [
        (home.path().to_owned(), home.path().to_owned()),
        (repository.join("sub"), repository.clone()),
        (worktree.join("sub"), repository.clone()),
    ] {
        let mut command = command(&home, &["register", "my-agent", "--scope", "local"]);
        let ended = Ended::of(&command.current_dir(&from).output().unwrap());
        let project = project.canonicalize().unwrap();
        let expected = format!(
            "Add this entry under \"projects\" > \"{}\" > \"mcpServers\" in ~/.claude.json: {{\"simplex-my-agent\": {entry}}}",
            project.display()
        );
        assert_eq!(ended.line(1), expected, "{}", from.display());
    }
    let mut command = command(&home, &["register", "my-agent"]);
    let ended = Ended::of(&command.env("CLAUDE_CONFIG_DIR", "/etc/x").output().unwrap());
    assert_eq!(ended.line(1), user.replace("~/.claude.json", "/etc/x/.claude.json"));
}

/// REG-07, REG-08, REG-13: a `claude` that fails, in whatever way, leaves the earlier entry where it was.
#[test]
fn a_claude_that_fails() {
    let old = json!({"type": "http", "url": "http://127.0.0.1:1/mcp"});
    // What a version does that removes and knows no `add-json`.
    let removes = r#"case "$2" in remove) echo '{"mcpServers":{}}' >"$HOME/.claude.json";; *)"#;
    // What a version does that takes only entries without a helper.
    let picky = r#"case "$6" in *headersHelper*) echo 'headersHelper: unknown key' >&2; exit 1;;
        *) printf '{"mcpServers":{"simplex-my-agent":%s}}' "$6" >"$HOME/.claude.json";; esac;; esac"#;
    let other = r#"echo '{"mcpServers":{},"projects":{"/new":{}}}' >"$HOME/.claude.json"; exit 3;; esac"#;
    for (script, reason, kept) in [
        ("echo 'out of order.' >&2; exit 1".to_owned(), "out of order", true),
        ("exit 7".to_owned(), "exit status: 7", true),
        ("kill -9 $$".to_owned(), "signal: 9 (SIGKILL)", true),
        (
            format!("{removes} echo \"error: unknown command 'add-json'\" >&2; exit 1;; esac"),
            "error: unknown command 'add-json'",
            true,
        ),
        (format!("{removes} printf 'no\\033[2J\\nline' ; exit 1;; esac"), "no [2J line", true),
        (format!("{removes} {picky}"), "headersHelper: unknown key", true),
        // Somebody else writes the file meanwhile: that is not undone.
        (format!("{removes} {other}"), "exit status: 3", false),
        // It does nothing, and says that all is well; also after it has removed the earlier entry.
        (
            "exit 0".to_owned(),
            "it ended well, but claude mcp get simplex-my-agent does not show the entry (it says nothing of simplex-my-agent)",
            true,
        ),
        (
            format!("{removes} test \"$2\" != get || {{ echo 'No MCP server found' >&2; exit 1; }};; esac"),
            "it ended well, but claude mcp get simplex-my-agent does not show the entry (No MCP server found)",
            true,
        ),
    ] {
        let home = home(&script);
        let file: PathBuf = home.path().join(".claude.json");
        let text = json!({"theme": "dark", "mcpServers": {"simplex-my-agent": old}}).to_string();
        fs::write(&file, &text).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        let before = home.files();
        let ended = run(&home, &["register", "my-agent"]);
        let what = if kept { "Nothing was changed" } else { "The earlier entry was removed" };
        let expected = format!(
            "claude mcp add-json failed: {reason}. {what}. Add this entry under \"mcpServers\" in ~/.claude.json: \
             {{\"simplex-my-agent\": {}}}",
            entry(&home)
        );
        assert_eq!(ended.line(1), expected, "{script}");
        let now: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
        assert_eq!(now["mcpServers"].get("simplex-my-agent"), kept.then_some(&old), "{script}");
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(home.files(), before, "{script}");
    }
}

/// REG-09, REG-11: `--print` runs nothing, changes nothing and shows no token; it warns when hosts will not find the
/// program.
#[test]
fn printing() {
    let home = home("touch \"$HOME/asked\"");
    let before = home.files();
    for host in ["claude", "cursor", "vscode", "codex", "gemini", "generic"] {
        let ended = run(&home, &["register", "my-agent", "--print", host]);
        assert_eq!(ended.code, Some(0), "{ended:?}");
        assert!(ended.stdout.starts_with("Add this to "), "{ended:?}");
        assert!(ended.stdout.contains("simplex-my-agent") && !ended.stdout.contains("secret"), "{ended:?}");
        let warning = format!(
            "simplex-mcp is not on the PATH; write {} as the command.\n",
            env!("CARGO_BIN_EXE_simplex-mcp")
        );
        assert_eq!(ended.stderr, if host == "claude" { String::new() } else { warning });
    }
    let data = home.data("my-agent");
    let ended = run(&home, &["register", "my-agent", "--print", "cursor", "--data", data.to_str().unwrap()]);
    assert!(ended.stdout.contains(&format!("[\"stdio\", \"my-agent\", \"--data\", \"{}\"]", data.display())));
    assert_eq!(home.files(), before);
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_simplex-mcp"), home.path().join("bin/simplex-mcp"))
        .unwrap();
    assert_eq!(run(&home, &["register", "my-agent", "--print", "cursor"]).stderr, "");
}

/// REG-12: options outside their rule.
#[test]
fn options_that_do_not_fit() {
    let home = home("touch \"$HOME/asked\"");
    let before = home.files();
    for (args, message) in [
        (&["--scope", "project"][..], "--scope: user or local expected, got project"),
        (
            &["--print", "emacs"],
            "--print: claude, cursor, vscode, codex, gemini or generic expected, got emacs",
        ),
        (&["--print"], "--print: claude, cursor, vscode, codex, gemini or generic expected, got nothing"),
        (&["--port", "1"], "--port: unknown option. simplex-mcp register --help lists them."),
        (&["--data="], "--data: a folder expected, got nothing"),
    ] {
        let all: Vec<_> = ["register", "my-agent"].into_iter().chain(args.iter().copied()).collect();
        assert_eq!(run(&home, &all).line(2), message);
    }
    assert_eq!(run(&home, &["register", "My"]).code, Some(2));
    assert_eq!(home.files(), before);
}
