package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
)

// A store is the file of results: one JSON object a line, of which the first
// says what was run. It is written as results come in, so that a run that was
// ended goes on from there.
type store struct {
	file *os.File
	// enc writes straight to the file: a line is on its way to the disk before
	// the next case begins.
	enc *json.Encoder
}

// storeHeader is the first line: a run goes on only with the same of everything.
type storeHeader struct {
	Program string `json:"program"`
	Driver  string `json:"driver"`
	Cases   int    `json:"cases"`
	Hash    string `json:"hash"`            // of the case names
	Share   string `json:"share,omitempty"` // of a rolling run: which one, and on which tree
}

func newHeader(p *program, cases []string) storeHeader {
	h := fnv.New64a()
	for _, name := range cases {
		io.WriteString(h, name+"\n") // never fails
	}
	return storeHeader{Program: p.path, Driver: p.icd, Cases: len(cases), Hash: fmt.Sprintf("%016x", h.Sum64())}
}

// openStore starts the file afresh, or with resume returns what it holds and
// appends behind it. A last line that was cut off is dropped.
func openStore(path string, header storeHeader, resume bool) (*store, []Result, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, nil, err
	}
	flags := os.O_RDWR | os.O_CREATE
	if !resume {
		flags |= os.O_TRUNC
	}
	file, err := os.OpenFile(path, flags, 0o644)
	if err != nil {
		return nil, nil, fmt.Errorf("open the file of results: %w", err)
	}
	s := &store{file: file, enc: json.NewEncoder(file)}
	results, whole, err := readStore(file, header)
	if err == nil {
		err = file.Truncate(whole)
	}
	if err == nil {
		_, err = file.Seek(whole, io.SeekStart)
	}
	if err == nil && whole == 0 {
		err = s.enc.Encode(header)
	}
	if err != nil {
		file.Close()
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	return s, results, nil
}

// errOtherRun says that a file of results can't be gone on with.
var errOtherRun = errors.New("holds another run")

// readStore returns the results and the length in bytes of the whole lines.
func readStore(r io.Reader, header storeHeader) (results []Result, whole int64, err error) {
	for lines := bufio.NewReader(r); ; {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return results, whole, nil
		}
		if err != nil {
			return nil, 0, err
		}
		if whole == 0 {
			var was storeHeader
			if err := json.Unmarshal(line, &was); err != nil {
				return nil, 0, fmt.Errorf("not a file of results: %w", err)
			}
			if was != header {
				return nil, 0, fmt.Errorf("%w (%+v, and this one is %+v); start without -resume", errOtherRun, was, header)
			}
		} else {
			var result Result
			if err := json.Unmarshal(line, &result); err != nil {
				return nil, 0, fmt.Errorf("damaged at byte %d: %w", whole, err)
			}
			results = append(results, result)
		}
		whole += int64(len(line))
	}
}

func (s *store) add(r Result) error { return s.enc.Encode(r) }

func (s *store) close() error { return s.file.Close() }
