package viewer

import (
	"bytes"
	"io/fs"
	"path"
	"time"
)

// folder is files in memory, below the folder of the model. People drop files without
// their folders, so that a file that is not where the model wants it is looked for by its name.
type folder struct {
	files map[string][]byte
	dir   string
}

func (f folder) Open(name string) (fs.File, error) {
	data, ok := f.files[path.Join(f.dir, name)]
	if !ok {
		data, ok = f.files[path.Base(name)]
	}
	if !ok || !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return &file{Reader: bytes.NewReader(data), name: path.Base(name)}, nil
}

// file is an open file, and what is known of it.
type file struct {
	*bytes.Reader
	name string
}

func (f *file) Stat() (fs.FileInfo, error) { return f, nil }
func (f *file) Close() error               { return nil }
func (f *file) Name() string               { return f.name }
func (f *file) Size() int64                { return f.Reader.Size() }
func (f *file) Mode() fs.FileMode          { return 0o444 }
func (f *file) ModTime() time.Time         { return time.Time{} }
func (f *file) IsDir() bool                { return false }
func (f *file) Sys() any                   { return nil }
