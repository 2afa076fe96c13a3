//! The few icons there are, drawn with strokes in the colour of the text. Each stands beside or inside a name.

use crate::dom::html;
use yew::prelude::*;

/// An icon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Glyph {
    Play,
    Pause,
    Back,
    Forward,
    Undo,
    Redo,
    Reset,
    Search,
    Close,
    Light,
    Dark,
    Auto,
    Help,
    Share,
    Dice,
    Add,
    Sliders,
    Link,
    Unlinked,
}

impl Glyph {
    /// Its strokes on a square of 16 × 16.
    const fn path(self) -> &'static str {
        match self {
            Glyph::Play => "M5 3.2v9.6l7.6-4.8z",
            Glyph::Pause => "M5.5 3.5v9M10.5 3.5v9",
            Glyph::Back => "M11.5 4 7 8l4.5 4zM4.8 4v8",
            Glyph::Forward => "M4.5 4 9 8l-4.5 4zM11.2 4v8",
            Glyph::Undo => "M3.2 6.5h6.3a3.4 3.4 0 0 1 0 6.8H6M6 3.4 2.9 6.5 6 9.6",
            Glyph::Redo => "M12.8 6.5H6.5a3.4 3.4 0 0 0 0 6.8H10M10 3.4l3.1 3.1L10 9.6",
            Glyph::Reset => "M3.4 8a4.7 4.7 0 1 0 1.5-3.4L3.2 6.2M3.2 2.8v3.4h3.4",
            Glyph::Search => "M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.4 10.4l3.4 3.4",
            Glyph::Close => "M4 4l8 8M12 4l-8 8",
            Glyph::Light => {
                "M8 10.7a2.7 2.7 0 1 0 0-5.4 2.7 2.7 0 0 0 0 5.4zM8 1.5v1.6M8 12.9v1.6M1.5 8h1.6M12.9 8h1.6M3.4 3.4l1.1 1.1M11.5 11.5l1.1 1.1M3.4 12.6l1.1-1.1M11.5 4.5l1.1-1.1"
            }
            Glyph::Dark => "M13 9.6A5.4 5.4 0 1 1 6.4 3a4.3 4.3 0 0 0 6.6 6.6z",
            Glyph::Auto => {
                "M8 13.2A5.2 5.2 0 1 0 8 2.8a5.2 5.2 0 0 0 0 10.4zM8 2.8v10.4M8 5.4l4 1.4M8 8h5M8 10.6l4-1.4"
            }
            Glyph::Help => "M5.7 5.9a2.4 2.4 0 1 1 3.5 2.1c-.8.4-1.2.8-1.2 1.7M8 12.2v.3",
            Glyph::Share => "M8 9.8V2.4M5.2 5 8 2.2 10.8 5M3.4 8.6v4.8h9.2V8.6",
            Glyph::Dice => "M3 3h10v10H3zM5.8 5.8h.1M10.1 5.8h.1M8 8h.1M5.8 10.2h.1M10.1 10.2h.1",
            Glyph::Add => "M8 3.5v9M3.5 8h9",
            Glyph::Sliders => "M2.5 5h6M11.5 5h2M10 3.4v3.2M2.5 11h2M7.5 11h6M6 9.4v3.2",
            Glyph::Link => {
                "M6.6 9.4l2.8-2.8M7.3 4.6l1-1a2.9 2.9 0 0 1 4.1 4.1l-1 1M8.7 11.4l-1 1a2.9 2.9 0 0 1-4.1-4.1l1-1"
            }
            Glyph::Unlinked => {
                "M7.3 4.6l1-1a2.9 2.9 0 0 1 4.1 4.1l-1 1M8.7 11.4l-1 1a2.9 2.9 0 0 1-4.1-4.1l1-1M3 3l10 10"
            }
        }
    }

    const fn is_solid(self) -> bool {
        matches!(self, Glyph::Play | Glyph::Back | Glyph::Forward)
    }
}

/// Draws an icon.
pub(crate) fn icon(glyph: Glyph) -> Html {
    let fill = if glyph.is_solid() {
        "currentColor"
    } else {
        "none"
    };
    html! {
        <svg viewBox="0 0 16 16" fill={fill} stroke="currentColor" stroke-width="1.4" stroke-linecap="round"
            stroke-linejoin="round" aria-hidden="true" focusable="false">
            <path d={glyph.path()} />
        </svg>
    }
}
