package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image/color"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/budget"
	"github.com/pumice-gpu/pumice/gltf"
	"github.com/pumice-gpu/pumice/gltf/studio"
	"github.com/pumice-gpu/pumice/imagefile/encode"
)

// thumbnails are the flags of pumice thumbnails.
type thumbnails struct {
	pictures
	size, samples, jobs, threads int
	background, engine, shard    string
	force, json, strict          bool
	each                         time.Duration
	framing
	reading
	lookOptions
	limits

	fill  color.NRGBA
	share shard
}

func thumbnailsCommand() *cobra.Command {
	var o thumbnails
	cmd := &cobra.Command{
		Use:   "thumbnails DIR... -o OUT",
		Short: "Draw a small picture of every model in folders",
		Long: "thumbnails draws every .glb, .gltf, .obj, .stl and .ply file below the folders, and those named themselves,\n" +
			"with one renderer. DIR/a/b.glb becomes OUT/a/b.glb.png; with several folders\n" +
			"OUT/NAME-OF-DIR/a/b.glb.png. Pictures that are newer than their model stay as they are (a\n" +
			"model's other files are not looked at: --force draws all). A file that cannot be drawn does\n" +
			"not keep the rest from it: the exit code is then 1. Links to folders are not followed, and\n" +
			"what is no regular file is skipped; both are told.",
		Example: `  pumice thumbnails models -o previews --size 256 --format webp
  pumice thumbnails models -o previews --shard 2/8 --json > 2.jsonl`,
		Args: usageArgs(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.checkFlags(cmd.Flags().Changed); err != nil {
				return err
			}
			w, err := o.begin(cmd.Context(), o.threads)
			if err != nil {
				return err
			}
			return w.end(o.run(w, args, cmd.OutOrStdout(), cmd.ErrOrStderr()))
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVarP(&o.output, "output", "o", "", "folder for the pictures")
	f.IntVar(&o.size, "size", 256, "width and height in pixels")
	f.StringVar(&o.format, "format", "png", encode.Names())
	f.IntVar(&o.quality, "quality", 90, "of JPEG, 1 to 100")
	f.IntVar(&o.samples, "samples", 4, "samples a pixel: 1, 4 or 8")
	f.StringVar(&o.background, "background", "transparent", "transparent, #rgb, #rrggbb or #rrggbbaa")
	o.addFraming(cmd)
	o.addLook(cmd)
	f.BoolVar(&o.force, "force", false, "draw pictures anew that are newer than their model")
	f.BoolVar(&o.strict, "strict", false, "count models as failed whose pictures lack something (a texture that cannot be read, an extension that is not supported, the whole model) or that break a rule of glTF")
	o.addReading(f)
	f.StringVar(&o.shard, "shard", "", "draw only a share of the models: i/n with i from 1 to n, or from 0 to n-1")
	f.BoolVar(&o.json, "json", false, "print a line of JSON for every model, and one for all")
	f.IntVar(&o.jobs, "jobs", 0, "models at a time (default: one a CPU)")
	f.DurationVar(&o.each, "file-time-limit", time.Minute, "give up a model after so long; 0: never")
	f.StringVar(&o.engine, "engine", "", "shader engine (default: PUMICE_ENGINE, or the best there is)")
	f.IntVar(&o.threads, "threads", 0, "worker threads of the renderer (default: one a CPU)")
	o.limits.add(cmd)
	return cmd
}

func (o *thumbnails) checkFlags(changed func(string) bool) (err error) {
	if o.output == "" || o.output == standard {
		return usagef("-o is required: the folder for the pictures")
	}
	ok := false
	if o.as, ok = encode.Parse(o.format); !ok {
		return usagef("--format %q: want one of %s", o.format, encode.Names())
	}
	if changed("quality") && o.as != encode.JPEG {
		return usagef("--quality is for JPEG, this is %s", o.as)
	}
	if o.samples != 1 && o.samples != 4 && o.samples != 8 {
		return usagef("--samples %d: want 1, 4 or 8", o.samples)
	}
	if err := checkEngine(o.engine); err != nil {
		return err
	}
	if err := o.checkReading(); err != nil {
		return err
	}
	if o.each < 0 {
		return usagef("--file-time-limit %v: want 0 or more", o.each)
	}
	if err := o.checkFraming(changed); err != nil {
		return err
	}
	if err := o.checkLook(changed, o.as, &o.samples); err != nil {
		return err
	}
	if o.fill, err = parseBackground(o.background); err != nil {
		return err
	}
	if o.share, err = parseShard(o.shard); err != nil {
		return err
	}
	const most = 4096
	for _, c := range []struct {
		flag         string
		value, least int
	}{{"--size", o.size, 1}, {"--quality", o.quality, 1}, {"--jobs", o.jobs, 0}, {"--threads", o.threads, 0}} {
		if err := inRange(c.flag, c.value, c.least, most); err != nil {
			return err
		}
	}
	return inRange("--quality", o.quality, 1, 100)
}

// What became of a model.
const (
	drawn    = "drawn"
	upToDate = "up to date"
	skipped  = "skipped"
	failed   = "failed"
)

// thumbnail is what --json prints of a model.
type thumbnail struct {
	Model    string   `json:"model"`
	File     string   `json:"file,omitempty"` // the picture
	Status   string   `json:"status"`         // drawn, up to date, skipped or failed
	Reason   string   `json:"reason,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
	Losses   []string `json:"losses,omitempty"` // those of them that the picture shows
	Seconds  float64  `json:"seconds"`

	err error
}

// thumbnailSummary is the last line that --json prints. Memory is in bytes.
type thumbnailSummary struct {
	Drawn    int     `json:"drawn"`
	UpToDate int     `json:"up_to_date"`
	Skipped  int     `json:"skipped"`
	Failed   int     `json:"failed"`
	Seconds  float64 `json:"seconds"`
	Device   int64   `json:"device_peak"`
	Process  int64   `json:"process_peak,omitempty"`
}

// run draws the thumbnails of the folders.
func (o *thumbnails) run(w *work, folders []string, stdout, stderr io.Writer) error {
	begin := time.Now()
	w.doing = "listing the models"
	models, err := listModels(w.ctx, folders, o.output, o.as.Extension())
	if err != nil {
		return err
	}
	if len(models) == 0 {
		return fmt.Errorf("%s: no models: want files that end in %s", strings.Join(folders, ", "), strings.Join(modelSuffixes[:], ", "))
	}
	own := models[:0]
	for i, m := range models {
		if o.share.has(i) {
			own = append(own, m)
		}
	}
	if slices.ContainsFunc(own, func(m modelFile) bool { return m.err == nil && m.skip == "" && (o.force || !m.newer()) }) {
		if err := writableFolder(o.output); err != nil { // once, not for each model
			return err
		}
	}
	w.doing = "making the studio"
	dev, err := pumice.Open(&pumice.Config{Engine: o.engine, Threads: o.threads, Budget: w.budget})
	if err != nil {
		if errors.Is(err, pumice.ErrUnsupported) {
			return usageError{err}
		}
		return err
	}
	defer dev.Close()
	r, err := studio.New(w.ctx, dev)
	if err != nil {
		return err
	}
	w.doing = fmt.Sprintf("drawing %d models", len(own))
	t := &thumbnailTeller{json: o.json, out: stdout, errs: stderr, total: len(own)}
	if isTerminal(stderr) {
		t.bar = progressbar.NewOptions(len(own), progressbar.OptionSetWriter(stderr), progressbar.OptionShowCount(),
			progressbar.OptionShowIts(), progressbar.OptionSetItsString("models"), progressbar.OptionClearOnFinish())
	}
	o.drawAll(w.ctx, r, own, t)
	if err := w.ctx.Err(); err != nil {
		return err
	}
	t.sum.Seconds = time.Since(begin).Seconds()
	_, t.sum.Device = dev.MemoryUsage()
	t.sum.Process = peakRSS()
	return t.end()
}

// drawAll draws models, several at a time, and tells of them in their order. One that finds
// no memory beside the others is tried again when they are done.
func (o *thumbnails) drawAll(ctx context.Context, r *studio.Renderer, models []modelFile, t *thumbnailTeller) {
	jobs := o.jobs
	if jobs == 0 {
		jobs = runtime.GOMAXPROCS(0)
	}
	results := make([]chan thumbnail, len(models))
	for i := range results {
		results[i] = make(chan thumbnail, 1)
	}
	next := make(chan int)
	var workers sync.WaitGroup
	for range min(jobs, len(models)) {
		workers.Go(func() {
			for i := range next {
				results[i] <- o.draw(ctx, r, models[i])
			}
		})
	}
	go func() {
		defer close(next)
		for i := range models {
			select {
			case next <- i:
			case <-ctx.Done():
				return
			}
		}
	}()
	var again []int
	for i := range models {
		select {
		case got := <-results[i]:
			var over *budget.Error
			if errors.As(got.err, &over) && jobs > 1 {
				again = append(again, i)
				continue
			}
			t.tell(got)
		case <-ctx.Done():
			workers.Wait() // the pictures that are being drawn end soon
			return
		}
	}
	workers.Wait()
	for _, i := range again {
		if ctx.Err() == nil {
			t.tell(o.draw(ctx, r, models[i]))
		}
	}
}

// draw draws one model, unless its picture is newer.
func (o *thumbnails) draw(ctx context.Context, r *studio.Renderer, m modelFile) thumbnail {
	begin := time.Now()
	t := thumbnail{Model: m.path, File: m.picture, Status: drawn}
	switch {
	case m.err != nil:
		t.Status, t.Reason, t.File, t.err = failed, oneLine(m.err), "", m.err
	case m.skip != "":
		t.Status, t.Reason, t.File = skipped, m.skip, ""
	case !o.force && m.newer():
		t.Status = upToDate
	default:
		if t.err = o.drawFile(ctx, r, m, &t); t.err != nil {
			t.Status, t.Reason, t.File = failed, oneLine(t.err), ""
		}
	}
	t.Seconds = time.Since(begin).Seconds()
	return t
}

// errFileTimeLimit is the cause of a context that --file-time-limit has ended.
var errFileTimeLimit = errors.New("--file-time-limit")

func (o *thumbnails) drawFile(ctx context.Context, r *studio.Renderer, m modelFile, t *thumbnail) error {
	if o.each > 0 {
		var stop func()
		ctx, stop = context.WithTimeoutCause(ctx, o.each, errFileTimeLimit)
		defer stop()
	}
	err := func() error {
		doc, err := gltf.Load(ctx, m.path, o.options(r.Budget()))
		if err != nil {
			return err
		}
		tellEmpty(doc)
		defer func() { t.Warnings, t.Losses = doc.Warnings, doc.Losses }()
		if err := lost(doc); o.strict && err != nil {
			return err
		}
		model, err := r.Load(ctx, doc)
		if err != nil {
			return err
		}
		defer model.Close()
		if err := lost(doc); o.strict && err != nil { // images that could not be decoded
			return err
		}
		v := studio.ThumbnailView(o.size)
		v.Samples, v.Background, v.Camera = o.samples, o.fill, o.frame()
		o.applyLook(&v)
		pic, err := o.render(ctx, r, model, v)
		if err != nil {
			return err
		}
		blanks := blanks{strict: o.strict}
		if err := blanks.look(ctx, r, model, v, pic); err != nil {
			return err
		}
		blanks.tell(doc)
		if err := makeFolder(m.picture); err != nil {
			return err
		}
		return writeFile(ctx, m.picture, func(w io.Writer) error { return o.encode(w, pic) })
	}()
	if err != nil && errors.Is(context.Cause(ctx), errFileTimeLimit) {
		return fmt.Errorf("%s: %w of %v passed", m.path, errFileTimeLimit, o.each)
	}
	return err
}

// thumbnailTeller prints what became of models.
type thumbnailTeller struct {
	json      bool
	out, errs io.Writer
	total     int
	bar       *progressbar.ProgressBar
	sum       thumbnailSummary
}

func (t *thumbnailTeller) tell(got thumbnail) {
	switch got.Status {
	case drawn:
		t.sum.Drawn++
	case upToDate:
		t.sum.UpToDate++
	case skipped:
		t.sum.Skipped++
	case failed:
		t.sum.Failed++
	}
	if t.bar != nil {
		const most = 40 // characters beside the bar
		name := []rune(got.Model)
		if len(name) > most {
			name = append([]rune("…"), name[len(name)-most+1:]...)
		}
		t.bar.Describe(string(name))
	}
	switch {
	case t.json:
		json.NewEncoder(t.out).Encode(got) // printer keeps the error
	case got.Status == failed:
		t.line("%s", got.Reason)
	case got.Status == skipped:
		t.line("%s: skipped: %s", got.Model, got.Reason)
	default:
		for _, warning := range got.Warnings {
			t.line("warning: %s: %s", got.Model, warning)
		}
	}
	if t.bar != nil {
		t.bar.Add(1)
	}
}

// line prints a line above the bar.
func (t *thumbnailTeller) line(format string, args ...any) {
	if t.bar != nil {
		t.bar.Clear()
	}
	fmt.Fprintf(t.errs, "pumice: "+format+"\n", args...)
}

// end prints the sums.
func (t *thumbnailTeller) end() error {
	if t.bar != nil {
		t.bar.Finish()
	}
	if t.json {
		json.NewEncoder(t.out).Encode(map[string]any{"summary": t.sum})
	} else {
		fmt.Fprintf(t.out, "%d drawn, %d up to date, %d skipped, %d failed in %.1f s; at most %d MiB resident\n",
			t.sum.Drawn, t.sum.UpToDate, t.sum.Skipped, t.sum.Failed, t.sum.Seconds, t.sum.Process>>20)
	}
	if t.sum.Failed > 0 {
		return fmt.Errorf("%d of %d models failed", t.sum.Failed, t.total)
	}
	return nil
}
