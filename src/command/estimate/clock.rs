//! Measures time as the median of several runs.

use std::hint::black_box;
use std::time::{Duration, Instant};

use crate::bench::harness;
use crate::error::Result;

/// Number of runs, unless one takes long.
const RUNS: u64 = 3;
/// Stop as soon as this much time has passed.
const LONG: Duration = Duration::from_millis(8);
/// Typical difference between two runs on a machine that also does other work.
const LEAST_NOISE: f64 = 0.1;

/// A result and the time it took.
pub struct Timed<T> {
    /// The last result.
    pub made: T,
    /// The median of all runs.
    pub seconds: f64,
    /// The fraction by which the median may be off.
    pub noise: f64,
}

/// Runs `work` several times, or at least `runs` times.
///
/// # Errors
/// The first error of `work`.
pub fn median<T>(runs: Option<u64>, mut work: impl FnMut() -> Result<T>) -> Result<Timed<T>> {
    let mut times = Vec::new();
    let begun = Instant::now();
    loop {
        let start = Instant::now();
        let made = black_box(work()?);
        times.push(start.elapsed().as_secs_f64());
        let done = times.len() as u64;
        let elapsed = begun.elapsed();
        let enough = match runs {
            Some(runs) => done >= runs,
            None => elapsed > LONG || done >= RUNS,
        };
        if enough {
            let seconds = harness::median(&mut times);
            let range = times[times.len() - 1] - times[0];
            let spread = range / seconds.max(1e-9) / (times.len() as f64).sqrt();
            return Ok(Timed {
                made,
                seconds,
                noise: spread.max(LEAST_NOISE),
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;

    #[test]
    fn work_is_run_the_requested_number_of_times_until_it_fails() {
        let mut count = 0;
        let run = || {
            count += 1;
            Ok(count)
        };
        assert_eq!(median(Some(5), run).unwrap().made, 5);
        let fails = || -> Result<()> { Err(Error::usage("no")) };
        assert!(median(None, fails).is_err());
    }
}
