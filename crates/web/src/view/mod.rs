//! The pictures: what a run looks like, drawn.
//!
//! Every picture is a plain value that lays itself out as shapes ([`scene`]), says itself in a sentence and gives the
//! same data as a table; those three are pure and tested without a browser. Painting ([`surface`]) and the components
//! around a canvas are thin. Views hold no state but what the pointer hovers over, and call no engine.

pub mod axis;
pub mod chart;
#[cfg(test)]
mod check;
pub mod figure;
mod files;
pub mod fonts;
pub mod geometry;
mod host;
pub mod palette;
pub mod picture;
pub mod run_queue;
pub mod scene;
pub mod surface;
pub mod time_scale;
pub mod timeline;
pub mod topology;
mod turns;
