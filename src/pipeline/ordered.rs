//! Runs work on many threads and delivers the results in order.

use std::panic::resume_unwind;

use super::queue::{Queue, QueueItem, QueueLimits};
use super::thread::start_scoped;
use crate::error::Result;

/// Like `in_order_from`, with items from an iterator. Each has the weight 1.
///
/// # Errors
/// The first error in the order of the items, whether of an item, the work or the sink; later items are abandoned.
pub fn in_order<I: Send, O: Send, S>(
    threads: usize,
    bounds: QueueLimits,
    mut items: impl Iterator<Item = Result<I>> + Send,
    scratch: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, I) -> Result<O> + Sync,
    sink: impl FnMut(O) -> Result<()>,
) -> Result<()> {
    let make = |take: Take<'_, I>| {
        items.try_for_each(|item| {
            take(QueueItem {
                value: item?,
                weight: 1,
                has_next: false,
            })
        })
    };
    let work = |scratch: &mut S, item| work(scratch, item).map(Some);
    in_order_from(threads, bounds, make, scratch, work, sink)
}

/// Accepts an item; after an error, `make` should stop.
pub type Take<'a, I> = &'a mut dyn FnMut(QueueItem<I>) -> Result<()>;

/// Runs `work` on `threads` threads, for every item that `make` produces, and passes the results, if any, to `sink` in the
/// order of the items. `sink` runs on the calling thread and `make` on a separate one. Returns the result of `make`.
///
/// The items in progress are bounded, and so is memory. Each working thread has its own scratch. With one thread,
/// everything runs on the caller's.
///
/// # Errors
/// The first error in the order of the items, whether from `make`, `work` or `sink`; later items are abandoned.
pub fn in_order_from<I: Send, O: Send, S, R: Send>(
    threads: usize,
    bounds: QueueLimits,
    make: impl FnOnce(Take<'_, I>) -> Result<R> + Send,
    scratch: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, I) -> Result<Option<O>> + Sync,
    mut sink: impl FnMut(O) -> Result<()>,
) -> Result<R> {
    if threads <= 1 {
        let mut scratch = scratch();
        return make(&mut |item| work(&mut scratch, item.value)?.map_or(Ok(()), &mut sink));
    }
    let queue = &Queue::new(bounds);
    std::thread::scope(|scope| {
        let _stop = AtEnd(|| queue.stop());
        let work_on_items = || {
            // If this thread panics, stop the queue, since others may wait for its result.
            let _stop = AtEnd(|| {
                if std::thread::panicking() {
                    queue.stop();
                }
            });
            let mut scratch = scratch();
            queue.work(|item| work(&mut scratch, item));
        };
        // More threads would be idle, and each has its own memory.
        for started in 0..threads.min(bounds.weight) {
            match start_scoped(scope, work_on_items) {
                Ok(_) => {}
                // Continue with fewer threads.
                Err(_) if started > 0 => break,
                Err(error) => return Err(error),
            }
        }
        let making = start_scoped(scope, move || {
            let _close = AtEnd(|| queue.close());
            make(&mut |item| queue.push(item))
        })?;
        while let Some(result) = queue.next() {
            result.and_then(&mut sink)?;
        }
        making.join().unwrap_or_else(|panic| resume_unwind(panic))
    })
}

/// Runs a function when dropped.
struct AtEnd<F: FnMut()>(F);

