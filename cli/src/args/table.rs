//! The options of each command, and the check of a command line against them.

use crate::failure::Failure;

/// The value that stands for `--owners` without one. A person cannot write it: an argument has no NUL.
pub(super) const NO_VALUE: &str = "\0";

/// One option.
pub(super) struct Opt {
    /// With its two hyphens.
    name: &'static str,
    value: Value,
    repeats: bool,
}

/// What stands after an option.
enum Value {
    /// Nothing.
    None,
    /// One word; the text says which.
    Needed(&'static str),
    /// One word or nothing.
    Optional(&'static str),
}

impl Opt {
    /// An option that takes nothing.
    pub(super) const fn flag(name: &'static str) -> Self {
        Self { name, value: Value::None, repeats: false }
    }

    /// An option that takes a word.
    pub(super) const fn value(name: &'static str, takes: &'static str) -> Self {
        Self { name, value: Value::Needed(takes), repeats: false }
    }

    /// An option that takes a word or nothing.
    pub(super) const fn optional(name: &'static str, takes: &'static str) -> Self {
        Self { name, value: Value::Optional(takes), repeats: false }
    }

    /// The same option, allowed more than once.
    pub(super) const fn repeatable(self) -> Self {
        Self { repeats: true, ..self }
    }

    const fn takes(&self) -> &'static str {
        match self.value {
            Value::None => "no value",
            Value::Needed(takes) | Value::Optional(takes) => takes,
        }
    }
}

/// The line for a value that an option does not take.
pub(super) fn expected(option: &str, takes: &str, got: &str) -> Failure {
    Failure::usage(format!("{option}: {takes} expected, got {got}"))
}

/// The options before a command.
const TOP: &[Opt] = &[Opt::flag("--version")];
/// The commands, their options, and the word that each takes besides.
const COMMANDS: &[(&str, &[Opt], Option<&str>)] = &[
    ("serve", super::serve::OPTIONS, Some("NAME")),
    ("register", super::register::OPTIONS, Some("NAME")),
    ("stdio", super::stdio::OPTIONS, Some("NAME")),
    ("doctor", super::doctor::OPTIONS, Some("NAME")),
    ("demo", &[], None),
    ("replay", super::replay::OPTIONS, Some("FILE")),
];

/// The arguments as argh reads them: `--key=value` in two words, `--owners` without a value with [`NO_VALUE`].
///
/// # Errors
///
/// An option that is unknown, repeated, or without its value; a command that is unknown; a word too many.
pub(super) fn check(args: Vec<String>) -> Result<Vec<String>, Failure> {
    if let Some(help) = help(&args)? {
        return Ok(help);
    }
    let mut line = Line { out: Vec::new(), seen: Vec::new(), options: TOP, command: None, words: 0 };
    let mut args = args.into_iter().peekable();
    while let Some(arg) = args.next() {
        if arg == "--" {
            // argh takes what follows as words; so does this check.
            line.out.push(arg);
            for word in args.by_ref() {
                line.word(word)?;
            }
        } else if let Some(arg) = Some(&arg).filter(|arg| arg.starts_with('-') && arg.len() > 1) {
            let next_value = || args.next_if(|next| !next.starts_with("--"));
            line.option(arg, next_value)?;
        } else {
            line.word(arg)?;
        }
    }
    Ok(line.out)
}

/// A command line as far as it was checked.
struct Line {
    out: Vec<String>,
    seen: Vec<&'static str>,
    options: &'static [Opt],
    command: Option<(&'static str, Option<&'static str>)>,
    words: usize,
}

impl Line {
    fn option(&mut self, arg: &str, next_value: impl FnOnce() -> Option<String>) -> Result<(), Failure> {
        let (name, attached) = match arg.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (arg, None),
        };
        let name = if name == "-V" { "--version" } else { name };
        let Some(option) = self.options.iter().find(|option| option.name == name) else {
            let command = self.command.map(|(name, _)| format!(" {name}")).unwrap_or_default();
            return Err(Failure::usage(format!(
                "{name}: unknown option. simplex-mcp{command} --help lists them."
            )));
        };
        if self.seen.contains(&option.name) && !option.repeats {
            return Err(Failure::usage(format!("{name}: given twice; it takes {} once.", option.takes())));
        }
        self.seen.push(option.name);
        self.out.push(option.name.to_owned());
        match (&option.value, attached) {
            (Value::None, None) => {}
            (Value::None, Some(value)) => return Err(expected(name, "no value", &value)),
            (_, Some(value)) => self.out.push(value),
            (Value::Needed(takes), None) => match next_value() {
                Some(value) => self.out.push(value),
                None => return Err(expected(name, takes, "nothing")),
            },
            (Value::Optional(_), None) => self.out.push(next_value().unwrap_or_else(|| NO_VALUE.to_owned())),
        }
        Ok(())
    }

