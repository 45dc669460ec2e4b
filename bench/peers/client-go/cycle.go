package main

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/clock"
)

// So many cycles are claimed at a time, so that claiming costs nothing.
const batch = 1000

// Without a name, so without metrics: it then reads no clock and keeps no times.
func newQueue(clock clock.WithTicker) workqueue.TypedRateLimitingInterface[string] {
	return workqueue.NewTypedRateLimitingQueueWithConfig(
		workqueue.DefaultTypedControllerRateLimiter[string](),
		workqueue.TypedRateLimitingQueueConfig[string]{Clock: clock})
}

// A queue that was shown so many keys by a list, in order, has done them, and in which they wait again, in none.
func filled(count int) workqueue.TypedRateLimitingInterface[string] {
	keys := sorted(count)
	queue := newQueue(nil)
	for _, key := range keys {
		queue.Add(key)
	}
	for range keys {
		key, _ := queue.Get()
		queue.Done(key)
	}
	for _, key := range shuffle(keys) {
		queue.Add(key)
	}
	return queue
}

// All keys wait; each worker takes one, is done with it, and adds it again.
func cycle(count, workers, cycles int) (report, error) {
	queue := filled(count)
	var unclaimed, performed atomic.Int64
	unclaimed.Store(int64(cycles))
	var all sync.WaitGroup
	spent := begin()
	for range workers {
		all.Go(func() { performed.Add(work(queue, &unclaimed)) })
	}
	all.Wait()
	wall, cpu := spent()
	if performed.Load() != int64(cycles) || queue.Len() != count {
		return nil, fmt.Errorf("%d cycles, and %d keys are left", performed.Load(), queue.Len())
	}
	return perOperation(wall, cpu, cycles), nil
}

func work(queue workqueue.TypedRateLimitingInterface[string], unclaimed *atomic.Int64) (performed int64) {
	for {
		mine := min(batch, unclaimed.Add(-batch)+batch)
		if mine <= 0 {
			return performed
		}
		for range mine {
			key, _ := queue.Get()
			queue.Done(key)
			queue.Add(key)
			performed++
		}
	}
}

func perOperation(wall, cpu time.Duration, operations int) report {
	return report{
		"per_second": float64(operations) / wall.Seconds(),
		"cpu_ns":     float64(cpu.Nanoseconds()) / float64(operations),
	}
}
