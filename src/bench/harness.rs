//! Times operations so that two runs can be compared.
//!
//! Operations are timed in batches of about 50 us: in shorter ones the cost of reading the clock dominates,
//! and longer ones are disturbed more by other work on the machine. The median is what to expect, the best
//! sample is what the code can do; if they are far apart, the machine was busy.

use std::hint::black_box;
use std::mem::needs_drop;
use std::time::{Duration, Instant};

use serde::Deserialize;

use crate::error::Result;

/// How long a batch should take.
const BATCH: Duration = Duration::from_micros(50);
/// The largest batch, for operations that take next to no time.
const LARGEST_BATCH: u32 = 1 << 24;
/// The fewest samples for a meaningful median.
const FEWEST: usize = 5;
/// A row is noisy if its median exceeds its best sample by this factor.
const NOISY: f64 = 1.25;

/// How much time to spend per row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// Minimum number of samples.
    pub samples: usize,
    /// Minimum time to spend on samples.
    pub time: Duration,
    /// After this time, a row ends with the samples it has, if there are at least five.
    pub max_time: Duration,
    /// How long a batch should take; zero to time each operation separately.
    pub batch: Duration,
}

impl Effort {
    /// For results worth keeping.
    pub const FULL: Self = Self {
        samples: 30,
        time: Duration::from_millis(300),
        max_time: Duration::from_secs(20),
        batch: BATCH,
    };
    /// For a quick look.
    pub const QUICK: Self = Self {
        samples: 10,
        time: Duration::from_millis(30),
        max_time: Duration::from_millis(250),
        batch: BATCH,
    };
}

/// Statistics of the samples, in nanoseconds per operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
pub struct Timing {
    /// The median.
    #[serde(rename = "median_ns")]
    pub median: f64,
    /// The smallest sample.
    #[serde(rename = "best_ns", default)]
    pub best: f64,
    /// The 99th percentile.
    #[serde(rename = "p99_ns", default)]
    pub p99: f64,
    /// Lower bound of the 95 % confidence interval of the median.
    #[serde(rename = "low_ns", default)]
    pub low: f64,
    /// Upper bound of that interval.
    #[serde(rename = "high_ns", default)]
    pub high: f64,
    /// Number of samples.
    #[serde(default)]
    pub samples: usize,
}

impl Timing {
    /// Computes the statistics of samples. Without samples, all are zero.
    pub fn of(mut samples: Vec<f64>) -> Self {
        let median = median(&mut samples);
        let count = samples.len();
        let at = |rank: usize| samples.get(rank).copied().unwrap_or_default();
        let (low, high) = interval(count);
        Self {
            median,
            best: at(0),
            p99: at((count * 99).div_ceil(100).saturating_sub(1)),
            low: at(low),
            high: at(high),
            samples: count,
        }
    }

    /// Combines the timings of the same row in several processes; `None` without processes. The median is the
    /// middle one of their medians, and the other figures are the extremes.
    pub fn of_processes(mut timings: Vec<Self>) -> Option<Self> {
        timings.sort_by(|a, b| a.median.total_cmp(&b.median));
        let middle = *timings.get(timings.len().checked_sub(1)? / 2)?;
        Some(timings.iter().fold(middle, |all, one| Self {
            median: all.median,
            best: all.best.min(one.best),
            p99: all.p99.max(one.p99),
            low: all.low.min(one.low),
            high: all.high.max(one.high),
            samples: all.samples.max(one.samples),
        }))
    }

    /// True if the median is so far above the best sample that the machine must have been busy.
    pub fn is_noisy(&self) -> bool {
        self.median > NOISY * self.best
    }
}

/// Sorts values and returns the middle one, or the mean of the two in the middle.
pub fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    let at = |rank: usize| values.get(rank).copied().unwrap_or_default();
    f64::midpoint(at(values.len().saturating_sub(1) / 2), at(values.len() / 2))
}

/// The ranks, counted from 0, of the samples that bound the median with a probability of 95 %, for any
/// distribution.
///
/// The number of samples below the median follows a binomial distribution, like heads among `count` coins. This
/// uses the normal approximation, which rounds to the exact ranks.
fn interval(count: usize) -> (usize, usize) {
    let count_f = count as f64;
    let rank = (0.5 * count_f - 0.98 * count_f.sqrt()).round().max(1.0) as usize;
    (rank - 1, count.saturating_sub(rank))
}

/// The cost of reading the clock twice, to be subtracted from each sample.
fn clock_cost() -> Duration {
    let readings = (0..1000).map(|_| Instant::now().elapsed());
    readings.min().unwrap_or_default()
}

/// An operation to be repeated, whatever its result: so all that measures it is compiled once, and not for each of a
/// hundred operations.
pub struct Repeated<'a> {
    /// Runs the operation a number of times, and returns how long that took. Its result counts as used, so it is not
    /// optimized away. The last one is dropped after the clock has stopped.
    lap: &'a mut dyn FnMut(u32) -> Result<Duration>,
    /// True if each result must be dropped while the clock is stopped, so that its memory is available to the next run as
    /// in a real program.
    drops: bool,
}

