//! How long things take: medians of several runs.

use std::hint::black_box;
use std::time::{Duration, Instant};

use crate::error::Result;

/// Runs unless one takes long.
const RUNS: u64 = 3;
/// What is over sooner is run again, so that the median means something.
const SHORT: Duration = Duration::from_millis(20);
/// What has taken so long is not run again.
const LONG: Duration = Duration::from_millis(150);
/// Runs of what takes next to no time.
const MOST_RUNS: u64 = 25;

/// Runs `work` on what `prepare` makes, several times or at least `runs` times; gives what it gave
/// last, and the median of the seconds it took. Preparing is not counted.
///
/// # Errors
/// The first of `work`'s.
pub fn median<P, T>(
    runs: Option<u64>,
    mut prepare: impl FnMut() -> P,
    mut work: impl FnMut(P) -> Result<T>,
) -> Result<(T, f64)> {
    let mut times = Vec::new();
    let begun = Instant::now();
    loop {
        let input = prepare();
        let start = Instant::now();
        let made = black_box(work(black_box(input))?);
        times.push(start.elapsed().as_secs_f64());
        let done = times.len() as u64;
        let elapsed = begun.elapsed();
        let enough = match runs {
            Some(runs) => done >= runs,
            None => elapsed > LONG || done >= MOST_RUNS || done >= RUNS && elapsed > SHORT,
        };
        if enough {
            return Ok((made, middle(&mut times)));
        }
    }
}

fn middle(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    let half = times.len() / 2;
    if times.len() % 2 == 1 {
        times[half]
    } else {
        f64::midpoint(times[half - 1], times[half])
    }
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "halves of small numbers are exact")]
mod tests {
    use super::*;
    use crate::error::Error;

    #[test]
    fn the_middle_is_between_as_many_below_as_above() {
        assert_eq!(middle(&mut [3.0, 1.0, 2.0]), 2.0);
        assert_eq!(middle(&mut [4.0, 1.0, 2.0, 8.0]), 3.0);
        assert_eq!(middle(&mut [5.0]), 5.0);
    }

    #[test]
    fn work_is_run_as_often_as_asked_until_it_fails() {
        let mut count = 0;
        let run = |()| {
            count += 1;
            Ok(count)
        };
        assert_eq!(median(Some(5), || (), run).unwrap().0, 5);
        let fails = |()| -> Result<()> { Err(Error::usage("no")) };
        assert!(median(None, || (), fails).is_err());
    }
}
