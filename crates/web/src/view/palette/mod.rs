//! Which colours the pictures are made of, light and dark.
//!
//! Shapes name a [`Colour`] by what it means; only here does it become red, green and blue. Neutral colours and the
//! two sides equal the page's style sheet (a test holds them together). The eight data colours were searched for: far
//! apart in hue *and* lightness, so that they stay apart in protanopia, deuteranopia, tritanopia and on a faint
//! projector; a test measures it. Colour is never the only carrier: slices have names, marks have shapes, B is dashed.

use crate::protocol::{Account, RunSide};

/// Light or dark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// Dark on light.
    #[default]
    Light,
    /// Light on dark.
    Dark,
}

/// Red, green, blue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rgb(pub u8, pub u8, pub u8);

/// How many data colours there are.
pub const DATA_COLOURS: u32 = 8;

/// A colour by its meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colour {
    /// What the picture lies on.
    Panel,
    /// An empty lane, an idle CPU.
    Track,
    /// Grid lines and frames.
    Line,
    /// Axes, edges that must be seen.
    Edge,
    /// Text.
    Ink,
    /// Text that steps back.
    Mute,
    /// One of the compared runs.
    Side(RunSide),
    /// One of the data colours, counted round.
    Data(u32),
    /// Text on that data colour.
    OnData(u32),
    /// A step between an empty lane (0) and the colour of a run (255).
    Heat(RunSide, u8),
}

/// The colours of one theme.
struct Palette {
    panel: Rgb,
    track: Rgb,
    line: Rgb,
    edge: Rgb,
    ink: Rgb,
    mute: Rgb,
    sides: [Rgb; 2],
    data: [Rgb; DATA_COLOURS as usize],
    /// Is text on that data colour light?
    light_on: [bool; DATA_COLOURS as usize],
}

const fn hex(rgb: u32) -> Rgb {
    Rgb((rgb >> 16) as u8, (rgb >> 8) as u8, rgb as u8)
}

const LIGHT: Palette = Palette {
    panel: hex(0xff_ffff),
    track: hex(0xee_f0f3),
    line: hex(0xdd_e1e7),
    edge: hex(0x8a_94a2),
    ink: hex(0x17_1c23),
    mute: hex(0x56_606d),
    sides: [hex(0x0b_5fc0), hex(0xb0_4a00)],
    data: [
        hex(0x3c_639f),
        hex(0x80_c5fa),
        hex(0x51_9186),
        hex(0xc3_d56e),
        hex(0xbf_ac59),
        hex(0x95_6042),
        hex(0xf4_a8c0),
        hex(0x89_72cc),
    ],
    light_on: [true, false, false, false, false, true, false, false],
};

const DARK: Palette = Palette {
    panel: hex(0x17_1b21),
    track: hex(0x20_262e),
    line: hex(0x2a_313a),
    edge: hex(0x6b_7684),
    ink: hex(0xe7_eaef),
    mute: hex(0x9b_a6b4),
    sides: [hex(0x62_adff), hex(0xff_9d5c)],
    data: [
        hex(0x7c_93db),
        hex(0x63_ceeb),
        hex(0x3b_8c82),
        hex(0xad_e5a7),
        hex(0xd7_be54),
        hex(0xb7_6d3d),
        hex(0xee_9197),
        hex(0x7d_67bb),
    ],
    light_on: [false, false, false, false, false, false, false, true],
};

/// Text on data colours: dark or light, whichever reads better.
const ON_DATA: [Rgb; 2] = [hex(0x10_141a), hex(0xff_ffff)];

impl Theme {
    const fn palette(self) -> &'static Palette {
        match self {
            Theme::Light => &LIGHT,
            Theme::Dark => &DARK,
        }
    }

    /// What a colour is in this theme.
    pub fn rgb(self, colour: Colour) -> Rgb {
        let palette = self.palette();
        match colour {
            Colour::Panel => palette.panel,
            Colour::Track => palette.track,
            Colour::Line => palette.line,
            Colour::Edge => palette.edge,
            Colour::Ink => palette.ink,
            Colour::Mute => palette.mute,
            Colour::Side(side) => palette.sides[usize::from(side == RunSide::B)],
            Colour::Data(index) => palette.data[(index % DATA_COLOURS) as usize],
            Colour::OnData(index) => {
                ON_DATA[usize::from(palette.light_on[(index % DATA_COLOURS) as usize])]
            }
            Colour::Heat(side, share) => mix(
                palette.track,
                self.rgb(Colour::Side(side)),
                f32::from(share) / 255.0,
            ),
        }
    }
}

/// The data colour of an account; idle time looks like an empty lane.
pub fn account_colour(account: Account) -> Colour {
    match account {
        Account::Work => Colour::Data(2),
        Account::Switch => Colour::Data(5),
        Account::Refill => Colour::Data(4),
        Account::Selection => Colour::Data(7),
        Account::Balancing => Colour::Data(6),
        Account::Interrupt => Colour::Data(0),
        Account::Idle => Colour::Track,
    }
}

/// Between two colours, `share` of the way to the second.
pub fn mix(from: Rgb, to: Rgb, share: f32) -> Rgb {
    let step = |a: u8, b: u8| (f32::from(a) + (f32::from(b) - f32::from(a)) * share).round() as u8;
    Rgb(step(from.0, to.0), step(from.1, to.1), step(from.2, to.2))
}

#[cfg(test)]
mod tests;
