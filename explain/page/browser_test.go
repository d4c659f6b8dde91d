package page

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"image"
	"image/color"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/pumice-gpu/pumice/explain"
)

var shots = flag.String("shots", "", "write screenshots of the pages into this folder")

// tab is a page of a browser, and what went wrong on it.
type tab struct {
	ctx      context.Context
	t        *testing.T
	mu       sync.Mutex
	requests []string // that left for a network
	problems []string // exceptions, and what the policy forbade
}

// open starts Chromium with a tab of so many CSS pixels.
func open(t *testing.T, width, height int) *tab {
	t.Helper()
	if testing.Short() {
		t.Skip("starts a browser: not with -short")
	}
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if p, err := exec.LookPath(name); err == nil && path == "" {
			path = p
		}
	}
	if path == "" {
		t.Skip("no Chromium (Debian's chromium): pages are not looked at")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.WindowSize(width, height), chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true), chromedp.Flag("hide-scrollbars", true))
	if os.Getuid() == 0 {
		options = append(options, chromedp.NoSandbox)
	}
	allocator, cancelAllocator := chromedp.NewExecAllocator(t.Context(), options...)
	ctx, cancel := chromedp.NewContext(allocator)
	t.Cleanup(func() { cancel(); cancelAllocator() })
	b := &tab{ctx: ctx, t: t}
	if err := chromedp.Listen(ctx, func(event any) {
		b.mu.Lock()
		defer b.mu.Unlock()
		switch e := event.(type) {
		case *network.EventRequestWillBeSent:
			if u := e.Request.URL; !strings.HasPrefix(u, "data:") && !strings.HasPrefix(u, "file:") {
				b.requests = append(b.requests, u)
			}
		case *runtime.EventExceptionThrown:
			b.problems = append(b.problems, fmt.Sprintf("%+v", e.ExceptionDetails.Exception))
		case *log.EventEntryAdded:
			b.problems = append(b.problems, e.Entry.Text)
		}
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.Call(ctx, network.Enable, network.EnableParams{}); err != nil {
		t.Fatal(err)
	}
	b.do(chromedp.EmulateViewport(int64(width), int64(height)))
	return b
}

// do takes steps on the page, of which none may take more than 20 seconds.
func (b *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, 20*time.Second)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		b.t.Fatal(err)
	}
}

// eval is what an expression of JavaScript gives, as text.
func (b *tab) eval(script string) string {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, 20*time.Second)
	defer cancel()
	out, err := chromedp.Run(ctx, chromedp.Evaluate[string]("String("+script+")"))
	if err != nil {
		b.t.Fatalf("%s: %v", script, err)
	}
	return out
}

// wait waits for an expression of JavaScript to be true. (chromedp.Poll is a use of
// eval, which the pages forbid.)
func (b *tab) wait(script string) {
	b.t.Helper()
	for end := time.Now().Add(10 * time.Second); b.eval("Boolean("+script+")") != "true"; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			b.t.Fatalf("%s did not come true; the page says %.300q, the browser %q", script, b.eval("document.body.innerText"), b.problems)
		}
	}
}

// resize gives the window another size, and waits until the page has drawn itself for it.
func (b *tab) resize(width, height int64) {
	b.t.Helper()
	b.do(chromedp.EmulateViewport(width, height))
	b.wait(fmt.Sprintf("innerWidth === %d", width))
	b.eval("(window.drawn = false, requestAnimationFrame(() => requestAnimationFrame(() => { window.drawn = true; })))")
	b.wait("window.drawn")
}

// visit opens a page that has an explanation to show.
func (b *tab) visit(url string) {
	b.t.Helper()
	b.do(chromedp.Navigate(url))
	b.wait(`document.querySelector('#explanation h2')`)
}

// unfold opens all that is folded; its inside is made then.
func (b *tab) unfold() {
	b.t.Helper()
	b.wait(`[...document.querySelectorAll('details')].map(d => { const was = d.open && d.querySelector('.inside'); d.open = true; return was; }).every(Boolean)`)
}

// clean checks that nothing went wrong, and that nothing was asked of a network.
func (b *tab) clean() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, p := range b.problems {
		b.t.Errorf("the browser says: %s", p)
	}
	for _, r := range b.requests {
		b.t.Errorf("the page asked for %s", r)
	}
}

// shot keeps a screenshot of the page as it is.
func (b *tab) shot(name string) {
	b.t.Helper()
	if *shots == "" {
		return
	}
	time.Sleep(200 * time.Millisecond)
	data, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if strings.HasSuffix(name, "-whole") {
		data, err = chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
	}
	if err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(*shots, name+".png"), data, 0o644); err != nil {
		b.t.Fatal(err)
	}
}

// read is an explanation of the testdata of package explain.
func read(t *testing.T, name string) *explain.Explanation {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "testdata", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	e := new(explain.Explanation)
	if err := json.Unmarshal(data, e); err != nil {
		t.Fatal(err)
	}
	return e
}

// picture is what the explanations of testdata are about: 24 × 16 pixels.
func picture() *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, 24, 16))
	for y := range 16 {
		for x := range 24 {
			fx, fy := float64(x)+.5, float64(y)+.5
			c := color.NRGBA{51, 51, 51, 255}
			if fy > 2*(fx-12)-8 && fy > -2*(fx-12)-8 {
				c = color.NRGBA{204, 102, 51, 255}
			}
			if (fy-1.25)*12 > (fx-4)*9.25 && (fy-14)*13 < -(fx-3)*3.5 && (fx-3)*12.75 > -(fy-14) {
				c = color.NRGBA{134, 115, 121, 255}
			}
			m.SetNRGBA(x, y, c)
		}
	}
	m.SetNRGBA(0, 0, color.NRGBA{10, 20, 30, 128})
	return m
}

// file writes a report and returns the URL of the file.
func file(t *testing.T, r *Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, r); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return "file://" + path
}

func report(t *testing.T) *Report {
	return &Report{Title: "scene.glb", Picture: picture(), Explanations: []*explain.Explanation{read(t, "glass"), read(t, "edge"), read(t, "hostile")}}
}

// The page as people see it first, light, dark and narrow: `-shots DIR` keeps what to look at.
func TestPage_Pictures(t *testing.T) {
	b := open(t, 1440, 900)
	b.visit(file(t, report(t)) + "#12,7,2")
	for _, name := range []string{"light", "dark"} {
		b.do(chromedp.Click(chromedp.ID("theme")))
		b.wait(fmt.Sprintf("document.documentElement.dataset.theme === %q", name))
		b.shot(name)
		b.shot(name + "-whole")
	}
	b.eval(`document.querySelector('.steps button.rule').click(), document.querySelector('.source details').open = true, document.getElementById('zoom-pixel').click()`)
	b.shot("dark-open-whole")
	b.do(chromedp.Click(chromedp.ID("theme")), chromedp.EmulateViewport(390, 844))
	b.wait("innerWidth === 390")
	b.shot("narrow")
	b.shot("narrow-whole")
	if w := b.eval("document.documentElement.scrollWidth"); w != "390" {
		t.Errorf("a narrow page of 390 pixels is %s wide", w)
	}
	b.clean()
}
