//go:build linux && cgo

package main

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"
)

// The collector's first run waits, later ones do not; GOGC stays what the user chose.
func TestCollectLater_OnceAndNotAgainstGOGC(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	percent := func() int {
		s := []metrics.Sample{{Name: "/gc/gogc:percent"}}
		metrics.Read(s)
		return int(s[0].Value.Uint64())
	}
	for chosen, wait := range map[int]int{100: 100 * firstHeap, 50: 50} {
		debug.SetGCPercent(chosen)
		if collectLater(); percent() != wait {
			t.Errorf("GOGC=%d: the first run waits for %d %%, want %d", chosen, percent(), wait)
		}
		runtime.GC()
		for end := time.Now().Add(10 * time.Second); percent() != chosen && time.Now().Before(end); {
			time.Sleep(time.Millisecond)
		}
		if percent() != chosen {
			t.Errorf("GOGC=%d: after the first run it is %d", chosen, percent())
		}
	}
}
