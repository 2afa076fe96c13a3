//! Task groups: `A(weight=300);B(in=A,quota=50ms,period=100ms)` in links, `group B in A quota 50ms` in files. In links the commas of
//! a list of CPUs are those between parameters, too: `A(cpus=0-3,8)`.

use super::again::Said;
use super::piece::Piece;
use super::read::{NONE, Reader, items};
use super::warning::{Fault, Used};
use crate::config::text::time_text;
use crate::config::{GroupSpec, LIMITS, Quota};
use crate::machine::CpuMask;
use crate::time::Nanos;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// What can be said of a group.
const PARAMS: [&str; 7] = ["in", "weight", "shares", "quota", "period", "burst", "cpus"];

/// Where among them what is said of a limit begins and ends, each a time.
const QUOTA: usize = 3;
const BURST: usize = 5;

/// What is wanted of what is said, in a link and in a file.
pub(super) const SAID: (&str, &str) = (
    "something said of a group, such as weight=300",
    "something said of a group, such as weight 300",
);

/// A group with at most this much of a name.
const LONGEST_NAME: usize = 40;

/// The longest quota that may be written.
const LONGEST: Nanos = Nanos::from_secs(3600);

impl<'a> Reader<'a> {
    /// All groups said; `none` takes back what came before it.
    pub(super) fn groups(&mut self, values: &[Piece<'a>]) {
        for item in items(values, &[';']) {
            if self.config.groups.len() == LIMITS.groups {
                let limit = LIMITS.groups;
                let _ = self.warn(item, Fault::TooMany { limit });
            } else {
                let group = self.group(item);
                self.config.groups.extend(group);
            }
        }
    }

    fn group(&mut self, item: Piece<'a>) -> Option<GroupSpec> {
        let call = item.call();
        let (name, rest) = match (call.args, call.name.split_once(' ')) {
            (None, Some((name, rest))) => (name, Some(rest)),
            _ => (call.name, None),
        };
        if name.text.eq_ignore_ascii_case(NONE) {
            // A link could not say it: there the name alone takes back what came before.
            let _ = self.warn(name, Fault::Fixed("it takes back what came before"));
            return None;
        }
        if !is_name(name.text) {
            let expected = "a group's name: a letter, then letters, digits, _ and -";
            let _ = self.warn(name, Fault::Malformed { expected });
            return None;
        }
        if self.config.group_number(name.text).is_some() {
            let _ = self.warn(name, Fault::Again);
            return None;
        }
        if let Some((at, wrong)) = call.fault {
            self.parenthesis(at, wrong);
        }
        let mut group = GroupSpec::new(name.text);
        let mut limit = [None; 3];
        let pairs = self.pairs(call.args, rest);
        let mut said = Vec::new();
        for (name, value) in pairs {
            said.extend(self.group_param(&mut group, &mut limit, (name, value)));
        }
        self.settle(&said);
        let [quota, period, burst] = limit;
        if said.iter().all(|(thing, ..)| *thing != QUOTA) {
            for (_, place, _) in said.iter().filter(|s| (QUOTA..=BURST).contains(&s.0)) {
                let why = "the group has no quota";
                let _ = self.warn(*place, Fault::Fixed(why));
            }
        }
        group.quota = quota.map(|quota| Quota {
            quota,
            period: period.unwrap_or(GroupSpec::PERIOD),
            burst: burst.unwrap_or(Nanos::ZERO),
        });
        Some(group)
    }

    /// The parameters, as `name=value` with commas or as words.
    fn pairs(
        &mut self,
        args: Option<Piece<'a>>,
        words: Option<Piece<'a>>,
    ) -> Vec<(Piece<'a>, Piece<'a>)> {
        let mut pairs = Vec::new();
        for arg in args.iter().flat_map(|args| args.split(&[','])) {
            if goes_on_list(&pairs, arg)
                && let (Some(args), Some((_, list))) = (args, pairs.last_mut())
            {
                *list = args.part(list.at - args.at..arg.range().end - args.at);
                continue;
            }
            match arg.split_once('=').or_else(|| arg.split_once(':')) {
                Some(pair) => pairs.push(pair),
                None => self.warn_pair(arg),
            }
        }
        let words: Vec<Piece<'a>> = words
            .iter()
            .flat_map(|w| w.split(&[' ', '\t', '+']))
            .collect();
        for pair in words.chunks(2) {
            match pair {
                [name, value] => pairs.push((*name, *value)),
                rest => rest.iter().for_each(|word| self.warn_pair(*word)),
            }
        }
        pairs
    }

    fn warn_pair(&mut self, arg: Piece<'a>) {
        let expected = SAID.0;
        let _ = self.warn(arg, Fault::Malformed { expected });
    }

    /// Takes one thing that is said of a group.
    fn group_param(
        &mut self,
        group: &mut GroupSpec,
        limit: &mut [Option<Nanos>; 3],
        (name, value): (Piece<'a>, Piece<'a>),
    ) -> Option<Said<'a>> {
        let word = name.text.to_ascii_lowercase();
        let Some(thing) = PARAMS.iter().position(|param| *param == word) else {
            self.unknown(name, "thing to say of a group", PARAMS, Used::Nothing);
            return None;
        };
        let read = match word.as_str() {
            "in" => {
                let known = self.known_group(value, value.text, Used::Nothing);
                known.then(|| group.parent.insert(value.text.to_string()).clone())
            }
            "weight" | "shares" => {
                let weight = word == "weight";
                let ((low, high), expected) = if weight {
                    (LIMITS.group_weight, "a weight such as 300")
                } else {
                    (LIMITS.group_shares, "a number of shares such as 1024")
                };
                let read = self.whole(value, low.into(), high.into(), expected);
                read.map(|n| {
                    let n = n as u64;
                    group.shares = if weight {
                        GroupSpec::shares_of_weight(n)
                    } else {
                        n
                    };
                    n.to_string()
                })
            }
            "cpus" => {
                let read = value.text.parse::<CpuMask>().ok();
                if read.is_none() {
                    let expected = "a list of CPUs such as 0-3,8";
                    let _ = self.warn(value, Fault::Malformed { expected });
                }
                group.cpus = read.or(group.cpus);
                read.map(|cpus| cpus.to_string())
            }
            _ => {
                let (shortest, longest) = LIMITS.quota_period;
                let (low, high) = match thing {
                    QUOTA => (shortest, LONGEST),
                    BURST => (Nanos::ZERO, LONGEST),
                    _ => (shortest, longest),
                };
                let read = self.time(value, low.0.into(), high.0.into());
                let at = &mut limit[thing - QUOTA];
                *at = read.map(|n| Nanos(n as u64)).or(*at);
                read.map(time_text)
            }
        };
        // Weight and shares say the same.
        let thing = if word == "shares" { thing - 1 } else { thing };
        Some((thing, value, read))
    }
}

