//! What the pointer is doing on the timeline, and the view that follows from it.
//!
//! Holds what is pressed and what was drawn last, never what is shown: that goes to the model and comes back.

use std::rc::Rc;

use web_sys::WheelEvent;
use yew::Callback;

use super::gesture::{self, Drag, STILL, Scales, Wheel};
use super::hit::{self, Hit};
use super::layout::Layout;
use super::marks::Mark;
use super::minimap::{self, Part};
use super::picture::Scope;
use crate::keyboard::{self, LaneCommand};
use crate::model::view::{Asked, Cursor, View, Window};
use crate::protocol::RunSide;
use crate::view::files::{FileKind, Keepsake};
use crate::view::geometry::Point;
use crate::view::host::Stage;
use crate::view::scene::Scene;

/// The timeline as it was last shown.
pub(super) struct Now {
    pub(super) layout: Rc<Layout>,
    pub(super) view: View,
    pub(super) scope: Scope,
    pub(super) stage: Stage,
    pub(super) on_look: Callback<View>,
}

/// Fingers that are down: number and place.
type Fingers = Vec<(i32, Point)>;

/// The pointer.
#[derive(Default)]
pub(super) struct Hand {
    pub(super) now: Option<Now>,
    /// What was drawn, for those who point at it.
    pub(super) marks: Scene<Mark>,
    fingers: Fingers,
    drag: Option<Drag>,
    /// Has the drag gone far enough not to be a click?
    far: bool,
}

impl Now {
    fn end_ns(&self) -> u64 {
        self.scope.runs.recorded_ns()
    }

    fn scales(&self) -> Scales {
        Scales {
            lanes: self.scope.scale(&self.layout),
            minimap: minimap::scale(&self.layout, self.end_ns()),
            end_ns: self.end_ns(),
        }
    }

    /// Shows another stretch of time. The new view counts at once: the next move may come before it is drawn.
    fn look(&mut self, window: Window) {
        let all = window == Window::new(0, self.end_ns());
        self.scope.window = window;
        self.tell(View {
            window: (!all).then_some(window),
            ..self.view
        });
    }

    fn tell(&mut self, view: View) {
        if view != self.view {
            self.view = view;
            self.on_look.emit(view);
        }
    }
}

impl Hand {
    /// What is at a point.
    pub(super) fn hit(&self, at: Point) -> Option<Hit> {
        let now = self.now.as_ref()?;
        let scale = now.scope.scale(&now.layout);
        hit::hit((&now.layout, &now.scope.runs), &scale, &self.marks, at)
    }

    /// Is something being dragged?
    pub(super) fn is_busy(&self) -> bool {
        self.far && self.drag.is_some_and(|drag| drag.on != Some(Hit::Axis))
    }

    /// The stretch of time that is being chosen on the axis.
    pub(super) fn stretch(&self, x: f64) -> Option<(f64, f64)> {
        let drag = self
            .drag
            .filter(|drag| drag.on == Some(Hit::Axis) && self.far)?;
        Some((drag.start_x, x))
    }

    pub(super) fn pressed(&mut self, finger: i32, at: Point) {
        let on = self.hit(at);
        self.fingers.retain(|(known, _)| *known != finger);
        self.fingers.push((finger, at));
        let Some(now) = self.now.as_mut() else { return };
        self.far = self.fingers.len() > 1;
        let drag = Drag {
            on,
            start_x: at.x,
            window: now.scope.window,
        };
        self.drag = (self.fingers.len() == 1).then_some(drag);
        if on == Some(Hit::Minimap(Part::Outside)) {
            if let Some(window) = gesture::drag(&drag, &now.scales(), at.x) {
                now.look(window);
            }
            // From here on the window follows the pointer as if it had been taken in its middle.
            let on = Some(Hit::Minimap(Part::Inside));
            self.drag = Some(Drag {
                on,
                window: now.scope.window,
                ..drag
            });
        }
    }

    pub(super) fn moved(&mut self, finger: i32, at: Point) {
        let before = self.fingers.clone();
        let Some(place) = self.fingers.iter_mut().find(|(known, _)| *known == finger) else {
            return;
        };
        place.1 = at;
        let Some(now) = self.now.as_mut() else { return };
        if let ([a, b], [c, d]) = (before.as_slice(), self.fingers.as_slice()) {
            let scale = now.scope.scale(&now.layout);
            let window = gesture::pinch(&scale, (a.1.x, b.1.x), (c.1.x, d.1.x), now.end_ns());
            now.look(window);
        } else if let Some(drag) = self.drag {
            self.far |= (at.x - drag.start_x).abs() >= STILL;
            if let Some(window) = self
                .far
                .then(|| gesture::drag(&drag, &now.scales(), at.x))
                .flatten()
            {
                now.look(window);
            }
        }
    }