impl<F: FnMut()> Drop for AtEnd<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::error::Error;

    const ONE: QueueLimits = QueueLimits {
        weight: 1,
        waiting: 0,
    };

    #[test]
    fn results_come_in_the_order_of_the_items() {
        for threads in [1, 2, 7] {
            let mut seen = Vec::new();
            let work = |(): &mut (), item: u64| {
                std::thread::sleep(std::time::Duration::from_micros(item * 37 % 200));
                Ok(item * 2)
            };
            let sink = |result| {
                seen.push(result);
                Ok(())
            };
            in_order(threads, ONE, (0..100).map(Ok), || (), work, sink).unwrap();
            assert_eq!(seen, (0..100).map(|item| item * 2).collect::<Vec<_>>());
        }
    }

    #[test]
    fn the_first_error_in_order_ends_it() {
        for threads in [1, 2, 7] {
            let work = |(): &mut (), item: u64| match item {
                10.. => Err(Error::input(format!("item {item}"))),
                _ => Ok(item),
            };
            let mut seen = 0;
            let count = |_| {
                seen += 1;
                Ok(())
            };
            let error = in_order(threads, ONE, (0..).map(Ok), || (), work, count).unwrap_err();
            assert_eq!((error.what(), seen), ("item 10", 10));

            let items = (0..).map(|item| {
                if item < 5 {
                    Ok(item)
                } else {
                    Err(Error::input("no item"))
                }
            });
            let error = in_order(threads, ONE, items, || (), work, |_| Ok(())).unwrap_err();
            assert_eq!(error.what(), "no item");

            let full = |_| Err(Error::input("full"));
            let error = in_order(threads, ONE, (0..).map(Ok), || (), work, full).unwrap_err();
            assert_eq!(error.what(), "full");
        }
    }

    #[test]
    fn items_under_way_are_bounded() {
        // The bound, the weight of every item, and the most items in progress.
        for (bound, weight, most) in [(3, 1, 3), (4, 2, 2), (4, 3, 1), (4, 5, 1)] {
            let begun = AtomicUsize::new(0);
            let make_all = |take: Take<'_, usize>| {
                (0..1000).try_for_each(|item| {
                    begun.fetch_add(1, Ordering::SeqCst);
                    take(QueueItem {
                        value: item,
                        weight,
                        has_next: item % 3 == 0,
                    })
                })
            };
            let bounds = QueueLimits {
                weight: bound,
                waiting: 0,
            };
            let mut done = 0;
            in_order_from(
                3,
                bounds,
                make_all,
                || (),
                |(), item| Ok(Some(item)),
                |_| {
                    // One more is being made.
                    assert!(begun.load(Ordering::SeqCst) <= done + most + 1);
                    done += 1;
                    Ok(())
                },
            )
            .unwrap();
        }
    }

    #[test]
    fn items_without_a_result_do_not_reach_the_sink() {
        // Every item, none, and some in between have a result.
        for (threads, divisor) in [(1, 3), (2, 1), (2, 5), (3, 1000), (7, 3)] {
            let make = |take: Take<'_, usize>| {
                (1..1000).try_for_each(|item| {
                    take(QueueItem {
                        value: item,
                        weight: 1,
                        has_next: item % 7 != 0,
                    })
                })
            };
            let mut seen = Vec::new();
            in_order_from(
                threads,
                QueueLimits::large(4),
                make,
                || (),
                |(), item| Ok(Some(item).filter(|item| item % divisor == 0)),
                |item| {
                    seen.push(item);
                    Ok(())
                },
            )
            .unwrap();
            let expected: Vec<usize> = (1..1000).filter(|item| item % divisor == 0).collect();
            assert_eq!(seen, expected);
        }
    }

    #[test]
    fn nobody_waits_for_a_thread_that_panicked() {
        for panics in ["make", "work", "sink"] {
            let panic_in = |place: &str, item: usize| assert!(place != panics || item < 5);
            let all = || {
                let items = (0..1000).map(|item| {
                    panic_in("make", item);
                    Ok(item)
                });
                let work = |(): &mut (), item| {
                    panic_in("work", item);
                    Ok(item)
                };
                let sink = |item| {
                    panic_in("sink", item);
                    Ok(())
                };
                in_order(3, QueueLimits::large(4), items, || (), work, sink)
            };
            assert!(std::panic::catch_unwind(all).is_err(), "{panics}");
        }
    }
}
