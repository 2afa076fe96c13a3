//! Text in columns, and how headings look. Nothing that is printed for people is wider than [`COLUMNS`], but for what is
//! to be copied as it stands.

use std::io::{self, IsTerminal, Write};

/// How wide text and tables may be.
pub(crate) const COLUMNS: usize = 100;

/// How much further right a line that is too long goes on.
const HANG: usize = 4;

/// A column of text that is made narrower keeps at least this.
const NARROWEST: usize = 24;

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

    /// Prints it with two blanks before every line, and nothing if it has no rows. What is too wide is made narrow:
    /// the widest column of text is wrapped, or, if there is none, the columns of numbers follow each other in parts,
    /// each behind the first columns of text.
    pub(crate) fn print(&self, page: &mut Page<'_>) -> io::Result<()> {
        if self.rows.is_empty() {
            return Ok(());
        }
        let mut widths = self.widths();
        let all: Vec<usize> = (0..widths.len()).collect();
        let over = total(&all, &widths).saturating_sub(COLUMNS);
        if over == 0 {
            return self.part(&all, &widths, page);
        }
        let text = |at: &usize| self.align[*at] == Align::Left;
        let widest = all
            .iter()
            .copied()
            .filter(text)
            .max_by_key(|at| widths[*at]);
        match widest.filter(|at| widths[*at] >= NARROWEST + over) {
            Some(at) => {
                widths[at] -= over;
                self.part(&all, &widths, page)
            }
            None => self.parts(&widths, page),
        }
    }

    /// Prints all columns, as many at a time as there is room for.
    fn parts(&self, widths: &[usize], page: &mut Page<'_>) -> io::Result<()> {
        let texts = self.align.iter().take_while(|a| **a == Align::Left).count();
        let names: Vec<usize> = (0..texts.max(1).min(widths.len())).collect();
        let mut part = names.clone();
        for at in names.len()..widths.len() {
            let wider = [&part[..], &[at]].concat();
            if total(&wider, widths) > COLUMNS && part.len() > names.len() {
                self.part(&part, widths, page)?;
                page.line("")?;
                part = [&names[..], &[at]].concat();
            } else {
                part = wider;
            }
        }
        self.part(&part, widths, page)
    }

    /// Prints some of the columns.
    fn part(&self, columns: &[usize], widths: &[usize], page: &mut Page<'_>) -> io::Result<()> {
        if self.head.iter().any(|h| !h.is_empty()) {
            let head: Vec<String> = self.head.iter().map(|h| (*h).to_string()).collect();
            let line = self.line(columns, &head, widths);
            page.head(&line)?;
        }
        for row in &self.rows {
            let cells = row.iter().zip(widths);
            let cells: Vec<Vec<String>> = cells.map(|(cell, w)| wrapped(cell, *w)).collect();
            let lines = cells.iter().map(Vec::len).max().unwrap_or(0);
            for at in 0..lines {
                let of = |cell: &Vec<String>| cell.get(at).cloned().unwrap_or_default();
                let line: Vec<String> = cells.iter().map(of).collect();
                page.line(&self.line(columns, &line, widths))?;
            }
        }
        Ok(())
    }

    /// Its rows as lines, for whoever has something to say below each.
    pub(crate) fn rows(&self) -> Vec<String> {
        let widths = self.widths();
        let all: Vec<usize> = (0..widths.len()).collect();
        let rows = self.rows.iter();
        rows.map(|row| self.line(&all, row, &widths)).collect()
    }

    fn widths(&self) -> Vec<usize> {
        (0..self.head.len())
            .map(|i| {
                let cells = self.rows.iter().filter_map(|r| r.get(i)).map(|c| width(c));
                cells.chain([width(self.head[i])]).max().unwrap_or(0)
            })
            .collect()
    }

    fn line(&self, columns: &[usize], cells: &[String], widths: &[usize]) -> String {
        let mut line = String::new();
        for at in columns {
            let Some(cell) = cells.get(*at) else { break };
            let blanks = " ".repeat(widths[*at].saturating_sub(width(cell)));
            let (before, after) = match self.align[*at] {
                Align::Left => ("", blanks.as_str()),
                Align::Right => (blanks.as_str(), ""),
            };
            line.extend(["  ", before, cell, after]);
        }
        line.trim_end().to_string()
    }
}

/// How wide some of the columns are together.
fn total(columns: &[usize], widths: &[usize]) -> usize {
    columns.iter().map(|at| 2 + widths[*at]).sum()
}

