//! Where CPU time goes: one bar a run, stacked by account.

use super::plot::{SMALL, sided};
use crate::format;
use crate::protocol::{Account, RunSide, Snapshot};
use crate::text::{Msg, fill, text};
use crate::view::geometry::{Point, Rect};
use crate::view::palette::{Colour, account_colour};
use crate::view::picture::{Frame, Hover, Picture, Runs, Table, letter};
use crate::view::scene::{Align, Label, Scene, Shape, Stroke};

/// The chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Accounts {
    /// The runs.
    pub runs: Runs,
}

/// Every account and its share of all CPU time, 0 … 1.
fn shares(run: &Snapshot) -> [(Account, f64); Account::COUNT] {
    let total: f64 = run.accounts_ns.iter().sum();
    let share = |index: usize| run.accounts_ns[index] / total.max(1.0);
    std::array::from_fn(|index| (Account::ALL[index], share(index)))
}

/// What an account is called.
fn account_name(account: Account) -> &'static str {
    text(match account {
        Account::Work => Msg::AccountWork,
        Account::Switch => Msg::AccountSwitch,
        Account::Refill => Msg::AccountRefill,
        Account::Selection => Msg::AccountSelection,
        Account::Balancing => Msg::AccountBalancing,
        Account::Interrupt => Msg::AccountInterrupt,
        Account::Idle => Msg::AccountIdle,
    })
}

/// Text that reads on the colour of an account.
fn on(account: Account) -> Colour {
    match account_colour(account) {
        Colour::Data(index) => Colour::OnData(index),
        _ => Colour::Mute,
    }
}

/// A part of a bar.
struct Part {
    side: RunSide,
    account: Account,
    share: f64,
    rect: Rect,
}

impl Accounts {
    /// The bars, their height and the top of the legend.
    fn parts(&self, frame: &Frame<'_>) -> (Vec<Part>, f64) {
        let count = self.runs.iter().count().max(1) as f64;
        let legend = Self::legend(frame).1;
        let left = if self.runs.compared() {
            frame.font.size * 1.5
        } else {
            0.0
        };
        let room = (frame.height - legend - 8.0).max(20.0);
        let (gap, high) = (
            room * 0.16,
            (room / count * 0.72).min(frame.font.size * 3.0),
        );
        let top = ((room - count * high - (count - 1.0) * gap) / 2.0).max(0.0);
        let mut parts = Vec::new();
        for (row, (side, run)) in self.runs.iter().enumerate() {
            let y = (top + row as f64 * (high + gap)).round();
            let mut x = left;
            for (account, share) in shares(run) {
                let w = share * (frame.width - left);
                let rect = Rect::new(x, y, w, high);
                parts.push(Part {
                    side,
                    account,
                    share,
                    rect,
                });
                x += w;
            }
        }
        (parts, frame.height - legend)
    }

    /// Places of the legend's entries from its left top corner, and its height.
    fn legend(frame: &Frame<'_>) -> (Vec<(Account, Point)>, f64) {
        let line = frame.font.line_height();
        let wide =
            |account| frame.font.width(account_name(account)) * SMALL + frame.font.size * 2.0;
        let column = Account::ALL.map(wide).into_iter().fold(0.0, f64::max);
        let columns = ((frame.width / column) as usize).clamp(1, Account::ALL.len());
        let place = |(i, account): (usize, Account)| {
            let (row, column_at) = (i / columns, i % columns);
            (
                account,
                Point::new(column_at as f64 * column, row as f64 * line + line / 2.0),
            )
        };
        let rows = Account::ALL.len().div_ceil(columns);
        (
            Account::ALL.into_iter().enumerate().map(place).collect(),
            rows as f64 * line,
        )
    }
}

impl Picture for Accounts {
    fn title(&self) -> String {
        text(Msg::PictureAccounts).to_string()
    }

    fn unit(&self) -> String {
        let cpus = self
            .runs
            .iter()
            .map(|(_, run)| run.cpus())
            .max()
            .unwrap_or(0);
        fill(Msg::PictureAccountsUnit, &[("cpus", &cpus.to_string())])
    }

    fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    fn scene(&self, frame: &Frame<'_>) -> Scene<()> {
        let mut scene = Scene::default();
        let (parts, legend_top) = self.parts(frame);
        for part in &parts {
            scene.fill(part.rect, account_colour(part.account));
            let words = format::percent(part.share).text();
            let high = frame.font.size * SMALL <= part.rect.h;
            if high && frame.font.width(&words) * SMALL + 6.0 < part.rect.w {
                let label = Label::new(part.rect.middle(), words, on(part.account));
                scene.text(label.aligned(Align::Middle).scaled(SMALL));
            }
        }
        for (side, first) in self.runs.iter().filter_map(|(side, _)| {
            let first = parts.iter().find(|part| part.side == side)?;
            self.runs.compared().then_some((side, first))
        }) {
            let at = Point::new(0.0, first.rect.middle().y);
            scene.text(Label::new(at, letter(side), Colour::Side(side)).bold());
        }
        for (account, at) in Self::legend(frame).0 {
            let size = frame.font.size * 0.75;
            let at = Point::new(at.x, at.y + legend_top);
            let swatch = Rect::new(at.x, at.y - size / 2.0, size, size);
            scene.fill(swatch, account_colour(account));
            if account == Account::Idle {
                scene.add(Shape::Frame(
                    swatch.inset(0.5, 0.5),
                    Stroke::new(Colour::Edge, 1.0),
                ));
            }
            let name = Label::new(
                Point::new(at.x + size + 4.0, at.y),
                account_name(account),
                Colour::Mute,
            );
            scene.text(name.scaled(SMALL));
        }
        scene
    }

    fn hover(&self, frame: &Frame<'_>, at: Point) -> Option<Hover> {
        let (parts, _) = self.parts(frame);
        let part = parts.iter().find(|part| part.rect.contains(at, 0.0))?;
        let same = parts.iter().filter(|other| other.account == part.account);
        let values = same.map(|p| {
            sided(
                p.side,
                &format::percent(p.share).text(),
                self.runs.compared(),
            )
        });
        let words: Vec<String> = std::iter::once(account_name(part.account).to_string())
            .chain(values)
            .collect();
        Some(Hover {
            shapes: vec![Shape::Frame(part.rect, Stroke::new(Colour::Ink, 1.5))],
            text: words.join(" · "),
            ..Hover::default()
        })
    }

    fn summary(&self) -> String {
        let sentences = self.runs.iter().map(|(side, run)| {
            let list = shares(run).map(|(account, share)| {
                format!(
                    "{} {}",
                    account_name(account),
                    format::percent(share).text()
                )
            });
            format!("{}: {}.", letter(side), list.join(", "))
        });
        sentences.collect::<Vec<_>>().join(" ")
    }

    fn table(&self) -> Table {
        let mut head = vec![text(Msg::PictureAccount).to_string()];
        head.extend(
            self.runs
                .iter()
                .map(|(side, _)| sided(side, "%", self.runs.compared())),
        );
        let row = |index: usize| {
            let cells = self
                .runs
                .iter()
                .map(|(_, run)| format::digits(shares(run)[index].1 * 100.0));
            let name = account_name(Account::ALL[index]).to_string();
            std::iter::once(name).chain(cells).collect()
        };
        Table {
            head,
            rows: (0..Account::ALL.len()).map(row).collect(),
        }
    }
}
