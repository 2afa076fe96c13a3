//! The pointer's moves as another stretch of time: wheel, drag, pinch, the minimap's handles.
//!
//! Pure: what was pressed where is handed in, a window comes out.

use super::hit::Hit;
use super::minimap::Part;
use crate::model::view::Window;
use crate::number::{pow, within};
use crate::view::time_scale::TimeScale;

/// How much longer or shorter the window gets by a wheel that turned so many px.
const WHEEL: f64 = 0.0018;

/// A pointer that moved less is a click, px.
pub const STILL: f64 = 4.0;

/// A wheel that turned over the lanes, or two fingers on a touch pad.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wheel {
    /// To the right, px.
    pub dx: f64,
    /// Downwards, px.
    pub dy: f64,
    /// Does it zoom (Ctrl, a pinch, or the timeline has the focus)?
    pub zooms: bool,
    /// Does it move sideways although it turns downwards (Shift)?
    pub sideways: bool,
}

/// The window after a turn of the wheel with the pointer at `x` px; nothing if the page should scroll instead.
pub fn wheel(scale: &TimeScale, wheel: Wheel, x: f64, end_ns: u64) -> Option<Window> {
    let window = scale.window();
    let across = if wheel.sideways {
        wheel.dx + wheel.dy
    } else {
        wheel.dx
    };
    if across.abs() > wheel.dy.abs() || wheel.sideways {
        return Some(window.panned(scale.span_ns(across), end_ns));
    }
    let factor = pow(std::f64::consts::E, within(wheel.dy * WHEEL, -0.7, 0.7));
    wheel
        .zooms
        .then(|| window.zoomed(factor, scale.ns(x), end_ns))
}

/// A pointer that is held down.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drag {
    /// What it was pressed on.
    pub on: Option<Hit>,
    /// Where, px.
    pub start_x: f64,
    /// The window then.
    pub window: Window,
}

/// The two scales a drag may be on.
#[derive(Clone, Copy, Debug)]
pub struct Scales {
    /// That of the lanes.
    pub lanes: TimeScale,
    /// That of the minimap.
    pub minimap: TimeScale,
    /// The end of the recording, ns.
    pub end_ns: u64,
}

/// The window while a pointer is dragged to `x` px; nothing where dragging has no meaning.
pub fn drag(drag: &Drag, scales: &Scales, x: f64) -> Option<Window> {
    let by = x - drag.start_x;
    let end_ns = scales.end_ns;
    let map = &scales.minimap;
    Some(match drag.on {
        Some(Hit::Minimap(Part::Start)) => {
            let from = map.ns(map.px(drag.window.from_ns) + by);
            ordered(from.min(end_ns), drag.window.to_ns)
        }
        Some(Hit::Minimap(Part::End)) => {
            let to = map.ns(map.px(drag.window.to_ns) + by);
            ordered(drag.window.from_ns, to.min(end_ns))
        }
        Some(Hit::Minimap(Part::Inside)) => drag.window.panned(map.span_ns(by), end_ns),
        Some(Hit::Minimap(Part::Outside)) => centred(drag.window, map.ns(x), end_ns),
        Some(Hit::Axis) => return None,
        Some(Hit::Mark(_) | Hit::Slice { .. } | Hit::Idle { .. }) | None => {
            let ns_per_px = drag.window.length_ns() as f64 / scales_width(&scales.lanes);
            drag.window.panned((-by * ns_per_px) as i64, end_ns)
        }
    })
}

/// The stretch of the axis between where a pointer was pressed and `x`, px; nothing if it hardly moved.
pub fn stretch(drag: &Drag, scales: &Scales, x: f64) -> Option<Window> {
    let dragged = drag.on == Some(Hit::Axis) && (x - drag.start_x).abs() >= STILL;
    dragged.then(|| {
        ordered(
            scales.lanes.ns(drag.start_x),
            scales.lanes.ns(x).min(scales.end_ns),
        )
    })
}

fn scales_width(scale: &TimeScale) -> f64 {
    let (left, right) = scale.range_px();
    right - left
}

fn ordered(a: u64, b: u64) -> Window {
    Window::new(a.min(b), a.max(b))
}

/// The window with `ns` in its middle, as far as there is time.
pub fn centred(window: Window, ns: u64, end_ns: u64) -> Window {
    let by = ns as i64 - window.middle_ns() as i64;
    window.panned(by, end_ns)
}

