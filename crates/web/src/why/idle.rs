//! A CPU that is idle, in sentences and a table. Pure.

use super::words::{Row, Table, Told, by_code, left_words, time};
use crate::protocol::BalanceWhy;
use crate::protocol::explained::{Explained, Idle};
use crate::text::{Msg, fill, text};

/// Since when it is idle.
pub(super) fn since_words(idle: &Idle, cpu: u16) -> String {
    let key = if idle.left.is_some() {
        Msg::IdleSince
    } else {
        Msg::IdleEver
    };
    let (cpu, since) = (cpu.to_string(), time(idle.since_ns as i64));
    fill(key, &[("cpu", &cpu), ("since", &since)])
}

/// Since when a CPU is idle and why, until when, and what could have run there.
pub(super) fn tell_idle(idle: &Idle, Explained { cpu, at_ns, .. }: &Explained) -> Told {
    let mut sentences = vec![since_words(idle, *cpu)];
    sentences.extend(idle.left.iter().map(|(task, why)| left_words(task, *why)));
    sentences.push(match &idle.next {
        Some((then, task)) => {
            let (at, far) = (time(*then as i64), time(then.saturating_sub(*at_ns) as i64));
            fill(Msg::IdleNext, &[("task", task), ("at", &at), ("far", &far)])
        }
        None => text(Msg::IdleNoNext).to_string(),
    });
    let mut named: Vec<String> = idle.waiting.iter().map(waiting_words).collect();
    let waits = named.len() as u32 + idle.more;
    if !idle.throttled.is_empty() {
        sentences.push(throttled_words(&idle.throttled));
    }
    if waits == 0 {
        sentences.push(text(Msg::IdleNoneWaits).to_string());
    } else {
        if idle.more > 0 {
            named.push(fill(Msg::WhyMore, &[("n", &idle.more.to_string())]));
        }
        let values = [("n", &*waits.to_string()), ("list", &named.join(", "))];
        sentences.push(fill(Msg::IdleWaits, &values));
        if idle.tries.is_empty() {
            sentences.push(text(Msg::IdleUntried).to_string());
        }
    }
    Told {
        sentences,
        tables: tries_table(idle).into_iter().collect(),
        cited: Vec::new(),
    }
}

/// Who waits here for the quota of a group.
pub(super) fn throttled_words(groups: &[(String, u32)]) -> String {
    let words = |(group, n): &(String, u32)| {
        let n = n.to_string();
        fill(Msg::Throttled, &[("group", group), ("n", &n)])
    };
    groups.iter().map(words).collect::<Vec<String>>().join(" ")
}

fn waiting_words((task, cpu): &(String, u16)) -> String {
    fill(
        Msg::IdleWaiting,
        &[("task", task), ("cpu", &cpu.to_string())],
    )
}

fn tries_table(idle: &Idle) -> Option<Table> {
    if idle.tries.is_empty() {
        return None;
    }
    let rows = idle.tries.iter().map(|one| {
        let key = if one.newly {
            Msg::IdleTryNewly
        } else {
            Msg::IdleTry
        };
        let at = time(one.at_ns as i64);
        let what = fill(key, &[("domain", &one.domain), ("at", &at)]);
        let found = by_code(BalanceWhy::ALL, one.why).what().to_string();
        Row {
            cells: vec![what, found],
            role: String::new(),
            chosen: one.moved > 0,
        }
    });
    Some(Table {
        caption: text(Msg::IdleCaption).to_string(),
        head: vec![text(Msg::HeadStep), text(Msg::HeadFinding)],
        numbers: &[],
        rows: rows.collect(),
    })
}
