//! A pick in words: who was considered, as what, and the test that each one failed.

use super::cite;
use super::idle::throttled_words;
use super::words::{Row, Table, Told, by_code, left_words, name, time};
use crate::format;
use crate::protocol::PickWhy;
use crate::protocol::explained::{Candidate, Pick, Role, Verdict};
use crate::text::{Msg, fill, text};
use schedlab_engine::config::Config;
use schedlab_engine::order::sorted;
use schedlab_engine::sched::features::Feature;

pub(super) fn tell_pick(pick: &Pick, cpu: u16, config: &Config) -> Told {
    let mut sentences = Vec::new();
    if let Some(before) = &pick.before {
        sentences.push(left_words(before, pick.left));
    }
    sentences.push(pick_words(pick, cpu));
    if !pick.throttled.is_empty() {
        sentences.push(throttled_words(&pick.throttled));
    }
    let mut cited = Vec::new();
    // Commits that set the rule are about buddies; without one the leftmost runs, as ever.
    let plain = pick.candidates.iter().all(|c| c.role == Role::Left);
    if plain && !pick.candidates.is_empty() {
        cited.push(cite::base(config.kernel.base.name(), "pick_next_entity"));
    } else if !plain {
        cited.push(cite::rule(config, "picker", "pick_next_entity"));
    }
    if pick.candidates.iter().any(|c| c.role == Role::Last) {
        cited.push(cite::feature(Feature::LastBuddy));
    }
    Told {
        sentences,
        tables: pick_table(pick).into_iter().collect(),
        cited,
    }
}

pub(super) fn pick_words(pick: &Pick, cpu: u16) -> String {
    let cpu = cpu.to_string();
    let taken = name(pick.taken.as_ref());
    let chosen = pick.candidates.last();
    let gap = chosen.map_or(0, |c| c.gap_ns);
    let limit = chosen.map_or(0, |c| c.limit_ns);
    let (gap, limit) = (time(gap), time(limit as i64));
    let key = match by_code(PickWhy::ALL, pick.why) {
        PickWhy::Idle => Msg::WhyPickIdle,
        PickWhy::Only => Msg::WhyPickOnly,
        PickWhy::Leftmost => Msg::WhyPickLeftmost,
        PickWhy::NextBuddy if chosen.is_some_and(|c| c.gap_ns <= 0) => Msg::WhyPickNextLeft,
        PickWhy::LastBuddy if chosen.is_some_and(|c| c.gap_ns <= 0) => Msg::WhyPickLastLeft,
        PickWhy::NextBuddy if chosen.is_some() => Msg::WhyPickNext,
        PickWhy::LastBuddy if chosen.is_some() => Msg::WhyPickLast,
        why => {
            return fill(
                Msg::WhyPickOther,
                &[("task", taken), ("cpu", &cpu), ("why", why.what())],
            );
        }
    };
    fill(
        key,
        &[
            ("task", taken),
            ("cpu", &cpu),
            ("gap", &gap),
            ("limit", &limit),
        ],
    )
}

/// What is told of the candidates of CFS.
const GAP_HEAD: &[Msg] = &[
    Msg::HeadCandidate,
    Msg::HeadGap,
    Msg::HeadLimit,
    Msg::HeadVerdict,
];

/// What is told of the candidates of EEVDF.
const DEADLINE_HEAD: &[Msg] = &[
    Msg::HeadCandidate,
    Msg::QueueVruntime,
    Msg::HeadDue,
    Msg::HeadSlice,
    Msg::HeadVerdict,
];

/// So many of those that wait are listed.
const LISTED: usize = 6;

