//! What to do about a warning that proposes nothing itself.

use schedlab_engine::fragment::{Fault, Warning, part_meant};
use schedlab_engine::machine::CpuMask;
use schedlab_engine::machine::cpumask::CpuListError;
use schedlab_engine::workload::WorkloadKind;

/// What only the page reads, behind `&view&`.
const OF_THE_PAGE: [&str; 5] = ["z", "at", "ask", "by", "play"];
/// What is said of a task group.
const OF_GROUPS: [&str; 6] = ["weight", "shares", "quota", "period", "burst", "cpus"];

/// The sentence, for a warning about `part` of a link, or of a `scenario`, for a machine with so many CPUs; none where the
/// warning says it.
pub(crate) fn remedy(
    warning: &Warning,
    part: &str,
    (cpus, scenario): (u16, bool),
) -> Option<String> {
    if is_beyond(warning) {
        return Some(format!("The last CPU here is {}", cpus - 1));
    }
    if matches!(warning.fault, Fault::UnknownKey | Fault::NoValue)
        && let Some(meant) = part_meant(part)
    {
        return Some(format!("Did you mean {meant}?"));
    }
    if warning.nearest.is_some() {
        return None;
    }
    Some(match &warning.fault {
        Fault::NewerVersion => "A newer schedlab knows it".into(),
        Fault::UnknownKey => of_key(&warning.text),
        Fault::NoValue => "Write what it is of, such as k=6.1".into(),
        Fault::NothingSaid => "Write a value, or leave it out".into(),
        Fault::Unknown { kind: "group" } if scenario => {
            "Declare it before, as in group NAME".into()
        }
        Fault::Unknown { kind } => of_kind(kind),
        Fault::NotInKernel { comes_with, .. } => match comes_with {
            Some(delta) if scenario => format!("Add commits {delta}, or take another kernel"),
            Some(delta) => format!("Add d={delta}, or take another kernel"),
            None => "Leave it out, or take another kernel".into(),
        },
        Fault::Fixed(_) | Fault::Delta(_) => "Leave it out".into(),
        Fault::Parenthesis(_) => "Leave it out, or put a semicolon before it".into(),
        Fault::Again => "Say it once".into(),
        Fault::Unheard { .. } => "Leave it out, or take 6.12 or later".into(),
        Fault::TooMany { .. } | Fault::TooLong { .. } => "Make it shorter".into(),
        Fault::Script(says) => of_tasks(says).into(),
        Fault::Malformed { .. }
        | Fault::Unseparated
        | Fault::OutOfRange { .. }
        | Fault::TooFine
        | Fault::More { .. } => return None,
    })
}

/// Is it about a list of CPUs that no machine has?
fn is_beyond(warning: &Warning) -> bool {
    let is_list = match &warning.fault {
        Fault::Malformed { expected } => expected.contains("list of CPUs"),
        Fault::Script(says) => says.contains("list of CPUs"),
        _ => false,
    };
    is_list
        && matches!(
            warning.text.parse::<CpuMask>(),
            Err(CpuListError::TooHigh(_))
        )
}

fn of_tasks(says: &str) -> &'static str {
    match says {
        "is no channel" | "is no queue" | "is no lock" | "is no barrier" | "is no child" => {
            "Declare it beside the tasks"
        }
        _ => "See schedlab list language",
    }
}

fn of_key(key: &str) -> String {
    let takes = |kind: &&WorkloadKind| kind.params().iter().any(|p| p.name == key);
    let workload = WorkloadKind::ALL.iter().find(takes);
    match workload {
        _ if OF_THE_PAGE.contains(&key) => "Only the page shows it, behind &view&".into(),
        _ if OF_GROUPS.contains(&key) => format!("It is said of a group: g=NAME({key}=…)"),
        Some(kind) => {
            let name = kind.name();
            format!("It is said of a workload, such as {name}: w={name}({key}=…)")
        }
        None => "See schedlab list keys".into(),
    }
}

fn of_kind(kind: &str) -> String {
    let list = match kind {
        "machine" => "machines",
        "kernel" => "kernels",
        "feature" => "features",
        "tunable" => "tunables",
        "domain flag" | "domain level" => "flags",
        "commit of these kernels" => "commits",
        "group" => return "Declare it before, as in g=NAME".into(),
        "thing to say of a group" => return format!("It is one of in, {}", OF_GROUPS.join(", ")),
        _ => "workloads",
    };
    format!("See schedlab list {list}")
}
