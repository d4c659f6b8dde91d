package explain

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the texts of testdata anew")

// read is an explanation of testdata; a name that the contract does not have is an error.
func read(t *testing.T, name string) *Explanation {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	e := new(Explanation)
	d := json.NewDecoder(f)
	d.DisallowUnknownFields()
	if err := d.Decode(e); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return e
}

func TestWriteText_AsInTestdata(t *testing.T) {
	for file, c := range map[string]struct {
		name string
		o    TextOptions
	}{
		"glass.txt":         {"glass", TextOptions{}},
		"glass-verbose.txt": {"glass", TextOptions{Verbose: true}},
		"edge-verbose.txt":  {"edge", TextOptions{Verbose: true}},
		"hostile.txt":       {"hostile", TextOptions{Verbose: true}},
		"glass-color.txt":   {"glass", TextOptions{Color: true}},
	} {
		var b bytes.Buffer
		if err := WriteText(&b, read(t, c.name), c.o); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join("testdata", file)
		if *update {
			if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(want), b.String()); d != "" {
			t.Errorf("%s (-update writes it anew):\n%s", file, d)
		}
	}
}

// What files name stands in the text without a character that a terminal would obey.
func TestWriteText_NamesAreOnlySeen(t *testing.T) {
	var b bytes.Buffer
	e := read(t, "hostile")
	if err := WriteText(&b, e, TextOptions{Verbose: true}); err != nil {
		t.Fatal(err)
	}
	if !strings.ContainsRune(e.Target.Image, '\x1b') || !strings.ContainsRune(e.Target.Image, '\u202e') {
		t.Fatalf("the name is harmless: %q", e.Target.Image)
	}
	for i, r := range b.String() {
		if r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) {
			t.Errorf("%U at %d: %q", r, i, b.String()[max(0, i-30):i+1])
		}
	}
}

// The products of blending are of the bits, in binary32: 0.1·0.1 is 0.010000001 there.
func TestBlend_ArithmeticIsOfTheBits(t *testing.T) {
	tenth := Value{Bits: "3dcccccd 3dcccccd 3dcccccd 3dcccccd", Text: "0.1, 0.1, 0.1, 0.1"}
	for op, want := range map[string]string{
		"ADD":              "0.1 · 0.1 + 0.1 · 0.1 = 0.010000001 + 0.010000001",
		"SUBTRACT":         "0.1 · 0.1 − 0.1 · 0.1 = 0.010000001 − 0.010000001",
		"REVERSE_SUBTRACT": "0.1 · 0.1 − 0.1 · 0.1 = 0.010000001 − 0.010000001",
		"MIN":              "min(0.1, 0.1)",
		"MULTIPLY_EXT":     "",
	} {
		b := Blend{Enabled: true, Source: tenth, Destination: tenth, SourceFactors: tenth, DestinationFactors: tenth, Op: op + ", ADD"}
		if got := b.arithmetic(0); got != want {
			t.Errorf("%s: %q, want %q", op, got, want)
		}
	}
	b := Blend{Source: Value{Text: "2, 3"}, SourceFactors: Value{Text: "5, 7"}, Destination: Value{Text: "11, 13"}, DestinationFactors: Value{Text: "17, 19"}, Op: "REVERSE_SUBTRACT, ADD"}
	if got, want := b.arithmetic(1), "13 · 19 − 3 · 7 = 247 − 21"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// Primitives in a row that miss the sample are one line, by reason; with Verbose each has its own.
func TestWriteText_FoldsMissedPrimitives(t *testing.T) {
	fragment := func(id int, rule, reason string) Fragment {
		return Fragment{Primitive: Primitive{ID: id, Vertices: make([]Vertex, 3)}, Outcome: Missed, Reason: reason, Steps: []Step{{Rule: rule, Text: reason, Failed: true}}}
	}
	e := &Explanation{Events: []Event{{Kind: Draw, Where: "pass 0, draw 0", Outcome: Missed, Reason: "culled", Draw: &Drawn{Primitives: 4, Fragments: []Fragment{
		fragment(1, "RAS-235", "back-facing"), fragment(2, "RAS-238", "beside it"), fragment(3, "RAS-235", "back-facing"), fragment(4, "RAS-235", "back-facing"),
	}}}}}
	var short, long strings.Builder
	if err := WriteText(&short, e, TextOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := WriteText(&long, e, TextOptions{Verbose: true}); err != nil {
		t.Fatal(err)
	}
	if s := short.String(); !strings.Contains(s, "4 primitives") || !strings.Contains(s, "3: back-facing; 1: beside it") || strings.Contains(s, "triangle 2") {
		t.Errorf("not folded:\n%s", s)
	}
	if s := long.String(); strings.Contains(s, "4 primitives") || !strings.Contains(s, "triangle 2") {
		t.Errorf("folded all the same:\n%s", s)
	}
}
