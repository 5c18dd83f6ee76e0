//! Options that do not fit, and the help: what is printed where, the exit code, and that nothing is created.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

mod common;

use std::fs;
use std::os::unix::ffi::OsStrExt;

use common::{Ended, Home};
use simplex_agent_adapters::simplex::libsimplex::DEFAULT_RELEASE;

/// START-01, CLI-03, CLI-04, CLI-05, CLI-06, CLI-10, CLI-11, CLI-30, CLI-32, CLI-40, CLI-41, CLI-31, WS-18: one line that names the option, exit
/// code 2, and nothing is created.
#[test]
fn options_that_do_not_fit() {
    let home = Home::new();
    fs::write(home.path().join("scenario.json"), "{\n  \"people\": [oops]\n}").unwrap();
    let name = "NAME: 1 to 32 lowercase letters, digits and single hyphens, starting with a letter or digit.";
    let reset =
        "--reset-owners takes --owners without a list: member IDs change in a new agent control chat.";
    let before = home.files();
    for (args, message) in [
        (&[][..], "A command is expected: simplex-mcp serve NAME. See simplex-mcp --help."),
        (&["srve"], "srve: unknown command. simplex-mcp --help lists them."),
        (&["help", "srve"], "srve: unknown command. simplex-mcp --help lists them."),
        (&["srve", "--help"], "srve: unknown command. simplex-mcp --help lists them."),
        (
            &["serve", "a", "--core", "ws://127.0.0.1:5226"],
            "--core: port 5226 is this server's own; give simplex-chat another port or start with --port N.",
        ),
        (&["--prot"], "--prot: unknown option. simplex-mcp --help lists them."),
        (&["serve"], "NAME is missing: simplex-mcp serve NAME, with a name for the agent."),
        (&["serve", "My-Agent"], name),
        (&["serve", "../up"], name),
        (&["serve", "a--b"], name),
        (&["serve", "a", "b"], "b: one word too many; serve takes one NAME."),
        (&["serve", "a", "--prot", "1"], "--prot: unknown option. simplex-mcp serve --help lists them."),
        (&["serve", "a", "--port"], "--port: 1 to 65535 expected, got nothing"),
        (&["serve", "a", "--port=0"], "--port: 1 to 65535 expected, got 0"),
        (&["serve", "a", "--port", "1", "--port", "2"], "--port: given twice; it takes 1 to 65535 once."),
        (&["serve", "a", "--expire", "24"], "--expire: hours, 1 to 23 expected, got 24"),
        (&["serve", "a", "--approve", "me"], "--approve: requests or host expected, got me"),
        (&["serve", "a", "--qr-code", "tiny"], "--qr-code: small or large expected, got tiny"),
        (&["serve", "a", "--core", "x"], "--core: lib, sim or ws://127.0.0.1:PORT expected, got x"),
        (&["serve", "a", "--owners", "Alice"], "--owners: ID:NAME expected, got Alice"),
        (&["serve", "a", "--owners="], "--owners: ID:NAME expected, got "),
        // A comma without digits and a colon behind it belongs to the name: this list fits, and the next option does not.
        (&["serve", "a", "--owners", "3:A,x", "--scenario", "f"], "--scenario: goes with --core sim."),
        (&["serve", "a", "--reset-owners", "--owners", "3:Alice"], reset),
        (&["serve", "a", "--new-token=1"], "--new-token: no value expected, got 1"),
        (&["serve", "a", "--display-name", "a/b"], "--display-name: not a valid SimpleX name; try ab"),
        (
            &["serve", "a", "--core", "sim", "--smp-server", "smp://abc@host.example"],
            "--smp-server: smp://FINGERPRINT[:PASSWORD]@HOST[,HOST][:PORT] expected, got smp://abc@host.example",
        ),
        (
            &["serve", "a", "--core", "sim", "--owners", "3:Alice,3:Bob"],
            "--owners: member 3 is listed twice; list each ID once.",
        ),
        (
            &["serve", "a", "--core", "sim", "--owners", "3:Alice"],
            "--owners: member 3:Alice is not in the agent control chat. Start with --reset-owners --owners, or use \
             the IDs of current members. It has no members.",
        ),
        (&["serve", "a", "--scenario", "f"], "--scenario: goes with --core sim."),
    ] {
        let ended = home.run(args);
        assert_eq!(home.files(), before, "{args:?}");
        assert_eq!(ended.line(2), message, "{args:?}");
    }
    let missing = home.run(&["serve", "a", "--core", "sim", "--scenario", "missing.json"]);
    assert!(missing.line(2).starts_with("--scenario: missing.json can't be read: "), "{missing:?}");
    let broken = home.run(&["serve", "a", "--core", "sim", "--scenario", "scenario.json"]);
    let line = broken.line(2);
    assert!(
        line.starts_with("--scenario: scenario.json is no scenario (") && line.contains("line 2"),
        "{line}"
    );
    assert_eq!(home.files(), before);
}