impl Repeated<'_> {
    /// Passes an operation on to `measure`.
    ///
    /// # Errors
    /// Those of `measure`.
    pub fn with<T, R>(
        operation: &mut impl FnMut() -> Result<T>,
        measure: impl FnOnce(Repeated<'_>) -> Result<R>,
    ) -> Result<R> {
        let mut lap = |times: u32| {
            let mut given = None;
            let begun = Instant::now();
            for _ in 0..times {
                given = Some(black_box(operation()?));
            }
            let took = begun.elapsed();
            drop(given);
            Ok(took)
        };
        measure(Repeated {
            lap: &mut lap,
            drops: needs_drop::<T>(),
        })
    }

    /// Runs the operation.
    ///
    /// # Errors
    /// If it fails.
    pub fn once(&mut self) -> Result<()> {
        (self.lap)(1).map(drop)
    }

    /// Runs the operation `batch` times, and returns how long that took without reading the clock, which takes `clock`.
    fn batch(&mut self, batch: u32, clock: Duration) -> Result<Duration> {
        let (laps, lap) = if self.drops { (batch, 1) } else { (1, batch) };
        let took = (0..laps).map(|_| Ok((self.lap)(lap)?.saturating_sub(clock)));
        took.sum()
    }
}

/// Times an operation after warming it up.
///
/// # Errors
/// The first error of the operation.
pub fn measure(effort: Effort, operation: &mut Repeated<'_>) -> Result<Timing> {
    let clock = clock_cost();
    let mut run = |batch| operation.batch(batch, clock);
    let warm = Instant::now();
    let mut batch = 1;
    let mut took = run(batch)?;
    while took < effort.batch && batch < LARGEST_BATCH {
        batch *= 2;
        took = run(batch)?;
    }
    while warm.elapsed() < effort.time / 10 {
        took = run(batch)?;
    }
    let fitting = f64::from(batch) * effort.batch.as_secs_f64() / took.as_secs_f64().max(1e-12);
    batch = (fitting.round() as u32).clamp(1, LARGEST_BATCH);

    let begun = Instant::now();
    let mut samples = Vec::with_capacity(effort.time.as_micros() as usize / 40 + effort.samples);
    loop {
        samples.push(run(batch)?.as_secs_f64() * 1e9 / f64::from(batch));
        let spent = begun.elapsed();
        let enough = samples.len() >= effort.samples && spent >= effort.time;
        if enough || spent >= effort.max_time && samples.len() >= FEWEST {
            return Ok(Timing::of(samples));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::*;
    use crate::error::Error;

    #[test]
    fn statistics_are_taken_by_rank() {
        let timing = Timing::of((1..=200).rev().map(f64::from).collect());
        assert!((timing.median - 100.5).abs() < 1e-9);
        assert!((timing.best - 1.0).abs() < 1e-9 && (timing.p99 - 198.0).abs() < 1e-9);
        assert!(timing.is_noisy());
        assert!(!Timing::of(vec![10.0, 10.0, 11.0]).is_noisy());
        assert_eq!(Timing::of(Vec::new()), Timing::default());
    }

    #[test]
    fn processes_share_an_interval() {
        let timing = |median: f64| Timing {
            median,
            best: median - 2.0,
            p99: median + 9.0,
            low: median - 1.0,
            high: median + 1.0,
            samples: 30,
        };
        let all = Timing::of_processes(vec![timing(20.0), timing(13.0), timing(11.0)]);
        let expected = Timing {
            median: 13.0,
            best: 9.0,
            p99: 29.0,
            low: 10.0,
            high: 21.0,
            samples: 30,
        };
        assert_eq!(all, Some(expected));
        assert_eq!(Timing::of_processes(vec![timing(5.0)]), Some(timing(5.0)));
        assert_eq!(Timing::of_processes(Vec::new()), None);
    }

    #[test]
    fn the_interval_covers_the_median_in_95_of_100_cases() {
        // The exact value is the sum of the binomial probabilities between the two ranks.
        for count in 6..200_usize {
            let (low, high) = interval(count);
            let mut chance = 0.5_f64.powi(count as i32);
            let mut covered = 0.0;
            for below in 0..=count {
                if (low + 1..=high).contains(&below) {
                    covered += chance;
                }
                chance *= (count - below) as f64 / (below + 1) as f64;
            }
            assert!((0.93..0.995).contains(&covered), "{count}: {covered}");
        }
        // Published tables of order statistics give these ranks, counted from 1.
        assert_eq!(interval(30), (9, 20));
        assert_eq!(interval(100), (39, 60));
        assert_eq!(interval(5), (0, 4));
    }

    fn timed<T>(effort: Effort, mut operation: impl FnMut() -> Result<T>) -> Result<Timing> {
        Repeated::with(&mut operation, |mut operation| {
            measure(effort, &mut operation)
        })
    }

    #[test]
    fn a_row_takes_the_requested_number_of_samples() {
        let effort = Effort {
            samples: 30,
            time: Duration::ZERO,
            max_time: Duration::from_mins(1),
            batch: BATCH,
        };
        let mut calls = 0;
        let timing = timed(effort, || {
            calls += 1;
            Ok(())
        })
        .unwrap();
        assert_eq!(timing.samples, 30);
        assert!(calls > 30 && timing.best <= timing.median && timing.median <= timing.p99);
        let impatient = Effort {
            max_time: Duration::ZERO,
            ..effort
        };
        assert_eq!(timed(impatient, || Ok(())).unwrap().samples, FEWEST);
    }

    #[test]
    fn a_result_is_dropped_before_the_next_operation() {
        let alive = Rc::new(());
        let mut most = 0;
        let operation = || {
            most = most.max(Rc::strong_count(&alive));
            Ok(Rc::clone(&alive))
        };
        timed(Effort::QUICK, operation).unwrap();
        assert_eq!((most, Rc::strong_count(&alive)), (1, 1));
    }

    #[test]
    fn an_operation_that_fails_is_not_timed() {
        let result = timed(Effort::QUICK, || Err::<(), _>(Error::input("no")));
        assert_eq!(result.unwrap_err().what(), "no");
    }
}
