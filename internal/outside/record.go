package outside

import (
	"bytes"
	"compress/gzip"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A Record is what a program said, by key. In testdata it is a file whose first line names the program and its
// version; the others are a key, a tab and a value, in the order of keys. A file whose name ends in .gz is compressed.
type Record struct {
	Tool   string // name and version
	Values map[string]string
}

// A Line is what a test expects under a key.
type Line struct{ Key, Value string }

// Recording says that tests with the tag "outside" write to testdata what programs say:
//
//	PUMICE_RECORD=1 go test -tags outside -run '^TestOutside' ./some/package
func Recording() bool { return os.Getenv("PUMICE_RECORD") == "1" }

// Anew is what to do where a record lacks something, for messages of tests in a folder of the module.
const Anew = "record it: PUMICE_RECORD=1 go test -tags outside -run '^TestOutside' in this folder"

// NewRecord is an empty record of what a program at a path says.
func (p Tool) NewRecord(path string) Record {
	return Record{Tool: p.Name + ": " + p.version(path), Values: map[string]string{}}
}

// ReadRecord reads a file; one that is missing is a record of nothing.
func ReadRecord(t testing.TB, file string) Record {
	t.Helper()
	r := Record{Values: map[string]string{}}
	data, err := os.ReadFile(file)
	if os.IsNotExist(err) {
		return r
	}
	if err == nil && strings.HasSuffix(file, ".gz") {
		var z *gzip.Reader
		if z, err = gzip.NewReader(bytes.NewReader(data)); err == nil {
			data, err = io.ReadAll(z)
		}
	}
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	head, rest, _ := strings.Cut(string(data), "\n")
	r.Tool = strings.TrimPrefix(head, "# ")
	for line := range strings.Lines(rest) {
		key, value, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if !ok {
			t.Fatalf("%s: a line without a tab: %q", file, line)
		}
		r.Values[key] = value
	}
	return r
}

// Write writes a record to a file, and says so in the test's log.
func (r Record) Write(t testing.TB, file string) {
	t.Helper()
	var b bytes.Buffer
	b.WriteString("# " + r.Tool + "\n")
	for _, key := range slices.Sorted(maps.Keys(r.Values)) {
		b.WriteString(key + "\t" + r.Values[key] + "\n")
	}
	data := b.Bytes()
	if strings.HasSuffix(file, ".gz") { // its header has neither a name nor a time: what is the same has the same bytes
		var packed bytes.Buffer
		z, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression)
		_, _ = z.Write(data)
		_ = z.Close()
		data = packed.Bytes()
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o644); err != nil {
		t.Fatal(err)
	}
	t.Logf("recorded: %s, %d values, %d bytes", file, len(r.Values), len(data))
}

// Compare fails where the program said something else than is wanted, or nothing. plain takes from what it said what
// is another spelling of the same.
func (r Record) Compare(t testing.TB, want []Line, plain func(string) string) {
	t.Helper()
	wrong := 0
	for _, w := range want {
		got, ok := r.Values[w.Key]
		if ok && plain(got) == w.Value {
			continue
		}
		if wrong++; wrong > 10 {
			continue
		}
		if ok {
			t.Errorf("%s is %q, says %s; want %q", w.Key, got, r.Tool, w.Value)
		} else {
			t.Errorf("%s, which should be %q, is not known of %s: it is wrong, or new; then %s", w.Key, w.Value, r.Tool, Anew)
		}
	}
	if wrong > 0 || len(want) == 0 {
		t.Errorf("%d of %d are not as wanted", wrong, len(want))
	}
}
