package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/pumice-gpu/pumice/imagefile"
)

// pictureHead is how many bytes of a file tell whether it is a picture.
const pictureHead = 64

// pictureInfo is what `pumice info --json` prints of a picture or texture. Names stay; new ones may come.
type pictureInfo struct {
	File     string   `json:"file"`
	Kind     string   `json:"kind"`
	Format   string   `json:"format"`           // Vulkan's
	Stored   string   `json:"stored,omitempty"` // what KTX 2 and DDS files have, where that is not the format
	Width    int      `json:"width"`
	Height   int      `json:"height"` // 0 of 1D images
	Depth    int      `json:"depth"`  // 0 of all but 3D images
	Levels   int      `json:"levels"`
	Layers   int      `json:"layers"` // with the faces of cubes
	Array    bool     `json:"array"`
	Cube     bool     `json:"cube"`
	Bytes    int64    `json:"bytes"` // of all texels in the format
	Warnings []string `json:"warnings"`
}

// openPicture opens a file that may be a picture, or standard input. It returns the kind of picture, "" for what is none, and a reader
// of all of it.
func openPicture(w *work, path string, stdin io.Reader) (kind string, in io.Reader, closing func(), err error) {
	closing = func() {}
	if path == standard {
		if stdin == nil {
			stdin = os.Stdin
		}
		in = patientReader{w.ctx, stdin}
	} else {
		f, err := os.Open(path)
		if err != nil {
			return "", nil, closing, nil // whoever reads the model will say so
		}
		in, closing = f, func() { f.Close() }
		if !seekable(f) {
			return "", nil, closing, nil
		}
	}
	whole := bufio.NewReaderSize(in, pictureHead)
	head, err := whole.Peek(pictureHead)
	if w.ctx.Err() != nil {
		return "", nil, closing, err
	}
	return imagefile.KindOf(head), whole, closing, nil
}

// seekable says that what is read of a file is there when it is opened again.
func seekable(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode().IsRegular()
}

// infoPicture says what a picture holds.
func infoPicture(w *work, path string, in io.Reader, asJSON, strict bool, out io.Writer) error {
	f, err := imagefile.Decode(w.ctx, in, imagefile.Options{Budget: w.budget})
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	p := pictureInfo{
		File: path, Kind: f.Kind, Format: f.Format.String(), Stored: f.Stored, Width: f.Width, Height: f.Height, Depth: f.Depth,
		Levels: f.Levels, Layers: f.Layers, Array: f.Array, Cube: f.Cube, Warnings: append([]string{}, f.Warnings...),
	}
	for level := range f.Levels {
		p.Bytes += int64(f.Layers) * int64(len(f.Level(level, 0)))
	}
	if asJSON {
		e := json.NewEncoder(out)
		e.SetIndent("", "  ")
		err = e.Encode(p)
	} else {
		err = p.print(out)
	}
	if n := len(f.Warnings); err == nil && strict && n > 0 {
		more := ""
		if n > 1 {
			more = fmt.Sprintf(", and %d more", n-1)
		}
		err = fmt.Errorf("--strict: %s: %s%s", path, f.Warnings[0], more)
	}
	return err
}

// print writes a line for each thing, as describe does of models.
func (p *pictureInfo) print(out io.Writer) (err error) {
	line := func(label, format string, args ...any) {
		if _, e := fmt.Fprintf(out, "%-12s%s\n", label, fmt.Sprintf(format, args...)); err == nil {
			err = e
		}
	}
	line("file", "%s (%s)", p.File, p.Kind)
	switch {
	case p.Depth > 0:
		line("extent", "%d × %d × %d texels", p.Width, p.Height, p.Depth)
	case p.Height == 0:
		line("extent", "%d texels in a line", p.Width)
	default:
		line("extent", "%d × %d texels", p.Width, p.Height)
	}
	line("format", "%s, %d bytes", p.Format, p.Bytes)
	if p.Stored != "" {
		line("stored", "%s", p.Stored)
	}
	line("levels", "%d", p.Levels)
	switch {
	case p.Cube && p.Array:
		line("layers", "%d: %d cubes", p.Layers, p.Layers/6)
	case p.Cube:
		line("layers", "%d: a cube", p.Layers)
	case p.Array:
		line("layers", "%d: an array", p.Layers)
	}
	for _, warning := range p.Warnings {
		line("warning", "%s", warning)
	}
	return err
}
