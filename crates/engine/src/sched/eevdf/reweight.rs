//! An entity gets another weight: what it is owed, and what it has left, stay the same in time.
//!
//! Source: `reweight_entity`, `reweight_eevdf`, `rescale_entity` of 6.6 to 7.1.

use super::average::{avg_vruntime, entity_lag, update_entity_lag};
use super::placement::place_entity;
use super::queue::{enter_tree, leave_tree};
use super::{protect, update_curr};
use crate::sched::Sched;
use crate::sched::rq::{CfsRqId, EntityId};
use crate::sched::rules::Reweight;

/// `value` · `old` / `new`, towards zero.
pub(super) fn scaled(value: i64, old: u64, new: u64) -> i64 {
    (i128::from(value) * i128::from(old) / i128::from(new)) as i64
}

/// Off its queue only what is stored is scaled.
pub(in crate::sched) fn set_weight_off_queue(s: &mut Sched, se: EntityId, weight: u64) {
    let own = s.eevdf.se_mut(se);
    let old = core::mem::replace(&mut own.weight, weight);
    own.vlag = scaled(own.vlag, old, weight);
    if own.rel_deadline {
        own.deadline = scaled(own.deadline, old, weight);
    }
}

/// A change of weight that is under way.
struct Change<'a> {
    q: CfsRqId,
    se: EntityId,
    runs: bool,
    old: u64,
    new: u64,
    set_load: &'a dyn Fn(&mut Sched),
}

/// Changes the weight of a queued entity, whose load is set by `set_load` in between.
pub(in crate::sched) fn reweight_queued(
    s: &mut Sched,
    q: CfsRqId,
    se: EntityId,
    weight: u64,
    set_load: &dyn Fn(&mut Sched),
) {
    let runs = s.eevdf.q(q).curr == Some(se);
    if runs {
        let _ = update_curr(s, q);
    }
    let change = Change {
        q,
        se,
        runs,
        old: s.eevdf.se(se).weight,
        new: weight,
        set_load,
    };
    match s.rules.reweight {
        Reweight::KeepsVruntime => about(s, &change, s.se(se).vruntime, 0),
        Reweight::AboutAverage => {
            let average = avg_vruntime(s, q);
            about(s, &change, average, average - s.se(se).vruntime);
        }
        Reweight::AboutAverageClamped => {
            about(s, &change, avg_vruntime(s, q), entity_lag(s, q, se));
        }
        Reweight::Places | Reweight::PlacesProtected => places(s, &change),
        Reweight::Rescales => rescales(s, &change),
    }
    if !runs {
        enter_tree(s, q, se);
    }
}

impl Change<'_> {
    /// Takes the entity out, and gives it its weight.
    fn set(&self, s: &mut Sched) {
        if !self.runs {
            leave_tree(s, self.q, self.se);
        }
        s.eevdf.se_mut(self.se).weight = self.new;
        let queue = &mut s.eevdf.q_mut(self.q).weight;
        *queue = *queue - self.old + self.new;
        (self.set_load)(s);
    }

    fn scaled(&self, value: i64) -> i64 {
        scaled(value, self.old, self.new)
    }
}

/// Vruntime and deadline move about `zero`, before which the entity is by `lag`; that its deadline moves ends its
/// protection.
fn about(s: &mut Sched, change: &Change<'_>, zero: i64, lag: i64) {
    change.set(s);
    s.se_mut(change.se).vruntime = zero - change.scaled(lag);
    let own = s.eevdf.se_mut(change.se);
    own.deadline = zero + change.scaled(own.deadline - zero);
    own.parity = false;
}

/// It is placed anew. For a running one the average still counts it, with the new weight where it was.
fn places(s: &mut Sched, change: &Change<'_>) {
    let (q, se) = (change.q, change.se);
    let vruntime = s.se(se).vruntime;
    let protected = change.runs && protect::holds(s, se);
    let _ = update_entity_lag(s, q, se);
    change.set(s);
    let own = s.eevdf.se_mut(se);
    let vprot = change.scaled(own.vprot - vruntime);
    own.vlag = change.scaled(own.vlag);
    own.deadline = change.scaled(own.deadline - vruntime);
    own.rel_deadline = true;
    s.eevdf.q_mut(q).nr -= 1;
    place_entity(s, q, se, false);
    s.eevdf.q_mut(q).nr += 1;
    let vruntime = s.se(se).vruntime;
    let keeps = s.rules.reweight == Reweight::PlacesProtected;
    let own = s.eevdf.se_mut(se);
    if keeps && protected {
        own.vprot = vruntime + vprot;
    } else if change.runs && !keeps {
        // The lag and the protection share one field.
        own.vprot = own.vlag;
    }
}

/// Vruntime, deadline and protection move about the average.
fn rescales(s: &mut Sched, change: &Change<'_>) {
    let (q, se) = (change.q, change.se);
    let average = avg_vruntime(s, q);
    let protected = change.runs && protect::holds(s, se);
    let _ = update_entity_lag(s, q, se);
    change.set(s);
    let own = s.eevdf.se_mut(se);
    own.vlag = change.scaled(own.vlag);
    own.deadline = average + change.scaled(own.deadline - average);
    if protected {
        own.vprot = average + change.scaled(own.vprot - average);
    }
    let vruntime = average - own.vlag;
    s.se_mut(se).vruntime = vruntime;
}
