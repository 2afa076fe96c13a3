//! Where an experiment comes from: an argument, a file, or standard input; and what is said about it.
//!
//! An experiment is a fragment or a scenario, whichever it looks like.

use crate::failure::{self, Failure};
use crate::remedy::remedy;
use schedlab_engine::config::{Config, Problem, ProblemKind};
use schedlab_engine::fragment::{self, Fault, PageLink, Warning};
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// One byte more than the engine reads: enough for it to see that there is more.
const READ: u64 = fragment::MAX_BYTES as u64 + 1;

/// What a text that was given as an argument is called.
pub(crate) const FRAGMENT: &str = "fragment";

/// Warnings shown of a text of which nothing was understood.
const SHOWN: usize = 3;

/// Where a warning stands that is about what another text says.
const ELSEWHERE: usize = usize::MAX;

/// The text of an experiment, or where to find it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Source {
    /// Nowhere: the default experiment.
    #[default]
    Default,
    /// The text itself.
    Text(String),
    /// A file.
    File(PathBuf),
    /// Standard input.
    Stdin,
}

/// An experiment as it was given and as it was understood.
#[derive(Debug)]
pub(crate) struct Given {
    /// Which of two it is, `A: ` or `B: `, where there are two.
    side: &'static str,
    /// Its name in messages: `fragment`, or the file.
    pub name: String,
    /// The text.
    pub text: String,
    /// What it means.
    pub config: Config,
    /// What is different in another experiment that the text names too.
    pub versus: Option<String>,
    /// Where another one begins that it cannot name.
    more: Option<usize>,
    /// What was not understood.
    pub warnings: Vec<Warning>,
    /// What keeps it from meaning anything: where, and what.
    errors: Vec<(usize, String)>,
    /// What is odd about what it does.
    advice: Vec<(String, String)>,
}

/// What a file is, whatever it is called: a hard link is the same.
#[cfg(unix)]
fn identity(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    let found = path.metadata().ok()?;
    Some((found.dev(), found.ino()))
}

/// What a file is, whatever way leads there.
#[cfg(not(unix))]
fn identity(path: &Path) -> Option<PathBuf> {
    path.canonicalize().ok()
}

impl Source {
    /// An argument: `-` is standard input, the name of a file is that file, anything with an equals sign, with an
    /// ampersand before it or nothing in it is a fragment, what begins with a word of the workload language and goes on
    /// is a scenario, and all else is a file that is not there.
    pub(crate) fn of(word: OsString) -> Source {
        let text = word.to_string_lossy().into_owned();
        let path = PathBuf::from(word);
        let is_text = text.contains('=') || text.starts_with('&') || fragment::is_scenario(&text);
        if text == "-" {
            Source::Stdin
        } else if text.is_empty() || is_text && !path.exists() {
            Source::Text(text)
        } else {
            Source::File(path)
        }
    }

    /// Is it the file of that name, whatever way leads there?
    pub(crate) fn is_file(&self, path: &Path) -> bool {
        matches!(self, Source::File(own) if identity(own).is_some_and(|own| identity(path) == Some(own)))
    }

    /// Reads and understands it.
    ///
    /// # Errors
    /// If the file cannot be read, or if there is nothing in it.
    pub(crate) fn read(&self) -> Result<Given, Failure> {
        self.read_as("")
    }

    /// As [`Source::read`], as one of two.
    pub(crate) fn read_as(&self, side: &'static str) -> Result<Given, Failure> {
        let (name, text) = self.text(side)?;
        self.understand(side, name, text)
    }

    fn understand(&self, side: &'static str, name: String, text: String) -> Result<Given, Failure> {
        if *self != Source::Default && is_blank(&text) {
            let hint = "say what to run, such as k=6.1, or v=1 for the default experiment";
            let words = format!("{side}{name}: there is nothing in it; {hint}");
            return Err(Failure::input(words));
        }
        Ok(Given::new(side, name, text))
    }

    /// As [`Source::read_as`]; a fragment that starts with `&` says only what differs from `base`.
    pub(crate) fn read_over(&self, side: &'static str, base: &Given) -> Result<Given, Failure> {
        let (name, text) = self.text(side)?;
        if !text.starts_with('&') {
            return self.understand(side, name, text);
        }
        if is_blank(&text) {
            let hint = "say what differs, such as '&k=2.6.31'";
            return Err(Failure::input(format!(
                "{side}{name}: nothing stands behind the &; {hint}"
            )));
        }
        Ok(Given::over(side, name, text, base))
    }

    fn text(&self, side: &str) -> Result<(String, String), Failure> {
        match self {
            Source::Default => Ok((FRAGMENT.into(), String::new())),
            Source::Text(text) => Ok((FRAGMENT.into(), text.clone())),
            Source::File(path) => {
                let name = path.display().to_string();
                let unreadable = |e: io::Error| Failure::unreadable(side, &name, &e);
                let file = File::open(path).map_err(unreadable)?;
                Ok((name.clone(), contents(file).map_err(unreadable)?))
            }
            Source::Stdin => {
                let name = "standard input";
                let text = contents(io::stdin().lock());
                let text = text.map_err(|e| Failure::unreadable(side, name, &e))?;
                Ok((name.into(), text))
            }
        }
    }
}

