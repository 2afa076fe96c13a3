//! What there is to say of a setup, and of what makes no difference, under the tiles; each with links that lead on.

use crate::dom::html;
use crate::model::{Action, Alike, Model, Setup, shown_by};
use crate::text::{Msg, fill, text};
use crate::url;
use schedlab_engine::config::Config;
use schedlab_engine::fragment;
use std::rc::Rc;
use yew::prelude::*;

/// Something to know about a comparison before one believes its numbers.
struct Known {
    /// Of which: the machine, the releases and the workloads count.
    of: &'static str,
    /// What.
    words: Msg,
    /// What leads on.
    way: Msg,
    /// What that changes in both.
    both: &'static str,
    /// And in B. Where all of it is so already, there is nothing to say.
    of_b: &'static str,
}

const KNOWN: [Known; 2] = [
    Known {
        of: "k=2.6.31&vs&k=2.6.32-rc1",
        words: Msg::RemarkShort,
        way: Msg::RemarkShortWay,
        both: "w=hackbench(groups=20,fan=10,loops=3000)",
        of_b: "",
    },
    Known {
        of: "k=2.6.31&w=hackbench(groups=20,fan=10,loops=3000)&vs&k=2.6.32-rc1",
        words: Msg::RemarkLong,
        way: Msg::RemarkLongWay,
        both: "",
        of_b: "d=-D13",
    },
];

impl Known {
    /// Is it about `setup`?
    fn is_of(&self, setup: &Setup) -> bool {
        let of = url::read(self.of).setup;
        let same = |x: &Config, y: &Config| {
            (&x.machine.name, x.kernel.name) == (&y.machine.name, y.kernel.name)
                && (&x.workloads, &x.script) == (&y.workloads, &y.script)
        };
        let b = setup.b.as_ref().zip(of.b.as_ref());
        same(&setup.a, &of.a) && b.is_some_and(|(b, of)| same(b, of))
    }

    /// The setup that it leads to; none where that is the one there is.
    fn leads(&self, setup: &Setup) -> Option<Setup> {
        let over = |config: &Config, over: &[&str]| {
            let link = over.iter().fold(fragment::print(config), |link, over| {
                fragment::overlay(&link, over)
            });
            Rc::new(fragment::parse(&link).0)
        };
        let led = Setup {
            a: over(&setup.a, &[self.both]),
            b: setup.b.as_ref().map(|b| over(b, &[self.both, self.of_b])),
            typed: None,
        };
        (led != setup.plain()).then_some(led)
    }
}

/// All there is to say of `model`.
pub(crate) fn remarks(model: &Model, dispatch: &Callback<Action>) -> Html {
    let setup = &model.setup;
    let known = KNOWN.iter().filter(|known| known.is_of(setup));
    let known = known.filter_map(|known| {
        let led = known.leads(setup)?;
        let ways = vec![(text(known.way).to_string(), led)];
        Some((text(known.words), ways))
    });
    let alike = model.alike().map(|Alike { from, to, since }| {
        let words = if since {
            Msg::RemarkAlikeSince
        } else {
            Msg::RemarkAlike
        };
        let ways = shown_by(&from, &to).into_iter().map(|shown| {
            let words = fill(Msg::RemarkShownBy, &[("name", &shown.name)]);
            (words, url::read(&shown.link).setup)
        });
        (text(words), ways.collect::<Vec<_>>())
    });
    let way = |(words, setup): (String, Setup)| {
        let onclick = dispatch.reform(move |_: MouseEvent| Action::Edit {
            setup: setup.clone(),
            merge: None,
        });
        html! { <button type="button" class="button framed small" {onclick}>{ words }</button> }
    };
    let remark = |(words, ways): (&str, Vec<(String, Setup)>)| {
        html! { <p class="remark">{ words.to_string() }{ for ways.into_iter().map(way) }</p> }
    };
    html! { <>{ for alike.into_iter().chain(known).map(remark) }</> }
}

#[cfg(test)]
mod tests {
    use super::*;
    use schedlab_engine::sched::profile::DeltaId;

    fn of(setup: &Setup) -> Vec<Setup> {
        let known = KNOWN.iter().filter(|known| known.is_of(setup));
        known.filter_map(|known| known.leads(setup)).collect()
    }

    #[test]
    fn the_first_page_says_that_it_is_short_and_leads_to_where_the_regression_shows() {
        let welcome = Setup::welcome();
        let [long] = of(&welcome).try_into().expect("one way");
        let [without] = of(&long).try_into().expect("one more");
        let b = |setup: &Setup| fragment::print(setup.b.as_ref().expect("a comparison"));
        assert_eq!(
            b(&without),
            "v=1&d=-D13&w=hackbench(groups=20,fan=10,loops=3000)"
        );
        assert_eq!(of(&without).len(), 0, "there is nothing more to say");
        let other = url::read("k=2.6.31&w=hogs&vs&k=2.6.32-rc1").setup;
        assert_eq!(of(&other).len(), 0);
    }

    /// What a commit does to a short run is asked in a long one with that commit.
    #[test]
    fn what_is_changed_in_the_short_run_is_kept_in_the_long_one() {
        let setup = url::read("k=2.6.31&vs&k=2.6.32-rc1&d=-D12").setup;
        let [long] = of(&setup).try_into().expect("one way");
        assert!(!long.b.expect("a comparison").deltas.has(DeltaId(12)));
    }
}
