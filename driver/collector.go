//go:build (linux || windows) && cgo

package main

import (
	"runtime"
	"runtime/debug"
)

// The collector first runs when the heap has four MiB, which a process has with its first triangle, and costs a tenth
// of the time until there. So its first run waits for firstHeap times as much; after that it runs as ever.
const firstHeap = 4

// collectLater lets the collector's first run wait. Where GOGC was chosen by the user it stays.
func collectLater() {
	const percent = 100
	if old := debug.SetGCPercent(firstHeap * percent); old != percent {
		debug.SetGCPercent(old)
		return
	}
	runtime.AddCleanup(new([64]byte), func(percent int) { debug.SetGCPercent(percent) }, percent)
}