/// Is there nothing in `text` but what links and files are set off with?
fn is_blank(text: &str) -> bool {
    let empty = |c: char| c.is_whitespace() || matches!(c, '#' | '?' | '&' | '+' | '\u{feff}');
    text.chars().all(empty)
}

/// What a file holds, comments blanked out; bytes that are no UTF-8 become U+FFFD.
fn contents(from: impl Read) -> io::Result<String> {
    let mut bytes = Vec::new();
    from.take(READ).read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes);
    Ok(fragment::without_comments(&text))
}

impl Given {
    fn new(side: &'static str, name: String, text: String) -> Given {
        let mut given = Given {
            side,
            name,
            config: Config::default(),
            versus: None,
            more: None,
            warnings: Vec::new(),
            errors: Vec::new(),
            advice: Vec::new(),
            text,
        };
        if given.is_scenario() {
            let read = fragment::parse_file(&given.text);
            (given.config, given.warnings) = (read.config, read.warnings);
            let words = |w: &Warning| (w.range.start, given.with_remedy(w, w.to_string()));
            given.errors = read.errors.iter().map(words).collect();
        } else {
            // A line break separates parts as an ampersand does.
            let text = given.text.replace(['\n', '\r'], "&");
            let link = PageLink::of(&text);
            (given.config, given.warnings) = fragment::parse(link.a);
            given.errors = lines_of_scenarios(link.a);
            given.more = link.more;
            given.versus = link.b.map(|(_, b)| String::from(b));
        }
        given.advice = given.config.script.oddities();
        given
    }

    /// What `text` says behind its `&` over what `base` says.
    fn over(side: &'static str, name: String, text: String, base: &Given) -> Given {
        let flat = text.replace(['\n', '\r'], "&");
        let link = PageLink::of(flat.strip_prefix('&').unwrap_or(&flat));
        let versus = link.b.map(|(_, b)| String::from(b));
        let own = link.a;
        let whole = fragment::overlay(&fragment::print(&base.config), own);
        let parts = own.split('&').filter(|part| !part.trim().is_empty());
        let added = parts.collect::<Vec<_>>().join("&");
        let kept = whole.strip_suffix(&added).unwrap_or(&whole);
        let kept = kept.strip_suffix('&').unwrap_or(kept);
        let (config, mut warnings) = fragment::parse(&format!("{kept}&{own}"));
        for warning in &mut warnings {
            let place = |at: usize| at.checked_sub(kept.len()).unwrap_or(ELSEWHERE);
            warning.range = place(warning.range.start)..place(warning.range.end);
        }
        Given {
            side,
            name,
            errors: lines_of_scenarios(&text),
            advice: config.script.oddities(),
            more: link.more.map(|at| at + 1),
            text,
            config,
            versus,
            warnings,
        }
    }

    /// The other experiment that it names too.
    pub(crate) fn other(&self, side: &'static str) -> Option<Given> {
        let over = self.versus.as_ref()?;
        Some(Given::over(
            side,
            self.name.clone(),
            format!("&{over}"),
            self,
        ))
    }

    /// Is it a scenario, and no link?
    fn is_scenario(&self) -> bool {
        fragment::is_scenario(&self.text)
    }

    /// What keeps it from being run: of a scenario the line of the task, and no key of links.
    pub(crate) fn problem(&self, problem: &Problem) -> String {
        let place = match &problem.kind {
            ProblemKind::NoCpus { task, .. } => self.declared(task),
            _ => self.place(),
        };
        if self.is_scenario() {
            format!("{place}: {}", problem.kind)
        } else {
            format!("{place}: {problem}")
        }
    }

    /// What it is called in messages.
    pub(crate) fn place(&self) -> String {
        format!("{}{}", self.side, self.name)
    }

    /// The warnings, each with its place: `fragment:1:5: …`.
    pub(crate) fn warnings(&self) -> Vec<String> {
        let mut all = self.placed(ToString::to_string);
        all.extend(self.odd());
        all
    }

    /// What is odd beside what was not understood.
    fn odd(&self) -> Vec<String> {
        let place = self.place();
        let left_out = self.versus.as_ref().map(|_| {
            format!(
                "{place}: \"vs\" begins another experiment, which is left out; \
                 schedlab compare with this link runs both"
            )
        });
        let advice = self.advice.iter().map(|(task, words)| {
            let place = self.declared(task);
            format!("{place}: task {task}: {words}")
        });
        let more = self.more.filter(|_| left_out.is_none());
        let more = more.map(|at| self.at(at, PageLink::MORE));
        left_out.into_iter().chain(more).chain(advice).collect()
    }

