//! Pipes: who is woken by a write and by a read, before 5.5 and since.

use super::{Log, checked};
use crate::fragment::parse_file;
use crate::sim::Sim;
use crate::time::Instant;
use alloc::format;

/// How many wakeups three readers asleep on one pipe, and one writer that sends once after 1 ms, come to.
fn wakeups_of_one_write(kernel: &str) -> usize {
    let text = format!(
        "machine classroom-1\nkernel {kernel}\nduration 10ms\npipe p\n\
         task reader * 3 forever recv p 4B\ntask writer {{ sleep 1ms; send p 4B; sleep 5ms }}\n"
    );
    let read = parse_file(&text);
    let mut log = Log::default();
    Sim::without_costs(&checked(&read.config)).run_until(Instant::FAR, &mut log);
    let readers = log
        .0
        .iter()
        .filter(|line| line.contains("Wakeup") && !line.contains("waker: None"));
    readers.count()
}

#[test]
fn a_write_wakes_everybody_before_5_5_and_one_reader_since() {
    assert_eq!(wakeups_of_one_write("2.6.31"), 3);
    assert_eq!(wakeups_of_one_write("6.1"), 1);
}

/// A writer fills the pipe and sleeps; a reader takes one message of many that share a page.
fn wakeups_of_a_small_read(kernel: &str) -> usize {
    let text = format!(
        "machine classroom-1\nkernel {kernel}\nduration 20ms\npipe p\n\
         task writer loop 700 send p 100B\n\
         task reader {{ sleep 5ms; recv p 100B; sleep 10ms }}\n"
    );
    let read = parse_file(&text);
    let mut log = Log::default();
    Sim::without_costs(&checked(&read.config)).run_until(Instant::FAR, &mut log);
    let woken = log
        .0
        .iter()
        .filter(|line| line.contains("Wakeup") && !line.contains("waker: None"));
    woken.count()
}

#[test]
fn a_read_of_a_full_pipe_wakes_a_writer_since_5_5_though_no_page_is_free() {
    assert_eq!(wakeups_of_a_small_read("2.6.31"), 0, "no page became empty");
    assert_eq!(wakeups_of_a_small_read("6.1"), 1);
}