    pub(super) fn released(&mut self, finger: i32, at: Point, cancelled: bool) {
        self.fingers.retain(|(known, _)| *known != finger);
        let (Some(now), Some(drag)) = (self.now.as_mut(), self.drag.take()) else {
            return;
        };
        if cancelled {
            return;
        }
        if let Some(window) = gesture::stretch(&drag, &now.scales(), at.x) {
            now.look(window);
        } else if !self.far
            && let Some((cursor, asked)) =
                drag.on.and_then(|hit| hit::question(&now.scope.runs, hit))
        {
            now.tell(View {
                cursor: Some(cursor),
                asked,
                ..now.view
            });
        }
        self.far = false;
    }

    /// Goes into what is at a point: its time fills a fifth of the picture.
    pub(super) fn enter(&mut self, at: Point) {
        let found = self.hit(at);
        let Some(now) = self.now.as_mut() else { return };
        if let Some(window) = found.and_then(|hit| hit::around(&now.scope.runs, hit)) {
            now.look(window.panned(0, now.scope.runs.recorded_ns()));
        }
    }

    /// Was the wheel meant for the timeline?
    pub(super) fn wheel(&mut self, event: &WheelEvent) -> bool {
        let Some(now) = self.now.as_mut() else {
            return false;
        };
        let line = if event.delta_mode() == WheelEvent::DOM_DELTA_PIXEL {
            1.0
        } else {
            24.0
        };
        let modified = event.ctrl_key() || event.meta_key() || event.alt_key();
        let turn = Wheel {
            dx: event.delta_x() * line,
            dy: event.delta_y() * line,
            zooms: modified || is_focused(event),
            sideways: event.shift_key(),
        };
        let scale = now.scope.scale(&now.layout);
        let window = gesture::wheel(&scale, turn, f64::from(event.offset_x()), now.end_ns());
        if let Some(window) = window {
            now.look(window);
        }
        window.is_some()
    }

    /// Does a key mean something here? Keys of the whole page are left to it.
    pub(super) fn key(&mut self, key: &str, shift: bool) -> bool {
        let Some(now) = self.now.as_mut() else {
            return false;
        };
        let end_ns = now.end_ns();
        let window = now.scope.window;
        let page = window.length_ns() as i64;
        let by = match keyboard::lane_command(key, shift) {
            Some(LaneCommand::Above) => return now.other_lane(-1),
            Some(LaneCommand::Below) => return now.other_lane(1),
            Some(LaneCommand::Ask) => return now.ask(),
            Some(LaneCommand::Back) => -page / 4,
            Some(LaneCommand::On) => page / 4,
            Some(LaneCommand::PageBack) => -page,
            Some(LaneCommand::PageOn) => page,
            Some(LaneCommand::Start) => i64::MIN / 4,
            Some(LaneCommand::End) => i64::MAX / 4,
            None => return false,
        };
        now.look(window.panned(by, end_ns));
        true
    }

    /// Keeps the timeline as a file.
    pub(super) fn save(&self, kind: FileKind, (side, cpu): (RunSide, u16)) {
        let Some(now) = &self.now else { return };
        let keepsake = Keepsake {
            name: "timeline",
            title: &now.scope.summary(),
            shapes: &self.marks.shapes,
            stage: &Stage {
                height: now.layout.height,
                ..now.stage.clone()
            },
        };
        // A browser that keeps no file has said so itself; there is nothing to add.
        let _ = keepsake.save(kind, || now.scope.table(side, cpu, usize::MAX));
    }
}

impl Now {
    /// The cursor to the lane above or below.
    fn other_lane(&mut self, by: isize) -> bool {
        let first = self.layout.lanes.first();
        let lane = match self.view.cursor {
            Some(cursor) => self.layout.beside(cursor.side, cursor.cpu, by),
            None => first,
        };
        if let Some(lane) = lane {
            let at_ns = self
                .view
                .cursor
                .map_or(self.scope.window.middle_ns(), |cursor| cursor.at_ns);
            let cursor = Some(Cursor {
                side: lane.side,
                cpu: lane.cpu,
                at_ns,
            });
            self.tell(View {
                cursor,
                ..self.view
            });
        }
        true
    }

    fn ask(&mut self) -> bool {
        if self.view.cursor.is_some() {
            self.tell(View {
                asked: Some(Asked::Pick),
                ..self.view
            });
        }
        true
    }
}

/// Has the element that the event went to the keyboard's attention?
fn is_focused(event: &WheelEvent) -> bool {
    let active = web_sys::window()
        .and_then(|window| window.document())
        .and_then(|document| document.active_element());
    let target = event.target().map(wasm_bindgen::JsValue::from);
    active.map(wasm_bindgen::JsValue::from) == target && target.is_some()
}