/// The window after two fingers that were at `before` px moved to `after` px: the times under them stay under them.
pub fn pinch(scale: &TimeScale, before: (f64, f64), after: (f64, f64), end_ns: u64) -> Window {
    let spread = |(a, b): (f64, f64)| (a - b).abs().max(8.0);
    let middle = |(a, b): (f64, f64)| f64::midpoint(a, b);
    let zoomed = scale.window().zoomed(
        spread(before) / spread(after),
        scale.ns(middle(before)),
        end_ns,
    );
    let (left, right) = scale.range_px();
    let moved = TimeScale::new(zoomed, left, right).span_ns(middle(before) - middle(after));
    zoomed.panned(moved, end_ns)
}

#[cfg(test)]
mod tests {
    use super::*;

    const END: u64 = 1_000_000;

    fn scales(window: Window) -> Scales {
        Scales {
            lanes: TimeScale::new(window, 100.0, 1100.0),
            minimap: TimeScale::new(Window::new(0, END), 100.0, 1100.0),
            end_ns: END,
        }
    }

    fn dragged(on: Option<Hit>, window: Window, from: f64, to: f64) -> Option<Window> {
        drag(
            &Drag {
                on,
                start_x: from,
                window,
            },
            &scales(window),
            to,
        )
    }

    #[test]
    fn the_wheel_zooms_around_the_pointer_moves_sideways_or_leaves_the_page_alone() {
        let scale = scales(Window::new(0, END)).lanes;
        let turn = Wheel {
            dx: 0.0,
            dy: -100.0,
            zooms: true,
            sideways: false,
        };
        let closer = wheel(&scale, turn, 600.0, END).expect("it zooms");
        assert!(closer.length_ns() < END && closer.middle_ns().abs_diff(END / 2) < 10);
        assert_eq!(
            wheel(
                &scale,
                Wheel {
                    zooms: false,
                    ..turn
                },
                600.0,
                END
            ),
            None
        );
        let half = scales(Window::new(0, END / 2)).lanes;
        let across = Wheel {
            dx: 100.0,
            dy: 3.0,
            zooms: true,
            sideways: false,
        };
        assert_eq!(
            wheel(&half, across, 600.0, END),
            Some(Window::new(50_000, 550_000))
        );
        let shifted = Wheel {
            dx: 0.0,
            dy: 100.0,
            zooms: false,
            sideways: true,
        };
        assert_eq!(
            wheel(&half, shifted, 600.0, END),
            Some(Window::new(50_000, 550_000))
        );
    }

    #[test]
    fn dragging_lanes_carries_time_along() {
        let window = Window::new(100_000, 200_000);
        assert_eq!(
            dragged(None, window, 500.0, 400.0),
            Some(Window::new(110_000, 210_000))
        );
        assert_eq!(
            dragged(None, window, 500.0, 9_999.0),
            Some(Window::new(0, 100_000))
        );
    }

    #[test]
    fn the_minimap_has_a_middle_and_two_ends() {
        let window = Window::new(200_000, 400_000);
        let on = |part| Some(Hit::Minimap(part));
        assert_eq!(
            dragged(on(Part::Inside), window, 400.0, 500.0),
            Some(Window::new(300_000, 500_000))
        );
        assert_eq!(
            dragged(on(Part::Start), window, 300.0, 200.0),
            Some(Window::new(100_000, 400_000))
        );
        assert_eq!(
            dragged(on(Part::End), window, 500.0, 600.0),
            Some(Window::new(200_000, 500_000))
        );
        assert_eq!(
            dragged(on(Part::Start), window, 300.0, 700.0),
            Some(Window::new(400_000, 600_000)),
            "turned over"
        );
        assert_eq!(
            dragged(on(Part::Outside), window, 900.0, 900.0),
            Some(Window::new(700_000, 900_000))
        );
    }

    #[test]
    fn dragging_the_axis_chooses_a_stretch() {
        let window = Window::new(0, END);
        let drag = Drag {
            on: Some(Hit::Axis),
            start_x: 300.0,
            window,
        };
        assert_eq!(
            stretch(&drag, &scales(window), 200.0),
            Some(Window::new(100_000, 200_000))
        );
        assert_eq!(stretch(&drag, &scales(window), 302.0), None);
    }

    #[test]
    fn fingers_keep_their_times() {
        let scale = scales(Window::new(0, END)).lanes;
        let window = pinch(&scale, (500.0, 700.0), (400.0, 800.0), END);
        assert_eq!(window.length_ns(), END / 2);
        let after = TimeScale::new(window, 100.0, 1100.0);
        assert!((after.px(scale.ns(500.0)) - 400.0).abs() < 0.1);
        assert!((after.px(scale.ns(700.0)) - 800.0).abs() < 0.1);
    }
}
