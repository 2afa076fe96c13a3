//! Balancing against the worked examples of cfs.md §22 and the rules of §17.

mod by_type;
mod examples;
mod flow;
mod newidle;
mod nohz;
mod v3_2;
