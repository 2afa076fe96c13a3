//! The arguments of `schedlab reproduce`.

use super::{Command, Output, Stop, Word, Words};
use crate::failure::named;
use crate::reproduce::{Form, Reproduce};
use schedlab_engine::config::LIMITS;
use schedlab_engine::fragment::parse_time;
use schedlab_engine::time::Nanos;
use schedlab_engine::workload::WorkloadKind;
use std::ops::RangeInclusive;

impl Words {
    pub(super) fn reproduce(&mut self) -> Result<Command, Stop> {
        const KNOWN: &[&str] = &[
            "--json",
            "--markdown",
            "--loops",
            "--dur",
            "--progress",
            "--quiet",
        ];
        let mut asked = Reproduce::default();
        let mut output = Output::default();
        while let Some(word) = self.next()? {
            match word {
                Word::Option(o) if o == "--json" => asked.form = Form::Json,
                Word::Option(o) if o == "--markdown" => asked.form = Form::Markdown,
                Word::Option(o) if o == "--loops" => {
                    asked.loops = Some(self.number(&o, loops_range())?);
                }
                Word::Option(o) if o == "--dur" => asked.dur = Some(self.duration()?),
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

impl Words {
    /// How long a run is to take.
    fn duration(&mut self) -> Result<Nanos, Stop> {
        let text = self.text()?;
        let (least, most) = LIMITS.duration;
        let dur = parse_time(&text).filter(|dur| (least..=most).contains(dur));
        dur.ok_or_else(|| {
            let text = named(&text);
            Stop::Wrong(format!("--dur {text}: use a time from {least} to {most}"))
        })
    }
}

/// What hackbench takes.
fn loops_range() -> RangeInclusive<i64> {
    let params = WorkloadKind::Hackbench.params();
    let loops = params.iter().find(|param| param.name == "loops");
    loops.map_or(1..=1, |loops| loops.min..=loops.max)
}
