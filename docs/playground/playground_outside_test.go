//go:build outside

package playground_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"image"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/docs/playground/viewer"
	"github.com/pumice-gpu/pumice/gltf/studio"
	"github.com/pumice-gpu/pumice/internal/browser"
)

// canvas is the picture on the page as the browser has it.
func canvas(t *testing.T, b *browser.Tab) *image.NRGBA {
	t.Helper()
	text := b.Eval(`(() => { const c = document.getElementById('canvas'), d = c.getContext('2d').getImageData(0, 0, c.width, c.height);
		let s = ''; for (let i = 0; i < d.data.length; i += 4096) s += String.fromCharCode(...d.data.subarray(i, i + 4096));
		return c.width + ',' + c.height + ',' + btoa(s); })()`)
	parts := strings.SplitN(text, ",", 3)
	w, errW := strconv.Atoi(parts[0])
	h, errH := strconv.Atoi(parts[1])
	pix, err := base64.StdEncoding.DecodeString(parts[2])
	if errW != nil || errH != nil || err != nil || len(pix) != 4*w*h {
		t.Fatalf("the canvas cannot be read: %.100q", text)
	}
	return &image.NRGBA{Pix: pix, Stride: 4 * w, Rect: image.Rect(0, 0, w, h)}
}

// same checks that two pictures have the same pixels, of which there are some.
func same(t *testing.T, what string, got, want *image.NRGBA) {
	t.Helper()
	if got.Rect != want.Rect || !bytes.Equal(got.Pix, want.Pix) {
		t.Errorf("%s: the browser's %v differs from this machine's %v", what, got.Rect, want.Rect)
	}
	if bytes.Count(want.Pix, want.Pix[:4])*4 == len(want.Pix) {
		t.Errorf("%s: the picture is empty", what)
	}
}

// A square with an animation that no file needs, in two files.
const (
	squareModel = `{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],
		"meshes":[{"primitives":[{"attributes":{"POSITION":0},"mode":5}]}],"buffers":[{"byteLength":48,"uri":"square.bin"}],
		"bufferViews":[{"buffer":0,"byteLength":48}],
		"accessors":[{"bufferView":0,"componentType":5126,"count":4,"type":"VEC3","min":[0,0,0],"max":[1,1,0]}]}`
	squareBuffer = "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAACAPwAAgD8AAAAA"
)

// drop is a script that drops files, given in base64, on the page.
func drop(files map[string]string) string {
	text, _ := json.Marshal(files) // a map of strings
	return `(() => { const d = new DataTransfer();
		for (const [name, data] of Object.entries(` + string(text) + `)) d.items.add(new File([Uint8Array.from(atob(data), c => c.charCodeAt(0))], name));
		document.documentElement.dataset.state = 'busy'; document.getElementById('canvas').dispatchEvent(new DragEvent('drop', {bubbles: true, cancelable: true, dataTransfer: d})); })()`
}

// A page is the playground in a browser, and what it must be like.
type page struct {
	*browser.Tab
	t    *testing.T
	v    *viewer.Viewer
	view viewer.View
}

// settle waits until nothing more is drawn.
func (p *page) settle(what string) {
	p.t.Helper()
	p.Wait(`document.documentElement.dataset.state === 'done'`)
	if problem := p.Eval("document.getElementById('error').hidden ? '' : document.getElementById('error').textContent"); problem != "" {
		p.t.Fatalf("%s: %s", what, problem)
	}
}

// begin takes steps that have something drawn, and waits for the end of that.
func (p *page) begin(what string, steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	p.Eval(`(document.documentElement.dataset.state = 'busy')`)
	p.Do(steps...)
	p.settle(what)
}

// model compares the picture of the model with this machine's, and returns it.
func (p *page) model(what string) *image.NRGBA {
	p.t.Helper()
	got := canvas(p.t, p.Tab)
	p.view.Width, p.view.Height = got.Rect.Dx(), got.Rect.Dy()
	want, err := p.v.Render(p.t.Context(), p.view)
	if err != nil {
		p.t.Fatal(err)
	}
	same(p.t, what, got, want)
	return got
}

