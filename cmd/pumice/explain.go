package main

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/pumice-gpu/pumice/explain"
	"github.com/pumice-gpu/pumice/explain/page"
)

// explainOptions are the flags of pumice explain.
type explainOptions struct {
	pixels, words []string
	vertices      []int
	sample        int
	shader        bool
	verbose, json bool
	html          string
	serve         string // where; empty: nowhere, freePort: on a port that is free
	try, mcp      bool
	follow        []int // which image instruction of each draw that has several, from 1; nil: explain
	frame         int
	draw          string
	errs          io.Writer // for what the picture lacks; nil: nowhere
	viewOptions
	limits
}

// freePort is what --serve is without an address.
const freePort = "127.0.0.1:0"

// addressFlag is what may stand behind --serve: it is no model, whose name would end in its kind.
var addressFlag = regexp.MustCompile(`^(\[[0-9a-fA-F:]+\]|[\w.-]+):\d{1,5}$`)

// served takes the address of --serve from the arguments, where it is not in the flag ("--serve=…").
func (o *explainOptions) served(args []string) []string {
	i := slices.IndexFunc(args, addressFlag.MatchString)
	if o.serve == "" || i < 0 {
		return args
	}
	if o.serve == freePort {
		o.serve = args[i]
	}
	return slices.Delete(slices.Clone(args), i, i+1)
}