    fn placed(&self, words: fn(&Warning) -> String) -> Vec<String> {
        let placed = |warning: &Warning| {
            let words = self.with_remedy(warning, words(warning));
            self.at(warning.range.start, &words)
        };
        self.warnings.iter().map(placed).collect()
    }

    /// What a warning says, and what to do about it.
    fn with_remedy(&self, warning: &Warning, words: String) -> String {
        let rest = self.text.get(warning.range.start..).unwrap_or("");
        let part = rest.split(['&', '\n', '\r']).next().unwrap_or("");
        let cpus = self.config.machine.layout.cpus;
        match remedy(warning, part, (cpus, self.is_scenario())) {
            Some(remedy) => format!("{words}. {remedy}"),
            None => words,
        }
    }

    /// `words` with the place of a byte of the text before them.
    fn at(&self, byte: usize, words: &str) -> String {
        let place = self.place();
        if byte == ELSEWHERE {
            return format!("{place}: of what A says, {words}");
        }
        let before: Vec<char> = (self.text.char_indices())
            .take_while(|(at, _)| *at < byte)
            .map(|(_, c)| c)
            .collect();
        let line = before.iter().filter(|c| **c == '\n').count() + 1;
        let column = before.iter().rev().take_while(|c| **c != '\n').count() + 1;
        format!("{place}:{line}:{column}: {words}")
    }

    /// Was anything understood? A part that is, or an item of its list, is so on its own; and what makes a difference
    /// was, whatever there is to say about it.
    fn understood(&self) -> bool {
        let parts = self.text.split(['&', '\n']);
        let mut items = parts.filter(|p| !p.trim().is_empty()).flat_map(|part| {
            let (key, list) = part.split_once('=').unwrap_or((part, ""));
            let items = list.split([',', ';']);
            items.map(move |item| format!("{key}={item}"))
        });
        self.config != Config::default()
            || self.warnings.iter().all(|w| !is_nonsense(&w.fault))
            || items.any(|item| fragment::parse(&item).1.is_empty())
    }

    /// Prints the warnings to standard error.
    ///
    /// # Errors
    /// If there are any and `strict` is asked for, or if nothing was understood: then it is not the default
    /// experiment that is meant.
    pub(crate) fn tell(&self, strict: bool) -> Result<(), Failure> {
        if !self.errors.is_empty() {
            let errors = self.errors.iter();
            let placed = errors.map(|(byte, words)| self.at(*byte, words));
            return Err(Failure::Input(placed.collect()));
        }
        // Where nothing is run, nothing is used instead.
        let mut refused = self.placed(Warning::refusal);
        if strict {
            refused.extend(self.odd());
            if !refused.is_empty() {
                return Err(Failure::Input(refused));
            }
        }
        if !self.understood() {
            refused.truncate(SHOWN);
            if self.warnings.iter().all(|w| w.field.is_none()) {
                let hint = "one is such as k=6.1&w=hogs; see schedlab help";
                let place = self.place();
                refused.push(format!("{place}: nothing of this is an experiment; {hint}"));
            }
            return Err(Failure::Input(refused));
        }
        for warning in self.warnings() {
            failure::say("warning", &warning);
        }
        Ok(())
    }

    /// Where the tasks called so are declared, `mine.lab:3`; the name of the text if they are not, or all is one line.
    pub(crate) fn declared(&self, name: &str) -> String {
        let place = self.place();
        let line = self.text.lines().position(|line| {
            let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
            let words: Vec<&str> = line.split(|c| !is_name(c)).collect();
            words
                .windows(2)
                .any(|pair| matches!(pair[0], "task" | "child") && pair[1] == name)
        });
        match line {
            Some(line) if self.text.lines().count() > 1 => format!("{place}:{}", line + 1),
            _ => place,
        }
    }
}

/// Is nothing said by what is wrong in this way?
const fn is_nonsense(fault: &Fault) -> bool {
    matches!(
        fault,
        Fault::UnknownKey
            | Fault::NoValue
            | Fault::NothingSaid
            | Fault::Unknown { .. }
            | Fault::Malformed { .. }
            | Fault::Script(_)
            | Fault::TooLong { .. }
            | Fault::More { .. }
    )
}

/// Parts of a link that are lines of a scenario: where each is, and what to write.
fn lines_of_scenarios(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut at = 0;
    for part in text.split(['&', '\n', '\r']) {
        let line = part.trim();
        if fragment::is_scenario(line) {
            let start = at + (part.len() - part.trim_start().len());
            let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
            let meant = if fragment::is_setting(word) {
                format!("{word}={}", rest.trim())
            } else {
                format!("w=({})", line.replace(char::is_whitespace, "+"))
            };
            let words = format!(
                "\"{line}\" is a line of a scenario, and this is a link: write {meant}, \
                 or write all of it as a scenario"
            );
            found.push((start, words));
        }
        at += part.len() + 1;
    }
    found
}
