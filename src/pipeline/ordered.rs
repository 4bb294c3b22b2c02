//! Runs work on many threads and delivers the results in order.

use std::sync::Mutex;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use super::thread::start_scoped;
use crate::error::{Error, Kind, Result};

/// An item, and the channel for its result.
type QueuedItem<I, O> = (I, SyncSender<Result<O>>);

/// Like `in_order_from`, with items from an iterator.
///
/// # Errors
/// The first error in the order of the items, whether of an item, the work or the sink; later items are abandoned.
pub fn in_order<I: Send, O: Send, S>(
    threads: usize,
    ahead: usize,
    mut items: impl Iterator<Item = Result<I>> + Send,
    scratch: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, I) -> Result<O> + Sync,
    sink: impl FnMut(O) -> Result<()>,
) -> Result<()> {
    let make = |take: Take<'_, I>| items.try_for_each(|item| take(item?, 1));
    let ahead = Ahead {
        results: ahead,
        items: 0,
    };
    in_order_from(threads, ahead, make, scratch, work, sink)
}

/// How far each stage may run ahead of the next.
#[derive(Clone, Copy, Debug)]
pub struct Ahead {
    /// Total weight of the results that may wait for the sink or for an earlier result.
    pub results: usize,
    /// Number of items that may wait for a free thread. With 0, `make` blocks until a thread takes its item, which
    /// suits large items.
    pub items: usize,
}

/// Accepts an item and the weight of its result, at least 1; after an error, `make` should stop.
pub type Take<'a, I> = &'a mut dyn FnMut(I, usize) -> Result<()>;

/// Runs `work` on `threads` threads, for every item that `make` produces, and passes the results to `sink` in the order
/// of the items. `sink` runs on the calling thread and `make` on a separate one. Returns the result of `make`.
///
/// At most `ahead.results` (by weight) and three more items are in progress, so memory is bounded for any number of
/// items. Each working thread has its own scratch. With one thread, everything runs on the caller's.
///
/// # Errors
/// The first error in the order of the items, whether from `make`, `work` or `sink`; later items are abandoned.
pub fn in_order_from<I: Send, O: Send, S, R: Send>(
    threads: usize,
    ahead: Ahead,
    make: impl FnOnce(Take<'_, I>) -> Result<R> + Send,
    scratch: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, I) -> Result<O> + Sync,
    mut sink: impl FnMut(O) -> Result<()>,
) -> Result<R> {
    if threads <= 1 {
        let mut scratch = scratch();
        return make(&mut |item, _| sink(work(&mut scratch, item)?));
    }
    // The receivers of the results queue up in order.
    let (job_sender, jobs) = sync_channel::<QueuedItem<I, O>>(ahead.items);
    let jobs = Mutex::new(jobs);
    // An item of weight n takes n places; all but the first are empty.
    let (order_sender, order) = sync_channel::<Option<Receiver<Result<O>>>>(ahead.results);
    let work_on_jobs = || {
        let mut scratch = scratch();
        loop {
            let job = jobs.lock().ok().and_then(|jobs| jobs.recv().ok());
            let Some((item, sender)) = job else { return };
            let _ = sender.send(work(&mut scratch, item));
        }
    };
    std::thread::scope(|scope| {
        // More threads would be idle, and each has its own memory.
        for started in 0..threads.min(ahead.results + 1) {
            match start_scoped(scope, work_on_jobs) {
                Ok(_) => {}
                // Continue with fewer threads.
                Err(_) if started > 0 => break,
                Err(error) => return Err(error),
            }
        }
        // If the thread cannot be started, the sender is dropped, which ends the other threads.
        let making = start_scoped(scope, move || {
            make(&mut |item, weight| {
                let (sender, receiver) = sync_channel(1);
                // The receiver is gone after the sink or some work has failed; that error is reported there.
                let stopped = || Error::new(Kind::Io, "stopped");
                let places = std::iter::once(Some(receiver)).chain((1..weight).map(|_| None));
                for place in places {
                    order_sender.send(place).map_err(|_| stopped())?;
                }
                job_sender.send((item, sender)).map_err(|_| stopped())
            })
        })?;
        for result in order.iter().flatten() {
            // Only a thread that panics drops its sender unused, and the scope propagates the panic.
            let Ok(result) = result.recv() else { break };
            if let Err(error) = result.and_then(&mut sink) {
                drop(order);
                return Err(error);
            }
        }
        let panicked = |_| Error::input("a thread panicked");
        making.join().map_err(panicked)?
    })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_items() {
        for threads in [1, 2, 7] {
            let mut seen = Vec::new();
            let work = |(): &mut (), item: u64| {
                std::thread::sleep(std::time::Duration::from_micros(item * 37 % 200));
                Ok(item * 2)
            };
            in_order(
                threads,
                1,
                (0..100).map(Ok),
                || (),
                work,
                |result| {
                    seen.push(result);
                    Ok(())
                },
            )
            .unwrap();
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
            let error = in_order(
                threads,
                1,
                (0..).map(Ok),
                || (),
                work,
                |_| {
                    seen += 1;
                    Ok(())
                },
            )
            .unwrap_err();
            assert_eq!((error.what(), seen), ("item 10", 10));

            let items = (0..).map(|item| {
                if item < 5 {
                    Ok(item)
                } else {
                    Err(Error::input("no item"))
                }
            });
            let error = in_order(threads, 1, items, || (), work, |_| Ok(())).unwrap_err();
            assert_eq!(error.what(), "no item");

            let full = |_| Err(Error::input("full"));
            assert_eq!(
                in_order(threads, 1, (0..).map(Ok), || (), work, full)
                    .unwrap_err()
                    .what(),
                "full"
            );
        }
    }

    #[test]
    fn items_under_way_are_bounded() {
        // The places for results, the weight of every item, and how many items may wait.
        for (results, weight, waiting) in [(2, 1, 2), (4, 2, 2), (4, 3, 2), (4, 4, 1)] {
            let begun = AtomicUsize::new(0);
            let make_all = |take: Take<'_, usize>| {
                (0..1000).try_for_each(|item| {
                    begun.fetch_add(1, Ordering::SeqCst);
                    take(item, weight)
                })
            };
            let mut done = 0;
            in_order_from(
                3,
                Ahead { results, items: 0 },
                make_all,
                || (),
                |(), item| Ok(item),
                |_| {
                    done += 1;
                    // The finished item, those in the queue, and the one being made.
                    assert!(begun.load(Ordering::SeqCst) <= done + waiting + 1);
                    Ok(())
                },
            )
            .unwrap();
        }
    }
}
