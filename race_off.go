//go:build !race

package pumice

const raceDetector = false
