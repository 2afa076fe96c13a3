//! `trace.csv.gz`: the events of a recording, columns `t_ns,cpu,ev,a,b,c`.

use super::{TRACE, Unreadable};
use flate2::read::MultiGzDecoder;
use schedlab_engine::replay::{Event, Left, Name, Row};
use std::collections::HashMap;
use std::io::Read;

/// A trace is not read beyond this many bytes of text: a few thousand times what recordings are cut at.
pub const TRACE_LIMIT: u64 = 256 << 20;

/// Times and charges are within this of 0, ns: five hours, where recordings have seconds.
const TIME_LIMIT: i64 = 1 << 44;

/// Vruntimes are within this of 0, ns: a nice-0 task gets there in 36 years.
const VRUNTIME_LIMIT: i64 = 1 << 60;

/// The columns, as the first line names them.
const COLUMNS: [&str; 6] = ["t_ns", "cpu", "ev", "a", "b", "c"];

/// The events, and who is named in them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// Names, numbered in the order in which they first appear.
    pub names: Vec<String>,
    /// Events in the order of the file.
    pub rows: Vec<Row>,
}

impl Trace {
    /// What the bytes of `trace.csv.gz` say.
    ///
    /// # Errors
    /// The first line that is not as it should be.
    pub fn read(bytes: &[u8]) -> Result<Trace, Unreadable> {
        let mut text = String::new();
        let mut decoder = MultiGzDecoder::new(bytes).take(TRACE_LIMIT + 1);
        decoder
            .read_to_string(&mut text)
            .map_err(|error| wrong(None, "", format!("cannot be unpacked as gzip: {error}")))?;
        if text.len() as u64 > TRACE_LIMIT {
            return Err(wrong(
                None,
                "",
                format!("unpacks to more than {TRACE_LIMIT} bytes"),
            ));
        }
        Trace::parse(&text)
    }

    fn parse(text: &str) -> Result<Trace, Unreadable> {
        let mut lines = (1..).zip(text.lines());
        let head = lines.next().map_or("", |(_, line)| line);
        if head.split(',').ne(COLUMNS) {
            let expected = COLUMNS.join(",");
            return Err(wrong(
                Some(1),
                "",
                format!("the columns {expected} were expected"),
            ));
        }
        let mut reader = Reader::default();
        for (line, text) in lines {
            let cells = Cells::of(line, text)?;
            let event = reader.event(&cells)?;
            reader.trace.rows.push(Row {
                t: cells.within(0, TIME_LIMIT)?,
                cpu: cells.number(1)?,
                event,
            });
        }
        Ok(reader.trace)
    }
}

fn wrong(line: Option<usize>, field: &str, what: String) -> Unreadable {
    Unreadable {
        file: TRACE,
        line,
        field: field.to_string(),
        what,
    }
}

/// A line, cell by cell.
struct Cells<'t> {
    line: usize,
    cells: [&'t str; 6],
}

impl<'t> Cells<'t> {
    fn of(line: usize, text: &'t str) -> Result<Cells<'t>, Unreadable> {
        let cells: Vec<&str> = text.split(',').collect();
        match cells.try_into() {
            Ok(cells) => Ok(Cells { line, cells }),
            Err(cells) => {
                let found = cells.len();
                Err(wrong(
                    Some(line),
                    "",
                    format!("6 cells were expected, here are {found}"),
                ))
            }
        }
    }

    fn wrong<T>(&self, column: usize, expected: &str) -> Result<T, Unreadable> {
        let found = self.cells[column];
        let what = format!("{expected} was expected, here is \u{201c}{found}\u{201d}");
        Err(wrong(Some(self.line), COLUMNS[column], what))
    }

    fn within(&self, column: usize, limit: i64) -> Result<i64, Unreadable> {
        let number: i64 = self.number(column)?;
        if number.unsigned_abs() > limit.unsigned_abs() {
            return self.wrong(column, &format!("a number from -{limit} to {limit}"));
        }
        Ok(number)
    }

    fn number<N: std::str::FromStr>(&self, column: usize) -> Result<N, Unreadable> {
        match self.cells[column].parse() {
            Ok(number) => Ok(number),
            Err(_) => self.wrong(column, "a whole number that fits here"),
        }
    }
}

/// Rows read so far.
#[derive(Default)]
struct Reader {
    charged: i64,
    trace: Trace,
    known: HashMap<String, Name>,
}

impl Reader {
    fn name(&mut self, cells: &Cells<'_>, column: usize) -> Result<Name, Unreadable> {
        let text = cells.cells[column];
        if text.is_empty() {
            return cells.wrong(column, "a task");
        }
        if let Some(name) = self.known.get(text) {
            return Ok(*name);
        }
        let name = Name(self.trace.names.len() as u32);
        self.trace.names.push(text.to_string());
        self.known.insert(text.to_string(), name);
        Ok(name)
    }

    /// All charges together are no longer than a trace may be.
    fn charge(&mut self, cells: &Cells<'_>) -> Result<u64, Unreadable> {
        let ns = cells.within(4, TIME_LIMIT)?;
        self.charged += ns;
        if ns < 0 || self.charged > TIME_LIMIT {
            return cells.wrong(4, "a charge that fits into the time of the trace");
        }
        Ok(ns as u64)
    }

    fn event(&mut self, cells: &Cells<'_>) -> Result<Event, Unreadable> {
        Ok(match cells.cells[2] {
            "S" => Event::Switch {
                prev: self.name(cells, 3)?,
                left: left(cells)?,
                next: self.name(cells, 5)?,
            },
            "W" => Event::Wakeup {
                task: self.name(cells, 3)?,
                cpu: cells.number(4)?,
            },
            "N" => Event::WakeupNew {
                task: self.name(cells, 3)?,
                cpu: cells.number(4)?,
            },
            "K" => Event::Waking {
                task: self.name(cells, 3)?,
                cpu: cells.number(4)?,
            },
            "M" => Event::Migrate {
                task: self.name(cells, 3)?,
                from: cells.number(4)?,
                to: cells.number(5)?,
            },
            "F" => Event::Fork {
                parent: self.name(cells, 3)?,
                child: self.name(cells, 4)?,
            },
            "X" => Event::Exit {
                task: self.name(cells, 3)?,
            },
            "R" => Event::Runtime {
                task: self.name(cells, 3)?,
                ns: self.charge(cells)?,
                vruntime: vruntime(cells)?,
            },
            "T" => Event::Tick,
            "H" => Event::Hrtick,
            _ => return cells.wrong(2, "one of S W N K M F X R T H"),
        })
    }
}

/// The kernel prints the state it saw: `R` for a task that can go on, also when it was preempted in the kernel.
fn left(cells: &Cells<'_>) -> Result<Left, Unreadable> {
    match cells.cells[4] {
        "R" | "R+" => Ok(Left::Runnable),
        "" => cells.wrong(4, "the state of the task that leaves"),
        _ => Ok(Left::Gone),
    }
}

/// The kernel prints it unsigned; left of zero it is near 2⁶⁴.
fn vruntime(cells: &Cells<'_>) -> Result<Option<i64>, Unreadable> {
    if cells.cells[5].is_empty() {
        return Ok(None);
    }
    let unsigned: u64 = cells.number(5)?;
    let signed = unsigned as i64;
    if signed.unsigned_abs() > VRUNTIME_LIMIT.unsigned_abs() {
        return cells.wrong(5, "a vruntime within 36 years of 0");
    }
    Ok(Some(signed))
}
