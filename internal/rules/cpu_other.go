//go:build !unix

package rules

import "time"

var start = time.Now()

// CPU is the time since the start: see the file for Unix.
func CPU() time.Duration { return time.Since(start) }
