package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// modelFile is a file that thumbnails has found.
type modelFile struct {
	path, picture string
	skip          string // why it is none, where it seems one
	err           error  // why it cannot be looked at
}

// newer says that the picture is there and not older than the model.
func (m *modelFile) newer() bool {
	model, err := os.Stat(m.path)
	picture, err2 := os.Stat(m.picture)
	return err == nil && err2 == nil && picture.Mode().IsRegular() && !picture.ModTime().Before(model.ModTime())
}

// isModel goes by the suffix.
func isModel(path string) bool {
	suffix := strings.ToLower(filepath.Ext(path))
	return suffix == ".glb" || suffix == ".gltf"
}

// listModels lists the models of folders, in the folders' order and sorted by name in them,
// each with the picture that it gets in out. Links to folders are listed as skipped, so that
// there is an end to it, whatever they lead to.
func listModels(ctx context.Context, folders []string, out, extension string) ([]modelFile, error) {
	var list []modelFile
	taken := map[string]int{}
	for _, folder := range folders {
		info, err := os.Stat(folder)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", folder, cause(err))
		}
		if !info.IsDir() {
			name := unique(taken, filepath.Base(folder))
			list = append(list, found(folder, filepath.Join(out, name+extension)))
			continue
		}
		below := out
		if len(folders) > 1 {
			below = filepath.Join(out, unique(taken, baseName(folder)))
		}
		// With its separator a link is the folder that it leads to.
		root := strings.TrimRight(folder, string(filepath.Separator)) + string(filepath.Separator)
		err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err != nil { // a folder that cannot be read
				list = append(list, modelFile{path: filepath.Clean(path), err: fmt.Errorf("%s: %w", filepath.Clean(path), cause(err))})
				return nil
			}
			relative, err := filepath.Rel(root, path)
			if err != nil {
				return err
			}
			path = filepath.Join(folder, relative)
			switch link := entry.Type()&fs.ModeSymlink != 0; {
			case entry.IsDir():
				return nil
			case isModel(path):
				list = append(list, found(path, filepath.Join(below, relative+extension)))
			case link:
				if to, err := os.Stat(path); err == nil && to.IsDir() {
					list = append(list, modelFile{path: path, skip: "a link to a folder"})
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}

// found looks at a file with a model's name.
func found(path, picture string) modelFile {
	m := modelFile{path: path, picture: picture}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		m.skip = "a link to nothing"
	case err != nil:
		m.err = fmt.Errorf("%s: %w", path, cause(err))
	case info.IsDir():
		m.skip = "a link to a folder"
	case !info.Mode().IsRegular():
		m.skip = "not a regular file"
	case !isModel(path):
		m.skip = "neither .glb nor .gltf"
	}
	return m
}

// baseName is the last part of a folder's name, whatever it is called by.
func baseName(folder string) string {
	if whole, err := filepath.Abs(folder); err == nil {
		folder = whole
	}
	if name := filepath.Base(folder); name != string(filepath.Separator) {
		return name
	}
	return "root"
}

// unique gives the second of a name "-2", and so on.
func unique(taken map[string]int, name string) string {
	for {
		taken[name]++
		n := taken[name]
		if n == 1 {
			return name
		}
		name = fmt.Sprintf("%s-%d", name, n)
	}
}

// makeFolder makes the folder of a file.
func makeFolder(file string) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return fmt.Errorf("%s: cannot be made: %w", filepath.Dir(file), cause(err))
	}
	return nil
}
