package golden

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/explain"
)

// save writes files into a folder of their own and tells in one line where they are.
func save(t testing.TB, path string, writers map[string]func(string) error, names ...string) string {
	dir, err := folder(t, strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)))
	if err != nil {
		return "cannot keep what was drawn: " + oneLine(err)
	}
	var kept, failed []string
	for _, name := range names {
		if err := writers[name](filepath.Join(dir, name)); err != nil {
			failed = append(failed, fmt.Sprintf("; cannot write %s: %s", name, oneLine(err)))
			continue
		}
		kept = append(kept, name)
	}
	return "in " + dir + ": " + strings.Join(kept, ", ") + strings.Join(failed, "")
}

// folder makes a folder for what a failure leaves. That of the artifacts is removed after the
// test unless -artifacts was given.
func folder(t testing.TB, name string) (string, error) {
	if f := flag.Lookup("test.artifacts"); f == nil || f.Value.String() != "true" {
		return os.MkdirTemp("", "golden-"+name+"-*")
	}
	dir := t.ArtifactDir()
	for n := 1; ; n++ { // a test may compare several pictures of one name
		try := filepath.Join(dir, name)
		if n > 1 {
			try = fmt.Sprintf("%s-%d", try, n)
		}
		if err := os.Mkdir(try, 0o755); !errors.Is(err, os.ErrExist) {
			return try, err
		}
	}
}

// writeText writes explanations for people.
func writeText(file string, explanations []*explain.Explanation) error {
	return write(file, func(f *os.File) error {
		for i, e := range explanations {
			if i > 0 {
				if _, err := fmt.Fprintln(f); err != nil {
					return err
				}
			}
			if err := explain.WriteText(f, e, explain.TextOptions{Verbose: true}); err != nil {
				return err
			}
		}
		return nil
	})
}

// writeJSON writes explanations for programs: an array.
func writeJSON(file string, explanations []*explain.Explanation) error {
	return write(file, func(f *os.File) error {
		enc := json.NewEncoder(f)
		enc.SetIndent("", "  ")
		return enc.Encode(explanations)
	})
}

func write(file string, content func(*os.File) error) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	return errors.Join(content(f), f.Close())
}

func oneLine(err error) string { return strings.ReplaceAll(err.Error(), "\n", "; ") }
