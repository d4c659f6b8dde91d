package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"image/color"
	"io"
	"io/fs"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/gltf"
	"github.com/pumice-gpu/pumice/gltf/studio"
)

// maxExtent bounds --width and --height: the device's largest framebuffer.
const maxExtent = 32768

// viewOptions are the flags that say how a model is seen, and what draws it.
type viewOptions struct {
	width, height, samples int
	variant                string
	strict                 bool
	cameras
	animation  int
	moment     float64 // --time
	background string
	engine     string
	threads    int
	reading
	surroundings
	lookOptions
}

// renderOptions are the flags of pumice render.
type renderOptions struct {
	sequence
	viewOptions
	turntable int // frames of one turn
	shard     string
	json      bool
	limits
}

func renderCommand() *cobra.Command {
	var o renderOptions
	cmd := &cobra.Command{
		Use:   "render [MODEL|-]",
		Short: "Render a model, or the built-in scene, to a picture",
		Long:  "render draws a model, or the built-in scene, to a picture. " + modelFormats,
		Example: `  pumice render -o teapot.png
  pumice render model.glb -o model.png --width 512 --height 512 --yaw 30
  pumice render part.stl -o part.webp --up Y
  pumice render - -o - --format webp < model.glb > model.webp
  pumice render model.glb -o top.png --view top --ortho
  pumice render model.glb -o inside.png --camera-position 1.5,1.7,4 --camera-target 0,1,0 --fov 60
  pumice render model.glb -o turn.apng --turntable 60
  pumice render walk.glb -o walk.apng --frames 60 --fps 30
  pumice render walk.glb -o 'frame-%04d.png' --animation 0 --frames 120 --fps 30 --shard 1/4`,
		Args: usageArgs(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			path := ""
			if len(args) == 1 {
				path = args[0]
			}
			if err := o.pictures.check(cmd.Flags().Changed, cmd.OutOrStdout()); err != nil {
				return err
			}
			j, err := newJob(path, o, cmd.Flags().Changed)
			if err != nil {
				return err
			}
			w, err := o.begin(cmd.Context(), o.threads)
			if err != nil {
				return err
			}
			j.stdin = cmd.InOrStdin()
			return w.end(renderMain(w, j, cmd.OutOrStdout(), cmd.ErrOrStderr()))
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	o.pictures.add(cmd, "file to write, for a sequence a pattern such as frame-%04d.png, or - for standard output")
	o.addView(cmd, true)
	f.IntVar(&o.frames, "frames", 0, "play an animation in so many frames: numbered files, an animated PNG, or a stream")
	f.IntVar(&o.turntable, "turntable", 0, "turn the camera once around the model in so many frames, written as those of --frames")
	f.Float64Var(&o.fps, "fps", 30, "frames a second of a sequence")
	f.StringVar(&o.shard, "shard", "", "of a sequence draw only a share: i/n with i from 1 to n, or from 0 to n-1")
	f.BoolVar(&o.json, "json", false, "print a report as JSON on standard output: seconds, bytes of memory, how many batches ran on the slow reference code, and which instructions of pipelines have no machine code")
	o.add(cmd)
	return cmd
}

// addView adds the flags; sequences says that the command draws them.
func (v *viewOptions) addView(cmd *cobra.Command, sequences bool) {
	animation, moment := "animation to play, by its number (default: none)", "moment of the animation in seconds"
	if sequences {
		animation = "animation to play, by its number (default: none; with --frames the first, 0)"
		moment = "moment of the animation in seconds, with --frames that of the first frame"
	}
	f := cmd.Flags()
	f.IntVar(&v.width, "width", 1024, "width in pixels")
	f.IntVar(&v.height, "height", 1024, "height in pixels")
	f.IntVar(&v.samples, "samples", 4, "samples a pixel: 1, 4 or 8")
	v.addCameras(cmd)
	f.StringVar(&v.variant, "variant", "", "material variant of the document, by its name")
	f.BoolVar(&v.strict, "strict", false, "fail where the picture lacks something (a texture that cannot be read, an extension that is not supported, the whole model) or the model breaks a rule of glTF")
	v.addReading(f)
	f.IntVar(&v.animation, "animation", -1, animation)
	f.Lookup("animation").DefValue = "0" // which help leaves out: the text says what it is
	f.Float64Var(&v.moment, "time", 0, moment)
	f.StringVar(&v.background, "background", "transparent", "transparent, #rgb, #rrggbb or #rrggbbaa")
	v.addSurroundings(f)
	v.addLook(cmd)
	f.StringVar(&v.engine, "engine", "", "shader engine: native, vm, or check, which compares the two (default: PUMICE_ENGINE, or the best there is)")
	f.IntVar(&v.threads, "threads", 0, "worker threads (default: one a CPU)")
}

// job is a checked command line.
type job struct {
	renderOptions
	path       string // empty: the built-in scene; -: standard input
	stdin      io.Reader
	background color.NRGBA
	shard      shard
}

// newJob checks everything that can be checked before files are opened.
func newJob(path string, o renderOptions, changed func(string) bool) (job, error) {
	j := job{renderOptions: o, path: path}
	var err error
	step := func(f func() error) {
		if err == nil {
			err = f()
		}
	}
	step(func() error { return inRange("--width", o.width, 1, maxExtent) })
	step(func() error { return inRange("--height", o.height, 1, maxExtent) })
	step(func() error {
		if o.samples != 1 && o.samples != 4 && o.samples != 8 {
			return usagef("--samples %d: want 1, 4 or 8", o.samples)
		}
		return nil
	})
	step(func() error { return checkEngine(o.engine) })
	step(func() error { return j.checkCameras(changed) })
	step(func() error { return j.checkTurn(changed) })
	step(func() error { return inRange("--frames", o.frames, 0, 1_000_000) })
	step(func() error { return inRange("--fps", o.fps, 1e-3, 1e6) })
	step(func() error { return inRange("--time", o.moment, -1e6, 1e6) })
	step(func() error { return inRange("--threads", o.threads, 0, 4096) })
	step(func() error { j.background, err = parseBackground(o.background); return err })
	step(func() error { j.shard, err = parseShard(o.shard); return err })
	step(j.checkReading)
	step(func() error { return j.surroundings.check(changed) })
	step(func() error { return j.checkLook(changed, j.as, &j.samples) })
	step(func() error { return j.checkSequence(o.shard, o.json) })
	step(func() error { return j.checkTime(changed) })
	if err != nil {
		return job{}, err
	}
	if path == "" {
		if !changed("background") {
			j.background = studio.TeapotBackground()
		}
		if !changed("camera") && !framed(changed) {
			j.number = 0
		}
	}
	return j, nil
}

// checkTurn makes a sequence of --turntable.
func (j *job) checkTurn(changed func(string) bool) error {
	if !changed("turntable") {
		return nil
	}
	if changed("frames") {
		return usagef("--turntable and --frames: both say how many frames there are; leave --frames out")
	}
	j.frames, j.turns = j.turntable, true
	return inRange("--turntable", j.turntable, 1, 1_000_000)
}

// checkTime chooses the animation, and refuses flags that nothing listens to.
func (j *job) checkTime(changed func(string) bool) error {
	switch {
	case changed("animation") && j.animation < 0:
		return usagef("--animation %d: want an animation's number, from 0", j.animation)
	case j.frames > 0 && !j.turns && !changed("animation"):
		j.animation = 0
	case changed("time") && j.animation < 0:
		return usagef("--time %v is a moment of an animation: --animation N says of which", j.moment)
	}
	if j.frames == 0 && changed("fps") {
		return usagef("--fps is for sequences: --frames or --turntable says how many frames there are")
	}
	return nil
}

// report is what --json prints. Times are seconds, sizes bytes.
type report struct {
	Model     string   `json:"model"`
	Files     []string `json:"files"`
	Warnings  []string `json:"warnings,omitempty"`
	Losses    []string `json:"losses,omitempty"` // those of them that the picture shows
	Engine    string   `json:"engine"`
	Threads   int      `json:"threads"`
	Width     int      `json:"width"`
	Height    int      `json:"height"`
	Samples   int      `json:"samples"`
	Pass      string   `json:"pass,omitempty"`
	IDs       []idName `json:"ids,omitempty"` // of --pass id
	Vertices  uint64   `json:"vertices"`
	Triangles uint64   `json:"primitives"`
	Fragments uint64   `json:"fragments"`
	Seconds   stages   `json:"seconds"`
	// Interpreted are instructions of the pipelines that no machine code runs.
	Interpreted []pumice.Interpreted `json:"interpreted,omitempty"`
	Memory      struct {
		Device  int64 `json:"device_peak"`
		Charged int64 `json:"charged_peak"` // of --memory-limit
		Process int64 `json:"process_peak,omitempty"`
	} `json:"memory"`
}

// stages are the times of a run.
type stages struct {
	Open   float64 `json:"open"`   // device and studio
	Load   float64 `json:"load"`   // reading and checking the model
	Upload float64 `json:"upload"` // decoding textures, mipmaps, materials
	Render float64 `json:"render"` // all frames
	Write  float64 `json:"write"`  // encoding and writing
	Total  float64 `json:"total"`
	// Parts of Open to Render as the device sees them.
	Vertex   float64 `json:"device_vertex"`
	Bin      float64 `json:"device_bin"`
	Tile     float64 `json:"device_tile"`
	Resolve  float64 `json:"device_resolve"`
	Transfer float64 `json:"device_transfer"`
}

func renderMain(w *work, j job, stdout, stderr io.Writer) error {
	ctx := w.ctx
	var err error
	start := time.Now()
	rep := &report{Model: j.path, Width: j.width, Height: j.height, Samples: j.samples, Pass: j.pass, Files: []string{}}
	clock := func(dst *float64, f func() error) error {
		begin := time.Now()
		err := f()
		*dst += time.Since(begin).Seconds()
		return err
	}

	doing := func(format string, args ...any) { w.doing = fmt.Sprintf(format, args...) }
	clearLine := func() {}
	if j.frames < 2 { // sequences have a bar
		line := startStatus(stderr, "rendering", false)
		defer line.stop()
		clearLine = line.clear
		doing = func(format string, args ...any) {
			w.doing = fmt.Sprintf(format, args...)
			line.show(w.doing)
		}
	}

	var doc *gltf.Document
	doing("reading %s", cmp.Or(j.name(), "the built-in scene"))
	if err := clock(&rep.Seconds.Load, func() error { doc, err = j.load(w); return err }); err != nil {
		return err
	}
	if err := j.check(doc); err != nil {
		return err
	}
	var lit, unlit []string // warnings and losses of the light's file
	told := map[string]bool{}
	warn := func() { // of what is new: a line may come to tell of more
		rep.Warnings, rep.Losses = slices.Concat(doc.Warnings, lit), slices.Concat(doc.Losses, unlit)
		for _, warning := range rep.Warnings {
			if !told[warning] {
				told[warning] = true
				clearLine()
				fmt.Fprintf(stderr, "pumice: warning: %s\n", warning)
			}
		}
	}
	warn()

	doing("making the studio")
	var dev *pumice.Device
	var renderer *studio.Renderer
	defer func() { _ = dev.Close() }() // also where what follows fails
	if err := clock(&rep.Seconds.Open, func() error {
		config := pumice.Config{Engine: j.engine, Threads: j.threads, Budget: w.budget}
		if j.json {
			var one sync.Mutex // pipelines may be made at once
			config.Interpreted = func(x pumice.Interpreted) {
				one.Lock()
				defer one.Unlock()
				rep.Interpreted = append(rep.Interpreted, x)
			}
		}
		if dev, err = pumice.Open(&config); err != nil {
			if errors.Is(err, pumice.ErrUnsupported) {
				return usageError{err} // an engine that this machine does not have
			}
			return err
		}
		if renderer, err = studio.New(ctx, dev); err != nil {
			return err
		}
		lit, unlit, err = j.surroundings.open(w, renderer, j.strict)
		warn()
		return err
	}); err != nil {
		return err
	}
	rep.Engine, rep.Threads = dev.Engine(), dev.Threads()

	doing("decoding %d images and uploading %d meshes of %s", len(doc.Images), len(doc.Meshes), doc.File)
	var model *studio.Model
	if err := clock(&rep.Seconds.Upload, func() error { model, err = renderer.Load(ctx, doc); return err }); err != nil {
		return err
	}
	defer model.Close()
	if err := j.checkLosses(doc); err != nil { // of images that could not be decoded
		return err
	}
	warn()
	if err := j.draw(w, renderer, model, rep, clock, doing, stdout, stderr); err != nil {
		return err
	}
	warn()

	if j.json {
		s := dev.Stats()
		rep.Vertices, rep.Triangles, rep.Fragments = s.Vertices, s.Primitives, s.Fragments
		rep.Seconds.Vertex, rep.Seconds.Bin = s.VertexTime.Seconds(), s.BinTime.Seconds()
		rep.Seconds.Tile, rep.Seconds.Resolve = s.TileTime.Seconds(), s.ResolveTime.Seconds()
		rep.Seconds.Transfer = s.TransferTime.Seconds()
		_, rep.Memory.Device = dev.MemoryUsage()
		rep.Memory.Charged = w.budget.Peak()
		rep.Memory.Process = peakRSS()
		rep.Seconds.Total = time.Since(start).Seconds()
		enc := json.NewEncoder(stdout)
		enc.SetIndent("", "  ")
		return enc.Encode(rep)
	}
	return nil
}

// load reads the model, or builds the built-in scene.
func (j *job) load(w *work) (*gltf.Document, error) {
	if j.path != "" {
		return loadModel(w, j.path, j.stdin, &j.reading)
	}
	file, err := studio.Teapot()
	if err != nil {
		return nil, err
	}
	return gltf.Read(w.ctx, bytes.NewReader(file), nil, "teapot", &gltf.Options{Budget: w.budget})
}

// loadModel reads a model from a file, or where its name is - from standard input, whose folder is
// then --assets. That nothing of it would be drawn is a loss.
func loadModel(w *work, path string, stdin io.Reader, how *reading) (*gltf.Document, error) {
	var doc *gltf.Document
	var err error
	options := how.options(w.budget)
	if path == standard {
		if stdin == nil {
			stdin = os.Stdin
		}
		var files fs.FS
		if how.assets != "" {
			root, err := os.OpenRoot(how.assets)
			if err != nil {
				return nil, usagef("--assets %s: %w", how.assets, cause(err))
			}
			defer root.Close()
			files = root.FS()
		}
		doc, err = gltf.Read(w.ctx, patientReader{w.ctx, stdin}, files, "standard input", options)
	} else {
		doc, err = gltf.Load(w.ctx, path, options)
	}
	if err == nil {
		tellEmpty(doc)
	}
	return doc, err
}

// name is what messages call the model.
func (j *job) name() string {
	if j.path == standard {
		return "standard input"
	}
	return j.path
}

// check refuses what the document does not have.
func (j *job) check(doc *gltf.Document) error {
	if err := j.checkLosses(doc); err != nil {
		return err
	}
	if err := j.listens(doc); err != nil {
		return err
	}
	if j.variant != "" && doc.FindVariant(j.variant) == gltf.None {
		have := "no variants"
		if len(doc.Variants) > 0 {
			have = fmt.Sprintf("%q", doc.Variants)
		}
		return usagef("--variant %q: %s has %s", j.variant, doc.File, have)
	}
	if err := j.findCamera(doc); err != nil {
		return err
	}
	if j.frames > 0 && !j.turns && len(doc.Animations) == 0 {
		return usagef("--frames %d: %s has no animation, all frames would be the same; --turntable %d turns it", j.frames, doc.File, j.frames)
	}
	if j.animation >= len(doc.Animations) {
		return usagef("--animation %d: %s has %s", j.animation, doc.File, numbered("animation", len(doc.Animations)))
	}
	return nil
}

// checkLosses is the error of --strict.
func (v *viewOptions) checkLosses(doc *gltf.Document) error {
	if !v.strict {
		return nil
	}
	return lost(doc)
}

// lost returns the first of what a picture of the document lacks, nil where it lacks
// nothing.
func lost(doc *gltf.Document) error {
	if len(doc.Losses) == 0 {
		return nil
	}
	more := ""
	if n := len(doc.Losses) - 1; n > 0 {
		more = fmt.Sprintf(", and %d more", n)
	}
	return fmt.Errorf("--strict: %s%s", doc.Losses[0], more)
}

// draw renders and writes the picture or this process's share of the sequence.
func (j *job) draw(w *work, r *studio.Renderer, m *studio.Model, rep *report, clock func(*float64, func() error) error, doing func(string, ...any), stdout, stderr io.Writer) error {
	around, err := j.around(m.Document())
	if err != nil {
		return err
	}
	bar := progress(max(j.frames, 1), j, stderr)
	blanks := blanks{strict: j.strict}
	defer blanks.tell(m.Document())
	drawn := rep.Seconds.Render
	begin := time.Now()
	err = j.sequence.write(w.ctx, j.shard, stdout, func(frame int) (pic picture, err error) {
		doing("%s", j.describe(m.Document().File, frame))
		err = clock(&rep.Seconds.Render, func() error {
			v := j.view(m.Document(), frame, around)
			if pic, err = j.render(w.ctx, r, m, v); err == nil {
				err = blanks.look(w.ctx, r, m, v, pic)
			}
			if err == nil && j.json && v.Pass == studio.PassID {
				err = rep.nameIDs(w, m, v)
			}
			return err
		})
		return pic, err
	}, func(file string) {
		if len(rep.Files) == 0 || !j.single() {
			rep.Files = append(rep.Files, file)
		}
		if bar != nil {
			bar.Add(1)
		}
	})
	rep.Seconds.Write += time.Since(begin).Seconds() - (rep.Seconds.Render - drawn)
	return err
}

// numbered says which of n things there are.
func numbered(kind string, n int) string {
	switch n {
	case 0:
		return "no " + kind
	case 1:
		return kind + " 0 alone"
	}
	return fmt.Sprintf("%ss 0 to %d", kind, n-1)
}

// around returns poses spread over the whole sequence, the same for all shards:
// the framing camera takes them all in and stands still.
func (j *job) around(doc *gltf.Document) ([]*gltf.Pose, error) {
	if j.frames < 2 || j.number >= 0 || j.animation < 0 {
		return nil, nil
	}
	const most = 16
	count := min(j.frames, most)
	var poses []*gltf.Pose
	for i := range count {
		frame := i * (j.frames - 1) / (count - 1)
		pose, err := doc.PoseNear(doc.FindScene(), j.animation, j.moment+float64(frame)/j.fps, gltf.None)
		if err != nil {
			return nil, err
		}
		poses = append(poses, pose)
	}
	return poses, nil
}

// progress returns a bar for sequences on a terminal, else nil.
func progress(frames int, j *job, stderr io.Writer) *progressbar.ProgressBar {
	if frames < 2 || !isTerminal(stderr) {
		return nil
	}
	share := 0
	for frame := range frames {
		if j.shard.has(frame) {
			share++
		}
	}
	return progressbar.NewOptions(share, progressbar.OptionSetWriter(stderr),
		progressbar.OptionSetDescription("rendering"), progressbar.OptionShowCount(), progressbar.OptionClearOnFinish())
}
