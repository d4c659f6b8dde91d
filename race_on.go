//go:build race

package pumice

// raceDetector: the program is built with the race detector, which sees only
// the Go heap.
const raceDetector = true
