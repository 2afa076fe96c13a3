//! The arguments of `schedlab reproduce`.

use super::{Command, Output, Stop, Word, Words};
use crate::reproduce::{Form, Reproduce};

impl Words {
    pub(super) fn reproduce(&mut self) -> Result<Command, Stop> {
        const KNOWN: &[&str] = &["--json", "--markdown", "--progress", "--quiet"];
        let mut asked = Reproduce::default();
        let mut output = Output::default();
        while let Some(word) = self.next()? {
            match word {
                Word::Option(o) if o == "--json" => asked.form = Form::Json,
                Word::Option(o) if o == "--markdown" => asked.form = Form::Markdown,
                Word::Option(o) if o != "--strict" && output.takes(&o) => {}
                Word::Option(o) => return self.wrong(&o, KNOWN),
                Word::Free(word) if asked.experiment.is_none() => {
                    asked.experiment = Some(word.to_string_lossy().into_owned());
                }
                Word::Free(word) if asked.table.is_none() => {
                    asked.table = Some(word.to_string_lossy().into_owned());
                }
                Word::Free(word) => return self.too_many(&word),
            }
        }
        asked.progress = output.progress;
        Ok(Command::Reproduce(asked))
    }
}