func TestOutside_PlaygroundDrawsWhatThisMachineDraws(t *testing.T) {
	p := &page{Tab: browser.Open(t, 420, 800), t: t, view: viewer.View{Camera: 1, Background: "#d9dee4", Samples: 4}}
	server := httptest.NewServer(http.FileServer(http.Dir(site(t))))
	defer server.Close()
	address := server.URL + "/"
	ctx := t.Context()
	teapot, err := studio.Teapot()
	if err != nil {
		t.Fatal(err)
	}
	if p.v, err = viewer.New(nil); err != nil {
		t.Fatal(err)
	}
	defer p.v.Close()
	if _, err := p.v.LoadTeapot(ctx, teapot); err != nil {
		t.Fatal(err)
	}

	p.Do(chromedp.Navigate(address))
	p.settle("loading")
	t.Logf("the first picture came %s ms after the load began", p.Eval("document.documentElement.dataset.first"))
	first := p.model("the teapot")
	p.Shot("teapot")
	if cut := p.Eval("(h => h.scrollWidth - h.clientWidth)(document.querySelector('h1'))"); cut != "0" {
		t.Errorf("%s pixels of the page's name are cut off", cut)
	}

	// A drag leaves the file's camera, and goes around the model: 0.4° a pixel.
	left, buttons := chromedp.Button(string(input.MouseButtonLeft)), func(m *input.DispatchMouseEventParams) { m.Buttons = 1 }
	p.begin("a drag", chromedp.MouseEvent(chromedp.MousePressed, 200, 200, left), chromedp.MouseEvent(chromedp.MouseMoved, 250, 225, left, buttons), chromedp.MouseEvent(chromedp.MouseReleased, 250, 225, left))
	p.view.Camera, p.view.Yaw, p.view.Pitch, p.view.Zoom = 0, 13-50*0.4, 14+25*0.4, 1
	second := p.model("the teapot from elsewhere")
	if bytes.Equal(first.Pix, second.Pix) {
		t.Error("a drag changes nothing")
	}
	p.Shot("orbit")
	p.begin("a key", chromedp.Focus(chromedp.ID("canvas")), chromedp.KeyEvent(kb.ArrowRight))
	p.view.Yaw += 10
	p.model("the teapot a key further")

	// Files that belong together; then one that is no model, and leaves all as it is.
	buffer, err := base64.StdEncoding.DecodeString(squareBuffer)
	if err != nil {
		t.Fatal(err)
	}
	model, err := p.v.Load(ctx, map[string][]byte{"square.gltf": []byte(squareModel), "square.bin": buffer})
	if err != nil {
		t.Fatal(err)
	}
	p.Eval(drop(map[string]string{"square.gltf": base64.StdEncoding.EncodeToString([]byte(squareModel)), "square.bin": squareBuffer}))
	p.settle("a dropped model")
	p.view.Yaw, p.view.Pitch, p.view.Zoom = 30, 15, 1
	p.model("a dropped model")
	if got := p.Eval("document.getElementById('name').textContent"); got != model.Name {
		t.Errorf("the page calls the model %q, want %q", got, model.Name)
	}
	p.Eval(drop(map[string]string{"bad.glb": base64.StdEncoding.EncodeToString([]byte("glTF, but not really"))}))
	p.Wait("!document.getElementById('error').hidden && document.getElementById('error').textContent.startsWith('bad.glb: ')")
	if got := p.Eval("document.getElementById('status').textContent"); got != "" {
		t.Errorf("beside the error stands %q", got)
	}
	p.begin("after a bad file", chromedp.Focus(chromedp.ID("canvas")), chromedp.KeyEvent(kb.ArrowLeft))

	p.raster()
	p.sample()
	p.cancel()
	p.Clean(address)
}

