//! How wide text is: what layout needs to know of a font, as plain data.
//!
//! The browser measures each character once ([`FontMetrics::measured`]); tests and exports use a table of a common
//! sans-serif. Widths are sums of advances: kerning is ignored, which is right to a pixel or two at these sizes.

/// First and last character that is measured on its own.
const FIRST: char = ' ';
const LAST: char = '~';
const COUNT: usize = LAST as usize - FIRST as usize + 1;

/// What stands where text was cut.
const ELLIPSIS: char = '…';

/// The font of a picture.
#[derive(Clone, Debug, PartialEq)]
pub struct FontMetrics {
    /// Size of ordinary text, px.
    pub size: f64,
    /// Name of the family, as CSS writes it.
    pub family: String,
    /// Advances of the characters from space to tilde, in units of the size.
    advances: Vec<f64>,
}

/// Advances of DejaVu Sans, which is wider than most, in 1/1000 of the size.
const WIDE_SANS: [u16; COUNT] = [
    318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337, 636, 636, 636,
    636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531, 1000, 684, 686, 698, 770, 632,
    575, 775, 752, 295, 295, 656, 557, 863, 748, 787, 603, 787, 695, 635, 611, 732, 684, 989, 685,
    611, 685, 390, 337, 390, 838, 500, 500, 613, 635, 550, 635, 615, 352, 635, 634, 278, 278, 579,
    278, 974, 634, 612, 635, 635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838,
];

/// What any other character is taken to be: wide enough for letters of most alphabets.
const OTHER: f64 = 0.75;

/// So many times as wide as ordinary text is the same in bold, of the common families the widest (DejaVu Sans).
const BOLD: f64 = 1.13;

impl FontMetrics {
    /// A font whose characters `advance` measured, in units of the size.
    pub fn measured(size: f64, family: String, advance: impl Fn(char) -> f64) -> FontMetrics {
        FontMetrics {
            size,
            family,
            advances: (FIRST..=LAST).map(advance).collect(),
        }
    }

    /// A wide sans-serif of the given size, known without a browser.
    pub fn wide_sans(size: f64) -> FontMetrics {
        FontMetrics {
            size,
            family: "system-ui, sans-serif".to_string(),
            advances: WIDE_SANS.iter().map(|&w| f64::from(w) / 1000.0).collect(),
        }
    }

    /// The same font, `times` as large.
    #[must_use]
    pub fn scaled(&self, times: f64) -> FontMetrics {
        FontMetrics {
            size: self.size * times,
            ..self.clone()
        }
    }

    /// Width of a text, px.
    pub fn width(&self, text: &str) -> f64 {
        text.chars().map(|c| self.advance(c)).sum()
    }

    /// The same font in bold, as far as widths go.
    #[must_use]
    pub fn bold(&self) -> FontMetrics {
        self.scaled(BOLD)
    }

    /// Width of a text in bold, px.
    pub fn bold_width(&self, text: &str) -> f64 {
        self.width(text) * BOLD
    }

    /// Height of a line of text, px.
    pub fn line_height(&self) -> f64 {
        (self.size * 1.3).round()
    }

    /// The text, or as much of its start as fits `room` px followed by an ellipsis; nothing if fewer than three
    /// characters would be left.
    pub fn fitted(&self, text: &str, room: f64) -> Option<String> {
        if self.width(text) <= room {
            return Some(text.to_string());
        }
        let mut left = room - self.advance(ELLIPSIS);
        let mut cut = String::new();
        for c in text.chars() {
            left -= self.advance(c);
            if left < 0.0 {
                break;
            }
            cut.push(c);
        }
        let long_enough = cut.chars().count() >= 3;
        cut.push(ELLIPSIS);
        long_enough.then_some(cut)
    }

    fn advance(&self, c: char) -> f64 {
        let known = (c as usize).checked_sub(FIRST as usize);
        let advance = match c {
            '\u{202f}' => 0.25,
            _ => known
                .and_then(|index| self.advances.get(index).copied())
                .unwrap_or(OTHER),
        };
        advance * self.size
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_cut_to_fit_or_left_out() {
        let font = FontMetrics::wide_sans(10.0);
        let whole = font.width("recv-4/7");
        assert_eq!(font.fitted("recv-4/7", whole).as_deref(), Some("recv-4/7"));
        let cut = font
            .fitted("recv-4/7", whole - 1.0)
            .expect("there is room for some");
        assert!(cut.ends_with('…') && font.width(&cut) < whole);
        assert_eq!(font.fitted("recv-4/7", 15.0), None);
        assert_eq!(font.fitted("ab", 100.0).as_deref(), Some("ab"));
        assert_eq!(font.fitted("", 0.0).as_deref(), Some(""));
    }

    #[test]
    fn size_scales_widths() {
        let font = FontMetrics::wide_sans(10.0);
        assert!((font.scaled(2.0).width("0") - 12.72).abs() < 1e-9);
        assert!((font.width("é") - 7.5).abs() < 1e-9);
    }
}
