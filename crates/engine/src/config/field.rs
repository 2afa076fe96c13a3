//! The parts of a [`Config`](super::Config): their keys in links and what each holds.
//!
//! One table for the link, the command line's help, the page and every message that names a part.

macro_rules! fields {
    ($($id:ident $key:literal [$($alias:literal),*] $form:literal $what:literal;)*) => {
        /// One part of a configuration.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Field {
            $(#[doc = $what] $id,)*
        }

        impl Field {
            /// Every part, in the order in which links are written.
            pub const ALL: &'static [Field] = &[$(Field::$id),*];

            /// Its key in links.
            pub const fn key(self) -> &'static str {
                match self { $(Field::$id => $key,)* }
            }

            /// Other keys under which it is understood.
            pub const fn aliases(self) -> &'static [&'static str] {
                match self { $(Field::$id => &[$($alias),*],)* }
            }

            /// The form of its value, by example.
            pub const fn form(self) -> &'static str {
                match self { $(Field::$id => $form,)* }
            }

            /// What it holds, in one sentence.
            pub const fn what(self) -> &'static str {
                match self { $(Field::$id => $what,)* }
            }
        }
    };
}

fields! {
    Version "v" ["version"] "1"
        "The version of the link's grammar and of its defaults.";
    Machine "m" ["machine"] "tigerton-4x4"
        "The machine, by its name in the catalog.";
    Kernel "k" ["kernel"] "2.6.32-rc1"
        "The kernel release to start from.";
    Deltas "d" ["deltas", "commits", "commit"] "-D13,D20"
        "Commits added to the release, or with a minus sign taken out of it.";
    Features "f" ["features", "feature", "feat"] "NEXT_BUDDY,NO_WAKEUP_PREEMPT"
        "Features switched on, or off with NO_, as in the kernel's sched_features file.";
    Tunables "t" ["tunables", "tunable", "knobs"] "wakeup_granularity:8ms"
        "Tunables set as with sysctl, already scaled; a time without a unit is in nanoseconds.";
    SdFlags "sd" ["sd_flags", "sd_flag", "flags", "flag"] "-BALANCE_NEWIDLE,NODE:PREFER_LOCAL"
        "Domain flags set, or with a minus sign cleared, at one level or at all.";
    Groups "g" ["group", "groups"] "A(weight=300);B(in=A)"
        "Task groups: each with the group it is in, its weight or shares, its quota and period.";
    Workloads "w" ["workload", "workloads"] "hackbench(groups=10,loops=100);(task+hog*2+run+forever)"
        "What runs: workloads with the parameters that differ from their defaults, and tasks in the workload language.";
    Seed "seed" [] "7"
        "The seed of everything random.";
    Duration "dur" ["duration"] "1s"
        "Simulated time after which the run ends; without it, when the workload ends.";
    Hz "hz" [] "250"
        "Timer ticks a second, in place of the release's own.";
    Phase "phase" [] "250us"
        "When the first tick of CPU 0 comes.";
    SkewTick "skew_tick" ["skew"] "on"
        "Whether the CPUs' ticks are spread over half a period, in place of the release's own.";
    Nohz "nohz" [] "on"
        "Whether the tick stops on idle CPUs.";
    Events "events" ["max_events"] "1000000"
        "The number of events after which the run stops at the latest.";
}

impl Field {
    /// The part with that key or alias, letters' case aside.
    pub fn by_key(key: &str) -> Option<Field> {
        let known = |f: &&Field| {
            f.key().eq_ignore_ascii_case(key)
                || f.aliases().iter().any(|a| a.eq_ignore_ascii_case(key))
        };
        Field::ALL.iter().find(known).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_means_two_things() {
        for field in Field::ALL {
            for key in field.aliases().iter().chain([&field.key()]) {
                assert_eq!(Field::by_key(key), Some(*field), "{key}");
            }
        }
        assert_eq!(Field::by_key("K"), Some(Field::Kernel));
        assert_eq!(Field::by_key(""), None);
    }
}
