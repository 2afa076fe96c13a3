//! Where an entity comes back to, by what it was owed when it left.
//!
//! Source: `place_entity` of 6.6 to 7.1.

use super::average::{avg_vruntime, load_of, weight_of};
use crate::sched::Sched;
use crate::sched::features::Feature;
use crate::sched::rq::{CfsRqId, EntityId};

/// Gives `se`, which is not counted on `q` unless it runs there, its vruntime and deadline; a new task's first slice
/// may be a half one.
pub(super) fn place_entity(s: &mut Sched, q: CfsRqId, se: EntityId, initial: bool) {
    let average = avg_vruntime(s, q);
    if !s.eevdf.se(se).custom_slice {
        s.eevdf.se_mut(se).slice = s.tunables.base_slice;
    }
    let lag = lag_among(s, q, se);
    s.se_mut(se).vruntime = average - lag;
    let halves = initial && s.features.has(Feature::PlaceDeadlineInitial);
    let vslice = s.virtual_time(s.eevdf.se(se).slice, se) / if halves { 2 } else { 1 };
    let entity = s.eevdf.se_mut(se);
    if core::mem::take(&mut entity.rel_deadline) {
        entity.deadline += average - lag;
    } else {
        entity.deadline = average - lag + vslice;
    }
}

/// How far behind the average of the others it goes, so that it lags by as much as it did once it counts itself.
fn lag_among(s: &Sched, q: CfsRqId, se: EntityId) -> i64 {
    let vlag = s.eevdf.se(se).vlag;
    if !s.features.has(Feature::PlaceLag) || s.eevdf.q(q).nr == 0 || vlag == 0 {
        return 0;
    }
    let (load, weight) = (load_of(s, q), weight_of(s, se));
    let product = i128::from(vlag) * i128::from(load + weight);
    (product / i128::from(load.max(1))) as i64
}