func explainCommand() *cobra.Command {
	var o explainOptions
	cmd := &cobra.Command{
		Use:   "explain [MODEL|CAPTURE.gfxr|FOLDER]",
		Short: "Say why a pixel has its value: all that touched it, and each step with its rule",
		Long: "explain draws a model (or the built-in scene) as render does, or replays a\n" +
			"capture of gfxreconstruct, and tells the history of pixels: which draws reached\n" +
			"them, what tests and blending did, and where the values came from.",
		Example: `  pumice explain --pixel 512,300
  pumice explain model.glb --yaw 30 --pixel 512,300 --sample 2 -v
  pumice explain model.glb --pixel 512,300 --pixel 40,7 --shader --html why.html
  pumice explain model.glb --pixel 512,300 --try
  pumice explain model.glb --serve
  pumice explain model.glb --serve 127.0.0.1:8080
  pumice explain app.gfxr --frame 120 --pixel 640,360 --json
  pumice explain --mcp models`,
		Args: func(cmd *cobra.Command, args []string) error {
			return usageArgs(cobra.MaximumNArgs(1))(cmd, o.served(args))
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			path := ""
			if args = o.served(args); len(args) == 1 {
				path = args[0]
			}
			if o.mcp {
				changed := cmd.Flags().Changed
				return serveMCP(
					cmd.Context(),
					&o,
					path,
					changed,
					cmd.InOrStdin(),
					cmd.OutOrStdout(),
				)
			}
			o.errs = cmd.ErrOrStderr()
			s, err := o.subject(path, cmd.Flags().Changed)
			if err != nil {
				return err
			}
			w, err := o.begin(cmd.Context(), o.threads)
			if err != nil {
				return err
			}
			return w.end(explainMain(w, &o, s, cmd.OutOrStdout()))
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringArrayVar(
		&o.pixels,
		"pixel",
		nil,
		"pixel to explain, X,Y from the top left; may be given again",
	)
	f.IntVar(
		&o.sample,
		"sample",
		-1,
		"sample of the pixels (default: all of a model's, 0 of a capture's)",
	)
	f.BoolVar(
		&o.shader,
		"shader",
		false,
		"tell each instruction of fragment shaders with its value; as JSON and on the page of the stages before them, too",
	)
	f.IntSliceVar(
		&o.vertices,
		"vertex",
		nil,
		"tell each instruction of the stages that made vertex `0, 1 or 2` of each primitive; several with commas between",
	)
	f.StringArrayVar(
		&o.words,
		"word",
		nil,
		"word of a storage buffer of a capture to explain, with each instruction of the invocation that wrote it: `NAME/BYTE` or SET/BINDING/BYTE, of the frame's first dispatch or draw that has it; or, with @N behind it, of dispatch N",
	)
	f.BoolVar(&o.try, "try", false,
		"draw again with each change that the verdict speaks of, and say what came of it")
	f.IntSliceVar(
		&o.follow,
		"follow",
		nil,
		"follow the value back through resolves, copies and textures to where it was made; "+
			"where a draw made it of several image instructions, through the `READ`-th, and so on "+
			"for further draws behind commas",
	)
	f.Lookup("follow").NoOptDefVal = "1"
	f.BoolVarP(&o.verbose, "verbose", "v", false, "print every step with its rule and its numbers")
	f.BoolVar(&o.json, "json", false, "print JSON")
	f.StringVar(
		&o.html,
		"html",
		"",
		"write a page that shows it, which needs nothing else: FILE.html",
	)
	f.StringVar(
		&o.serve,
		"serve",
		"",
		"serve that page to this machine alone, and explain the pixels that are clicked: on a port that is free, or at `127.0.0.1:PORT`",
	)
	f.Lookup("serve").NoOptDefVal = freePort
	f.BoolVar(
		&o.mcp,
		"mcp",
		false,
		"speak the Model Context Protocol on standard input and output: a client opens models and captures of FOLDER (default: this one) and asks (docs/explain.md)",
	)
	f.IntVar(&o.frame, "frame", 0, "frame of a capture, from 1 (default: the last)")
	f.StringVar(
		&o.draw,
		"draw",
		"",
		"tell of one draw alone: DRAW, or PASS:DRAW, as the history numbers them",
	)
	o.addView(cmd, false)
	o.add(cmd)
	return cmd
}

// subject is what is explained: a picture that can be drawn again and again.
type subject struct {
	title  string
	points []point // those of the command line
	// samples is how many each pixel of a model has, and size what its picture has; 0: of a
	// capture, which tells only when it is replayed.
	samples int
	size    image.Point
	draw    func(w *work, points []point) (image.Image, []*explain.Explanation, error)
	// try explains points of the picture with the change of a hint; nil: tryOne does so.
	try func(w *work, points []point, h *explain.Hint) ([]*explain.Explanation, error)
	// tryOne tries the hints of one explanation of a capture.
	tryOne func(w *work, e *explain.Explanation) error
	// watch explains a texel of another image, from the first frame on where early says so; nil: none
	// is drawn besides the picture.
	watch func(w *work, t *explain.Target, early bool) ([]*explain.Explanation, error)
	close func() // gives back what draw has made; nil: nothing
	// warned holds the lines that explainOptions.errs was given, where they are answers.
	warned *bytes.Buffer
}

// viewFlags are those of a model that a capture has no use for.
func viewFlags() (names []string) {
	var cmd cobra.Command
	new(viewOptions).addView(&cmd, false)
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	return names
}

// subject checks the command line, and chooses by the file's name what explains it.
func (o *explainOptions) subject(path string, changed func(string) bool) (*subject, error) {
	s := &subject{title: filepath.Base(path)}
	if strings.EqualFold(filepath.Ext(path), ".rdc") {
		return nil, usagef(
			"%s: RenderDoc's captures are not read, and renderdoccmd converts them to XML and to chrome.json alone; capture the program again: pumice run --capture %s.gfxr -- PROGRAM",
			filepath.Base(path),
			strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)),
		)
	}
	capture := strings.EqualFold(filepath.Ext(path), ".gfxr")
	if capture {
		for _, name := range viewFlags() {
			if changed(name) {
				return nil, usagef(
					"--%s: a capture shows what its program drew; the flag is for models",
					name,
				)
			}
		}
		if changed("frame") && o.frame < 1 {
			return nil, usagef("--frame %d: frames count from 1", o.frame)
		}
		s.draw = func(w *work, points []point) (image.Image, []*explain.Explanation, error) {
			return explainCapture(w, path, o.frame, points)
		}
		s.watch = func(w *work, t *explain.Target, early bool) ([]*explain.Explanation, error) {
			return watchCapture(w, path, o.frame, sought{at: t, early: early})
		}
		s.tryOne = func(w *work, e *explain.Explanation) error { return tryCapture(w, path, o.frame, e) }
	} else {
		if changed("frame") {
			return nil, usagef("--frame: %s is no capture; --animation and --time choose a model's moment", modelName(path))
		}
		j, err := newJob(path, renderOptions{viewOptions: o.viewOptions, limits: o.limits, sequence: sequence{fps: 1}}, changed)
		if err != nil {
			return nil, err
		}
		s.title, s.samples, s.size = modelName(path), j.samples, image.Pt(j.width, j.height)
		m := &modelExplainer{job: j, errs: o.errs}
		s.draw, s.try, s.close = m.draw, m.try, m.close
		if o.sample >= j.samples {
			return nil, usagef("--sample %d: the picture has %d samples a pixel, 0 to %d; --samples sets how many", o.sample, j.samples, j.samples-1)
		}
	}
	if err := page.CheckAddress(o.serve); err != nil {
		return nil, usagef("--serve %w", err)
	}
	if o.sample < -1 {
		return nil, usagef("--sample %d: want 0 or more", o.sample)
	}
	if len(o.pixels) == 0 && len(o.words) == 0 && o.serve == "" && !o.mcp {
		return nil, usagef(
			"--pixel X,Y is required: which pixel to explain; --serve explains those that are clicked",
		)
	}
	for _, v := range o.vertices {
		if v < 0 || v > 2 {
			return nil, usagef("--vertex %d: primitives have vertices 0 to 2", v)
		}
		o.shader = true
	}
	for _, text := range o.words {
		m := wordFlag.FindStringSubmatch(text)
		switch {
		case m == nil:
			return nil, usagef(
				"--word %q: want NAME/BYTE or SET/BINDING/BYTE, such as 0/2/64",
				text,
			)
		case !capture:
			return nil, usagef(
				"--word: %s is no capture; models are drawn without storage buffers",
				modelName(path),
			)
		case len(o.follow) > 0 || o.try:
			return nil, usagef("--word: words are not followed, and nothing is tried on them")
		}
		s.points = append(s.points, point{shader: true, word: m[1], dispatch: m[2]})
	}
	if o.draw != "" && !drawFlag.MatchString(o.draw) {
		return nil, usagef(
			"--draw %q: want the number of a draw, as the history has it, or PASS:DRAW",
			o.draw,
		)
	}
	if o.html != "" && !strings.EqualFold(filepath.Ext(o.html), ".html") {
		return nil, usagef("--html %q: the page is HTML; end the name in .html", o.html)
	}
	for _, text := range o.pixels {
		x, y, err := parsePixel(text)
		if err != nil {
			return nil, err
		}
		if s.size != (image.Point{}) && !image.Pt(x, y).In(image.Rectangle{Max: s.size}) {
			return nil, outside(text, s.size)
		}
		s.points = append(s.points, s.at(x, y, o.sample, o.shader)...)
	}
	return s, nil
}

