package main

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pumice-gpu/pumice/imagefile"
	"github.com/pumice-gpu/pumice/internal/pixels"
)

// diffOptions are the flags of diff.
type diffOptions struct {
	heat      string
	tolerance float64
	json      bool
}

func diffCommand() *cobra.Command {
	var o diffOptions
	var l limits
	cmd := &cobra.Command{
		Use:   "diff A B | A.gfxr B.gfxr",
		Short: "Compare two pictures, or the frames of two captures: how many pixels differ, where, and by how much",
		Long: "diff compares two pictures pixel by pixel, with all bits of their channels: PNG (of APNG\n" +
			"the first picture), JPEG, WebP, GIF, BMP and TGA, KTX 2 and DDS with 8 or 16 bits a channel,\n" +
			"and light: OpenEXR and Radiance, as floats. Where they are equal it prints so and the exit\n" +
			"code is 0; else it prints how many pixels differ, the box around them, the first of them with\n" +
			"both values and the largest difference, and the exit code is 1. -o writes a picture of the\n" +
			"differences: red to yellow, blue where --tolerance allows them, dark grey where there are none.\n\n" +
			"Of two captures (pumice run --capture) it replays all frames that both hold, compares the\n" +
			"pictures of the first that differ, and names the first draw after which they do.",
		Args: usageArgs(cobra.ExactArgs(2)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := pixels.CheckTolerance(o.tolerance); err != nil {
				return usagef("--tolerance: %w", err)
			}
			w, err := l.begin(cmd.Context(), 0)
			if err != nil {
				return err
			}
			return w.end(diffMain(w, cmd.OutOrStdout(), args[0], args[1], o))
		},
	}
	f := cmd.Flags()
	f.StringVarP(&o.heat, "output", "o", "", "the picture of the differences to write, a PNG")
	f.Float64Var(&o.tolerance, "tolerance", 0, "largest difference of a channel that counts as equal, in steps of 1/255 (of light: of 1)")
	f.BoolVar(&o.json, "json", false, "print JSON")
	l.add(cmd)
	return cmd
}

// isCapture reports whether a file is one of gfxreconstruct, by its name.
func isCapture(path string) bool { return strings.EqualFold(filepath.Ext(path), ".gfxr") }

func diffMain(w *work, out io.Writer, a, b string, o diffOptions) error {
	switch {
	case isCapture(a) && isCapture(b):
		return diffCaptures(w, out, a, b, o)
	case isCapture(a) != isCapture(b):
		return usagef("%s and %s: a capture and a picture cannot be compared", a, b)
	}
	lightA, lightB, err := readLights(w, a, b)
	if err != nil {
		return err
	}
	if lightA != nil {
		if o.heat != "" {
			return usagef("-o draws differences of pictures with 8 or 16 bits a channel; %s and %s are light", a, b)
		}
		r, err := compareLight(w, lightA, lightB, o.tolerance)
		if err != nil {
			return err
		}
		return o.tell(out, r, r.Equal, a, b)
	}
	var held []*imagefile.File
	defer func() { runtime.KeepAlive(held) }()
	r, d, err := readDifference(w, a, b, o.tolerance, &held)
	if err != nil {
		return err
	}
	if d != nil && d.Differ > 0 && o.heat != "" {
		if err := writeHeat(w, d, o.heat); err != nil {
			return err
		}
		r.Heat = o.heat
	}
	return o.tell(out, r, r.Equal, a, b)
}

// tell prints a comparison of two files, and fails where they differ.
func (o *diffOptions) tell(out io.Writer, report interface{ text() string }, equal bool, a, b string) error {
	if o.json {
		e := json.NewEncoder(out)
		e.SetIndent("", "  ")
		if err := e.Encode(report); err != nil {
			return err
		}
	} else if _, err := io.WriteString(out, report.text()); err != nil {
		return err
	}
	if !equal {
		return fmt.Errorf("%s and %s differ", a, b)
	}
	return nil
}

// readDifference compares two files. The difference is nil where the sizes are not the same.
func readDifference(w *work, pathA, pathB string, tolerance float64, held *[]*imagefile.File) (*diffReport, *pixels.Difference, error) {
	w.doing = "reading " + pathA
	a, err := readColors(w, pathA, held)
	if err != nil {
		return nil, nil, err
	}
	w.doing = "reading " + pathB
	b, err := readColors(w, pathB, held)
	if err != nil {
		return nil, nil, err
	}
	return difference(w, pathA, pathB, a, b, tolerance)
}

