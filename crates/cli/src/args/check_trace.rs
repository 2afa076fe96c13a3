//! The arguments of `schedlab check-trace`.

use super::{Command, Stop, Word, Words};
use crate::check_trace::{CheckTrace, Form};
use std::path::PathBuf;

impl Words {
    pub(super) fn check_trace(&mut self) -> Result<Command, Stop> {
        let (mut dirs, mut form) = (Vec::new(), Form::Text);
        while let Some(word) = self.next()? {
            match word {
                Word::Option(o) if o == "--json" => form = Form::Json,
                Word::Option(o) if o == "--markdown" => form = Form::Markdown,
                Word::Option(o) if o == "--mutations" => form = Form::Mutations,
                Word::Option(o) => return self.wrong(&o, &["--json", "--markdown", "--mutations"]),
                Word::Free(dir) => dirs.push(PathBuf::from(dir)),
            }
        }
        if dirs.is_empty() {
            let hint = "name a folder with a recording in it, or with folders of recordings";
            return Err(Stop::Wrong(format!("check-trace: {hint}")));
        }
        Ok(Command::CheckTrace(CheckTrace { dirs, form }))
    }
}
