//! The timeline: what ran where and when, one lane a CPU, A above B on one scale.
//!
//! [`layout`] says where things are, [`picture`] puts together what is seen of a stretch of time: slices one by one
//! ([`lanes`]) while they are few, a row of pixels a lane ([`pixels`], from [`pyramid`]) when they are many. [`marks`]
//! draws wakeups, migrations, preemptions and buddies, [`focus`] what is pointed at and selected. [`hit`] finds things
//! under the pointer, [`gesture`] turns the pointer's moves into another view. All of that is pure; [`component`] is not.

pub mod colours;
mod component;
mod controls;
pub mod focus;
pub mod gesture;
mod hand;
pub mod hit;
pub mod lanes;
pub mod layout;
pub mod marks;
pub mod minimap;
pub mod picture;
pub mod pixels;
pub mod pyramid;
#[cfg(test)]
mod tests;
pub mod tip;

pub use component::{Timeline, TimelineProps};
pub use picture::Scope;