// raster looks at a scene of the rasterizer.
func (p *page) raster() {
	t := p.t
	t.Helper()
	p.begin("the rasterizer", chromedp.Click(chromedp.ID("tab-raster")))
	file, err := os.ReadFile("../../conformance/scenes/10-rates.json")
	if err != nil {
		t.Fatal(err)
	}
	got := canvas(t, p.Tab) // as many pixels for each of 16 as fit
	want, told, err := p.v.Raster(t.Context(), file, (got.Rect.Dx()-1)/16)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "a scene", got, want)
	text := p.Eval("document.getElementById('explanation').textContent + document.getElementById('rules').textContent")
	for line := range strings.Lines(told) {
		if !strings.Contains(text, strings.TrimSpace(line)) {
			t.Errorf("the page does not say %q", line)
		}
	}
	p.Shot("raster")
}

// sample looks at what a sampler gives, and why.
func (p *page) sample() {
	t := p.t
	t.Helper()
	p.begin("the sampler", chromedp.Click(chromedp.ID("tab-sample")))
	sampler := viewer.Sampler{Filter: "linear", Wrap: "repeat"}
	want, err := p.v.Samples(t.Context(), sampler, 256)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "samples", canvas(t, p.Tab), want)
	p.begin("another filter", chromedp.SetValue(chromedp.ID("wrap"), "mirrored"), chromedp.Evaluate[chromedp.Void](`document.getElementById('wrap').dispatchEvent(new Event('change'))`))
	sampler.Wrap = "mirrored"
	if want, err = p.v.Samples(t.Context(), sampler, 256); err != nil {
		t.Fatal(err)
	}
	same(t, "mirrored samples", canvas(t, p.Tab), want)
	// A point in the middle of pixel 200, 40 of 256.
	p.begin("a point", chromedp.Evaluate[chromedp.Void](`(() => { const c = document.getElementById('canvas'), b = c.getBoundingClientRect(), s = Math.min(b.width, b.height) / 256;
		c.dispatchEvent(new PointerEvent('pointerdown', {bubbles: true, clientX: b.left + b.width / 2 + (200.5 - 128) * s, clientY: b.top + b.height / 2 + (40.5 - 128) * s})); })()`))
	answer, err := p.v.Explain(t.Context(), sampler, viewer.SampleCoord(200, 256), viewer.SampleCoord(40, 256))
	if err != nil {
		t.Fatal(err)
	}
	text := p.Eval("document.getElementById('steps').innerText")
	for _, s := range append(answer.Steps, pumice.Step{Text: "At " + answer.At + ": " + answer.Texel}) {
		if !strings.Contains(text, s.Text) {
			t.Errorf("the page does not say %q, but %.200q", s.Text, text)
		}
	}
	if r, g, b, _ := want.At(200, 40).RGBA(); r == g && g == b {
		t.Error("the point is grey: nothing was sampled")
	}
	p.Shot("sample")
}

// cancel has pictures drawn that take long, and takes the wish back: the worker hears of it
// while it works. A browser may bring the word too late, and then there is a picture.
func (p *page) cancel() {
	p.t.Helper()
	p.Eval(`(() => { const post = Worker.prototype.postMessage;
		Worker.prototype.postMessage = function (...a) { window.found = this; return post.apply(this, a); }; })()`)
	p.begin("the model again", chromedp.Click(chromedp.ID("tab-model")))
	p.Eval(`(() => { found.addEventListener('message', e => { if (e.data.id === 'probe') window.answered = e.data.error ? e.data.error.name : 'a picture'; }); })()`)
	for range 10 {
		p.Eval(`(() => { window.answered = '';
			found.postMessage({id: 'probe', kind: 'render', request: {width: 2048, height: 2048, samples: 8, background: '#000000', zoom: 1, yaw: 0}});
			found.postMessage({cancel: true}); })()`)
		p.Wait("window.answered")
		switch got := p.Eval("answered"); got {
		case "cancelled":
			return
		case "a picture":
			p.t.Log("a job was cancelled too late")
		default:
			p.t.Fatalf("a cancelled job ends with %q", got)
		}
	}
	p.t.Error("no job can be cancelled")
}
