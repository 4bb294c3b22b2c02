//! Columns of a frame between the two encoding passes of the preset small.
//!
//! A column may be grouped by another one. Which grouping pays can be decided only when all columns are encoded, so a
//! frame has two passes with the same number of jobs. Jobs of the second pass wait for all jobs of the first; since
//! these were started earlier, the wait always ends.

use std::sync::{Arc, Mutex, OnceLock};

use super::assembly::Assembly;
use crate::error::Result;
use crate::sync::lock;
use crate::wire::v2::{GroupableColumn, choose_keys};

/// The columns of a frame by job, encoded in the order of their rows.
#[derive(Debug)]
pub struct GroupedColumns {
    first_pass: Assembly<Vec<GroupableColumn>>,
    /// The columns for the second pass; empty if the first pass has failed.
    second_pass: OnceLock<Mutex<Vec<Vec<GroupableColumn>>>>,
}

/// Signals the second pass. Dropping it without a result unblocks the waiters.
pub struct Barrier(Option<Arc<GroupedColumns>>);

impl GroupedColumns {
    /// The columns of this many jobs.
    pub fn new(jobs: usize) -> Self {
        Self {
            first_pass: Assembly::new(jobs),
            second_pass: OnceLock::new(),
        }
    }

    /// Waits for the columns of all jobs and takes the ones of this job.
    pub fn take(&self, place: usize) -> Vec<GroupableColumn> {
        let mut jobs = lock(self.second_pass.wait());
        jobs.get_mut(place).map(std::mem::take).unwrap_or_default()
    }
}

impl Barrier {
    /// The barrier of another job.
    pub fn of(columns: &Arc<GroupedColumns>) -> Self {
        Self(Some(Arc::clone(columns)))
    }

    /// Adds the columns of a job. The last job chooses the key that each column may be grouped by.
    ///
    /// # Errors
    /// As for [`choose_keys`].
    pub fn put(mut self, place: usize, columns: Vec<GroupableColumn>) -> Result<()> {
        if let Some(grouped) = &self.0
            && let Some(jobs) = grouped.first_pass.put(place, columns)
        {
            let lens: Vec<usize> = jobs.iter().map(Vec::len).collect();
            let mut all: Vec<GroupableColumn> = jobs.into_iter().flatten().collect();
            choose_keys(&mut all)?;
            let mut all = all.into_iter();
            let jobs = lens.iter().map(|&len| all.by_ref().take(len).collect());
            let _ = grouped.second_pass.set(Mutex::new(jobs.collect()));
        }
        self.0 = None;
        Ok(())
    }
}

impl Drop for Barrier {
    fn drop(&mut self) {
        if let Some(columns) = &self.0 {
            let _ = columns.second_pass.set(Mutex::default());
        }
    }
}
