//go:build !unix

package sampling

import "time"

var started = time.Now()

func cpuTime() time.Duration { return time.Since(started) }
