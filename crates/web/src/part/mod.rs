//! Small parts that several panels are made of: icons, switches, fields, sheets.
//!
//! They know nothing of schedulers; what they show and say comes from outside.

mod copy;
mod field;
mod icon;
mod item;
mod rove;
mod segmented;
mod sheet;

pub(crate) use copy::CopyBox;
pub(crate) use field::{Field, Reader, has_focus};
pub(crate) use icon::{Glyph, icon};
pub(crate) use item::{Item, undo_button};
pub(crate) use rove::Rove;
pub(crate) use segmented::{Segment, segmented};
pub(crate) use sheet::Sheet;
