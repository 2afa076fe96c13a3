//! Reading, writing and unrolling scripts.

mod faults;
pub(crate) mod random;
mod unroll;

use super::*;
use crate::workload::World;
use alloc::format;
use alloc::string::ToString;

/// The script of a text in which nothing is wrong.
fn script(text: &str) -> Script {
    let parsed = parse(text, &[]);
    assert_eq!(parsed.faults, [], "{text}");
    parsed.script
}

/// What becomes of it.
fn world(text: &str) -> World {
    let mut world = World::new();
    script(text).build(&mut world, 0, &|_| 7);
    world
}

/// Writing gives that, and reading what was written gives the same script, on one line or on many.
fn writes(text: &str, pretty: &str, compact: &str) {
    let script = script(text);
    assert_eq!(script.pretty(), pretty);
    assert_eq!(script.compact(), compact);
    assert_eq!(self::script(pretty), script);
    assert_eq!(self::script(&compact.replace('+', " ")), script);
}

#[test]
fn a_child_that_nobody_forks_does_not_end_a_run() {
    let ends = |text: &str| {
        let ends = script(text).ends();
        assert_eq!(ends, world(text).templates.iter().any(|t| t.ends), "{text}");
        ends
    };
    assert!(!ends("task a run forever; child kid run 1ms"));
    assert!(!ends(
        "task a run forever; child kid { fork grandkid; run forever }; child grandkid run 1ms"
    ));
    assert!(ends("task a { fork kid; run forever }; child kid run 1ms"));
    assert!(ends(
        "task a { fork kid; run forever }; child kid { fork grandkid; run forever }; child grandkid run 1ms"
    ));
    assert!(ends(
        "task a { fork kids; run forever }; team kids { child kid run 1ms }"
    ));
}

#[test]
fn every_declaration_and_trait_is_written_as_it_is_read() {
    writes(
        "socket data*20 buffer 65536 counted; pipe p buffer 4KiB; tcp t
         queue q * 3 poll; queue w semaphore; queue c; lock l adaptive; lock f futex; barrier b * 2 of 4
         task x * 3 nice -5 policy batch slice 3ms slack 1ns cpus 3,0-1 in A start 1.5ms ws 64KiB space s as r {}
         child y exit",
        "socket data * 20 buffer 64KiB counted
pipe p buffer 4KiB
tcp t
queue q * 3 poll
queue w semaphore
queue c
lock l adaptive
lock f
barrier b * 2 of 4
task x * 3 nice -5 policy batch slice 3ms slack 1ns cpus 0-1,3 in A start 1.5ms ws 64KiB space s as r { }
child y exit
",
        "socket+data*20+buffer+64KiB+counted;pipe+p+buffer+4KiB;tcp+t;queue+q*3+poll;queue+w+semaphore;queue+c;lock+l+adaptive;\
         lock+f;barrier+b*2+of+4;task+x*3+nice+-5+policy+batch+slice+3ms+slack+1ns+cpus+0-1,3+in+A+start+1.5ms+ws+64KiB\
         +space+s+as+r();child+y+exit",
    );
}

#[test]
fn every_statement_is_written_as_it_is_read() {
    let head = "pipe p*2;lock l;lock k*4;queue q;barrier b of 1;child kid exit;";
    let lines = [
        "run 1ms",
        "run 10us..30us",
        "run exponential 1ms",
        "run normal 1ms sd 100us",
        "run lognormal 1ms sigma 0.25",
        "run forever",
        "sys 2us",
        "sleep 5ms",
        "sleep until 1s",
        "timer 10ms",
        "timer 10ms absolute",
        "timer 10ms relative",
        "timer 10ms aligned",
        "send p.me 100B",
        "recv p.1 64KiB",
        "send p.next 1B",
        "send p.each 1B",
        "send p.others 1B",
        "lock l",
        "unlock l",
        "lock k.here",
        "unlock k.here",
        "wait q",
        "wake q",
        "wake q 3",
        "wakeall q",
        "barrier b",
        "fork kid",
        "fork kid and wait",
        "exec 500us",
        "join",
        "yield",
        "nice 7",
        "cpus 0-3",
        "cpuset G 0-3,8",
        "autogroup nice -5",
        "mark here",
        "mark late since expiry",
        "mark woken since wake",
        "mark whole since whole",
        "loop 3 run 1us",
        "loop 0 forever yield",
        "exit",
    ];
    for line in lines {
        let script = script(&format!("{head}task x * 2 {{ yield; {line} }}"));
        let pretty = script.pretty();
        assert!(
            pretty.ends_with(&format!("    yield\n    {line}\n}}\n")),
            "{pretty}"
        );
        assert_eq!(self::script(&pretty), script);
        assert_eq!(self::script(&script.compact().replace('+', " ")), script);
    }
    let words = lines
        .iter()
        .flat_map(|line| line.split(' '))
        .collect::<Vec<_>>();
    let missing = STATEMENTS.iter().filter(|s| !words.contains(&s.word));
    let missing: Vec<&str> = missing.map(|s| s.word).collect();
    assert_eq!(missing, ["choose"], "the test below");
}

#[test]
fn blocks_are_written_so_that_they_cannot_be_misread() {
    writes(
        "task a nice 3 { nice 5 }\ntask b { loop 2 { loop 3 { yield; exit } } }",
        "task a nice 3 {
    nice 5
}
task b loop 2 loop 3 {
    yield
    exit
}
",
        "task+a+nice+3(nice+5);task+b+loop+2+loop+3(yield;exit)",
    );
    writes(
        "task a choose 30% choose 0.125 exit\nelse\n{ yield\n}\n else join",
        "task a {
    choose 30% {
        choose 12.5% {
            exit
        } else {
            yield
        }
    } else {
        join
    }
}
",
        "task+a(choose+0.3(choose+0.125(exit)+else(yield))+else(join))",
    );
    writes(
        "team t * 2\n{\n pipe p\n\n task a\n (send p 1)\n}; team u { }",
        "team t * 2 {
    pipe p
    task a send p 1B
}
team u { }
",
        "team+t*2(pipe+p;task+a+send+p+1B);team+u()",
    );
}

#[test]
fn lines_of_settings_are_handed_back() {
    let text = "kernel  2.6.31 # old\ntask a exit; kernel 2.6.32; seed 7\nteam t { pipe kernel }";
    let parsed = parse(text, &["kernel", "seed"]);
    assert_eq!(parsed.faults, []);
    let said: Vec<_> = parsed
        .settings
        .iter()
        .map(|s| (text.get(s.key.clone()), text.get(s.value.clone())))
        .collect();
    assert_eq!(
        said,
        [("kernel", "2.6.31"), ("kernel", "2.6.32; seed 7")].map(|(k, v)| (Some(k), Some(v)))
    );
}

#[test]
fn scripts_that_are_joined_keep_their_own_names() {
    let one = script("pipe p; team t * 2 { pipe q }; task hog send p 1");
    let two = script("pipe p; child hog exit; task b space t { fork hog; recv p 1 }");
    let both = one.and(&two);
    assert_eq!(
        both.pretty(),
        "pipe p
team t * 2 {
    pipe q
}
task hog send p 1B
pipe p-2
child hog-2 as hog exit
task b space t-2 {
    fork hog-2
    recv p-2 1B
}
"
    );
    assert_eq!(script(&both.pretty()), both);
    assert_eq!(both.tasks(), 3);
    let grouped = script("task a in B exit; task b exit; child c exit").in_group("A");
    assert_eq!(
        grouped.compact(),
        "task+a+in+B+exit;task+b+in+A+exit;child+c+exit"
    );
}
