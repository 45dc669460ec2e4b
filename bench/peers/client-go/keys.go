package main

import "fmt"

// The keys, in an order that is none, which is the same for all contestants.
//
// They are made in order, and then shuffled: neither a map nor a tree shall profit from neighbours that come together.
func keys(count int) []string {
	keys := make([]string, count)
	for i := range keys {
		keys[i] = fmt.Sprintf("team-%03d/service-%06d", i%100, i)
	}
	shuffled := uint64(0x9e3779b97f4a7c15)
	for i := count - 1; i > 0; i-- {
		shuffled ^= shuffled << 13
		shuffled ^= shuffled >> 7
		shuffled ^= shuffled << 17
		j := int(shuffled % uint64(i+1))
		keys[i], keys[j] = keys[j], keys[i]
	}
	return keys
}
