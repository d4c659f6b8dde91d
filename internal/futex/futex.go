// Package futex has a goroutine wait in the system until a word changes. The scheduler of Go wakes
// goroutines one after the other, each by way of a thread that looks for work: the last of sixteen
// comes a third of a millisecond late. Those that wait here are woken by one call each.
//
// Only Linux has that. Elsewhere Sleep does not wait, so that callers end goroutines instead, and
// start others.
package futex
