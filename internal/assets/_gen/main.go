// Command _gen makes internal/assets/testdata from files of other projects, which testdata/README.md names:
//
//	go run ./internal/assets/_gen -from folder
//
// The folder holds copies of them in any order: each file is found by its SHA-256. testdata/sums.txt lists what is
// made, and of which originals: most are copies, the rest are made smaller by the functions of derive.go.
package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"strings"
)

const testdata = "internal/assets/testdata"

func main() {
	log.SetFlags(0)
	from := flag.String("from", "", "a folder with the originals")
	flag.Parse()
	if err := run(*from); err != nil {
		log.Fatal(err)
	}
}

func run(from string) error {
	known, err := originals(from)
	if err != nil {
		return err
	}
	list, err := os.ReadFile(filepath.Join(testdata, "sums.txt"))
	if err != nil {
		return err
	}
	var out bytes.Buffer
	for line := range strings.Lines(string(list)) {
		if strings.HasPrefix(line, "#") {
			out.WriteString(line)
			continue
		}
		// The sum of the file, its path; and those of its originals where it is no copy.
		fields := strings.Fields(line)
		if len(fields) < 2 {
			return fmt.Errorf("sums.txt: %q", line)
		}
		name, sources := fields[1], fields[2:]
		if len(sources) == 0 {
			sources = fields[:1]
		}
		var data [][]byte
		for _, sum := range sources {
			path, ok := known[sum]
			if !ok {
				return fmt.Errorf("no file below %s has the SHA-256 %s, for %s", from, sum, name)
			}
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			data = append(data, b)
		}
		made := data[0]
		if len(fields) > 2 {
			if made, err = derive(name, data); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		path := filepath.Join(testdata, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(path, made, 0o666); err != nil {
			return err
		}
		fmt.Fprintln(&out, strings.Join(append([]string{sum(made), name}, fields[2:]...), " "))
	}
	return os.WriteFile(filepath.Join(testdata, "sums.txt"), out.Bytes(), 0o666)
}

func sum(data []byte) string {
	s := sha256.Sum256(data)
	return hex.EncodeToString(s[:])
}

// originals maps sums to the files below a folder.
func originals(folder string) (map[string]string, error) {
	known := map[string]string{}
	err := filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		known[sum(data)] = path
		return err
	})
	return known, err
}
