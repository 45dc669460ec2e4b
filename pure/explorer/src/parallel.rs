//! The one place where threads are started. What they compute must not depend on how many they are.

use std::num::NonZeroUsize;

use rayon::prelude::*;

use crate::options::Refused;

/// Does the work in a pool of so many threads, in which [`in_parallel`] then finds them.
///
/// They are named `explorer`, so that a binary can tell a panicking model from a bug of its own.
pub(crate) fn in_pool<T: Send>(
    threads: NonZeroUsize,
    work: impl FnOnce() -> Result<T, Refused> + Send,
) -> Result<T, Refused> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.get()).thread_name(|_| "explorer".into());
    pool.build().map_err(|_| Refused::NoThreads(threads.get()))?.install(work)
}

/// Does the work on every item, by all threads of the pool.
pub(crate) fn in_parallel<T: Send>(items: &mut [T], work: impl Fn(&mut T) + Sync + Send) {
    match items {
        [item] => work(item),
        items => items.par_iter_mut().with_max_len(1).for_each(work),
    }
}