/// Text in lines that are no wider than `columns`, unless a word is; what fits stays as it is, blanks and all.
fn wrapped(text: &str, columns: usize) -> Vec<String> {
    if width(text) <= columns {
        return vec![text.to_string()];
    }
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split(' ') {
        if !line.trim().is_empty() && width(&line) + 1 + width(word) > columns {
            lines.push(std::mem::take(&mut line));
        } else if !line.is_empty() || word.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push(line);
    lines
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
        self.styled("\x1b[1m", text)
    }

    /// The head of a table, as wide as its rows.
    fn head(&mut self, text: &str) -> io::Result<()> {
        if self.styled {
            return writeln!(self.to, "\x1b[2m{text}\x1b[0m");
        }
        self.line(text)
    }

    /// A dim line.
    pub(crate) fn dim(&mut self, text: &str) -> io::Result<()> {
        self.styled("\x1b[2m", text)
    }

    fn styled(&mut self, style: &str, text: &str) -> io::Result<()> {
        for (at, line) in wrapped(text, COLUMNS - HANG).iter().enumerate() {
            let indent = " ".repeat(if at == 0 { 0 } else { HANG });
            if self.styled {
                writeln!(self.to, "{style}{indent}{line}\x1b[0m")?;
            } else {
                writeln!(self.to, "{indent}{line}")?;
            }
        }
        Ok(())
    }

    /// A paragraph, each of its lines after `indent` blanks.
    pub(crate) fn text(&mut self, indent: usize, text: &str) -> io::Result<()> {
        let text: Vec<&str> = text.split_whitespace().collect();
        for line in wrapped(&text.join(" "), COLUMNS - indent) {
            writeln!(self.to, "{}{line}", " ".repeat(indent))?;
        }
        Ok(())
    }

    /// A line that goes on further right where it is too long.
    pub(crate) fn hanging(&mut self, indent: usize, text: &str) -> io::Result<()> {
        let lines = wrapped(text, COLUMNS - indent - HANG);
        for (at, line) in lines.iter().enumerate() {
            let indent = indent + if at == 0 { 0 } else { HANG };
            writeln!(self.to, "{}{line}", " ".repeat(indent))?;
        }
        Ok(())
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

    fn printed(table: &Table) -> Vec<String> {
        let mut out = Vec::new();
        let page = &mut Page::plain(&mut out);
        table.print(page).expect("memory takes it");
        let text = String::from_utf8(out).expect("text");
        assert!(text.lines().all(|line| width(line) <= COLUMNS), "{text}");
        text.lines().map(String::from).collect()
    }

    #[test]
    fn a_wide_text_is_wrapped_in_its_column() {
        let mut table = Table::new(&["<name", "CPUs", "<"]);
        table.row(["a".into(), "4".into(), "word ".repeat(30)]);
        table.row(["b".into(), "16".into(), "short".into()]);
        let lines = printed(&table);
        assert_eq!(lines.len(), 4, "{lines:?}");
        assert!(lines[2].starts_with("              word word"), "{lines:?}");
        assert_eq!(lines[3], "  b       16  short");
    }

    #[test]
    fn many_numbers_come_in_parts_behind_their_names() {
        let mut table = Table::new(&["<task", "one", "two", "three"]);
        let long = "1".repeat(40);
        table.row(["a".into(), long.clone(), long.clone(), long.clone()]);
        let lines = printed(&table);
        assert_eq!(
            lines[3].split_whitespace().collect::<Vec<_>>(),
            ["task", "three"]
        );
        assert_eq!(
            lines[4].split_whitespace().collect::<Vec<_>>(),
            ["a", long.as_str()]
        );
    }

    /// A table may be as wide as the page, and so may its head.
    #[test]
    fn a_head_stands_above_its_columns_on_one_line() {
        for width in COLUMNS - HANG - 3..=COLUMNS {
            let mut table = Table::new(&["<name", "a second"]);
            table.row(["x".repeat(width - 2 - 2 - "a second".len()), "1".into()]);
            let lines = printed(&table);
            assert_eq!(lines.len(), 2, "{lines:?}");
            assert!(lines[0].ends_with("a second") && lines[1].ends_with('1'));
        }
    }

    #[test]
    fn a_paragraph_hangs() {
        let mut out = Vec::new();
        let text = "word ".repeat(25);
        Page::plain(&mut out)
            .hanging(2, &text)
            .expect("memory takes it");
        let text = String::from_utf8(out).expect("text");
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines.len(), 2);
        assert!(lines[0].starts_with("  word") && lines[1].starts_with("      word"));
    }
}
