//go:build amd64 || arm64

package code

import (
	"bytes"
	"runtime"
	"testing"
	"time"
)

// store writes 0x12345678 to the second word of the frame.
var store = map[string][]byte{
	"amd64": {0xC7, 0x47, 4, 0x78, 0x56, 0x34, 0x12, 0xC3},
	"arm64": {0x09, 0xCF, 0x8A, 0x52, 0x89, 0x46, 0xA2, 0x72, 0x09, 4, 0, 0xB9, 0xC0, 3, 0x5F, 0xD6}, // MOVZ, MOVK, STR, RET
}[runtime.GOARCH]

// load is Load of what must run here.
func load(t *testing.T, text []byte) *Code {
	t.Helper()
	if err := Refused(); err != nil {
		t.Skipf("the system refuses executable memory: %v", err)
	}
	c, err := Load(text)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Code runs, that of before it as well, and says what it is.
func TestLoad_Runs(t *testing.T) {
	for first, second := load(t, store), load(t, store); first != nil; first, second = second, nil {
		var frame [2]uint32
		first.Call(address(&frame[0]))
		if frame != [2]uint32{0, 0x12345678} {
			t.Errorf("the code wrote %#x", frame)
		}
		if !bytes.Equal(first.Bytes(), store) {
			t.Errorf("the code is % x", first.Bytes())
		}
	}
}

// Memory of codes that nobody has is given back: of 10,000 codes of 4 KiB, of which a few live, a few mappings are left.
func TestLoad_GivesMemoryBack(t *testing.T) {
	text := bytes.Repeat([]byte{0xC3}, 4096)
	load(t, text)
	start := Mappings()
	for i := range 10_000 {
		load(t, text)
		if i%500 == 0 {
			runtime.GC()
		}
	}
	for i := 0; Mappings() > start+2 && i < 2000; i++ {
		runtime.GC()
		time.Sleep(10 * time.Millisecond)
	}
	if n := Mappings(); n > start+2 {
		t.Errorf("%d mappings of memory for code, %d before", n, start)
	}
}
