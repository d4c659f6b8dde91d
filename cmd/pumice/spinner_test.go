package main

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

// A spinner tells what is done, and leaves an empty line; a nil one does nothing.
func TestSpinner_TellsAndCleansUp(t *testing.T) {
	var out bytes.Buffer
	s := startSpinner(&out, time.Millisecond)
	s.say("drawing a model")
	for told := false; !told; time.Sleep(time.Millisecond) {
		s.mu.Lock()
		told = strings.Contains(out.String(), clearLine+"drawing a model, ")
		s.mu.Unlock()
	}
	s.end()
	s.end()
	if text := out.String(); !strings.HasSuffix(text, clearLine) {
		t.Errorf("it leaves %q", text)
	}
	none := newSpinner(&out)
	none.say("nothing")
	none.clear()
	none.end()
	if none != nil {
		t.Error("a buffer is taken for a terminal")
	}
}
