//! How columns were encoded in the first frame that had them, for the frames after it.
//!
//! Who plans and who follows is settled in order, on one thread, so the output is the same for any
//! number of threads. Whoever follows waits for the plan; it was begun earlier, so it will come.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::wire::v2::Plan;

/// The plan of one column: none once it is known that there will be none.
type PlanCell = OnceLock<Option<Plan>>;

/// The plans of all columns of an output, by name.
#[derive(Debug, Default)]
pub struct Plans(Mutex<HashMap<String, Arc<PlanCell>>>);

/// What a column of a frame does.
pub enum Role {
    /// It is the first of its name: others will follow.
    Plan(Planner),
    /// It is encoded like an earlier one.
    Follow(Arc<PlanCell>),
}

/// Makes a plan, or lets it be known when dropped that there is none.
pub struct Planner(Arc<PlanCell>);

impl Plans {
    /// What the next column of that name does.
    pub fn role(&self, name: &str) -> Role {
        let mut plans = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(cell) = plans.get(name) {
            return Role::Follow(Arc::clone(cell));
        }
        let cell = Arc::<PlanCell>::default();
        plans.insert(name.to_owned(), Arc::clone(&cell));
        Role::Plan(Planner(cell))
    }
}

impl Role {
    /// The plan to follow, if there is one.
    pub fn plan(&self) -> Option<&Plan> {
        match self {
            Self::Plan(_) => None,
            Self::Follow(cell) => cell.wait().as_ref(),
        }
    }

    /// Lets others follow.
    pub fn done(&self, plan: impl FnOnce() -> Plan) {
        if let Self::Plan(planner) = self {
            let _ = planner.0.set(Some(plan()));
        }
    }
}

impl Drop for Planner {
    fn drop(&mut self) {
        let _ = self.0.set(None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_waits_for_a_plan_that_will_not_come() {
        let plans = Plans::default();
        let first = plans.role("a");
        let second = plans.role("a");
        assert!(matches!(first, Role::Plan(_)) && matches!(second, Role::Follow(_)));
        drop(first);
        assert!(second.plan().is_none());
    }
}
