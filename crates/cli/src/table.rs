//! Text in columns, and how headings look.

use std::io::{self, IsTerminal, Write};

/// Where a column's text stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Right,
}

/// Rows of cells; every column is as wide as its widest cell.
#[derive(Debug)]
pub(crate) struct Table {
    head: Vec<&'static str>,
    align: Vec<Align>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these headings: a `<` before a heading makes its column stand left. Empty headings all
    /// along make a table without a head.
    pub(crate) fn new(head: &[&'static str]) -> Table {
        let left = |text: &&'static str| text.strip_prefix('<');
        Table {
            head: head.iter().map(|h| left(h).unwrap_or(h)).collect(),
            align: head
                .iter()
                .map(|h| left(h).map_or(Align::Right, |_| Align::Left))
                .collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row; cells that are missing are empty.
    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// Prints it with two blanks before every line, and nothing if it has no rows.
    pub(crate) fn print(&self, page: &mut Page<'_>) -> io::Result<()> {
        if self.rows.is_empty() {
            return Ok(());
        }
        let widths = self.widths();
        if self.head.iter().any(|h| !h.is_empty()) {
            let head = self
                .head
                .iter()
                .map(|h| (*h).to_string())
                .collect::<Vec<_>>();
            let line = self.line(&head, &widths);
            page.dim(&line)?;
        }
        for row in &self.rows {
            let line = self.line(row, &widths);
            page.line(&line)?;
        }
        Ok(())
    }

    fn widths(&self) -> Vec<usize> {
        (0..self.head.len())
            .map(|i| {
                let cells = self.rows.iter().filter_map(|r| r.get(i)).map(|c| width(c));
                cells.chain([width(self.head[i])]).max().unwrap_or(0)
            })
            .collect()
    }

    fn line(&self, cells: &[String], widths: &[usize]) -> String {
        let mut line = String::new();
        for ((cell, wanted), align) in cells.iter().zip(widths).zip(&self.align) {
            let blanks = " ".repeat(wanted - width(cell));
            let (before, after) = match align {
                Align::Left => ("", blanks.as_str()),
                Align::Right => (blanks.as_str(), ""),
            };
            line.extend(["  ", before, cell, after]);
        }
        line.trim_end().to_string()
    }
}

/// How many columns of a terminal `text` takes; everything printed here is one column a character.
fn width(text: &str) -> usize {
    text.chars().count()
}

/// Where a report is printed: plain text, with bold and dim where a terminal wants them.
pub(crate) struct Page<'w> {
    to: &'w mut dyn Write,
    styled: bool,
}

impl<'w> Page<'w> {
    /// Standard output as `to`: styled if it is a terminal and nobody objects (`NO_COLOR`, `TERM=dumb`).
    pub(crate) fn stdout(to: &'w mut dyn Write) -> Page<'w> {
        let objected = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty())
            || std::env::var_os("TERM").is_some_and(|t| t == "dumb");
        Page {
            to,
            styled: io::stdout().is_terminal() && !objected,
        }
    }

    /// Plain text.
    #[cfg(test)]
    pub(crate) fn plain(to: &'w mut dyn Write) -> Page<'w> {
        Page { to, styled: false }
    }

    /// A line.
    pub(crate) fn line(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.to, "{text}")
    }

    /// An empty line and a heading.
    pub(crate) fn heading(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.to)?;
        self.bold(text)
    }

    /// A bold line.
    pub(crate) fn bold(&mut self, text: &str) -> io::Result<()> {
        if self.styled {
            writeln!(self.to, "\x1b[1m{text}\x1b[0m")
        } else {
            writeln!(self.to, "{text}")
        }
    }

    /// A dim line.
    pub(crate) fn dim(&mut self, text: &str) -> io::Result<()> {
        if self.styled {
            writeln!(self.to, "\x1b[2m{text}\x1b[0m")
        } else {
            writeln!(self.to, "{text}")
        }
    }

    /// Paragraphs of text wrapped at 100 columns, each line after `indent` blanks.
    pub(crate) fn text(&mut self, indent: usize, text: &str) -> io::Result<()> {
        const COLUMNS: usize = 100;
        let mut line = String::new();
        for word in text.split_whitespace() {
            if !line.is_empty() && indent + width(&line) + 1 + width(word) > COLUMNS {
                writeln!(self.to, "{}{line}", " ".repeat(indent))?;
                line.clear();
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        writeln!(self.to, "{}{line}", " ".repeat(indent))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let mut table = Table::new(&["<task", "cpu", "share"]);
        table.row(["sender".into(), "1.20 s".into(), "61 %".into()]);
        table.row(["r\u{e9}".into(), "12 ms".into(), "0.6 %".into()]);
        let mut out = Vec::new();
        table
            .print(&mut Page::plain(&mut out))
            .expect("memory takes it");
        let expected =
            "  task       cpu  share\n  sender  1.20 s   61 %\n  r\u{e9}       12 ms  0.6 %\n";
        assert_eq!(String::from_utf8_lossy(&out), expected);
    }
}
