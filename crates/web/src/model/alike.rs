//! What makes no difference to a run: B that decides as A does, or a change after which all is as before.
//!
//! Two runs are alike if their hashes are: these cover every decision.

use super::{Model, Side};
use schedlab_engine::config::Config;
use std::rc::Rc;

/// Two configurations that were run and came to the same.
#[derive(Clone, Debug, PartialEq)]
pub struct Alike {
    /// The one that is compared with, or was before.
    pub from: Rc<Config>,
    /// The other.
    pub to: Rc<Config>,
    /// Is it so since the last change? Otherwise of A and B.
    pub since: bool,
}

impl Model {
    /// The hash of the run of one side, when it has come to its end and is about what the setup says.
    pub(super) fn hash(&self, side: Side) -> Option<u64> {
        let run = Some(self.run(side)).filter(|run| !run.outdated);
        run?.hash()
    }

    /// What is different and makes no difference.
    pub fn alike(&self) -> Option<Alike> {
        let of = |side: &Side| Some((Rc::clone(self.setup.config(*side)), self.hash(*side)?));
        let ended: Vec<(Rc<Config>, u64)> = self.sides().iter().filter_map(of).collect();
        if ended.len() < self.sides().len() {
            return None;
        }
        let differ = |(from, x): &(Rc<Config>, u64), (to, y): &(Rc<Config>, u64)| {
            let alike = x == y && from.canonical() != to.canonical();
            alike.then(|| (Rc::clone(from), Rc::clone(to)))
        };
        if let [a, b] = ended.as_slice()
            && let Some((from, to)) = differ(a, b)
        {
            return Some(Alike {
                from,
                to,
                since: false,
            });
        }
        // A change of both is felt where one of them feels it.
        let changed = self.sides().iter().zip(&ended).filter_map(|(side, now)| {
            let before = self.run(*side).before.as_ref()?;
            Some(differ(before, now))
        });
        let all: Option<Vec<_>> = changed.collect();
        let (from, to) = all?.pop()?;
        Some(Alike {
            from,
            to,
            since: true,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demo::Demo;
    use crate::model::Action;
    use crate::protocol::{Halt, Reply};
    use crate::url;

    /// `model` after a run of `side` whose hash is `hash`.
    fn ran(model: &Model, side: Side, (run, hash): (u32, u64)) -> Model {
        let mut snapshot = Demo::small(side).snapshot();
        snapshot.run = run;
        snapshot.tiles.hash = hash;
        let over = Reply::Ended {
            run,
            why: Halt::Finished,
            wall_ms: 1.0,
        };
        let actions = [
            Action::Started { side, run },
            Action::Arrived(Rc::new(snapshot)),
            Action::Replied(side, Box::new(over)),
        ];
        let after = |model: Model, action| model.reduce(action);
        actions.into_iter().fold(model.clone(), after)
    }

    fn opened(model: &Model, link: &str) -> Model {
        model.reduce(Action::Opened(Box::new(url::read(link))))
    }

    #[test]
    fn a_and_b_that_differ_and_come_to_the_same_are_alike() {
        let model = Model::new(url::read("k=2.6.32-rc1&vs&d=-D13"));
        let half = ran(&model, Side::A, (1, 7));
        assert_eq!(half.alike(), None, "B has not ended");
        let alike = ran(&half, Side::B, (2, 7)).alike().expect("one hash");
        assert_eq!(
            (alike.from, alike.since),
            (Rc::clone(&model.setup.a), false)
        );
        assert_eq!(ran(&half, Side::B, (2, 8)).alike(), None);
        let copies = Model::new(url::read("k=2.6.32-rc1&vs"));
        let copies = ran(&ran(&copies, Side::A, (1, 7)), Side::B, (2, 7));
        assert_eq!(copies.alike(), None, "nothing is different");
    }

    #[test]
    fn a_change_that_is_not_felt_is_told_until_the_next_one() {
        let both = |model: &Model, run| ran(&ran(model, Side::A, (run, 1)), Side::B, (run + 1, 2));
        let first = both(&Model::new(url::read("k=2.6.31&vs&k=2.6.32-rc1")), 1);
        assert_eq!(first.alike(), None, "nothing was changed");
        let changed = opened(&first, "k=2.6.31&vs&k=2.6.32-rc1&d=-D13");
        assert_eq!(changed.alike(), None, "not run yet");
        let same = ran(&changed, Side::B, (3, 2));
        let alike = same.alike().expect("as before");
        assert!(alike.since && alike.from == *first.setup.config(Side::B));
        assert_eq!(ran(&changed, Side::B, (3, 4)).alike(), None);
        // A is changed next, and felt: what was not felt of B before that is no news.
        let other = opened(&same, "k=2.6.31&d=D05&vs&k=2.6.32-rc1&d=-D13");
        assert_eq!(ran(&other, Side::A, (4, 9)).alike(), None);
    }
}