    fn word(&mut self, word: String) -> Result<(), Failure> {
        match self.command {
            None => {
                let (name, options, takes) = known(&word)?;
                self.command = Some((name, *takes));
                self.options = options;
                self.seen.clear();
            }
            Some((name, takes)) if self.words == usize::from(takes.is_some()) => {
                let takes = takes.map_or_else(|| "no words".to_owned(), |word| format!("one {word}"));
                return Err(Failure::usage(format!("{word}: one word too many; {name} takes {takes}.")));
            }
            Some(_) => self.words += 1,
        }
        self.out.push(word);
        Ok(())
    }
}

/// The command of this name.
fn known(word: &str) -> Result<&'static (&'static str, &'static [Opt], Option<&'static str>), Failure> {
    COMMANDS
        .iter()
        .find(|(name, ..)| *name == word)
        .ok_or_else(|| Failure::usage(format!("{word}: unknown command. simplex-mcp --help lists them.")))
}

/// The arguments that give the help, when it is asked for: of the command that is the first word, or of the program.
/// What else stands there is not looked at. The word `help` asks for it in the first place alone, since an agent may
/// have that name.
///
/// # Errors
///
/// The first word is no command.
fn help(args: &[String]) -> Result<Option<Vec<String>>, Failure> {
    let is_word = args.first().is_some_and(|arg| arg == "help");
    let before: Vec<&String> = args.iter().take_while(|arg| *arg != "--").collect();
    if !is_word && !before.iter().any(|arg| *arg == "--help" || *arg == "-h") {
        return Ok(None);
    }
    let command = before.into_iter().skip(usize::from(is_word)).find(|arg| !arg.starts_with('-'));
    let command = command.map(|word| known(word)).transpose()?.map(|(name, ..)| (*name).to_owned());
    Ok(Some(command.into_iter().chain(["--help".to_owned()]).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(line: &str) -> Result<String, String> {
        let args = line.split_whitespace().map(str::to_owned).collect();
        check(args).map(|args| args.join(" ").replace('\0', "<none>")).map_err(|failure| failure.line)
    }

    /// CLI-01, CLI-07: values in one word and in two, and `--owners` alone.
    #[test]
    fn rewrites_for_argh() {
        for (line, rewritten) in [
            ("serve a", "serve a"),
            ("serve a --port=1 --approve host", "serve a --port 1 --approve host"),
            ("serve a --data=x=y", "serve a --data x=y"),
            ("serve a --owners", "serve a --owners <none>"),
            ("serve --owners --port 1 a", "serve --owners <none> --port 1 a"),
            ("serve --owners 3:Alice a", "serve --owners 3:Alice a"),
            ("serve a --owners=3:Alice", "serve a --owners 3:Alice"),
            ("serve a --owners=", "serve a --owners "),
            ("serve a --smp-server x --smp-server y", "serve a --smp-server x --smp-server y"),
            ("serve -- a", "serve -- a"),
            ("serve a --port -1", "serve a --port -1"),
            ("-V", "--version"),
            ("serve a --port x --help", "serve --help"),
            ("-h", "--help"),
            ("help", "--help"),
            ("help serve", "serve --help"),
            ("help serve x", "serve --help"),
            ("serve --help extra", "serve --help"),
            ("--help --port", "--help"),
        ] {
            assert_eq!(checked(line).as_deref(), Ok(rewritten), "{line}");
        }
    }

    /// CLI-11: what is unknown, repeated or without its value is named.
    #[test]
    fn names_what_is_wrong() {
        for (line, message) in [
            ("serve a --prot 1", "--prot: unknown option. simplex-mcp serve --help lists them."),
            ("--port 1 serve a", "--port: unknown option. simplex-mcp --help lists them."),
            ("serve a --port 1 --port=2", "--port: given twice; it takes 1 to 65535 once."),
            ("serve a --new-token --new-token", "--new-token: given twice; it takes no value once."),
            (
                "serve a --owners --owners",
                "--owners: given twice; it takes ID:NAME[,ID:NAME...] or no value once.",
            ),
            ("serve a --port", "--port: 1 to 65535 expected, got nothing"),
            ("serve a --port --new-token", "--port: 1 to 65535 expected, got nothing"),
            ("serve a --new-token=yes", "--new-token: no value expected, got yes"),
            ("serve a b", "b: one word too many; serve takes one NAME."),
            ("serve -- a b", "b: one word too many; serve takes one NAME."),
            ("srve a", "srve: unknown command. simplex-mcp --help lists them."),
            ("help nosuch", "nosuch: unknown command. simplex-mcp --help lists them."),
            ("foo --help", "foo: unknown command. simplex-mcp --help lists them."),
            ("-h foo", "foo: unknown command. simplex-mcp --help lists them."),
            ("serve a -x", "-x: unknown option. simplex-mcp serve --help lists them."),
        ] {
            assert_eq!(checked(line).unwrap_err(), message, "{line}");
        }
    }
}
