// One run of client-go's typed rate-limiting work queue, to be measured by `cargo xtask bench workqueue`.
//
// bench/workqueue does the same with ours: same keys, same order, same cycle, same words on the command line and in
// what is printed.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
)

func main() {
	report, err := run(os.Args[1:])
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(report)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// A quantity by its name, with its unit at the end.
type report map[string]float64

func run(words []string) (report, error) {
	if len(words) == 0 {
		return nil, fmt.Errorf("it takes cycle KEYS WORKERS CYCLES, later KEYS ROUNDS, waiting-memory KEYS or later-memory KEYS")
	}
	numbers := make([]int, 0, 3)
	for _, word := range words[1:] {
		number, err := strconv.Atoi(word)
		if err != nil || number < 1 {
			return nil, fmt.Errorf("`%s` is no number", word)
		}
		numbers = append(numbers, number)
	}
	switch {
	case words[0] == "cycle" && len(numbers) == 3:
		return cycle(numbers[0], numbers[1], numbers[2])
	case words[0] == "later" && len(numbers) == 2:
		return later(numbers[0], numbers[1])
	case words[0] == "waiting-memory" && len(numbers) == 1:
		return waitingMemory(numbers[0])
	case words[0] == "later-memory" && len(numbers) == 1:
		return laterMemory(numbers[0])
	}
	return nil, fmt.Errorf("%v is not understood", words)
}
