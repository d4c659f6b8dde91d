package main

import (
	"context"
	"fmt"
	"image"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/pumice-gpu/pumice/gltf/studio"
	"github.com/pumice-gpu/pumice/imagefile/encode"
)

// standard is the name of standard input and output on command lines.
const standard = "-"

// pictures are the flags that say what is written, and where.
type pictures struct {
	output  string
	format  string
	quality int
	float32 bool

	as encode.Format // what check found
}

func (p *pictures) add(cmd *cobra.Command, help string) {
	f := cmd.Flags()
	f.StringVarP(&p.output, "output", "o", "", help)
	f.StringVar(&p.format, "format", "", encode.Names()+" (default: the suffix of -o, or png)")
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(strings.Split(encode.Names(), ", "), cobra.ShellCompDirectiveNoFileComp))
	f.IntVar(&p.quality, "quality", 90, "of JPEG, 1 to 100")
	f.BoolVar(&p.float32, "float32", false, "of EXR: floats of 32 bits (default: 16, of a --pass 32)")
}

// check finds the format of files that are named so, and refuses to write to terminals.
func (p *pictures) check(changed func(string) bool, stdout io.Writer) error {
	if p.output == "" {
		return usagef("-o is required: the file to write, or - for standard output")
	}
	ok := false
	switch {
	case p.format != "":
		if p.as, ok = encode.Parse(p.format); !ok {
			return usagef("--format %q: want one of %s", p.format, encode.Names())
		}
	case p.output == standard:
		p.as = encode.PNG
	default:
		if p.as, ok = encode.FormatOf(p.output); !ok {
			return usagef("-o %q: end the name in a format's suffix, .png or another of %s, or name one with --format", p.output, strings.TrimPrefix(encode.Names(), "png, "))
		}
	}
	if changed("quality") && p.as != encode.JPEG {
		return usagef("--quality is for JPEG, this is %s", p.as)
	}
	if p.float32 && p.as != encode.EXR {
		return usagef("--float32 is for EXR, this is %s", p.as)
	}
	if p.output == standard {
		if out, ok := stdout.(*printer); ok {
			stdout = out.to
		}
		if isTerminal(stdout) {
			return usagef("-o -: standard output is a terminal; lead it into a file or a program")
		}
	}
	return inRange("--quality", p.quality, 1, 100)
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// picture is what a renderer gives: of EXR linear floats, of others finished colours.
type picture struct {
	finished *image.NRGBA
	linear   *studio.Linear
	pass     bool // not of light: nothing is behind, and 16 bits hold no numbers
}

// render draws a view in the form that the format needs.
func (p *pictures) render(ctx context.Context, r *studio.Renderer, m *studio.Model, v studio.View) (pic picture, err error) {
	pic.pass = v.Pass != studio.PassPicture
	if p.as == encode.EXR {
		pic.linear, err = r.RenderLinear(ctx, m, v)
	} else {
		pic.finished, err = r.Render(ctx, m, v)
	}
	return pic, err
}

// encode writes a picture in the format.
func (p *pictures) encode(w io.Writer, pic picture) error {
	if l := pic.linear; l != nil {
		return encode.WriteEXR(w, l.Width, l.Height, l.Pixels, encode.EXROptions{Float32: p.float32 || pic.pass})
	}
	return encode.Write(w, pic.finished, p.as, encode.Options{Quality: p.quality})
}

// write writes to a file, whole or not at all, or where it is named - to standard output.
func (p *pictures) write(ctx context.Context, file string, stdout io.Writer, write func(io.Writer) error) error {
	if file != standard {
		return writeFile(ctx, file, write)
	}
	return write(contextWriter{ctx, stdout})
}

// patientReader reads standard input, which may not say anything for long, until its
// context ends.
type patientReader struct {
	ctx context.Context
	r   io.Reader
}

func (p patientReader) Read(b []byte) (int, error) {
	type result struct {
		n   int
		err error
	}
	own := make([]byte, min(len(b), 1<<20)) // b is the caller's again when the context ends
	done := make(chan result, 1)
	go func() {
		n, err := p.r.Read(own)
		done <- result{n, err}
	}()
	select {
	case got := <-done:
		return copy(b, own[:got.n]), got.err
	case <-p.ctx.Done():
		return 0, p.ctx.Err()
	}
}

// sequence is where the frames of a job go: to numbered files, into one animated file, or
// one after the other to standard output.
type sequence struct {
	pictures
	frames int
	fps    float64
	turns  bool // once around the model
}

// single says that all frames go into one file or stream.
func (s *sequence) single() bool { return s.as == encode.APNG || s.output == standard }

// write calls draw for every frame of a shard and writes what it gives. wrote is told what
// has been written.
func (s *sequence) write(ctx context.Context, share shard, stdout io.Writer, draw func(frame int) (picture, error), wrote func(file string)) error {
	switch {
	case s.as == encode.APNG:
		return s.pictures.write(ctx, s.output, stdout, func(w io.Writer) error { return s.animate(w, draw, wrote) })
	case s.output == standard:
		for frame := range max(s.frames, 1) {
			pic, err := draw(frame)
			if err == nil {
				err = s.encode(contextWriter{ctx, stdout}, pic)
			}
			if err != nil {
				return err
			}
			wrote(standard)
		}
		return nil
	}
	for frame := range max(s.frames, 1) {
		if !share.has(frame) {
			continue
		}
		file := s.output
		if s.frames > 0 {
			file = framePath(s.output, frame)
		}
		pic, err := draw(frame)
		if err == nil {
			err = writeFile(ctx, file, func(w io.Writer) error { return s.encode(w, pic) })
		}
		if err != nil {
			return err
		}
		wrote(filepath.ToSlash(file))
	}
	return nil
}

// animate writes all frames into one animated PNG.
func (s *sequence) animate(w io.Writer, draw func(frame int) (picture, error), wrote func(string)) error {
	var a *encode.Animation
	for frame := range max(s.frames, 1) {
		pic, err := draw(frame)
		if err == nil && a == nil {
			size := pic.finished.Rect.Size()
			a, err = encode.NewAnimation(w, size.X, size.Y, max(s.frames, 1), s.fps)
		}
		if err == nil {
			err = a.Add(pic.finished)
		}
		if err != nil {
			return err
		}
		wrote(filepath.ToSlash(s.output))
	}
	return a.Close()
}

// checkSequence refuses sequences that cannot be.
func (s *sequence) checkSequence(share string, json bool) error {
	switch {
	case s.frames == 0 && share != "":
		return usagef("--shard needs --frames or --turntable: there is only one picture to share out")
	case share != "" && s.single():
		return usagef("--shard shares out numbered files; -o %s --format %s is one for all frames", s.output, s.as)
	case json && s.output == standard:
		return usagef("--json and -o - both want standard output")
	case s.frames > 0 && !s.single():
		return checkFramePattern(s.output)
	}
	return nil
}

// describe says which frame is drawn, for --time-limit and the terminal.
func (s *sequence) describe(file string, frame int) string {
	if s.frames == 0 {
		return "drawing " + file
	}
	return fmt.Sprintf("drawing %s, frame %d of %d", file, frame, s.frames)
}
