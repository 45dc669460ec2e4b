package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	testing "k8s.io/utils/clock/testing"
)

// Begins to measure; what is returned says what was spent since.
func begin() func() (wall, cpu time.Duration) {
	started, used := time.Now(), processor()
	return func() (time.Duration, time.Duration) { return time.Since(started), processor() - used }
}

// What all threads of this process have used, those of the garbage collector too.
func processor() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// All keys wait, and what the queue holds for each.
func waitingMemory(count int) (report, error) {
	return memory(count, func(keys []string) any {
		queue := newQueue(nil)
		for _, key := range keys {
			queue.Add(key)
		}
		return queue
	})
}

// All keys come later, and what the queue holds for each.
func laterMemory(count int) (report, error) {
	return memory(count, func(keys []string) any {
		// Its clock stands still. Those that its own goroutine has not taken yet, a thousand at most, are counted too.
		queue := newQueue(testing.NewFakeClock(time.Unix(0, 0)))
		for i, key := range keys {
			queue.AddAfter(key, rest(i, count))
		}
		return queue
	})
}

// The keys themselves are not counted: they are somebody else's.
func memory(count int, fill func([]string) any) (report, error) {
	keys := shuffle(sorted(count))
	before, err := resident()
	if err != nil {
		return nil, err
	}
	queue := fill(keys)
	after, err := resident()
	if err != nil {
		return nil, err
	}
	runtime.KeepAlive(queue)
	runtime.KeepAlive(keys)
	return report{"bytes_per_key": (after - before) / float64(count)}, nil
}

// Resident memory, in bytes, after all garbage was collected and given back: the least that it can be said to need.
func resident() (float64, error) {
	debug.FreeOSMemory()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(status)) {
		var kib float64
		if read, _ := fmt.Sscanf(line, "VmRSS: %f kB", &kib); read == 1 {
			return kib * 1024, nil
		}
	}
	return 0, fmt.Errorf("a process has memory")
}