// wordFlag is what --word may be.
var wordFlag = regexp.MustCompile(`^(\w[\w.]*/\d{1,9}|\d{1,9}/\d{1,9}/\d{1,9})(?:@(\d{1,9}))?$`)

// drawFlag is what --draw may be.
var drawFlag = regexp.MustCompile(`^(?:(\d{1,9}):)?(\d{1,9})$`)

// ofDraw leaves of explanations what they tell of the draw that was asked for.
func (o *explainOptions) ofDraw(es []*explain.Explanation) ([]*explain.Explanation, error) {
	m := drawFlag.FindStringSubmatch(o.draw)
	if m == nil || len(es) == 0 {
		return es, nil
	}
	es = slices.DeleteFunc(es, func(e *explain.Explanation) bool {
		e.Events = slices.DeleteFunc(e.Events, func(v explain.Event) bool {
			return v.Kind != explain.Draw || strconv.Itoa(v.Index) != m[2] ||
				m[1] != "" && strconv.Itoa(v.Pass) != m[1]
		})
		return len(e.Events) == 0
	})
	if len(es) == 0 {
		return nil, usagef(
			"--draw %s: no pass that draws to the pixel has that draw; without --draw all are told",
			o.draw,
		)
	}
	return es, nil
}

// ofVertices leaves of the stages before fragment shaders what they tell of the vertices that were
// asked for; where none were, all of it.
func (o *explainOptions) ofVertices(es []*explain.Explanation) {
	if len(o.vertices) == 0 {
		return
	}
	for _, e := range es {
		e.OfVertices(o.vertices...)
	}
}

func modelName(path string) string {
	if path == "" {
		return "the built-in scene"
	}
	return filepath.Base(path)
}

// outside is the error of a pixel that a picture does not have.
func outside(pixel string, size image.Point) error {
	return usagef(
		"--pixel %s: the picture is %d × %d pixels, x 0 to %d and y 0 to %d",
		pixel,
		size.X,
		size.Y,
		size.X-1,
		size.Y-1,
	)
}

// parsePixel reads "X,Y".
func parsePixel(text string) (x, y int, err error) {
	left, right, ok := strings.Cut(text, ",")
	x, err1 := strconv.Atoi(strings.TrimSpace(left))
	y, err2 := strconv.Atoi(strings.TrimSpace(right))
	if !ok || err1 != nil || err2 != nil || x < 0 || y < 0 || x >= maxExtent || y >= maxExtent {
		return 0, 0, usagef("--pixel %q: want X,Y, two whole numbers from 0 on", text)
	}
	return x, y, nil
}

// at are the points of a pixel: its sample, or where that is negative all that a model's has.
func (s *subject) at(x, y, sample int, shader bool) []point {
	if sample < 0 && s.samples == 0 {
		sample = 0
	}
	return []point{{x: x, y: y, sample: sample, shader: shader}}
}

