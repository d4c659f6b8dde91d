package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/pumice-gpu/pumice/budget"
	"github.com/pumice-gpu/pumice/gltf"
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

//go:generate go run ../../docs/samples/_gen

// modelSuffixes are those of files that package gltf reads.
var modelSuffixes = [...]string{".glb", ".gltf", ".obj", ".stl", ".ply"}

// modelFormats is what help says of models.
const modelFormats = "Models are glTF 2.0 (.gltf and .glb), OBJ with MTL,\nSTL and PLY; the content tells which."

// isModel goes by the suffix.
func isModel(path string) bool {
	return slices.Contains(modelSuffixes[:], strings.ToLower(filepath.Ext(path)))
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
		m.skip = "none of " + strings.Join(modelSuffixes[:], ", ")
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

// writableFolder makes a folder, and looks whether files can be put there.
func writableFolder(dir string) error {
	if err := makeFolder(filepath.Join(dir, "x")); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".pumice-*")
	if err != nil {
		return fmt.Errorf("%s: cannot write there: %w", dir, cause(err))
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// reading are the flags that say how model files are read.
type reading struct{ up, assets string }

func (r *reading) addReading(f *pflag.FlagSet) {
	f.StringVar(&r.assets, "assets", "", "folder beside the model's, or around it, in which its textures and buffers may lie, too; of a model from standard input, its folder")
	f.StringVar(&r.up, "up", "", "axis that points up in OBJ, STL and PLY files: Y or Z (default: Z of STL, Y of the others; glTF has Y)")
}

func (r *reading) checkReading() error {
	if r.up != "" && r.axis() == gltf.UpUsual {
		return usagef("--up %q: want Y or Z", r.up)
	}
	return nil
}

func (r *reading) axis() gltf.UpAxis {
	switch strings.ToUpper(r.up) {
	case "Y":
		return gltf.UpY
	case "Z":
		return gltf.UpZ
	}
	return gltf.UpUsual
}

// options are package gltf's.
func (r *reading) options(b *budget.Budget) *gltf.Options {
	return &gltf.Options{Budget: b, Assets: r.assets, Up: r.axis()}
}

// listens refuses --up where the format itself says what is up.
func (r *reading) listens(doc *gltf.Document) error {
	if r.up != "" && doc.Kind == "glTF" {
		return usagef("--up: %s is glTF, in which Y is up", doc.File)
	}
	return nil
}