/// Is `arg` more of a list of CPUs that the last pair begins?
fn goes_on_list(pairs: &[(Piece<'_>, Piece<'_>)], arg: Piece<'_>) -> bool {
    let of_list = |c: char| c.is_ascii_digit() || c == '-';
    let begun = pairs
        .last()
        .is_some_and(|(name, _)| name.text.eq_ignore_ascii_case("cpus"));
    begun && arg.text.chars().all(of_list)
}

fn is_name(text: &str) -> bool {
    let starts = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let rest = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    starts && text.len() <= LONGEST_NAME && text.chars().all(rest)
}

/// What is said of a group beyond its name.
fn said(group: &GroupSpec) -> Vec<(&'static str, String)> {
    let mut said = Vec::new();
    if let Some(parent) = &group.parent {
        said.push(("in", parent.clone()));
    }
    match group.weight() {
        _ if group.shares == GroupSpec::SHARES => {}
        Some(weight) => said.push(("weight", weight.to_string())),
        None => said.push(("shares", group.shares.to_string())),
    }
    if let Some(Quota {
        quota,
        period,
        burst,
    }) = group.quota
    {
        said.push(("quota", quota.to_string()));
        if period != GroupSpec::PERIOD {
            said.push(("period", period.to_string()));
        }
        if burst > Nanos::ZERO {
            said.push(("burst", burst.to_string()));
        }
    }
    if let Some(cpus) = group.cpus {
        said.push(("cpus", cpus.to_string()));
    }
    said
}

/// A group as links write it.
pub(super) fn group_text(group: &GroupSpec) -> String {
    let args: Vec<String> = said(group)
        .iter()
        .map(|(k, v)| format!("{k}={v}"))
        .collect();
    if args.is_empty() {
        group.name.clone()
    } else {
        format!("{}({})", group.name, args.join(","))
    }
}

/// A group as files write it.
pub(super) fn group_line(group: &GroupSpec) -> String {
    let mut words = alloc::vec![format!("group {}", group.name)];
    words.extend(said(group).iter().map(|(k, v)| format!("{k} {v}")));
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use crate::fragment::{parse, print};
    use alloc::string::ToString;

    #[test]
    fn a_list_of_cpus_has_commas_of_its_own() {
        let link = "v=1&m=tigerton-4x4&g=A(cpus=0,2-3,8,weight=50);B(in=A,cpus=2)&w=hogs";
        let (config, warnings) = parse(link);
        assert_eq!(warnings, []);
        let cpus = |at: usize| config.groups[at].cpus.map(|cpus| cpus.to_string());
        assert_eq!(cpus(0).as_deref(), Some("0,2-3,8"));
        assert_eq!(cpus(1).as_deref(), Some("2"));
        assert_eq!(config.groups[0].weight(), Some(50));
        let written = print(&config);
        assert!(
            written.contains("A(weight=50,cpus=0,2-3,8);B(in=A,cpus=2)"),
            "{written}"
        );
        assert_eq!(parse(&written).0, config);
        let (_, warnings) = parse("g=A(cpus=0,x)");
        assert_eq!(warnings.len(), 1);
    }
}