// explainMain draws, explains, and writes what was asked for.
func explainMain(w *work, o *explainOptions, s *subject, stdout io.Writer) error {
	w.doing = "drawing " + s.title
	if len(o.follow) > 0 {
		return writeFollowed(w, o, s, stdout)
	}
	picture, es, err := s.draw(w, s.points)
	if err != nil {
		return err
	}
	if o.try {
		if err := tryAll(w, s, s.points, es); err != nil {
			return err
		}
	}
	if es, err = o.ofDraw(es); err != nil {
		return err
	}
	size := picture.Bounds().Size()
	for _, p := range s.points {
		if p.word == "" && !image.Pt(p.x, p.y).In(image.Rectangle{Max: size}) {
			return outside(fmt.Sprintf("%d,%d", p.x, p.y), size)
		}
	}
	w.doing = "writing what was found"
	report := page.Report{Title: s.title, Picture: picture, Explanations: es}
	if o.html != "" {
		if err := writePage(w, o.html, &report); err != nil {
			return err
		}
	}
	if o.json || o.html == "" && o.serve == "" {
		o.ofVertices(es)
		if err := printExplanations(stdout, es, explain.TextOptions{Verbose: o.verbose || o.shader || len(o.words) > 0, Vertices: o.vertices}, o.json); err != nil {
			return err
		}
	}
	if o.serve == "" {
		return nil
	}
	return serveExplanations(w, o, s, report, stdout)
}

// writePage writes the page of a report.
func writePage(w *work, path string, r *page.Report) error {
	err := replaceFile(
		path,
		0o644,
		func(to io.Writer) error { return page.Write(contextWriter{w.ctx, to}, r) },
	)
	if err != nil {
		return fmt.Errorf("%s: cannot write: %w", path, cause(err))
	}
	return nil
}

// tryAll draws once more for each change of the hints, and notes what came of it.
func tryAll(w *work, s *subject, points []point, es []*explain.Explanation) error {
	if s.tryOne != nil {
		for _, e := range es {
			if err := s.tryOne(w, e); err != nil {
				return err
			}
		}
		return nil
	}
	return explain.Try(es, func(h *explain.Hint) ([]*explain.Explanation, error) {
		w.doing = fmt.Sprintf("drawing %s %s", s.title, h.Change)
		return s.try(w, points, h)
	})
}

// writeTexts writes explanations one behind the other. Samples of a pixel with one history are told once.
func writeTexts(to io.Writer, es []*explain.Explanation, o explain.TextOptions) error {
	told := map[string]explain.Target{}
	for i, e := range es {
		if i > 0 {
			fmt.Fprintln(to)
		}
		if first, ok := told[history(e)]; ok {
			fmt.Fprintf(
				to,
				"Sample %d of (%d, %d): as sample %d, %s.\n",
				e.Target.Sample,
				e.Target.X,
				e.Target.Y,
				first.Sample,
				e.After.Text,
			)
			continue
		}
		told[history(e)] = e.Target
		if err := explain.WriteText(to, e, o); err != nil {
			return err
		}
	}
	return nil
}

// history is what sets explanations of samples of a pixel apart, but for small differences of depth.
func history(e *explain.Explanation) string {
	var b strings.Builder
	t := e.Target
	t.Sample = 0
	fmt.Fprintf(&b, "%v %s", t, e.After.Bits)
	for _, v := range e.Events {
		fmt.Fprintf(&b, "; %s %s %s", v.Where, v.Outcome, v.After.Bits)
		if v.Draw != nil {
			for _, f := range v.Draw.Fragments {
				fmt.Fprintf(&b, ", %d %s", f.Primitive.ID, f.Outcome)
			}
		}
	}
	return b.String()
}

// colors says whether a stream is a terminal that wants colours (https://no-color.org).
func colors(to io.Writer) bool {
	if p, ok := to.(*printer); ok {
		to = p.to
	}
	f, ok := to.(*os.File)
	return ok && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" &&
		term.IsTerminal(int(f.Fd()))
}

// serveExplanations serves the page until ^C, and draws once more for each pixel that
// is clicked.
func serveExplanations(
	w *work,
	o *explainOptions,
	s *subject,
	report page.Report,
	stdout io.Writer,
) error {
	w.doing = "serving the page"
	serve := page.ServeOptions{
		Report:  report,
		Address: o.serve,
		Explain: func(ctx context.Context, x, y, sample int) ([]*explain.Explanation, error) {
			if sample < 0 {
				sample = o.sample
			}
			again := *w // the clock and the budget are shared, what is being done is not
			again.ctx = ctx
			at := s.at(x, y, sample, o.shader || s.watch != nil)
			_, es, err := s.draw(&again, at)
			if err == nil && o.try {
				err = tryAll(&again, s, at, es)
			}
			return es, err
		},
	}
	if s.watch != nil {
		serve.Follow = func(ctx context.Context, t explain.Target, early bool) ([]*explain.Explanation, error) {
			again := *w
			again.ctx = ctx
			return s.watch(&again, &t, early)
		}
	}
	url, wait, err := page.Serve(w.ctx, serve)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(stdout, "%s\nOpen this address in a browser on this machine; ^C ends it.\n", url); err != nil {
		return err
	}
	return wait()
}
