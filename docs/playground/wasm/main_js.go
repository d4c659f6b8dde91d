// Command wasm is the playground's program: it runs in the page's worker, and does what
// worker.js calls it for, one thing after the other.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"syscall/js"
	"time"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/docs/playground/viewer"
)

// job is one call of JavaScript.
type job struct {
	kind    string
	request []byte            // JSON
	files   map[string][]byte // by name
	answer  js.Value          // a function of an error, an object and a picture
}

func main() {
	jobs := make(chan job, 1)
	cancel := func() {}
	js.Global().Set("pumiceCall", js.FuncOf(func(_ js.Value, args []js.Value) any {
		j := job{kind: args[0].String(), request: []byte(args[1].String()), files: map[string][]byte{}, answer: args[3]}
		names := js.Global().Get("Object").Call("keys", args[2])
		for i := range names.Length() {
			name := names.Index(i).String()
			from := args[2].Get(name)
			data := make([]byte, from.Length())
			js.CopyBytesToGo(data, from)
			j.files[name] = data
		}
		go func() { jobs <- j }()
		return nil
	}))
	js.Global().Set("pumiceCancel", js.FuncOf(func(js.Value, []js.Value) any { cancel(); return nil }))
	js.Global().Call("pumiceReady")

	var p program
	for j := range jobs {
		ctx, stop := context.WithCancel(context.Background())
		cancel = stop
		result, picture, err := p.do(pumice.WithPause(ctx, pauses()), j)
		stop()
		j.reply(result, picture, err)
	}
}

// pauses gives the event loop its turn, in which messages such as that to cancel come
// in. A browser makes it wait for 4 milliseconds each time.
func pauses() func() {
	last := time.Now()
	return func() {
		if time.Since(last) > 100*time.Millisecond {
			time.Sleep(time.Microsecond)
			last = time.Now()
		}
	}
}

// program is the viewer, once it is there.
type program struct{ viewer *viewer.Viewer }

// do does one job. A broken invariant is the error of that job.
func (p *program) do(ctx context.Context, j job) (result any, picture *image.NRGBA, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("internal error: %v", r)
		}
	}()
	var request struct {
		viewer.View
		viewer.Sampler
		Raster int        `json:"raster"` // pixels of the picture a pixel of the scene
		Size   int        `json:"size"`
		At     [2]float32 `json:"at"`
	}
	if err := json.Unmarshal(j.request, &request); err != nil {
		return nil, nil, err
	}
	if j.kind == "open" {
		p.viewer, err = viewer.New(j.files["light"])
		return nil, nil, err
	}
	if p.viewer == nil {
		return nil, nil, errors.New("nothing is open")
	}
	switch v := p.viewer; j.kind {
	case "load":
		result, err = v.Load(ctx, j.files)
	case "teapot":
		result, err = v.LoadTeapot(ctx, j.files["teapot"])
	case "render":
		picture, err = v.Render(ctx, request.View)
	case "raster":
		picture, result, err = v.Raster(ctx, j.files["scene"], request.Raster)
	case "texture":
		for name, data := range j.files {
			result, err = v.LoadTexture(ctx, name, data)
		}
		if len(j.files) == 0 {
			result, err = v.BuiltinTexture(ctx)
		}
	case "samples":
		picture, err = v.Samples(ctx, request.Sampler, request.Size)
	case "explain":
		result, err = v.Explain(ctx, request.Sampler, request.At[0], request.At[1])
	default:
		err = fmt.Errorf("no such job: %q", j.kind)
	}
	return result, picture, err
}

// reply calls back with an error, or what there is of a result and a picture.
func (j *job) reply(result any, picture *image.NRGBA, err error) {
	if err != nil {
		name := "error"
		if errors.Is(err, context.Canceled) {
			name = "cancelled"
		}
		j.answer.Invoke(js.ValueOf(map[string]any{"name": name, "message": err.Error()}), js.Null(), js.Null())
		return
	}
	out := js.Null()
	if picture != nil {
		data := js.Global().Get("Uint8ClampedArray").New(len(picture.Pix))
		js.CopyBytesToJS(data, picture.Pix)
		out = js.ValueOf(map[string]any{"width": picture.Rect.Dx(), "height": picture.Rect.Dy(), "data": data})
	}
	text, err := json.Marshal(result)
	if err != nil {
		text = []byte("null")
	}
	j.answer.Invoke(js.Null(), js.Global().Get("JSON").Call("parse", string(text)), out)
}
