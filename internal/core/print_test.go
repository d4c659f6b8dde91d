package core

import (
	"strings"
	"testing"
)

func TestPrint_Bounded(t *testing.T) {
	d := open(t)
	n, last := 0, Message{}
	d.cfg.Debug = func(m Message) { n, last = n+len(m.Text), m }
	d.print("main", "first")
	if last.Text != "shader main: first" || last.Op != PrintOp || last.Severity != SeverityInfo {
		t.Errorf("%+v", last)
	}
	for range 3 * MaxPrinted / 1024 {
		d.print("main", strings.Repeat("x", 1023))
	}
	if n > MaxPrinted+64<<10 || !strings.HasSuffix(last.Text, "is dropped") {
		t.Errorf("%d bytes, the last ends %q", n, last.Text[len(last.Text)-20:])
	}
}
