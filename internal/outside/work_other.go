//go:build !unix

package outside

import "time"

var started = time.Now()

// Work is how long this process has run: here nobody tells how long processors worked for it.
func Work() time.Duration { return time.Since(started) }
