package main

import "fmt"

// The keys in order, as a list brings them.
func sorted(count int) []string {
	keys := make([]string, count)
	for i := range keys {
		keys[i] = fmt.Sprintf("service-%06d/team-%03d", i, i%100)
	}
	return keys
}

// Puts keys into an order that is none, which is the same for all contestants: nobody shall profit from neighbours that
// come together.
func shuffle(keys []string) []string {
	shuffled := uint64(0x9e3779b97f4a7c15)
	for i := len(keys) - 1; i > 0; i-- {
		shuffled ^= shuffled << 13
		shuffled ^= shuffled >> 7
		shuffled ^= shuffled << 17
		j := int(shuffled % uint64(i+1))
		keys[i], keys[j] = keys[j], keys[i]
	}
	return keys
}
