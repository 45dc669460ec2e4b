//! The gate, with tasks that wait before it. Time is tokio's, and stands still while anything can go on.

use std::sync::Arc;

use tokio::sync::{mpsc, oneshot};
use tokio::task::{JoinHandle, yield_now};

use super::*;

const LIMITS: Limits = Limits { ceiling: 100, floor: 1, growth: 0, burst: 100, in_flight: 2 };

/// A call: says its number when it has left, and is under way until it is answered.
fn call(
    gate: &Arc<Gate>,
    number: u32,
    left: &mpsc::UnboundedSender<u32>,
) -> (oneshot::Sender<()>, JoinHandle<()>) {
    let (gate, left) = (Arc::clone(gate), left.clone());
    let (answer, answered) = oneshot::channel();
    let task = tokio::spawn(async move {
        let _seat = gate.enter().await;
        left.send(number).ok();
        answered.await.ok();
    });
    (answer, task)
}

#[tokio::test(start_paused = true)]
async fn no_more_leave_than_there_are_seats_and_all_in_the_order_of_arrival() {
    let gate = Arc::new(Gate::new(LIMITS));
    let (left, mut seen) = mpsc::unbounded_channel();
    let mut answers = Vec::new();
    for number in 0..6 {
        answers.push(call(&gate, number, &left).0);
        // Until it stands in the queue.
        yield_now().await;
    }
    assert_eq!((seen.recv().await, seen.recv().await), (Some(0), Some(1)));
    for (next, answer) in (2..6).zip(answers) {
        assert!(seen.try_recv().is_err(), "{next} did not wait");
        answer.send(()).ok();
        assert_eq!(seen.recv().await, Some(next));
    }
}

#[tokio::test(start_paused = true)]
async fn one_who_gives_up_holds_nobody_up() {
    let gate = Arc::new(Gate::new(LIMITS));
    let (left, mut seen) = mpsc::unbounded_channel();
    let calls: Vec<_> = (0..2).map(|number| call(&gate, number, &left)).collect();
    assert_eq!((seen.recv().await, seen.recv().await), (Some(0), Some(1)));
    // The first in the queue holds the turn, the second waits for it.
    let waiting: Vec<_> = (2..5).map(|number| call(&gate, number, &left)).collect();
    yield_now().await;
    for (_, task) in &waiting[..2] {
        task.abort();
    }
    drop(calls);
    assert_eq!(seen.recv().await, Some(4));
}

#[tokio::test(start_paused = true)]
async fn calls_leave_at_the_rate_and_at_half_of_it_after_a_refusal() {
    let gate = Gate::new(Limits { burst: 1, in_flight: 20, ..LIMITS });
    let begun = Instant::now();
    for _ in 0..11 {
        drop(gate.enter().await);
    }
    assert_eq!(begun.elapsed().as_millis(), 100);
    gate.enter().await.throttled();
    assert_eq!(gate.rate(), 50);
    let begun = Instant::now();
    for _ in 0..10 {
        drop(gate.enter().await);
    }
    assert_eq!(begun.elapsed().as_millis(), 200);
}

/// Who came first has been told to wait for long, and the rate has grown since: who comes now could leave earlier.
#[tokio::test(start_paused = true)]
async fn nobody_overtakes_one_who_waits_for_the_rate() {
    let limits = Limits { ceiling: 1000, floor: 1, growth: 1000, burst: 1, in_flight: 20 };
    let gate = Arc::new(Gate::new(limits));
    for now in 1..=12 {
        gate.budget().throttled(Millis(now), Millis(now));
    }
    let (left, mut seen) = mpsc::unbounded_channel();
    let _first = call(&gate, 1, &left);
    yield_now().await;
    tokio::time::advance(Duration::from_millis(100)).await;
    let _second = call(&gate, 2, &left);
    assert_eq!((seen.recv().await, seen.recv().await), (Some(1), Some(2)));
}
