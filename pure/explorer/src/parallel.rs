//! The one place where threads are started. What they compute must not depend on how many they are.

use std::thread;

/// Does the work on every item: on the last one here, on the others in threads of their own.
///
/// The threads are named `explorer`, so that a binary can tell a panicking model from a bug of its own.
#[expect(clippy::disallowed_methods, reason = "the explorer alone may use threads")]
pub(crate) fn in_parallel<T: Send>(items: &mut [T], work: impl Fn(&mut T) + Sync) {
    let Some((here, elsewhere)) = items.split_last_mut() else { return };
    thread::scope(|scope| {
        for item in elsewhere {
            let work = &work;
            let spawned =
                thread::Builder::new().name("explorer".into()).spawn_scoped(scope, move || work(item));
            spawned.expect("the operating system starts another thread");
        }
        work(here);
    });
}

/// Does the work in a thread named `explorer`.
#[expect(clippy::disallowed_methods, reason = "the explorer alone may use threads")]
pub(crate) fn in_explorer_thread<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    thread::scope(|scope| {
        let spawned = thread::Builder::new().name("explorer".into()).spawn_scoped(scope, work);
        let joined = spawned.expect("the operating system starts another thread").join();
        joined.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}