/// CLI-29: what stands in a message of the command line itself cannot act on the terminal either.
#[test]
fn arguments_in_messages_are_escaped() {
    let home = Home::new();
    let ended = home.run(&["serve", "a", "--port", "\x1b[2J"]);
    assert_eq!(ended.line(2), "--port: 1 to 65535 expected, got \\u001b[2J");
    let bytes = std::ffi::OsStr::from_bytes(b"\xff\x07");
    let ended = Ended::of(&home.command(&["serve"]).arg(bytes).output().unwrap());
    assert_eq!(ended.line(2), "\u{fffd}\\u0007: arguments must be UTF-8.");
}

/// CLI-31: help and version go to stdout, with exit code 0.
#[test]
fn help_and_version() {
    let home = Home::new();
    let version = home.run(&["--version"]);
    let expected = format!("simplex-mcp {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(version, Ended { code: Some(0), stdout: expected, stderr: String::new() });
    let help = home.run(&["--help"]);
    assert_eq!((help.code, help.stderr.as_str()), (Some(0), ""));
    assert!(help.stdout.contains("serve"), "{}", help.stdout);
    assert_eq!(home.run(&["help"]), help);
    assert_eq!(home.run(&["help", "serve"]), home.run(&["serve", "--help"]));
    for (command, word) in
        [("serve", "NAME"), ("register", "NAME"), ("stdio", "NAME"), ("doctor", "NAME"), ("replay", "FILE")]
    {
        let help = home.run(&[command, "--help"]).stdout;
        let usage = help.lines().next().unwrap();
        assert!(usage.ends_with(&format!("] <{word}>")), "{usage}");
    }
    for args in [&["serve", "--help"][..], &["serve", "a", "--port", "x", "--help"], &["serve", "-h"]] {
        let help = home.run(args);
        assert_eq!((help.code, help.stderr.as_str()), (Some(0), ""));
        for option in [
            "NAME",
            "--data",
            "--display-name",
            "--approve",
            "--owners",
            "--expire",
            "--reset-owners",
            "--new-token",
            "--port",
            "--qr-code",
            "--smp-server",
            "--core",
            "--scenario",
            "--libs-version",
            "--libs-url",
            "--libs-sha256",
            DEFAULT_RELEASE,
        ] {
            assert!(help.stdout.contains(option), "{option} is not in the help: {}", help.stdout);
        }
    }
    assert_eq!(home.files(), Vec::<String>::new());
}

/// CLI-31: a help that could not be written is no help.
#[test]
#[cfg(target_os = "linux")]
fn help_that_fits_nowhere() {
    let home = Home::new();
    for args in ["--help", "--version", "help serve"] {
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let args: Vec<&str> = args.split(' ').collect();
        let ended = Ended::of(&home.command(&args).stdout(full).output().unwrap());
        let line = "stdout can't be written: No space left on device (os error 28). Send it elsewhere.";
        assert_eq!(ended.line(1), line, "{args:?}");
    }
}
