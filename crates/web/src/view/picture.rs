//! What every picture can do: lay itself out, answer the pointer, say itself in words and as a table.

use std::any::Any;
use std::ops::Deref;
use std::rc::Rc;

use super::fonts::FontMetrics;
use super::geometry::{Point, Rect};
use super::palette::Colour;
use super::scene::{Align, Label, Scene, Shape};
use crate::model::view::Window;
use crate::protocol::{RunSide, Snapshot};

/// The letter of a run.
pub const fn letter(side: RunSide) -> &'static str {
    match side {
        RunSide::A => "A",
        RunSide::B => "B",
    }
}

/// Draws words in the middle, where there is nothing to draw.
pub(super) fn only_words<T>(scene: &mut Scene<T>, words: &str, frame: &Frame<'_>) {
    if let Some(words) = frame.font.fitted(words, frame.width - 4.0) {
        let label = Label::new(frame.area().middle(), words, Colour::Mute);
        scene.text(label.aligned(Align::Middle));
    }
}

/// What is known of the one or two runs. Equal means: the very same snapshots.
#[derive(Clone, Debug, Default)]
pub struct Runs {
    /// The first run.
    pub a: Option<Rc<Snapshot>>,
    /// The run it is compared with.
    pub b: Option<Rc<Snapshot>>,
}

impl PartialEq for Runs {
    fn eq(&self, other: &Runs) -> bool {
        let same = |x: &Option<Rc<Snapshot>>, y: &Option<Rc<Snapshot>>| match (x, y) {
            (Some(x), Some(y)) => Rc::ptr_eq(x, y),
            (None, None) => true,
            _ => false,
        };
        same(&self.a, &other.a) && same(&self.b, &other.b)
    }
}

impl Runs {
    /// The runs there are, A first.
    pub fn iter(&self) -> impl Iterator<Item = (RunSide, &Rc<Snapshot>)> {
        let a = self.a.iter().map(|run| (RunSide::A, run));
        a.chain(self.b.iter().map(|run| (RunSide::B, run)))
    }

    /// The run on that side.
    pub fn get(&self, side: RunSide) -> Option<&Rc<Snapshot>> {
        match side {
            RunSide::A => self.a.as_ref(),
            RunSide::B => self.b.as_ref(),
        }
    }

    /// The simulated time that the longer of them has reached, ns; at least 1.
    pub fn end_ns(&self) -> u64 {
        self.iter()
            .map(|(_, run)| run.now_ns)
            .max()
            .unwrap_or(0)
            .max(1)
    }

    /// The simulated time up to which the longer recording goes, ns; at least 1.
    pub fn recorded_ns(&self) -> u64 {
        let ends = self.iter().map(|(_, run)| run.trace.end_ns);
        ends.max().unwrap_or(0).max(1)
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.a.is_none() && self.b.is_none()
    }

    /// Are there two?
    pub fn compared(&self) -> bool {
        self.a.is_some() && self.b.is_some()
    }
}

/// The room a picture has, and the font it writes with.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// Width, px.
    pub width: f64,
    /// Height, px.
    pub height: f64,
    /// Font.
    pub font: &'a FontMetrics,
}

impl Frame<'_> {
    /// All of it.
    pub fn area(&self) -> Rect {
        Rect::new(0.0, 0.0, self.width, self.height)
    }
}

/// What the pointer is over.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hover {
    /// What to draw over the picture.
    pub shapes: Vec<Shape>,
    /// What to say.
    pub text: String,
    /// The simulated time pointed at, ns.
    pub at_ns: Option<u64>,
    /// The CPU pointed at.
    pub place: Option<(RunSide, u16)>,
}

/// The data of a picture in rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// What the columns are.
    pub head: Vec<String>,
    /// Rows of as many cells; the first cell names the row.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// The rows as comma-separated values (RFC 4180).
    pub fn csv(&self) -> String {
        let quoted = |cell: &String| {
            if cell.contains(['"', ',', '\n']) {
                format!("\"{}\"", cell.replace('"', "\"\""))
            } else {
                cell.clone()
            }
        };
        let line =
            |row: &Vec<String>| row.iter().map(quoted).collect::<Vec<_>>().join(",") + "\r\n";
        std::iter::once(&self.head)
            .chain(&self.rows)
            .map(line)
            .collect()
    }
}

/// Can be compared with anything. Whatever can be compared with itself can.
pub trait Same {
    /// Is the other one of the same type, and equal?
    fn same(&self, other: &dyn Any) -> bool;
    /// Itself, of a type to be found out.
    fn any(&self) -> &dyn Any;
}

impl<T: PartialEq + 'static> Same for T {
    fn same(&self, other: &dyn Any) -> bool {
        other.downcast_ref::<T>() == Some(self)
    }

    fn any(&self) -> &dyn Any {
        self
    }
}

/// Any picture: one component shows them all, and is compiled once.
#[derive(Clone)]
pub struct AnyPicture(Rc<dyn Picture>);

impl<P: Picture> From<P> for AnyPicture {
    fn from(picture: P) -> Self {
        Self(Rc::new(picture))
    }
}

impl PartialEq for AnyPicture {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_ref().same(other.0.as_ref().any())
    }
}

impl Deref for AnyPicture {
    type Target = dyn Picture;

    fn deref(&self) -> &Self::Target {
        self.0.as_ref()
    }
}

/// A picture of a run or two.
pub trait Picture: Same + 'static {
    /// Its name.
    fn title(&self) -> String;
    /// What is measured, in which unit; stands beside the name while nothing is pointed at.
    fn unit(&self) -> String;
    /// Is there nothing to show? Then it is its name and nothing else.
    fn is_empty(&self) -> bool {
        false
    }
    /// Its shapes.
    fn scene(&self, frame: &Frame<'_>) -> Scene<()>;
    /// The stretch of time that the timeline shows, over the picture; nothing in a picture without an axis of time.
    fn window(&self, _frame: &Frame<'_>, _window: Window) -> Vec<Shape> {
        Vec::new()
    }
    /// What the pointer is over at a point.
    fn hover(&self, frame: &Frame<'_>, at: Point) -> Option<Hover>;
    /// What it shows, in a sentence or two.
    fn summary(&self) -> String;
    /// What it shows, in rows.
    fn table(&self) -> Table;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_become_csv() {
        let rows = vec![vec!["a, \"b\"".to_string(), "1".to_string()]];
        let table = Table {
            head: vec!["time".to_string(), "A".to_string()],
            rows,
        };
        assert_eq!(table.csv(), "time,A\r\n\"a, \"\"b\"\"\",1\r\n");
    }

    #[test]
    fn pictures_are_equal_when_they_are_of_a_kind_and_show_the_same() {
        use crate::view::chart::{Latency, Throughput};
        let runs = Runs {
            a: Some(Rc::new(Snapshot::default())),
            b: None,
        };
        let throughput = |runs: &Runs| AnyPicture::from(Throughput { runs: runs.clone() });
        assert!(throughput(&runs) == throughput(&runs));
        assert!(throughput(&runs) != throughput(&Runs::default()));
        assert!(throughput(&runs) != AnyPicture::from(Latency { runs }));
    }

    #[test]
    fn runs_are_equal_when_they_are_the_same() {
        let run = Rc::new(Snapshot::default());
        let runs = |run: &Rc<Snapshot>| Runs {
            a: Some(Rc::clone(run)),
            b: None,
        };
        assert_eq!(runs(&run), runs(&run));
        assert_ne!(
            runs(&run),
            runs(&Rc::new(Snapshot::default())),
            "as large, but another"
        );
        assert_ne!(runs(&run), Runs::default());
    }
}
