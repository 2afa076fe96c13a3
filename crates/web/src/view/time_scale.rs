//! The one place where simulated time becomes pixels and pixels become time.
//!
//! Two spaces only: *sim* (nanoseconds since the start of the run) and *px* (pixels from the left edge of the picture).

use crate::model::view::Window;
use crate::number::within;

/// Maps a stretch of simulated time to a stretch of pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeScale {
    window: Window,
    left_px: f64,
    right_px: f64,
}

impl TimeScale {
    /// `window` fills the pixels from `left_px` to `right_px`.
    pub fn new(window: Window, left_px: f64, right_px: f64) -> TimeScale {
        TimeScale {
            window,
            left_px,
            right_px: right_px.max(left_px + 1.0),
        }
    }

    /// The time shown.
    pub fn window(&self) -> Window {
        self.window
    }

    /// The pixels it fills: left and right.
    pub fn range_px(&self) -> (f64, f64) {
        (self.left_px, self.right_px)
    }

    /// Nanoseconds in a pixel.
    pub fn ns_per_px(&self) -> f64 {
        self.window.length_ns() as f64 / (self.right_px - self.left_px)
    }

    /// Where a time is; outside the range for a time outside the window.
    pub fn px(&self, ns: u64) -> f64 {
        // The difference is taken between integers: neighbouring nanoseconds stay apart however late they are.
        let from = self.window.from_ns;
        let since = if ns >= from {
            (ns - from) as f64
        } else {
            -((from - ns) as f64)
        };
        self.left_px + since / self.ns_per_px()
    }

    /// As [`TimeScale::px`], but never outside the range.
    pub fn px_inside(&self, ns: u64) -> f64 {
        within(self.px(ns), self.left_px, self.right_px)
    }

    /// The time at a pixel; times before the start of the run are the start.
    pub fn ns(&self, px: f64) -> u64 {
        let since = (px - self.left_px) * self.ns_per_px();
        if since >= 0.0 {
            self.window.from_ns.saturating_add(since as u64)
        } else {
            self.window.from_ns.saturating_sub(-since as u64)
        }
    }

    /// How much time a movement by so many pixels is, with its sign.
    pub fn span_ns(&self, px: f64) -> i64 {
        (px * self.ns_per_px()) as i64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        let scale = TimeScale::new(Window::new(1_000, 3_000), 50.0, 250.0);
        assert_eq!(scale.px(1_000).to_bits(), 50.0f64.to_bits());
        assert_eq!(scale.px(3_000).to_bits(), 250.0f64.to_bits());
        for px in [50.0, 51.0, 133.0, 250.0] {
            assert!((scale.px(scale.ns(px)) - px).abs() < 0.11);
        }
    }

    #[test]
    fn neighbouring_nanoseconds_stay_apart_late_in_a_run() {
        let late = 3_000_000_000_000_000;
        let scale = TimeScale::new(Window::new(late, late + 200), 0.0, 400.0);
        assert!((scale.px(late + 1) - 2.0).abs() < 1e-9);
        assert_eq!(scale.ns(2.0), late + 1);
    }

    #[test]
    fn outside_is_outside_and_inside_is_clamped() {
        let scale = TimeScale::new(Window::new(1_000, 2_000), 0.0, 100.0);
        assert!(scale.px(0) < 0.0 && scale.px(5_000) > 100.0);
        assert!(scale.px_inside(0).abs() < 1e-9);
        assert_eq!(scale.ns(-1e9), 0, "nothing lies before the start");
        assert_eq!(scale.span_ns(-10.0), -100);
    }

    #[test]
    fn no_width_is_still_a_scale() {
        let scale = TimeScale::new(Window::new(0, 1_000), 80.0, 20.0);
        assert!(scale.ns_per_px().is_finite());
    }
}
