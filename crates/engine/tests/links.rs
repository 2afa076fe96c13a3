//! Links, from outside: no text breaks the reader, every bad one is told so, and every configuration comes back.

use schedlab_engine::config::{Config, ProblemKind, Scenario, random};
use schedlab_engine::fragment::{self, MAX_BYTES, Warning};
use schedlab_engine::rng::Stream;

/// A link is read without panicking, warnings point into it, and what comes out is canonical.
fn check(text: &str) -> (Config, Vec<Warning>) {
    let (config, warnings) = fragment::parse(text);
    for warning in &warnings {
        assert!(
            text.get(warning.range.clone()).is_some(),
            "{text:?}: {warning:?}"
        );
        assert!(!warning.to_string().is_empty());
        let (line, column) = warning.line_column(text);
        assert!(line > 0 && column > 0);
    }
    let link = fragment::print(&config);
    let (again, _) = fragment::parse(&link);
    assert_eq!(again, config, "{text:?} gives {link}");
    assert_eq!(fragment::print(&again), link, "{text:?}");
    if let Err(problems) = Scenario::try_from(&config) {
        assert!(!problems.0.is_empty());
        for problem in problems.0 {
            let left_to_the_scenario = matches!(
                problem.kind,
                ProblemKind::NoWorkload
                    | ProblemKind::TooManyTasks(_)
                    | ProblemKind::AbsentCpu { .. }
                    | ProblemKind::NoCpus { .. }
                    | ProblemKind::NoQuotas(..)
                    | ProblemKind::Quota(..)
                    | ProblemKind::NoCpusOfGroup { .. }
                    | ProblemKind::CpusetOutside { .. }
                    | ProblemKind::Ticks { .. }
            );
            assert!(left_to_the_scenario, "{text:?}: {problem}");
        }
    }
    (config, warnings)
}

/// Draws from one stream, one after the other.
struct Dice(Stream, u32);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.1 += 1;
        self.0.below(self.1, n as u64) as usize
    }
}

#[test]
fn each_malformed_link_names_its_part() {
    let list = include_str!("data/bad-fragments.txt");
    let lines = list
        .lines()
        .filter(|l| !l.starts_with('#'))
        .filter_map(|l| l.split_once('\t'));
    let (mut count, mut silent) = (0, Vec::new());
    for (key, text) in lines {
        count += 1;
        let (config, warnings) = check(text);
        let mut named: Vec<&str> = warnings
            .iter()
            .map(|w| w.field.map_or("-", |f| f.key()))
            .collect();
        named.extend(config.problems().iter().map(|p| p.field.key()));
        if !named.contains(&key) {
            silent.push(format!("{key}: {text}: {named:?} {warnings:?}"));
        }
    }
    assert!(silent.is_empty(), "{silent:#?}");
    assert!(count >= 200, "{count} links");
}

#[test]
fn no_text_of_random_bytes_breaks_the_reader() {
    let mut dice = Dice(Stream::new(1, 0), 0);
    for _ in 0..4000 {
        let bytes: Vec<u8> = (0..dice.below(200))
            .map(|_| dice.below(256) as u8)
            .collect();
        check(&String::from_utf8_lossy(&bytes));
    }
}

#[test]
fn no_mixture_of_meaningful_pieces_breaks_the_reader() {
    const PIECES: [&str; 48] = [
        "v",
        "m",
        "k",
        "d",
        "f",
        "t",
        "sd",
        "w",
        "seed",
        "dur",
        "hz",
        "phase",
        "nohz",
        "events",
        "=",
        "=",
        "&",
        "&",
        ",",
        ";",
        ":",
        "(",
        ")",
        "-",
        "+",
        "%",
        "%25",
        "%3D",
        "#",
        "?",
        "\n",
        " ",
        "none",
        "any",
        "NO_",
        "D13",
        "NEXT_BUDDY",
        "q6600",
        "2.6.31",
        "hackbench",
        "hogs(count=2)",
        "sched_latency:8ms",
        "MC:",
        "BALANCE_WAKE",
        "9999999999",
        "1.5ms",
        "\u{b5}s",
        "\u{1f437}",
    ];
    let mut dice = Dice(Stream::new(2, 0), 0);
    for _ in 0..6000 {
        let text: String = (0..dice.below(40))
            .map(|_| PIECES[dice.below(PIECES.len())])
            .collect();
        check(&text);
    }
}

#[test]
fn no_mutilated_link_breaks_the_reader() {
    let mut dice = Dice(Stream::new(3, 0), 0);
    for config in random::list(3, 300) {
        let link = fragment::print(&config);
        for _ in 0..10 {
            let mut chars: Vec<char> = link.chars().collect();
            for _ in 0..=dice.below(3) {
                let at = dice.below(chars.len());
                match dice.below(3) {
                    0 => drop(chars.remove(at)),
                    1 => chars.insert(at, char::from(dice.below(128) as u8)),
                    _ => chars.swap(at, 0),
                }
                chars.push('&');
            }
            check(&chars.iter().collect::<String>());
        }
    }
}

#[test]
fn every_configuration_comes_back_from_its_link() {
    for config in random::list(5, 600) {
        let link = fragment::print(&config);
        let (read, _) = check(&link);
        assert_eq!(read, config, "{link}");
        let escaped: Vec<String> = link.bytes().map(|b| format!("%{b:02x}")).collect();
        let escaped = escaped.concat();
        assert_eq!(check(&escaped).0, config, "{escaped}");
    }
}

#[test]
fn a_huge_text_is_cut_and_the_rest_is_said() {
    for filler in ["m=q6600&", "%25", "\u{1f437}", "w=hogs;", "(", "\0"] {
        let text = filler.repeat(3 * MAX_BYTES / filler.len());
        let (_, warnings) = fragment::parse(&text);
        let words: Vec<String> = warnings.iter().map(ToString::to_string).collect();
        assert!(words.iter().any(|w| w.contains("too long")), "{words:?}");
    }
}
