//! Balancing against the worked examples of cfs.md §22 and the rules of §17.

mod examples;
mod flow;
mod v3_2;
