package main

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// printer is standard output. It keeps the first error, so that no command that
// prints need look: run fails with it.
type printer struct {
	to  io.Writer
	err error
}

func (p *printer) Write(b []byte) (int, error) {
	if p.err != nil {
		return 0, p.err
	}
	n, err := p.to.Write(b)
	if err != nil {
		p.err = fmt.Errorf("cannot write the output: %w", cause(err))
	}
	return n, p.err
}

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

// writePNG writes a picture, whole or not at all.
func writePNG(ctx context.Context, path string, img image.Image) error {
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	return writeFile(ctx, path, func(w io.Writer) error { return encoder.Encode(w, img) })
}

// writeFile writes a file, whole or not at all.
func writeFile(ctx context.Context, path string, write func(io.Writer) error) error {
	err := replaceFile(path, 0o644, func(w io.Writer) error { return write(contextWriter{ctx, w}) })
	if err != nil {
		return fmt.Errorf("%s: cannot write: %w", path, cause(err))
	}
	return nil
}

// replaceFile writes a file beside its place and renames it there, so that nobody
// ever sees half of it. Devices and pipes, which have no half, are written as they
// are.
func replaceFile(path string, mode os.FileMode, write func(io.Writer) error) (err error) {
	if at, err := os.Stat(path); err == nil {
		f, err := os.OpenFile(path, os.O_WRONLY, 0) // which fails for folders, and files that this user may not write
		if err != nil {
			return err
		}
		if !at.Mode().IsRegular() {
			err = write(f)
		}
		if errClose := f.Close(); err == nil {
			err = errClose
		}
		if err != nil || !at.Mode().IsRegular() {
			return err
		}
	}
	f, err := spare(path)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
		_ = f.Close() // which ends the lock: after the file has its name
	}()
	if err := write(f); err != nil {
		return err
	}
	if err := f.Chmod(mode); err != nil {
		return err
	}
	if err := flush(f); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// spare opens the file in which the next one at path is written: .NAME.pumice-0.tmp
// in the same folder, or the next number that is free.
func spare(path string) (*os.File, error) {
	dir, base := filepath.Split(path)
	if len(base) > 200 { // names have 255 bytes
		base = shortHash(base)
	}
	f, err := spareFile(func(n int) string { return fmt.Sprintf("%s.%s.pumice-%d.tmp", dir, base, n) })
	if errors.Is(err, errors.ErrUnsupported) {
		return os.CreateTemp(filepath.Dir(path), "."+base+".pumice-*.tmp")
	}
	return f, err
}

// contextWriter stops writing when its context ends.
type contextWriter struct {
	ctx context.Context
	w   io.Writer
}

func (c contextWriter) Write(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.w.Write(p)
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
