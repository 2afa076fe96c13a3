//! The workload mix in a fragment: `hackbench(groups=10,loops=100);hogs(count=2,nice=5);(task+slp+run+1ms)`.
//!
//! What stands in parentheses without a name before them is in the workload language.

use super::again::Said;
use super::piece::{Piece, UNCLOSED};
use super::print::value;
use super::read::{Reader, after_none, is_none};
use super::warning::{Fault, Used};
use crate::config::text::{ANY_CPU, param_text};
use crate::config::{Field, LIMITS, WorkloadSpec};
use crate::words::number::{self, Read};
use crate::workload::lang::{self, Parsed, Script};
use crate::workload::{ParamInfo, ParamUnit, WorkloadKind};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// The parameter of every workload that names its group.
const IN: &str = "in";

impl<'a> Reader<'a> {
    /// The mix: all workloads said, in place of the default ones; `none` is an empty mix.
    pub(super) fn workloads(&mut self, values: &[Piece<'a>]) {
        let mut split = Vec::new();
        for value in values {
            split.append(&mut items_of(*value));
        }
        let emptied = split.last().is_some_and(|last| is_none(*last));
        let mut items = Vec::new();
        for item in after_none(split) {
            items.append(&mut self.apart(item));
        }
        let mut mix = Vec::new();
        let mut script = None;
        for item in &items {
            if item.text.starts_with('(') {
                script = self.script(*item, script);
            } else if mix.len() == LIMITS.workloads {
                let limit = LIMITS.workloads;
                let _ = self.warn(*item, Fault::TooMany { limit });
            } else {
                mix.extend(self.workload(*item));
            }
        }
        if emptied || !mix.is_empty() || script.is_some() {
            self.config.workloads = mix;
            self.config.script = script.unwrap_or_default();
        } else if !items.is_empty() && !self.config.workloads.is_empty() {
            let default = value(&self.config, Field::Workloads);
            self.instead(Used::Default(default));
        }
    }

    /// Tasks in the workload language; none, and what there was before, if anything is wrong with them.
    fn script(&mut self, item: Piece<'a>, before: Option<Script>) -> Option<Script> {
        let inside = item.strip_prefix("(").unwrap_or(item);
        let text = inside.text.strip_suffix(')').unwrap_or(inside.text);
        let Parsed {
            script,
            faults,
            groups,
            ..
        } = lang::parse(&text.replace('+', " "), &[]);
        let mut whole = faults.is_empty();
        for fault in faults {
            self.script_fault(inside, fault);
        }
        for (range, name) in groups {
            whole &= self.known_group(inside.part(range), &name, Used::WithoutTasks);
        }
        if whole && !item.text.ends_with(')') {
            self.parenthesis(item, UNCLOSED);
        }
        if whole && before.is_some() {
            self.again(item, item.text);
        }
        if whole { Some(script) } else { before }
    }

    /// Something wrong with a script that stands in `text`.
    pub(super) fn script_fault(&mut self, text: Piece<'a>, fault: lang::Fault) {
        let place = text.part(fault.range);
        let warning = self.warn(place, Fault::Script(fault.says));
        warning.used = Used::WithoutTasks;
        warning.text = fault.found;
        warning.nearest = fault.nearest;
    }

    /// Is there a group of that name? A warning if not.
    pub(super) fn known_group(&mut self, at: Piece<'a>, name: &str, used: Used) -> bool {
        let known = self.config.group_number(name).is_some();
        if !known {
            let names: Vec<String> = self.config.groups.iter().map(|g| g.name.clone()).collect();
            let names = names.iter().map(String::as_str);
            self.unknown(at, "group", names, used);
        }
        known
    }

    /// The workloads of an item that lacks semicolons: `hogs(count=2)+sleeper` and `hogs,sleeper` are two.
    fn apart(&mut self, item: Piece<'a>) -> Vec<Piece<'a>> {
        let mut items = Vec::new();
        let mut rest = item;
        while let Some((end, next)) = next_begins(rest) {
            let name = next.call().name;
            let meant = format!(";{}", name.text);
            let joint = rest.part(end..name.range().end - rest.at);
            self.warn(joint, Fault::Unseparated).take(meant);
            items.push(rest.part(0..end).trim());
            rest = next;
        }
        items.push(rest);
        items
    }

    fn workload(&mut self, item: Piece<'a>) -> Option<WorkloadSpec> {
        let call = item.call();
        let same = |kind: &&WorkloadKind| kind.name().eq_ignore_ascii_case(call.name.text);
        let Some(kind) = WorkloadKind::ALL.iter().find(same) else {
            let names = WorkloadKind::ALL.iter().map(|k| k.name());
            self.unknown(call.name, "workload", names, Used::Nothing);
            return None;
        };
        let mut spec = WorkloadSpec::new(*kind);
        if let Some((at, wrong)) = call.fault {
            self.parenthesis(at, wrong);
        }
        let mut said = Vec::new();
        for arg in call.args.iter().flat_map(|args| args.split(&[','])) {
            said.extend(self.argument(&mut spec, arg));
        }
        self.settle(&said);
        Some(spec)
    }

    /// One `name=value` of a workload.
    fn argument(&mut self, spec: &mut WorkloadSpec, arg: Piece<'a>) -> Option<Said<'a>> {
        let Some((name, value)) = arg.split_once('=').or_else(|| arg.split_once(':')) else {
            let expected = "a parameter with its value such as count=2";
            let _ = self.warn(arg, Fault::Malformed { expected });
            return None;
        };
        let params = spec.kind.params();
        if name.text.eq_ignore_ascii_case(IN) {
            let known = self.known_group(value, value.text, Used::Nothing);
            let read = known.then(|| spec.group.insert(value.text.to_string()).clone());
            return Some((params.len(), arg, read));
        }
        let same = |p: &ParamInfo| p.name.eq_ignore_ascii_case(name.text);
        let Some(index) = params.iter().position(same) else {
            let names = params.iter().map(|p| p.name).chain([IN]);
            self.unknown(name, "parameter of this workload", names, Used::Nothing);
            return None;
        };
        let param = &params[index];
        let read = self.parameter(param, value, spec.values[index]);
        spec.values[index] = read.unwrap_or(spec.values[index]);
        Some((index, arg, read.map(|number| param_text(param, number))))
    }

    /// The value of a parameter that has the value `now`.
    fn parameter(&mut self, param: &'static ParamInfo, value: Piece<'a>, now: i64) -> Option<i64> {
        let (low, high) = (i128::from(param.min), i128::from(param.max));
        let number = match param.unit {
            ParamUnit::Time => self.time(value, low, high),
            ParamUnit::Cpu if value.text.eq_ignore_ascii_case(ANY_CPU) => Some(-1),
            ParamUnit::Cpu => {
                // Beyond all machines it is the last of this one; what another machine has is not known here.
                let beyond = match number::integer(value.text) {
                    Read::Exact(n) if n > high => i128::from(self.config.machine.layout.cpus) - 1,
                    _ => high,
                };
                self.whole(value, low, beyond, "a CPU number, or any")
            }
            ParamUnit::Choice => return self.choice(param, value, now),
            ParamUnit::Nice => self.whole(value, low, high, "a nice value"),
            ParamUnit::Count | ParamUnit::Bytes | ParamUnit::KiB => {
                self.whole(value, low, high, "a whole number")
            }
        };
        number.map(|n| n as i64)
    }

    fn choice(&mut self, param: &'static ParamInfo, value: Piece<'a>, now: i64) -> Option<i64> {
        let same = |word: &&str| word.eq_ignore_ascii_case(value.text);
        let index = param.choices.iter().position(same);
        if index.is_none() {
            let used = Used::Value(param_text(param, now));
            self.unknown(value, "choice here", param.choices.iter().copied(), used);
        }
        index.map(|i| i as i64)
    }
}

/// Where in `item` another workload begins that no semicolon sets apart: the end of the first one, and the rest.
fn next_begins(item: Piece<'_>) -> Option<(usize, Piece<'_>)> {
    let joint = |c: char| c.is_whitespace() || matches!(c, '+' | ',');
    let mut depth = 0_usize;
    if item.text.starts_with('(') {
        return None;
    }
    for (i, c) in item.text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > 0 || !(c == ')' || joint(c)) {
            continue;
        }
        let end = if c == ')' { i + 1 } else { i };
        let after = item.part(end..item.text.len());
        let rest = after.text.trim_start_matches(joint);
        let word = rest
            .split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
            .next()?;
        let called = rest
            .trim_start_matches(word)
            .trim_start_matches(joint)
            .starts_with('(');
        let known = WorkloadKind::ALL
            .iter()
            .any(|k| k.name().eq_ignore_ascii_case(word));
        if !word.is_empty() && (known || called) {
            return Some((
                end,
                after.part(after.text.len() - rest.len()..after.text.len()),
            ));
        }
    }
    None
}

/// The items of a mix. A semicolon inside the parentheses of a script separates statements.
fn items_of(value: Piece<'_>) -> Vec<Piece<'_>> {
    let mut items = Vec::new();
    let (mut start, mut depth) = (0, 0_usize);
    let mut scripted = false;
    for (i, c) in value.text.char_indices() {
        match c {
            '(' => {
                scripted |= value.part(start..i).trim().is_empty();
                depth += 1;
            }
            ')' => depth = depth.saturating_sub(1),
            ';' if depth == 0 || !scripted => {
                items.push(value.part(start..i).trim());
                (start, depth, scripted) = (i + 1, 0, false);
            }
            _ => {}
        }
    }
    items.push(value.part(start..value.text.len()).trim());
    items.retain(|item| !item.is_empty());
    items
}

/// A workload as it is written: with the parameters that differ from their defaults.
pub(super) fn workload_text(spec: &WorkloadSpec) -> String {
    let params = spec.kind.params().iter().zip(&spec.values);
    let mut args: Vec<String> = params
        .filter(|(param, value)| param.default != **value)
        .map(|(param, value)| format!("{}={}", param.name, param_text(param, *value)))
        .collect();
    args.extend(spec.group.iter().map(|group| format!("{IN}={group}")));
    if args.is_empty() {
        spec.kind.name().to_string()
    } else {
        format!("{}({})", spec.kind.name(), args.join(","))
    }
}
