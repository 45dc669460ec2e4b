package main

import (
	"fmt"
	"time"

	testing "k8s.io/utils/clock/testing"
)

// No longer than the queue sleeps when it has missed that its time has come.
const heartbeat = 10 * time.Second

// When the i-th of so many keys comes: one a millisecond, in an order that is none. The factor is a prime.
func rest(i, count int) time.Duration {
	return time.Duration(i*48271%count+1) * time.Millisecond
}

// All keys come later, each at a moment of its own; then that time is over, and each is taken and done.
func later(count, rounds int) (report, error) {
	keys := shuffle(sorted(count))
	clock := testing.NewFakeClock(time.Unix(0, 0))
	queue := newQueue(clock)
	spent := begin()
	for range rounds {
		for i, key := range keys {
			queue.AddAfter(key, rest(i, count))
		}
		clock.Step(time.Duration(count+1) * time.Millisecond)
		ended := make(chan struct{})
		// A step between its look at the clock and its setting of the timer is one that it misses.
		go func() {
			for {
				select {
				case <-ended:
					return
				case <-time.After(time.Millisecond):
					clock.Step(heartbeat)
				}
			}
		}()
		for range keys {
			key, _ := queue.Get()
			queue.Done(key)
		}
		close(ended)
	}
	wall, cpu := spent()
	if queue.Len() != 0 {
		return nil, fmt.Errorf("%d keys are left", queue.Len())
	}
	return perOperation(wall, cpu, rounds*count), nil
}