// difference compares two pictures that messages call by these names. It is nil where the sizes are
// not the same.
func difference(
	w *work, nameA, nameB string, a, b *pixels.Picture, tolerance float64,
) (*diffReport, *pixels.Difference, error) {
	r := &diffReport{A: describePicture(nameA, a), B: describePicture(nameB, b)}
	r.Tolerance = tolerance
	if a.Width != b.Width || a.Height != b.Height {
		return r, nil, nil
	}
	w.doing = "comparing " + nameA + " with " + nameB
	d, err := pixels.Compare(w.ctx, a, b, tolerance)
	if err != nil {
		return nil, nil, err
	}
	r.Equal, r.Pixels, r.Differ, r.Within = d.Differ == 0, d.Pixels, d.Differ, d.Within
	r.deep = d.Deep()
	if d.Differ > 0 {
		r.Box = &diffBox{d.Bounds.Min.X, d.Bounds.Min.Y, d.Bounds.Max.X - 1, d.Bounds.Max.Y - 1}
		r.First = &diffPixel{d.First.X, d.First.Y, a.At(d.First.X, d.First.Y), b.At(d.First.X, d.First.Y)}
	}
	if d.Largest > 0 {
		at := d.LargestAt
		r.Largest = &diffLargest{diffPixel{at.X, at.Y, a.At(at.X, at.Y), b.At(at.X, at.Y)}, float64(d.Largest) / pixels.Step}
	}
	return r, d, nil
}

func writeHeat(w *work, d *pixels.Difference, path string) error {
	w.doing = "writing " + path
	if err := w.budget.Take(d.HeatBytes()); err != nil {
		return fmt.Errorf("%s: a picture of the differences: %w", path, err)
	}
	defer w.budget.Drop(d.HeatBytes())
	heat, err := d.Heat(w.ctx)
	if err != nil {
		return err
	}
	return writePNG(w.ctx, path, heat)
}

// diffReport is what diff prints. Values of pixels are red, green, blue and alpha from 0 to
// 65535 (255 is 65535), not premultiplied.
type diffReport struct {
	A diffFile `json:"a"`
	B diffFile `json:"b"`
	diffCounts
	First   *diffPixel   `json:"first,omitempty"`
	Largest *diffLargest `json:"largest,omitempty"`
	Heat    string       `json:"heat,omitempty"`

	deep bool
}

// diffCounts is how many pixels differ, and where.
type diffCounts struct {
	Equal     bool     `json:"equal"`
	Tolerance float64  `json:"tolerance"` // in steps of 1/255, of 1 where light is compared
	Pixels    int      `json:"pixels,omitempty"`
	Differ    int      `json:"differ"`
	Within    int      `json:"withinTolerance"`
	Box       *diffBox `json:"box,omitempty"`
}

// text is the counts for people; equal says what of the pixels is.
func (r *diffCounts) text(equal string) string {
	switch {
	case r.Pixels == 0:
		return "the sizes differ\n"
	case r.Equal && r.Within == 0:
		return fmt.Sprintf("equal: %s %d pixels\n", equal, r.Pixels)
	case r.Equal:
		return fmt.Sprintf("equal within the tolerance of %v of 255: %d of %d pixels differ by less\n", r.Tolerance, r.Within, r.Pixels)
	}
	within := ""
	if r.Within > 0 {
		within = fmt.Sprintf(", and %d within the tolerance of %v of 255", r.Within, r.Tolerance)
	}
	return fmt.Sprintf("differ   %d of %d pixels (%.3g %%)%s\nbox      x %d to %d, y %d to %d\n",
		r.Differ, r.Pixels, 100*float64(r.Differ)/float64(r.Pixels), within, r.Box.Left, r.Box.Right, r.Box.Top, r.Box.Bottom)
}

type diffFile struct {
	Path   string `json:"path"`
	Width  int    `json:"width"`
	Height int    `json:"height"`
	Bits   int    `json:"bits"` // of a channel: 8 or 16
}

// diffBox is the smallest box around what differs; its last column and row are in it.
type diffBox struct {
	Left   int `json:"left"`
	Top    int `json:"top"`
	Right  int `json:"right"`
	Bottom int `json:"bottom"`
}

type diffPixel struct {
	X int          `json:"x"`
	Y int          `json:"y"`
	A pixels.Color `json:"a"`
	B pixels.Color `json:"b"`
}

type diffLargest struct {
	diffPixel
	Difference float64 `json:"difference"`
}

func describePicture(path string, p *pixels.Picture) diffFile {
	f := diffFile{Path: path, Width: p.Width, Height: p.Height, Bits: 8}
	if p.Deep {
		f.Bits = 16
	}
	return f
}

func (f diffFile) String() string {
	return fmt.Sprintf("%s: %d × %d pixels, %d bits a channel", f.Path, f.Width, f.Height, f.Bits)
}

// text is the report for people.
func (r *diffReport) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "a  %v\nb  %v\n", r.A, r.B)
	pair := func(p diffPixel) string {
		return fmt.Sprintf("(%d, %d): a %s, b %s", p.X, p.Y, p.A.Text(r.deep), p.B.Text(r.deep))
	}
	b.WriteString(r.diffCounts.text("all"))
	if r.First != nil {
		fmt.Fprintf(&b, "first    %s\n", pair(*r.First))
	}
	if r.Largest != nil {
		fmt.Fprintf(&b, "largest  %.4g of 255 at %s\n", r.Largest.Difference, pair(r.Largest.diffPixel))
	}
	if r.Heat != "" {
		fmt.Fprintf(&b, "heat     %s\n", r.Heat)
	}
	return b.String()
}
