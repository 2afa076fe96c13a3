//! What is wrong with a text: where, what was found, what was expected, and what was probably meant.

use alloc::string::{String, ToString};
use core::fmt;
use core::ops::Range;

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The bytes of the text that it is about.
    pub range: Range<usize>,
    /// What stands there.
    pub found: String,
    /// What is wrong with it, in words that follow what was found.
    pub says: String,
    /// The nearest word that would do.
    pub nearest: Option<String>,
}

impl Fault {
    pub(super) fn new(range: Range<usize>, found: &str, says: impl Into<String>) -> Fault {
        Fault {
            range,
            found: found.to_string(),
            says: says.into(),
            nearest: None,
        }
    }
}

impl fmt::Display for Fault {
    /// `"nise" is no part of a task; expected nice, …. Did you mean nice?`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.found.is_empty() {
            write!(f, "\"{}\" ", self.found)?;
        }
        f.write_str(&self.says)?;
        match &self.nearest {
            Some(name) => write!(f, ". Did you mean {name}?"),
            None => Ok(()),
        }
    }
}
