//! Tables of changes: each row is run until its work is done, and how long that takes is compared with the base row.
//!
//! Not here: how it is printed (`print_change`), nor how a row is judged (the engine's `experiments`).

use super::{Reproduce, Verdict, settings};
use crate::failure::Failure;
use crate::input::Given;
use crate::interrupt;
use crate::progress::Finished;
use crate::report::account_sums;
use schedlab_engine::experiments::{ChangeRow, ChangeTable, Judged};
use schedlab_engine::fragment;
use schedlab_engine::observe::Account;

/// A row and what came of it.
#[derive(Clone)]
pub(super) struct Done {
    pub(super) row: &'static ChangeRow,
    /// What was run.
    pub(super) link: String,
    /// How long it took, by the workload's own clock, ns.
    pub(super) took_ns: u64,
    pub(super) switches: u64,
    pub(super) wakeup_preemptions: u64,
    /// CPU time in CPU selection, and in all, ns.
    pub(super) selection: (u64, u64),
    /// The hash of the run.
    pub(super) hash: u64,
}

/// A table and what came of its rows.
pub(super) struct Filled {
    pub(super) table: &'static ChangeTable,
    pub(super) rows: Vec<Done>,
}

impl Filled {
    /// A row's time against that of the base.
    pub(super) fn against(&self, done: &Done) -> f64 {
        let base = self.rows.get(self.table.base);
        let base = base.map_or(f64::NAN, |base| base.took_ns as f64);
        done.took_ns as f64 / base
    }

    /// None where nothing was published.
    pub(super) fn verdict(&self, done: &Done) -> Option<Verdict> {
        if core::ptr::eq(done.row, self.table.base()) {
            return Some(Verdict::Base);
        }
        let said = done.row.said?;
        let judged = said.judge(self.against(done), self.table.tolerance_milli);
        Some(match judged {
            Judged::Agrees => Verdict::Agrees,
            Judged::DirectionOnly => Verdict::DirectionOnly,
            Judged::Miss => Verdict::Miss,
        })
    }
}

/// Runs every row that none of the `earlier` tables has run; what Ctrl-C leaves is not worth showing.
pub(super) fn rows(
    table: &'static ChangeTable,
    asked: &Reproduce,
    earlier: &[Filled],
    finished: &mut Finished,
) -> Result<Vec<Done>, Failure> {
    let mut done = Vec::new();
    for row in table.rows {
        if interrupt::asked() {
            break;
        }
        let given = asked.given(table.link, row.link)?;
        let link = fragment::print(&given.config);
        let mut known = earlier.iter().flat_map(|filled| &filled.rows);
        done.push(match known.find(|done| done.link == link) {
            Some(done) => Done {
                row,
                ..done.clone()
            },
            None => run(row, &given, asked)?,
        });
        finished.one(&format!("{} {}", table.name, row.name));
    }
    Ok(done)
}

fn run(row: &'static ChangeRow, given: &Given, asked: &Reproduce) -> Result<Done, Failure> {
    let outcome = given.run(&settings(asked), &mut (), |()| false)?;
    outcome.failure()?;
    let sums = account_sums(&outcome);
    let selection = sums[Account::Selection as usize];
    Ok(Done {
        row,
        link: fragment::print(&outcome.config),
        took_ns: outcome.measured_ns(),
        switches: outcome.report.global.context_switches,
        wakeup_preemptions: outcome.report.global.wakeup_preemptions,
        selection: (selection, sums.iter().sum()),
        hash: outcome.hash,
    })
}
