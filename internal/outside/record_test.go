package outside

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// watched is a test that counts its errors.
type watched struct {
	testing.TB
	errors int
}

func (w *watched) Helper()               {}
func (w *watched) Errorf(string, ...any) { w.errors++ }

func TestRecord_ReadsWhatItWrites(t *testing.T) {
	for _, name := range []string{"new/record.txt", "new/record.txt.gz"} {
		file := filepath.Join(t.TempDir(), name)
		if r := ReadRecord(t, file); len(r.Values) != 0 {
			t.Errorf("%s is not there: %v", name, r)
		}
		want := Record{Tool: "some: version 3", Values: map[string]string{"b": "2\t3", "a": "", "c": "x y"}}
		want.Write(t, file)
		got := ReadRecord(t, file)
		if got.Tool != want.Tool || !maps.Equal(got.Values, want.Values) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
		first, _ := os.ReadFile(file)
		got.Write(t, file)
		if again, err := os.ReadFile(file); err != nil || string(again) != string(first) {
			t.Errorf("%s: written twice it differs (%v)", name, err)
		}
	}
}

func TestRecord_Compare(t *testing.T) {
	r := Record{Values: map[string]string{"1": "ONE", "2": "two"}}
	for _, c := range []struct {
		want  []Line
		fails bool
	}{
		{[]Line{{"1", "one"}, {"2", "two"}}, false},
		{[]Line{{"1", "one"}, {"2", "TWO"}}, true},
		{[]Line{{"1", "one"}, {"3", "three"}}, true},
		{nil, true}, // nothing was compared
	} {
		w := &watched{TB: t}
		if r.Compare(w, c.want, strings.ToLower); (w.errors > 0) != c.fails {
			t.Errorf("%v: %d errors", c.want, w.errors)
		}
	}
}
