//! What earlier frames have found out, for use in later ones.
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
//! The same frames decide which buffers share a section. Roles are assigned in order, on one thread, so the output is
//! the same for any number of threads. A follower waits for the result; since its leader was started earlier, the wait
//! always ends.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock};

use crate::sync::lock;
use crate::wire::v2::{BufferGroups, Plan};

/// A result, once it is known; the inner `None` means that there will be none.
type ResultCell<T> = OnceLock<Option<T>>;

/// A column of all frames: its name, and its number among those with that name.
type ColumnKey = (String, usize);

/// The results of the frames of an output.
#[derive(Debug, Default)]
pub struct EncodingChoices {
    /// The plans of each column and of the hidden column that may follow it.
    plans: Mutex<HashMap<ColumnKey, [Latest<Plan>; 2]>>,
    groups: Mutex<Latest<BufferGroups>>,
}

/// The latest result.
#[derive(Debug)]
struct Latest<T> {
    /// Number of frames so far.
    frames: u64,
    result: Arc<ResultCell<T>>,
}

/// The role of a frame, or of a column of a frame.
pub struct Role<T> {
    /// The result that it follows; `None` for the first frame.
    follows: Option<Arc<ResultCell<T>>>,
    leads: Option<Leader<T>>,
}

/// Provides a result. Dropping it without one signals to followers that none will come.
struct Leader<T>(Arc<ResultCell<T>>);

impl EncodingChoices {
    /// The roles of the column of the next frame that has this name and this number among those with the name, and of the
    /// hidden column that may follow it.
    pub fn column(&self, name: &str, number: usize) -> [Role<Plan>; 2] {
        let key = (name.to_owned(), number);
        let mut plans = lock(&self.plans);
        plans.entry(key).or_default().each_mut().map(Latest::role)
    }

    /// The role of the next frame.
    pub fn frame(&self) -> Role<BufferGroups> {
        lock(&self.groups).role()
    }
}

impl<T> Default for Latest<T> {
    fn default() -> Self {
        Self {
            frames: 0,
            result: Arc::default(),
        }
    }
}

impl<T> Latest<T> {
    fn role(&mut self) -> Role<T> {
        let number = self.frames;
        self.frames += 1;
        let follows = (number > 0).then(|| Arc::clone(&self.result));
        let leads = (number == 0 || number.is_power_of_two()).then(|| {
            self.result = Arc::default();
            Leader(Arc::clone(&self.result))
        });
        Role { follows, leads }
    }
}

impl<T> Role<T> {
    /// The result to follow, if there is one.
    pub fn followed(&self) -> Option<&T> {
        self.follows
            .as_ref()
            .and_then(|result| result.wait().as_ref())
    }

    /// Like [`Self::followed`], but `None` if it is not known yet.
    pub fn known(&self) -> Option<&T> {
        self.follows
            .as_ref()
            .and_then(|result| result.get()?.as_ref())
    }

    /// The result for this frame: what `find` returns if other frames follow this one, or else the result of the frame that
    /// it follows.
    pub fn result(&self, find: impl FnOnce() -> T) -> Option<&T> {
        match &self.leads {
            Some(Leader(cell)) => cell.get_or_init(|| Some(find())).as_ref(),
            None => self.followed(),
        }
    }
}

impl<T> Drop for Leader<T> {
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
        let [first, _] = choices.column("a", 0);
        let [second, _] = choices.column("a", 0);
        assert!(first.followed().is_none());
        drop(first);
        assert!(second.followed().is_none());
    }

    #[test]
    fn columns_with_the_same_name_have_their_own_plans() {
        let choices = EncodingChoices::default();
        let frames: Vec<_> = (0..2)
            .map(|_| [0, 1].map(|number| choices.column("", number)))
            .collect();
        for (leader, follower) in frames[0].iter().flatten().zip(frames[1].iter().flatten()) {
            let leads = leader.leads.as_ref().unwrap();
            assert!(Arc::ptr_eq(&leads.0, follower.follows.as_ref().unwrap()));
        }
    }

    #[test]
    fn frames_follow_the_last_leader_before_them() {
        let choices = EncodingChoices::default();
        let roles: Vec<_> = (0..20)
            .map(|_| {
                let [role, _] = choices.column("a", 0);
                role
            })
            .collect();
        let leader_of = |role: &Role<Plan>| {
            let follows = role.follows.as_ref()?;
            let leads = |other: &Role<Plan>| {
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
