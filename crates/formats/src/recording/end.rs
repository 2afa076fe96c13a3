//! `rq_end.txt.gz`: the kernel's own account of its first run queue when the recording ended.
//!
//! Only what CFS kernels print is read: `min_vruntime` of the root queue and the vruntime of each task.

use super::Unreadable;
use flate2::read::MultiGzDecoder;
use std::io::Read;

/// The file's name.
pub const END: &str = "rq_end.txt.gz";

/// The text is not read beyond this many bytes.
const END_LIMIT: u64 = 16 << 20;

/// The state at the end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct End {
    /// `min_vruntime` of the root queue, ns; none where the kernel keeps none.
    pub min_vruntime: Option<i64>,
    /// Every task that the kernel lists.
    pub tasks: Vec<EndTask>,
}

/// A task at the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndTask {
    /// Its name, cut at 15 characters by the kernel.
    pub comm: String,
    /// Its process id.
    pub pid: u32,
    /// Does it run or wait to?
    pub runnable: bool,
    /// Its vruntime, ns.
    pub vruntime: i64,
    /// Its deadline, ns; none where the kernel has no such thing.
    pub deadline: Option<i64>,
}

impl End {
    /// What the bytes of `rq_end.txt.gz` say.
    ///
    /// # Errors
    /// The first line that is not as it should be.
    pub fn read(bytes: &[u8]) -> Result<End, Unreadable> {
        let mut text = String::new();
        let mut decoder = MultiGzDecoder::new(bytes).take(END_LIMIT);
        decoder
            .read_to_string(&mut text)
            .map_err(|error| wrong(None, "", format!("cannot be unpacked as gzip: {error}")))?;
        End::parse(&text)
    }

    fn parse(text: &str) -> Result<End, Unreadable> {
        let mut end = End::default();
        let (mut root, mut tasks, mut deadlines) = (false, false, false);
        // Since 7.3 a task's weight stands before its vruntime.
        let mut weights = false;
        for (number, line) in (1..).zip(text.lines()) {
            let mut words: Vec<&str> = line.split_whitespace().collect();
            if words.get(3) == Some(&"weight") {
                weights = true;
            }
            if weights && words.len() > 4 {
                words.remove(3);
            }
            match *words {
                [queue] if queue.starts_with("cfs_rq[") => root = queue == "cfs_rq[0]:/",
                [".min_vruntime", ":", value] if root => {
                    end.min_vruntime = Some(nanos(number, "min_vruntime", value)?);
                }
                ["S", "task", "PID", "tree-key", ..] => tasks = true,
                ["S", "task", "PID", "vruntime", "eligible", "deadline", ..] => {
                    (tasks, deadlines) = (true, true);
                }
                [] => tasks = false,
                [state, comm, pid, vruntime, ref rest @ ..] if tasks => {
                    let deadline = rest.get(1).filter(|_| deadlines);
                    let pid = pid.parse().map_err(|_| {
                        wrong(
                            Some(number),
                            "PID",
                            format!("a number was expected, here is {pid}"),
                        )
                    })?;
                    end.tasks.push(EndTask {
                        comm: comm.to_string(),
                        pid,
                        runnable: state.ends_with('R'),
                        vruntime: nanos(
                            number,
                            if deadlines { "vruntime" } else { "tree-key" },
                            vruntime,
                        )?,
                        deadline: deadline
                            .map(|text| nanos(number, "deadline", text))
                            .transpose()?,
                    });
                }
                _ => {}
            }
        }
        Ok(end)
    }
}

/// A time that the kernel prints as milliseconds with six digits after the point.
fn nanos(line: usize, field: &str, text: &str) -> Result<i64, Unreadable> {
    let number = text.split_once('.').and_then(|(whole, rest)| {
        let digits = rest.len() == 6 && rest.bytes().all(|b| b.is_ascii_digit());
        let (whole, rest): (i64, i64) = (whole.parse().ok()?, rest.parse().ok()?);
        let signed = if text.starts_with('-') { -rest } else { rest };
        whole
            .checked_mul(1_000_000)?
            .checked_add(signed)
            .filter(|_| digits)
    });
    let expected =
        || format!("milliseconds with six digits after the point were expected, here is {text}");
    number.ok_or_else(|| wrong(Some(line), field, expected()))
}

fn wrong(line: Option<usize>, field: &str, what: String) -> Unreadable {
    Unreadable {
        file: END,
        line,
        field: field.to_string(),
        what,
    }
}
