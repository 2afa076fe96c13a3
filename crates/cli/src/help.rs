//! What `--help` prints.

/// What is printed without a command.
pub(crate) const OVERVIEW: &str = "\
schedlab: what the Linux fair scheduler does, event by event, and why

  schedlab run [FRAGMENT|FILE|-]      simulate an experiment and report
  schedlab compare A B                simulate two and say how, and where first, they differ
  schedlab list [WHAT [KERNEL]]       machines, kernels, commits, features, tunables, flags, …
  schedlab show [FRAGMENT|FILE|-]     print an experiment as a scenario file or a link
  schedlab explain FRAGMENT --at TIME why a CPU does what it does
  schedlab check-trace DIR...         judge the rules by recordings of real kernels
  schedlab reproduce [NAME [TABLE]]   run a published experiment, beside what was published
  schedlab bench                      measure the simulator itself
  schedlab hash                       the hashes of random experiments, the same on every machine
  schedlab help COMMAND               more about one of them

An experiment is a fragment: key=value parts with & between them, the same text as behind the # of
the page's address. Quote it. Parts that are left out have their defaults; schedlab list keys names
them all.

  schedlab run 'k=2.6.31&w=hackbench(groups=10,loops=100)'
  schedlab compare 'm=stoakley-2x4&w=hackbench(groups=4,loops=20)' '&d=-D12'
  schedlab explain 'm=classroom-1&w=hogs(count=3)' --at 50ms

Exit codes: 0 done, 1 the run or its output failed, 2 wrong arguments or a bad experiment,
130 stopped by Ctrl-C (after reporting what there was).
";

/// What is printed about one command.
pub(crate) fn of(command: &str) -> &'static str {
    match command {
        "run" => RUN,
        "compare" => COMPARE,
        "list" => LIST,
        "show" => SHOW,
        "explain" => EXPLAIN,
        "check-trace" => CHECK_TRACE,
        "reproduce" => REPRODUCE,
        "bench" => BENCH,
        "hash" => HASH,
        _ => OVERVIEW,
    }
}

const RUN: &str = "\
schedlab run [OPTIONS] [FRAGMENT|FILE|-]

Simulates one experiment and prints a report. Without an argument it is the default one; - reads
standard input. Where an empty text is given, nothing is run. In files, # begins a comment and a
line break separates parts; a file may also hold a scenario in the workload language
(docs/workload-language.md).

  --json                 the report as JSON (docs/json.md)
  --trace FILE           write every event to FILE; - is standard output, and then there is no report
  --trace-format FORMAT  perf (as perf sched script), jsonl (a JSON object a line) or csv; without it,
                         by the extension of FILE
  --tasks N|all          rows of the table of tasks; without it, one row for each role
  --progress, -q, --quiet
                         show progress on standard error, or do not; without them of what takes
                         longer than a second on a terminal, or than ten elsewhere
  --strict               a warning about the fragment is an error
";

const COMPARE: &str = "\
schedlab compare [OPTIONS] A B

Simulates two experiments and prints both results, the differences, and the first decision at which
they part, with the reason that each gives. A and B are fragments, files or -. If B starts with & it
says only what differs from A:

  schedlab compare 'k=2.6.31&w=hackbench(groups=10)' '&k=2.6.32-rc1'

A link of the page that names both (k=2.6.31&vs&k=2.6.32-rc1) stands for A and B.

  --json                 as JSON (docs/json.md)
  --progress, -q, --quiet, --strict   as for run
";

const LIST: &str = "\
schedlab list [WHAT [KERNEL]] [--for FRAGMENT] [--json]

Prints what there is to choose from: machines, kernels, outlines, commits, features, tunables,
flags, workloads, keys, language; without WHAT all of it. Each says what it does; switches that
nothing can show here are marked inert, with the reason. Defaults are those of KERNEL, or of the
kernel and machine of FRAGMENT, and then those of all kernels. What of a kernel is modelled in
outline only stands with it; outlines says what that leaves out.

  schedlab list features 6.6
  schedlab list tunables --for 'k=2.6.31&m=q6600'
";

const SHOW: &str = "\
schedlab show [--link] [--program] [FRAGMENT|FILE|-]

Prints an experiment as a scenario file in the workload language (docs/workload-language.md). With
--program the workloads of the catalog are written out as tasks, as a start for one's own; it runs
in the same way.

  --link                 as a link
  --program              hackbench, tcp_rr … as the tasks they are made of

  schedlab show 'w=hackbench(groups=2)' --program
";

const EXPLAIN: &str = "\
schedlab explain FRAGMENT|FILE|- --at TIME [--cpu N]

Runs to TIME (such as 12.5ms) and explains the next decision of that CPU, or of any: every
candidate, the numbers compared, and the rule that decided.
";

const CHECK_TRACE: &str = "\
schedlab check-trace [--json|--markdown|--mutations] DIR...

Replays recordings of real kernels: recorded wakeups, ticks and charges drive the scheduler's own
rules, and whatever these predict (vruntimes, preemptions, reschedules, the next pick) is a fact,
right, wrong, or a tie that the recording's clock cannot tell apart. A folder is a recording if it
has params.json, summary.json and trace.csv.gz in it; other folders are searched for some. Prints a
line for each, the first divergence with the state on both sides, and the score. Recordings that
need what the engine lacks are listed as not applicable.

  --json      one object with recordings and score (docs/json.md)
  --markdown  the tables of docs/validation.md
  --mutations how many facts go wrong if one rule is changed: what the recordings can tell apart
";

const REPRODUCE: &str = "\
schedlab reproduce [OPTIONS] [NAME [TABLE]]

Runs every row of a published experiment, or of one of its tables, and prints what comes out beside
what was published: the figure itself, and how it compares with the table's base row. A row agrees
if that comparison is off by no more than the tolerance that the table states; otherwise it has the
direction only, or misses. Without NAME it lists the experiments and their tables.

  --json      one object with every row, its link and its hash (docs/json.md)
  --markdown  the tables of docs/history-2009.md, history-2011.md and history-2026.md
  --loops N   hackbench's loops, for 2009, whose runs end when their work is done (published: 2000)
  --dur TIME  how long the runs last, for 2011 and 2026, whose runs end by time
  --progress, -q, --quiet   as for run; a line for each finished row where no terminal is

  schedlab reproduce 2009
  schedlab reproduce 2011 free-3
";

const BENCH: &str = "\
schedlab bench [NAME] [--rounds N] [--json|--lines]

Runs fixed scenarios and prints events and messages a second of CPU time (of real time where the
system does not tell), the median of N rounds (5), checking that each result has the hash it must
have. --lines prints name, hash, events, messages, simulated ns, ns of CPU time and fragment, for
programs. Only by NAME: picks-10, picks-100, picks-1000, picks-10000 (each with -longer), which show
what a pick costs under EEVDF. docs/performance.md says how to count instructions, and how to
measure the page.
";

const HASH: &str = "\
schedlab hash [--count N] [--seed N]

Prints one line for each of N random experiments: the hash of its run, its events, its fragment. The
same list is run by the tests of the page; both must agree to the last bit.
";