fn pick_table(pick: &Pick) -> Option<Table> {
    if pick.candidates.is_empty() {
        return None;
    }
    let by_deadline = pick.candidates.iter().any(|c| c.wants.is_some());
    let (head, numbers) = if by_deadline {
        (DEADLINE_HEAD, &[1, 2, 3][..])
    } else {
        (GAP_HEAD, &[1, 2][..])
    };
    let mut rows = if by_deadline {
        candidate_rows(&by_rule(&pick.candidates))
    } else {
        candidate_rows(&pick.candidates)
    };
    let waits = |name: String, gap: String, verdict: String| {
        let mut cells = vec![name];
        // That distance is from the leftmost, and the others are from the average.
        if !by_deadline {
            cells.push(gap);
        }
        cells.resize(head.len() - 1, format::NOTHING.to_string());
        cells.push(verdict);
        Row {
            cells,
            ..Row::default()
        }
    };
    let listed = pick.waiting.iter().take(LISTED).map(|w| {
        let verdict = if w.running {
            Msg::VerdictRuns
        } else {
            Msg::VerdictWaits
        };
        waits(w.name.clone(), time(w.gap_ns), text(verdict).to_string())
    });
    rows.extend(listed);
    let more = pick.more as usize + pick.waiting.len().saturating_sub(LISTED);
    if more > 0 {
        let n = more.to_string();
        let (name, verdict) = (Msg::WhyMore, Msg::VerdictMoreWait);
        let [name, verdict] = [name, verdict].map(|key| fill(key, &[("n", &n)]));
        rows.push(waits(name, format::NOTHING.to_string(), verdict));
    }
    let key = if by_deadline {
        Msg::WhyPickByDeadline
    } else {
        Msg::WhyPickCaption
    };
    let wait = pick.tasks.saturating_sub(1);
    let [n, m] = [pick.tasks, wait].map(|n| n.to_string());
    let mut caption = fill(key, &[("n", &n), ("m", &m)]);
    if by_deadline {
        caption = format!("{caption} {}", text(Msg::WhyPickFrom));
    }
    let taken = pick
        .candidates
        .iter()
        .filter(|c| c.verdict == Verdict::Take);
    if taken.count() > 1 {
        caption = format!("{caption} {}", text(Msg::WhyPickWithin));
    }
    Some(Table {
        caption,
        head: head.iter().map(|head| text(*head)).collect(),
        numbers,
        rows,
    })
}

/// The candidates of EEVDF as its rule has them: who is taken, the eligible by deadline, the others by vruntime.
fn by_rule(candidates: &[Candidate]) -> Vec<Candidate> {
    let rank = |c: &Candidate| {
        let wants = c.wants.unwrap_or_default();
        match c.verdict {
            Verdict::Take => (0, 0),
            _ if wants.eligible => (1, wants.due_ns),
            _ => (2, c.gap_ns),
        }
    };
    sorted(candidates, |x, y| rank(x).cmp(&rank(y)))
}

/// How far right of the average its deadline is, ns.
fn due(c: &Candidate) -> i64 {
    c.wants.map_or(0, |wants| wants.due_ns)
}

fn candidate_rows(candidates: &[Candidate]) -> Vec<Row> {
    let taken = candidates.iter().find(|c| c.verdict == Verdict::Take);
    let row = |c: &Candidate| candidate_row(c, taken);
    let mut rows: Vec<Row> = candidates.iter().map(row).collect();
    if candidates.iter().all(|c| c.wants.is_some()) {
        let columns: [Vec<i64>; 2] = [
            candidates.iter().map(|c| c.gap_ns).collect(),
            candidates.iter().map(due).collect(),
        ];
        for (column, values) in (1..).zip(&columns) {
            for (row, cell) in rows.iter_mut().zip(format::distances(values)) {
                row.cells.insert(column, cell);
            }
        }
    }
    rows
}

/// All but the distances from the average, which are written alike in all rows.
fn candidate_row(c: &Candidate, taken: Option<&Candidate>) -> Row {
    let role = match c.role {
        Role::Next => Msg::RoleNext,
        Role::Last => Msg::RoleLast,
        Role::Second => Msg::RoleSecond,
        Role::Left => Msg::RoleLeft,
        Role::Current => Msg::RoleCurrent,
        Role::Protected => Msg::RoleProtected,
        Role::Deadline => Msg::RoleDeadline,
    };
    let verdict = match c.verdict {
        Verdict::Take => Msg::VerdictTake,
        Verdict::TooFar => Msg::VerdictTooFar,
        Verdict::FeatureOff => Msg::VerdictFeatureOff,
        Verdict::NotEligible => Msg::VerdictNotEligible,
        // A buddy, and who is protected, is taken whatever the deadlines are.
        Verdict::LaterDeadline if taken.is_some_and(|taken| due(c) <= due(taken)) => {
            Msg::VerdictPassed
        }
        Verdict::LaterDeadline => Msg::VerdictLaterDeadline,
    };
    let mut role = text(role).to_string();
    let mut cells = vec![c.name.clone()];
    if let Some(wants) = c.wants {
        let also = [
            (wants.delayed, Msg::RoleDelayed),
            (
                wants.protected && c.role != Role::Protected,
                Msg::RoleIsProtected,
            ),
            (c.buddy && c.role != Role::Next, Msg::RoleNext),
        ];
        for (_, also) in also.into_iter().filter(|(is, _)| *is) {
            role = format!("{role}, {}", text(also));
        }
        cells.push(time(wants.slice_ns as i64));
    } else {
        let limit = if c.gap_ns > 0 {
            time(c.limit_ns as i64)
        } else {
            format::NOTHING.to_string()
        };
        cells.extend([time(c.gap_ns), limit]);
    }
    cells.push(text(verdict).to_string());
    Row {
        cells,
        role,
        chosen: c.verdict == Verdict::Take,
    }
}
