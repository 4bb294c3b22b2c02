//! Encoding plans of earlier frames, for use in later ones.
//!
//! The encodings of a column are searched for in its first frame. Nested columns may get new members later, and
//! constants may not stay constant. So the frames whose number is a power of two, counted per column, add the results
//! of their own searches to the plan. The frames up to the next such frame follow it:
//!
//! ```text
//! frame    0     1     2     3     4     5     6     7     8
//! follows        0     1     2     2     4     4     4     4
//! leads    yes   yes   yes         yes                     yes
//! ```
//!
//! These roles are assigned in order, on one thread, so the output is the same for any number of threads. A follower
//! waits for the plan; since its leader was started earlier, the wait always ends.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock};

use crate::sync::lock;
use crate::wire::v2::Plan;

/// The plan of one column, once it is known; the inner `None` means that there will be no plan.
type PlanCell = OnceLock<Option<Plan>>;

/// The plans of all columns of an output, by name.
#[derive(Debug, Default)]
pub struct EncodingChoices(Mutex<HashMap<String, Latest>>);

/// The latest plan of a column.
#[derive(Debug, Default)]
struct Latest {
    /// Number of frames with the column.
    frames: u64,
    plan: Arc<PlanCell>,
}

/// The role of a column of a frame.
pub struct Role {
    /// The plan that it follows; `None` for the first column of its name.
    follows: Option<Arc<PlanCell>>,
    leads: Option<Leader>,
}

/// Provides a plan. Dropping it without one signals to followers that there is none.
struct Leader(Arc<PlanCell>);

impl EncodingChoices {
    /// The role of the next column with that name.
    pub fn role(&self, name: &str) -> Role {
        let mut choices = lock(&self.0);
        let latest = choices.entry(name.to_owned()).or_default();
        let number = latest.frames;
        latest.frames += 1;
        let follows = (number > 0).then(|| Arc::clone(&latest.plan));
        let leads = (number == 0 || number.is_power_of_two()).then(|| {
            latest.plan = Arc::default();
            Leader(Arc::clone(&latest.plan))
        });
        Role { follows, leads }
    }
}

impl Role {
    /// The plan to follow, if there is one.
    pub fn followed(&self) -> Option<&Plan> {
        self.follows.as_ref().and_then(|plan| plan.wait().as_ref())
    }

    /// Publishes the plan, if the column leads; `plan` receives the plan that it followed itself.
    pub fn done(&self, plan: impl FnOnce(Option<&Plan>) -> Plan) {
        if let Some(Leader(cell)) = &self.leads {
            let _ = cell.set(Some(plan(self.followed())));
        }
    }
}

impl Drop for Leader {
    fn drop(&mut self) {
        let _ = self.0.set(None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_waits_for_a_plan_that_will_not_come() {
        let choices = EncodingChoices::default();
        let first = choices.role("a");
        let second = choices.role("a");
        assert!(first.followed().is_none());
        drop(first);
        assert!(second.followed().is_none());
    }

    #[test]
    fn frames_follow_the_last_leader_before_them() {
        let choices = EncodingChoices::default();
        let roles: Vec<_> = (0..20).map(|_| choices.role("a")).collect();
        let leader_of = |role: &Role| {
            let follows = role.follows.as_ref()?;
            let leads = |other: &Role| {
                let leader = other.leads.as_ref();
                leader.is_some_and(|leader| Arc::ptr_eq(&leader.0, follows))
            };
            roles.iter().position(leads)
        };
        let found: Vec<_> = roles.iter().map(leader_of).collect();
        for (number, leader) in found.iter().enumerate().skip(1) {
            assert_eq!(*leader, Some(number.next_power_of_two() / 2), "{number}");
        }
        assert_eq!(found[0], None);
    }
}
