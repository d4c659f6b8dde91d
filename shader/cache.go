package shader

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// codeCache is a folder in which wazero keeps machine code. wazero trusts what it finds there, so
// each file has its hash beside it, in the folder sums, and one that differs is removed before
// wazero sees it.
type codeCache struct{ folder string }

func newCodeCache(folder string) *codeCache { return &codeCache{filepath.Join(folder, "code")} }

func (c *codeCache) open() (wazero.CompilationCache, error) {
	if err := os.MkdirAll(filepath.Join(c.folder, "sums"), 0o700); err != nil {
		return nil, err
	}
	for _, file := range c.files() {
		sum, err := os.ReadFile(c.sumOf(file))
		if code, err2 := os.ReadFile(file); err != nil || err2 != nil || string(sum) != hash(code) {
			_ = os.Remove(file)
			_ = os.Remove(c.sumOf(file))
		}
	}
	return wazero.NewCompilationCacheWithDir(c.folder)
}

// seal notes the hashes of files that are new.
func (c *codeCache) seal() {
	for _, file := range c.files() {
		if _, err := os.Stat(c.sumOf(file)); err == nil {
			continue
		}
		if code, err := os.ReadFile(file); err == nil {
			_ = writeFile(c.sumOf(file), []byte(hash(code)))
		}
	}
}

func (c *codeCache) files() []string {
	list, _ := filepath.Glob(filepath.Join(c.folder, "wazero-*", "*"))
	return slices.DeleteFunc(list, func(f string) bool { return strings.HasSuffix(f, ".tmp") })
}

// sumOf is where the hash of a file is. It names the version of wazero, too.
func (c *codeCache) sumOf(file string) string {
	return filepath.Join(c.folder, "sums", filepath.Base(filepath.Dir(file))+"-"+filepath.Base(file))
}

func hash(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// states is a folder of what memory of instances looked like when they were warm; "" keeps nothing.
type states string

// restore makes a new instance's memory what it was. A file that is damaged is none.
func (s states) restore(memory api.Memory, name string) bool {
	if s == "" {
		return false
	}
	data, err := os.ReadFile(filepath.Join(string(s), name))
	if err != nil {
		return false
	}
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxKeptBytes))
	if err != nil {
		return false
	}
	defer d.Close()
	was, err := d.DecodeAll(data, make([]byte, 0, maxKeptBytes)) // it checks the frame's sum
	if err != nil || len(was)%pageBytes != 0 || len(was) < int(memory.Size()) {
		return false
	}
	if _, ok := memory.Grow((uint32(len(was)) - memory.Size()) / pageBytes); !ok {
		return false
	}
	return memory.Write(0, was)
}

// save keeps what memory is.
func (s states) save(memory api.Memory, name string) {
	is, ok := memory.Read(0, memory.Size())
	if s == "" || !ok || len(is) > maxKeptBytes || os.MkdirAll(string(s), 0o700) != nil {
		return
	}
	e, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderCRC(true))
	if err == nil {
		_ = writeFile(filepath.Join(string(s), name), e.EncodeAll(is, nil))
		_ = e.Close()
	}
}

// results is a folder of what sources were compiled to; "" keeps nothing.
type results string

// result is what is kept.
type result struct {
	SPIRV    []byte
	Warnings []Diagnostic
	included bool // other files decide, too, so that it is not kept
}

// maxResults is how many are kept; past it the older half goes.
const maxResults = 4096

// key names the result of a source: all that it depends on goes in.
func (r results) key(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		sum := sha256.Sum256([]byte(p)) // of one length each, so that parts do not run together
		h.Write(sum[:])
	}
	return hex.EncodeToString(h.Sum(nil))
}

// get finds a result. A file that is not what put wrote is none.
func (r results) get(key string) (*result, bool) {
	if r == "" {
		return nil, false
	}
	data, err := os.ReadFile(filepath.Join(string(r), key))
	if err != nil {
		return nil, false
	}
	sum, body, ok := bytes.Cut(data, []byte("\n"))
	var out result
	if !ok || string(sum) != hash(body) || json.Unmarshal(body, &out) != nil {
		return nil, false
	}
	return &out, true
}

// put keeps a result. That it cannot is no error.
func (r results) put(key string, v *result) {
	if r == "" {
		return
	}
	body, err := json.Marshal(v)
	if err != nil || os.MkdirAll(string(r), 0o700) != nil {
		return
	}
	_ = writeFile(filepath.Join(string(r), key), append([]byte(hash(body)+"\n"), body...))
	r.prune()
}

// prune removes the older half of too many results.
func (r results) prune() {
	list, err := os.ReadDir(string(r))
	if err != nil || len(list) <= maxResults {
		return
	}
	age := func(e os.DirEntry) int64 {
		info, err := e.Info()
		if err != nil {
			return 0
		}
		return info.ModTime().UnixNano()
	}
	slices.SortFunc(list, func(a, b os.DirEntry) int {
		if x, y := age(a), age(b); x != y {
			if x < y {
				return -1
			}
			return 1
		}
		return strings.Compare(a.Name(), b.Name())
	})
	for _, e := range list[:len(list)/2] {
		_ = os.Remove(filepath.Join(string(r), e.Name()))
	}
}

// writeFile writes a file at once, so that nobody reads half of it.
func writeFile(name string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(name), ".new-*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err2 := f.Close(); err == nil {
		err = err2
	}
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}
