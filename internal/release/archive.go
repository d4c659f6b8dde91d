package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"
)

// file is a file of an archive. Its name has slashes and starts with no slash.
type file struct {
	name string
	exec bool
	data []byte
}

func (f file) mode() int64 {
	if f.exec {
		return 0o755
	}
	return 0o644
}

// inOrder sorts files by name, so that archives do not depend on who listed them.
func inOrder(files []file) []file {
	files = slices.Clone(files)
	slices.SortFunc(files, func(a, b file) int { return strings.Compare(a.name, b.name) })
	return files
}

// under puts files into a folder.
func under(folder string, files []file) []file {
	files = slices.Clone(files)
	for i := range files {
		files[i].name = path.Join(folder, files[i].name)
	}
	return files
}

// archiveName is the name of a target's archive.
func archiveName(v semver, t target) string {
	ending := "tar.gz"
	if t.os == "windows" {
		ending = "zip"
	}
	return fmt.Sprintf("pumice_%s_%s_%s.%s", v.plain(), t.os, t.arch, ending)
}

// tarball packs files, owned by root and as old as the release, with the folders that they are
// in. Names start with prefix.
func tarball(prefix string, files []file, at time.Time) ([]byte, error) {
	var b bytes.Buffer
	t := tar.NewWriter(&b)
	add := func(h tar.Header, data []byte) error {
		h.ModTime, h.Uname, h.Gname, h.Format = at, "root", "root", tar.FormatUSTAR
		if err := t.WriteHeader(&h); err != nil {
			return err
		}
		_, err := t.Write(data)
		return err
	}
	made := map[string]bool{}
	for _, f := range inOrder(files) {
		for i, c := range f.name {
			if dir := f.name[:i]; c == '/' && !made[dir] {
				made[dir] = true
				if err := add(tar.Header{Typeflag: tar.TypeDir, Name: prefix + dir + "/", Mode: 0o755}, nil); err != nil {
					return nil, err
				}
			}
		}
		if err := add(tar.Header{Typeflag: tar.TypeReg, Name: prefix + f.name, Mode: f.mode(), Size: int64(len(f.data))}, f.data); err != nil {
			return nil, err
		}
	}
	if err := t.Close(); err != nil {
		return nil, err
	}
	return gzipped(b.Bytes())
}

// gzipped compresses without name or time.
func gzipped(data []byte) ([]byte, error) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := z.Write(data); err != nil {
		return nil, err
	}
	err = z.Close()
	return b.Bytes(), err
}

// zipped packs files for Windows.
func zipped(files []file, at time.Time) ([]byte, error) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, f := range inOrder(files) {
		w, err := z.CreateHeader(&zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: at})
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(f.data); err != nil {
			return nil, err
		}
	}
	err := z.Close()
	return b.Bytes(), err
}
