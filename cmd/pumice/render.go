package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"image/color"
	"io"
	"os"
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
	camera                 int
	yaw, pitch, zoom       float64
	animation              int
	moment                 float64 // --time
	background             string
	engine                 string
	threads                int
	surroundings
}

// renderOptions are the flags of pumice render.
type renderOptions struct {
	sequence
	viewOptions
	shard string
	json  bool
	limits
}

func renderCommand() *cobra.Command {
	var o renderOptions
	cmd := &cobra.Command{
		Use:   "render [MODEL.gltf|MODEL.glb|-]",
		Short: "Render a glTF model, or the built-in scene, to a picture",
		Example: `  pumice render -o teapot.png
  pumice render model.glb -o model.png --width 512 --height 512 --yaw 30
  pumice render - -o - --format webp < model.glb > model.webp
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
	o.addView(cmd)
	f.IntVar(&o.frames, "frames", 0, "write a sequence of so many frames: numbered files, an animated PNG, or a stream")
	f.Float64Var(&o.fps, "fps", 30, "frames a second of a sequence")
	f.StringVar(&o.shard, "shard", "", "of a sequence draw only share i of n: i/n, i from 1 to n, or from 0 (0/n is n/n)")
	f.BoolVar(&o.json, "json", false, "print a report as JSON on standard output")
	o.add(cmd)
	return cmd
}

func (v *viewOptions) addView(cmd *cobra.Command) {
	f := cmd.Flags()
	f.IntVar(&v.width, "width", 1024, "width in pixels")
	f.IntVar(&v.height, "height", 1024, "height in pixels")
	f.IntVar(&v.samples, "samples", 4, "samples a pixel: 1, 4 or 8")
	f.IntVar(&v.camera, "camera", -1, "camera of the document; without it the model is framed")
	f.Float64Var(&v.yaw, "yaw", 30, "framing camera: degrees to the model's left")
	f.Float64Var(&v.pitch, "pitch", 15, "framing camera: degrees up")
	f.Float64Var(&v.zoom, "zoom", 1, "framing camera: size of the model in the picture")
	f.StringVar(&v.variant, "variant", "", "material variant of the document, by its name")
	f.BoolVar(&v.strict, "strict", false, "fail where the picture lacks something: an extension that is not supported, a texture that cannot be read")
	f.IntVar(&v.animation, "animation", -1, "animation to play (0 with render's --frames)")
	f.Float64Var(&v.moment, "time", 0, "time of the frame in seconds, of a sequence's first")
	f.StringVar(&v.background, "background", "transparent", "transparent, #rgb, #rrggbb or #rrggbbaa")
	v.addSurroundings(f)
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
	step(func() error { return inRange("--zoom", o.zoom, 1e-3, 1e3) })
	step(func() error { return inRange("--pitch", o.pitch, -90, 90) })
	step(func() error { return inRange("--yaw", o.yaw, -3600, 3600) })
	step(func() error { return inRange("--frames", o.frames, 0, 1_000_000) })
	step(func() error { return inRange("--fps", o.fps, 1e-3, 1e6) })
	step(func() error { return inRange("--time", o.moment, -1e6, 1e6) })
	step(func() error { return inRange("--threads", o.threads, 0, 4096) })
	step(func() error { j.background, err = parseBackground(o.background); return err })
	step(func() error { j.shard, err = parseShard(o.shard); return err })
	step(func() error { return j.surroundings.check(changed) })
	step(func() error { return o.checkSequence(o.shard, o.json) })
	if err != nil {
		return job{}, err
	}
	if path == "" {
		if !changed("background") {
			j.background = studio.TeapotBackground()
		}
		framed := changed("yaw") || changed("pitch") || changed("zoom")
		if !changed("camera") && !framed {
			j.camera = 0
		}
	}
	if o.frames > 0 && !changed("animation") {
		j.animation = 0
	}
	return j, nil
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
	Vertices  uint64   `json:"vertices"`
	Triangles uint64   `json:"primitives"`
	Fragments uint64   `json:"fragments"`
	Reference uint64   `json:"reference"` // batches on slow code
	Seconds   stages   `json:"seconds"`
	Memory    struct {
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
	rep := &report{Model: j.path, Width: j.width, Height: j.height, Samples: j.samples, Files: []string{}}
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
	rep.Warnings, rep.Losses = doc.Warnings, doc.Losses
	for _, warning := range doc.Warnings {
		clearLine()
		fmt.Fprintf(stderr, "pumice: warning: %s\n", warning)
	}

	doing("making the studio")
	var dev *pumice.Device
	var renderer *studio.Renderer
	defer func() { _ = dev.Close() }() // also where what follows fails
	if err := clock(&rep.Seconds.Open, func() error {
		if dev, err = pumice.Open(&pumice.Config{Engine: j.engine, Threads: j.threads, Budget: w.budget}); err != nil {
			if errors.Is(err, pumice.ErrUnsupported) {
				return usageError{err} // an engine that this machine does not have
			}
			return err
		}
		if renderer, err = studio.New(ctx, dev); err != nil {
			return err
		}
		return j.surroundings.open(w, renderer)
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
	if err := j.draw(w, renderer, model, rep, clock, doing, stdout, stderr); err != nil {
		return err
	}

	if j.json {
		s := dev.Stats()
		rep.Vertices, rep.Triangles, rep.Fragments, rep.Reference = s.Vertices, s.Primitives, s.Fragments, s.Reference
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
		return loadModel(w, j.path, j.stdin)
	}
	file, err := studio.Teapot()
	if err != nil {
		return nil, err
	}
	return gltf.Read(w.ctx, bytes.NewReader(file), nil, "teapot", &gltf.Options{Budget: w.budget})
}

// loadModel reads a model from a file, or where its name is - from standard input.
func loadModel(w *work, path string, stdin io.Reader) (*gltf.Document, error) {
	options := &gltf.Options{Budget: w.budget}
	if path == standard {
		if stdin == nil {
			stdin = os.Stdin
		}
		return gltf.Read(w.ctx, patientReader{w.ctx, stdin}, nil, "standard input", options)
	}
	return gltf.Load(w.ctx, path, options)
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
	if err := lost(doc); j.strict && err != nil {
		return err
	}
	if j.variant != "" && doc.FindVariant(j.variant) == gltf.None {
		have := "no variants"
		if len(doc.Variants) > 0 {
			have = fmt.Sprintf("%q", doc.Variants)
		}
		return usagef("--variant %q: %s has %s", j.variant, doc.File, have)
	}
	if j.camera >= len(doc.Cameras) {
		return usagef("--camera %d: %s has %s", j.camera, doc.File, numbered("camera", len(doc.Cameras)))
	}
	if j.frames > 0 && len(doc.Animations) == 0 {
		j.animation = -1 // a sequence of a still model is a still sequence
	} else if j.animation >= len(doc.Animations) {
		return usagef("--animation %d: %s has %s", j.animation, doc.File, numbered("animation", len(doc.Animations)))
	}
	return nil
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
	drawn := rep.Seconds.Render
	begin := time.Now()
	err = j.sequence.write(w.ctx, j.shard, stdout, func(frame int) (pic picture, err error) {
		doing("%s", j.describe(m.Document().File, frame))
		err = clock(&rep.Seconds.Render, func() error {
			pic, err = j.render(w.ctx, r, m, j.view(m.Document(), frame, around))
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
	if j.frames < 2 || j.camera >= 0 {
		return nil, nil
	}
	const most = 16
	count := min(j.frames, most)
	var poses []*gltf.Pose
	for i := range count {
		frame := i * (j.frames - 1) / (count - 1)
		pose, err := doc.Pose(doc.FindScene(), j.animation, j.moment+float64(frame)/j.fps)
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
