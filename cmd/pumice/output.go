package main

import (
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
)

// framePath returns the file of one frame of a sequence: the number takes the
// place of a printf verb such as %04d in the pattern, or stands before the
// extension.
func framePath(pattern string, frame int) string {
	if strings.Contains(pattern, "%") {
		return fmt.Sprintf(pattern, frame)
	}
	ext := filepath.Ext(pattern)
	return fmt.Sprintf("%s-%04d%s", strings.TrimSuffix(pattern, ext), frame, ext)
}

// checkFramePattern refuses patterns that do not number files.
func checkFramePattern(pattern string) error {
	if strings.Contains(framePath(pattern, 1), "%!") || framePath(pattern, 1) == framePath(pattern, 2) {
		return usagef("-o %q: a sequence needs one number verb such as %%04d, or none", pattern)
	}
	return nil
}

// writePNG writes the picture beside its place and renames it there, so that
// no half-written file is ever seen.
func writePNG(path string, img image.Image) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("%s: cannot write: %w", path, cause(err))
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := encoder.Encode(f, img); err != nil {
		return fmt.Errorf("%s: cannot write: %w", path, cause(err))
	}
	if err := f.Chmod(0o644); err != nil {
		return fmt.Errorf("%s: cannot write: %w", path, cause(err))
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("%s: cannot write: %w", path, cause(err))
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return fmt.Errorf("%s: cannot write: %w", path, cause(err))
	}
	return nil
}

// cause strips the temporary name from a file error.
func cause(err error) error {
	if pe, ok := err.(*os.PathError); ok {
		return pe.Err
	}
	if le, ok := err.(*os.LinkError); ok {
		return le.Err
	}
	return err
}
