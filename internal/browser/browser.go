//go:build outside && !js && !wasip1 && !plan9

// Package browser looks at pages in Chromium, for tests with the build tag outside.
package browser

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/pumice-gpu/pumice/internal/outside"
)

var shots = flag.String("shots", "", "write screenshots of the pages into this folder")

var chromium = outside.Tool{Name: "chromium", Other: []string{"chromium-browser", "google-chrome"}, Debian: "chromium", Version: outside.NoVersion, Why: "pages as people see them"}

// most is how long a step may take: its end, not its time, is what tests ask for.
const most = 3 * time.Minute

// Tab is a page of a browser, and what went wrong on it.
type Tab struct {
	ctx      context.Context
	t        *testing.T
	mu       sync.Mutex
	requests []string // that left for a network
	problems []string // exceptions, and what the policy forbade
}

// Open starts Chromium with a tab of so many CSS pixels. It draws without a GPU.
func Open(t *testing.T, width, height int) *Tab {
	t.Helper()
	b := open(t, width, height, chromedp.DisableGPU)
	b.Do(chromedp.EmulateViewport(int64(width), int64(height)))
	return b
}

// OpenOnVulkan is Open of a Chromium that draws everything with Vulkan: pages, WebGL through ANGLE,
// and WebGPU. env chooses the driver. The window has that size; no size is emulated.
func OpenOnVulkan(t *testing.T, width, height int, env ...string) *Tab {
	t.Helper()
	return open(t, width, height, chromedp.Env(env...), chromedp.Flag("enable-features", "Vulkan"),
		chromedp.Flag("use-angle", "vulkan"), chromedp.Flag("ignore-gpu-blocklist", true),
		chromedp.Flag("enable-unsafe-webgpu", true))
}

func open(t *testing.T, width, height int, more ...chromedp.ExecAllocatorOption) *Tab {
	t.Helper()
	path := chromium.Path(t)
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path),
		chromedp.WindowSize(width, height), chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("hide-scrollbars", true))
	options = append(options, more...)
	if os.Getuid() == 0 {
		options = append(options, chromedp.NoSandbox)
	}
	allocator, cancelAllocator := chromedp.NewExecAllocator(t.Context(), options...)
	ctx, cancel := chromedp.NewContext(allocator)
	t.Cleanup(func() { cancel(); cancelAllocator() })
	b := &Tab{ctx: ctx, t: t}
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
	return b
}

// Do takes steps on the page.
func (b *Tab) Do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, most)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		b.t.Fatal(err)
	}
}

// Eval is what an expression of JavaScript gives, as text.
func (b *Tab) Eval(script string) string {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, most)
	defer cancel()
	out, err := chromedp.Run(ctx, chromedp.Evaluate[string]("String("+script+")"))
	if err != nil {
		b.t.Fatalf("%s: %v", script, err)
	}
	return out
}

// Wait waits for an expression of JavaScript to be true.
// (chromedp.Poll is a use of eval, which the pages forbid.)
func (b *Tab) Wait(script string) {
	b.t.Helper()
	for end := time.Now().Add(most); b.Eval("Boolean("+script+")") != "true"; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			b.mu.Lock()
			problems := slices.Clone(b.problems)
			b.mu.Unlock()
			b.t.Fatalf("%s did not come true; the page says %.300q, the browser %q", script, b.Eval("document.body.innerText"), problems)
		}
	}
}

// Resize gives the window another size, and waits until the page has drawn itself for it.
func (b *Tab) Resize(width, height int64) {
	b.t.Helper()
	b.Do(chromedp.EmulateViewport(width, height))
	b.Wait(fmt.Sprintf("innerWidth === %d", width))
	b.Eval("(window.drawn = false, requestAnimationFrame(() => requestAnimationFrame(() => { window.drawn = true; })))")
	b.Wait("window.drawn")
}

// Forget drops what went wrong so far, where a test made it go wrong.
func (b *Tab) Forget() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.problems = nil
}

// Requests are the addresses that the page has asked a network for.
func (b *Tab) Requests() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.requests)
}

// Clean checks that nothing went wrong, and that nothing was asked of a network but
// what begins with one of the addresses.
func (b *Tab) Clean(addresses ...string) {
	b.t.Helper()
	for _, r := range b.Requests() {
		if !slices.ContainsFunc(addresses, func(a string) bool { return strings.HasPrefix(r, a) }) {
			b.t.Errorf("the page asked for %s", r)
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, p := range b.problems {
		b.t.Errorf("the browser says: %s", p)
	}
}

// Picture is a screenshot of the page as it is.
func (b *Tab) Picture() image.Image {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, most)
	defer cancel()
	data, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	if err != nil {
		b.t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		b.t.Fatal(err)
	}
	return img
}

// Shot keeps a screenshot of the page as it is.
func (b *Tab) Shot(name string) {
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
