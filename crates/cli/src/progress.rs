//! What a long run shows while it goes on: on a terminal a line that is rewritten, elsewhere a line now and then.

use crate::interrupt;
use crate::numbers::{count, percent, rate, time};
use schedlab_engine::words::plural::form;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

/// Short runs show nothing.
const QUIET: Duration = Duration::from_secs(1);
/// Nor do those of which nobody asked to be told and which nobody may be watching, unless they take long.
const LONG: Duration = Duration::from_secs(10);
/// How often the line is rewritten on a terminal.
const OFTEN: Duration = Duration::from_millis(250);
/// How often a line is written where lines are kept.
const SELDOM: Duration = Duration::from_secs(5);
/// How often that is if nobody asked.
const RARELY: Duration = Duration::from_mins(1);

/// Progress of one run.
pub(crate) struct Progress {
    started: Instant,
    /// When the next line is due; none = never.
    due: Option<Instant>,
    /// How long after it the next.
    step: Duration,
    rewrite: bool,
    shown: bool,
}

/// How far a run is.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Stand {
    /// Simulated time, ns.
    pub now: u64,
    /// When it ends at the latest, ns, if that is what ends it.
    pub end: Option<u64>,
    /// Events so far.
    pub events: u64,
    /// Messages so far, and in all if that is known.
    pub messages: (u64, Option<u64>),
}

impl Progress {
    /// Shown always, never, or (none) soon if standard error is a terminal, else only of what takes long.
    pub(crate) fn new(wanted: Option<bool>) -> Progress {
        let rewrite = io::stderr().is_terminal();
        let started = Instant::now();
        let first = if wanted.is_some() || rewrite {
            QUIET
        } else {
            LONG
        };
        Progress {
            started,
            due: wanted.unwrap_or(true).then_some(started + first),
            step: match (rewrite, wanted) {
                (true, _) => OFTEN,
                (false, Some(_)) => SELDOM,
                (false, None) => RARELY,
            },
            rewrite,
            shown: false,
        }
    }

    /// Writes a line if one is due.
    pub(crate) fn tell(&mut self, stand: &Stand) {
        let now = Instant::now();
        if self.due.is_none_or(|due| now < due) {
            return;
        }
        let elapsed = now - self.started;
        let line = line(stand, elapsed);
        // Whoever cannot be told is not told.
        let _ = if self.rewrite {
            write!(io::stderr(), "\r\x1b[K{line}")
        } else {
            writeln!(io::stderr(), "{line}")
        };
        self.shown = true;
        self.due = Some(now + self.step);
    }

    /// Takes the line away.
    pub(crate) fn finish(&mut self) {
        if self.shown && self.rewrite {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}

/// Which of several experiments are done, where nobody is watching a line that is rewritten.
pub(crate) struct Finished {
    started: Instant,
    last: Instant,
    /// From when on it is told; none = never.
    due: Option<Instant>,
    done: usize,
    all: usize,
}

impl Finished {
    /// None is done of `all`. A line for each: always, never, or (none) once they take long.
    pub(crate) fn new(wanted: Option<bool>, all: usize) -> Finished {
        let started = Instant::now();
        let due = match wanted {
            _ if io::stderr().is_terminal() => None,
            Some(true) => Some(started),
            Some(false) => None,
            None => Some(started + LONG),
        };
        Finished {
            started,
            last: started,
            due,
            done: 0,
            all,
        }
    }

    /// How many are done, and of how many.
    pub(crate) const fn count(&self) -> (usize, usize) {
        (self.done, self.all)
    }

    /// One more is done.
    pub(crate) fn one(&mut self, name: &str) {
        if interrupt::asked() {
            return;
        }
        let now = Instant::now();
        self.done += 1;
        let took = now - std::mem::replace(&mut self.last, now);
        if self.due.is_none_or(|due| now < due) {
            return;
        }
        let time = |t: Duration| time(t.as_nanos() as u64);
        let (done, all, sum) = (self.done, self.all, time(now - self.started));
        // Whoever cannot be told is not told.
        let _ = writeln!(
            io::stderr(),
            "{done} of {all} done, after {sum}: {name}, in {}",
            time(took)
        );
    }
}

fn line(stand: &Stand, elapsed: Duration) -> String {
    let seconds = elapsed.as_secs_f64();
    let share = share(stand);
    let left = share.filter(|s| *s > 0.01).map(|s| {
        format!(
            ", about {} left",
            time((seconds * (1.0 - s) / s * 1e9) as u64)
        )
    });
    let done = share.map(|s| format!("{} done, ", percent((s * 1e6) as u64, 1_000_000)));
    let speed = match stand.messages.0 {
        0 => format!("{} events/s", rate(stand.events as f64 / seconds)),
        n => format!(
            "{} {}, {}/s",
            count(n),
            form(n, "message", "messages"),
            rate(n as f64 / seconds)
        ),
    };
    format!(
        "{}{} simulated, {speed}{}",
        done.unwrap_or_default(),
        time(stand.now),
        left.unwrap_or_default()
    )
}

/// How much is done, 0 … 1, if that can be said.
fn share(stand: &Stand) -> Option<f64> {
    let of_messages = stand.messages.1.filter(|all| *all > 0);
    match (of_messages, stand.end) {
        (Some(all), _) => Some(stand.messages.0 as f64 / all as f64),
        (None, Some(end)) if end > 0 => Some(stand.now as f64 / end as f64),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_how_far_how_fast_and_how_long() {
        let stand = Stand {
            now: 1_500_000_000,
            end: None,
            events: 8_000_000,
            messages: (250_000, Some(1_000_000)),
        };
        assert_eq!(
            line(&stand, Duration::from_secs(2)),
            "25.0 % done, 1.50 s simulated, 250 000 messages, 125 k/s, about 6.00 s left"
        );
    }
}
