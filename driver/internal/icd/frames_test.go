package icd

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/explain"
	"github.com/pumice-gpu/pumice/internal/core"
	"github.com/pumice-gpu/pumice/vk"
)

// presenter presents pictures of its own making, 8x8 texels.
type presenter struct {
	*fixture
	chain abi.SwapchainKHR
	queue abi.Queue
}

func newPresenter(f *fixture) *presenter {
	p := &presenter{fixture: f, chain: f.swapchain(f.headless(), 2, vk.PresentModeFifoKHR)}
	call(f, abi.OpGetDeviceQueue, &abi.GetDeviceQueueArgs{Device: f.device, PQueue: &p.queue})
	return p
}

// acquire returns the image to draw into.
func (p *presenter) acquire() (index uint32, im *swapchainImage) {
	p.t.Helper()
	acquire := abi.AcquireNextImageKHRArgs{Device: p.device, Swapchain: p.chain, Timeout: 120e9, PImageIndex: &index}
	call(p.fixture, abi.OpAcquireNextImageKHR, &acquire)
	want(p.t, "vkAcquireNextImageKHR", acquire.Ret, vk.Success)
	return index, &p.swapchain().images[index]
}

func (p *presenter) swapchain() *Swapchain {
	return resolve(&p.driver.devices, unsafe.Pointer(p.device), abi.LevelDevice).swapchains.Get(uint64(p.chain))
}

func (p *presenter) present(index uint32) {
	p.t.Helper()
	present := abi.QueuePresentKHRArgs{Queue: p.queue, PPresentInfo: &abi.PresentInfoKHR{SwapchainCount: 1, PSwapchains: &p.chain, PImageIndices: &index}}
	call(p.fixture, abi.OpQueuePresentKHR, &present)
	want(p.t, "vkQueuePresentKHR", present.Ret, vk.Success)
}

// shade is the texel x, y of frame n, as R, G, B, A; A is what a window does not show.
func shade(n, x, y int) [4]byte { return [4]byte{byte(n), byte(x), byte(10 + y), byte(x * y)} }

// draw writes the picture of frame n into memory, as B8G8R8A8.
func draw(n int, im *swapchainImage) {
	for y := range 8 {
		for x := range 8 {
			c := shade(n, x, y)
			copy(im.memory.Bytes()[y*im.pitch+x*4:], []byte{c[2], c[1], c[0], c[3]})
		}
	}
}

// asked is what somebody asks of the fixture's frames. Windows removes no files that are open.
func (f *fixture) asked(r FrameRequests, log io.Writer) {
	f.driver.frames.init(r, log)
	f.t.Cleanup(func() {
		for _, file := range []*os.File{f.driver.frames.list, f.driver.frames.use} {
			_ = file.Close()
		}
	})
}

// Instances and devices have a line each, in the order in which they were made.
func TestFrames_Use(t *testing.T) {
	f, file := newTest(t), filepath.Join(t.TempDir(), "used")
	var said strings.Builder
	f.asked(FrameRequests{Use: file}, &said)
	if !strings.Contains(said.String(), "PUMICE_USE") {
		t.Errorf("a file that is not there: %q", said.String())
	}
	if err := os.WriteFile(file, []byte("before\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f.asked(FrameRequests{Use: file}, logger{t})
	device := f.open()
	defer call(f, abi.OpDestroyDevice, &abi.DestroyDeviceArgs{Device: device})
	var instance abi.Instance
	call(f, abi.OpCreateInstance, &abi.CreateInstanceArgs{PCreateInfo: &abi.InstanceCreateInfo{}, PInstance: &instance})
	defer call(f, abi.OpDestroyInstance, &abi.DestroyInstanceArgs{Instance: instance})
	if got, err := os.ReadFile(file); err != nil || string(got) != "before\ndevice\ninstance\n" {
		t.Errorf("%q, %v", got, err)
	}
}

// The picture of a frame is written when vkQueuePresentKHR returns, and a line for each.
func TestFrames_PictureAndList(t *testing.T) {
	f := newTest(t)
	dir := t.TempDir()
	picture, list := filepath.Join(dir, "two.png"), filepath.Join(dir, "list")
	f.asked(FrameRequests{Picture: "2:" + picture, List: list}, logger{t})
	p := newPresenter(f)
	lines := ""
	for n := 1; n <= 3; n++ {
		index, im := p.acquire()
		draw(n, im)
		if _, err := os.Stat(picture); (err == nil) != (n > 2) {
			t.Errorf("before frame %d: %v", n, err)
		}
		p.present(index)
		h := sha256.New()
		for y := range 8 {
			for x := range 8 {
				c := shade(n, x, y)
				_, _ = h.Write([]byte{c[0], c[1], c[2], 255})
			}
		}
		lines += fmt.Sprintf("%d 8x8 %x\n", n, h.Sum(nil))
	}
	if got, err := os.ReadFile(list); err != nil || string(got) != lines {
		t.Errorf("%v: the list is\n%swant\n%s", err, got, lines)
	}
	img := decoded(t, picture)
	for y := range 8 {
		for x := range 8 {
			c := shade(2, x, y)
			if got := color.NRGBAModel.Convert(img.At(x, y)); got != (color.NRGBA{c[0], c[1], c[2], 255}) {
				t.Fatalf("%d,%d is %v, want %v, opaque", x, y, got, c)
			}
		}
	}
}

func decoded(t *testing.T, path string) image.Image {
	t.Helper()
	r, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	img, err := png.Decode(r)
	if err != nil || img.Bounds() != image.Rect(0, 0, 8, 8) {
		t.Fatal(err)
	}
	return img
}

// watching stands for core.Device.Watch: it notes what is watched, and explains each point
// by the number of its call and its place there.
type watching struct {
	calls   [][]core.WatchPoint
	ended   []int
	changes []string
}

func (w *watching) watch(_ *core.Device, at []core.WatchPoint) (watcher, error) {
	w.calls = append(w.calls, at)
	return &watchEnd{w, len(w.calls) - 1}, nil
}

type watchEnd struct {
	*watching
	call int
}

func (w *watchEnd) Change(_ core.Op, ordinal int, c explain.Change) error {
	w.changes = append(w.changes, fmt.Sprint(ordinal, " ", c.State, " ", c.Value))
	return nil
}

func (w *watchEnd) End() (list []*explanation) {
	w.ended = append(w.ended, w.call)
	for n := range w.calls[w.call] {
		list = append(list, &explanation{Target: explain.Target{Image: "#1", X: w.call, Y: n},
			Events: []explain.Event{{Kind: explain.Copy, From: &explain.Target{Image: "#1"}}}})
	}
	return list
}

// What is watched in several parts, because an image came later, is told as one; samples
// that were resolved to what was asked for stand behind it, and others are left out.
func TestFrames_ExplainedInParts(t *testing.T) {
	f := newTest(t)
	file := filepath.Join(t.TempDir(), "told")
	f.asked(FrameRequests{Explain: "frame=1,pixel=3,4;pixel=5,6,image=3", To: file}, logger{t})
	from := func(x, sample int) explain.Target { return explain.Target{Image: "#9", X: x, Sample: sample} }
	var calls [][]core.WatchPoint
	f.driver.frames.explain.watch = func(_ *core.Device, at []core.WatchPoint) (watcher, error) {
		n := len(calls)
		calls = append(calls, at)
		var list parts
		for range at {
			source := from(1, 0)
			list = append(list, &explanation{Before: explain.Value{Bits: fmt.Sprint(n)}, After: explain.Value{Bits: fmt.Sprint(n + 1)}, Dropped: 1,
				Events: []explain.Event{{Kind: explain.Resolve, Where: fmt.Sprint("part ", n), From: &source}}})
		}
		return append(list, &explanation{Target: from(1, 0), Dropped: 4}, &explanation{Target: from(1, 1)}, &explanation{Target: from(2, 0)}), nil
	}
	p := newPresenter(f)
	index, _ := p.acquire()
	f.run(f.begin())
	f.image()
	f.run(f.begin())
	p.present(index)
	if len(calls) != 2 || len(calls[0]) != 2 || len(calls[1]) != 3 || !slices.Equal(calls[1][:2], calls[0]) {
		t.Fatalf("watched: %v", calls)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var got []explanation
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	line := ""
	for _, x := range got {
		line += fmt.Sprintf("%s%d/%d %s-%s %d:", x.Target.Image, x.Target.X, x.Target.Sample, x.Before.Bits, x.After.Bits, x.Dropped)
		for _, e := range x.Events {
			line += " " + e.Where
		}
		line += "\n"
	}
	const want = "0/0 0-2 2: part 0 part 1\n0/0 1-2 1: part 1\n#91/0 - 8:\n#91/1 - 0:\n"
	if line != want {
		t.Errorf("%s\nwant\n%s", line, want)
	}
}

// parts is a watcher that tells what it holds.
type parts []*explanation

func (p parts) End() []*explanation { return p }

func (p parts) Change(core.Op, int, explain.Change) error { return nil }

// A change is made of one draw, unless images come that begin the count anew; what is no change is
// refused.
func TestFrames_ExplainedTries(t *testing.T) {
	for text, want := range map[string]string{
		"frame=1,try=7/cullMode/VK_CULL_MODE_NONE,pixel=3,4": "7 cullMode VK_CULL_MODE_NONE",
		"frame=1,try=1/scissor/0+0+8+8,pixel=3,4":            "1 scissor 0, 0, 8, 8",
		"frame=1,pixel=3,4":                                  "",
	} {
		f := newTest(t)
		f.driver.frames.init(FrameRequests{Explain: text, To: filepath.Join(t.TempDir(), "told")},
			logger{t})
		w := &watching{}
		e := f.driver.frames.explain
		e.watch = w.watch
		p := newPresenter(f)
		index, _ := p.acquire()
		f.run(f.begin())
		if got := strings.Join(w.changes, "; "); got != want || e.err != nil {
			t.Errorf("%s: %q, %v", text, got, e.err)
		}
		p.present(index)
	}
	for _, text := range []string{"frame=1,try=7,pixel=3,4", "frame=1,try=x/a/b,pixel=3,4",
		"frame=1,try=1/a/b/c,pixel=3,4"} {
		if _, err := parseExplain(text); err == nil || !strings.Contains(err.Error(),
			"want try=ORDINAL/STATE/VALUE") {
			t.Errorf("%s: %v", text, err)
		}
	}
	f := newTest(t)
	f.driver.frames.init(FrameRequests{Explain: "frame=1,try=1/cullMode/VK_CULL_MODE_NONE,pixel=3,4;pixel=5,6,image=3", To: filepath.Join(t.TempDir(), "told")}, logger{t})
	e := f.driver.frames.explain
	e.watch = (&watching{}).watch
	newPresenter(f)
	f.run(f.begin())
	f.image()
	f.run(f.begin())
	if e.err == nil || !strings.Contains(e.err.Error(), "images are made while the frame is drawn") {
		t.Errorf("with an image that came later: %v", e.err)
	}
}

// With since=M samples are watched from that frame on; without it, or with one that comes later, in
// the frame alone.
func TestFrames_ExplainedSince(t *testing.T) {
	for text, want := range map[string][]int{
		"frame=3,pixel=3,4":         {0, 0, 1},
		"frame=3,since=1,pixel=3,4": {1, 1, 1},
		"frame=3,since=2,pixel=3,4": {0, 1, 1},
		"frame=3,since=9,pixel=3,4": {0, 0, 1},
		"frame=3,since=0,pixel=3,4": {0, 0, 1},
	} {
		f := newTest(t)
		f.driver.frames.init(FrameRequests{Explain: text, To: filepath.Join(t.TempDir(), "told")},
			logger{t})
		w := &watching{}
		f.driver.frames.explain.watch = w.watch
		p := newPresenter(f)
		for frame, calls := range want {
			index, im := p.acquire()
			draw(frame+1, im)
			f.run(f.begin())
			if len(w.calls) != calls {
				t.Errorf("%s: %d calls in frame %d, want %d", text, len(w.calls), frame+1, calls)
			}
			p.present(index)
		}
	}
}

// What is watched are the images of the swapchain, since the frame before was presented,
// and others by their ordinals; what is told is of the one presented.
func TestFrames_Explained(t *testing.T) {
	f := newTest(t)
	file := filepath.Join(t.TempDir(), "told")
	f.asked(FrameRequests{Explain: "frame=2,pixel=3,4;pixel=5,6,image=1,shader", To: file}, logger{t})
	w := &watching{}
	f.driver.frames.explain.watch = w.watch
	h, _ := f.image()
	name := append([]byte("albedo"), 0)
	call(f, abi.OpSetDebugUtilsObjectNameEXT, &abi.SetDebugUtilsObjectNameEXTArgs{Device: f.device,
		PNameInfo: &abi.DebugUtilsObjectNameInfoEXT{ObjectType: vk.ObjectTypeImage, ObjectHandle: uint64(h), PObjectName: &name[0]}})
	p := newPresenter(f)
	index, im := p.acquire()
	draw(1, im)
	f.run(f.begin())
	p.present(index)
	if len(w.calls) != 0 {
		t.Fatalf("watched in frame 1: %v", w.calls)
	}
	index, im = p.acquire()
	draw(2, im)
	f.run(f.begin())
	f.run(f.begin())
	if len(w.calls) != 1 || len(w.ended) != 0 {
		t.Fatalf("%d calls, %v ended in frame 2", len(w.calls), w.ended)
	}
	images := &resolve(&f.driver.devices, unsafe.Pointer(f.device), abi.LevelDevice).images
	place := map[string]int{}
	for n, at := range w.calls[0] {
		who := fmt.Sprint(slices.IndexFunc(p.swapchain().images, func(s swapchainImage) bool { return images.Get(uint64(s.handle)).core == at.Image }))
		if at.Image == images.Get(uint64(h)).core {
			who = "first"
		}
		place[fmt.Sprintf("%s %d,%d %v", who, at.X, at.Y, at.Shader && at.Quad)] = n
	}
	shown := fmt.Sprintf("%d 3,4 false", index)
	const first = "first 5,6 true"
	for _, key := range []string{shown, fmt.Sprintf("%d 3,4 false", 1-index), first} {
		if _, ok := place[key]; !ok || len(place) != 3 {
			t.Fatalf("watched: %v; no %s", place, key)
		}
	}
	p.present(index)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var got []explanation
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 || got[0].Target.Y != place[shown] || got[1].Target.Y != place[first] {
		t.Errorf("%s: want those of %v", text, place)
	}
	if got[0].Target.Image != "#1 (albedo)" || got[0].Events[0].From.Image != "#1 (albedo)" {
		t.Errorf("%s: no name", text)
	}
	if c := color.NRGBAModel.Convert(decoded(t, file+".png").At(3, 4)); c != (color.NRGBA{2, 3, 14, 255}) {
		t.Errorf("the picture has %v", c)
	}
	index, _ = p.acquire()
	f.run(f.begin())
	p.present(index)
	if len(w.calls) != 1 || len(w.ended) != 1 {
		t.Errorf("%d calls, %v ended after frame 2", len(w.calls), w.ended)
	}
}

// Images of a device that is not in step with the one that presents are explained, though nothing
// was submitted to it since the frame before.
func TestFrames_ExplainedOnAnotherDevice(t *testing.T) {
	f := newTest(t)
	file := filepath.Join(t.TempDir(), "told")
	f.asked(FrameRequests{Explain: "frame=1,pixel=1,2,image=1", To: file}, logger{t})
	w := &watching{}
	f.driver.frames.explain.watch = w.watch
	first := f.device
	f.device = f.open()
	defer call(f, abi.OpDestroyDevice, &abi.DestroyDeviceArgs{Device: f.device})
	f.image()
	f.device = first
	p := newPresenter(f)
	index, im := p.acquire()
	draw(1, im)
	p.present(index)
	text, err := os.ReadFile(file)
	if err != nil || len(w.calls) != 1 || !strings.Contains(string(text), `"#1"`) {
		t.Errorf("%d calls, %v: %s", len(w.calls), err, text)
	}
}

// Events name command buffers by their numbers in what the program submits, empty ones among them,
// whether the thread of the caller carries them out or the queue's does.
func TestFrames_ExplainedNumbersCommandBuffers(t *testing.T) {
	f := newTest(t)
	file := filepath.Join(t.TempDir(), "told")
	f.asked(FrameRequests{Explain: "frame=1,pixel=1,2,image=1", To: file}, logger{t})
	f.device = f.open() // one that keeps what explanations need
	h, _ := f.image()
	empty, clear := f.begin(), f.begin()
	white := abi.ClearColorValue{}
	whole := vk.ImageSubresourceRange{AspectMask: vk.ImageAspectColorBit, LevelCount: 1, LayerCount: 1}
	record(f, clear, abi.OpCmdClearColorImage, &abi.CmdClearColorImage{
		Image: h, ImageLayout: vk.ImageLayoutGeneral, PColor: &white, RangeCount: 1, PRanges: &whole,
	})
	list := []abi.CommandBuffer{empty, clear}
	for _, cb := range list {
		want(t, "vkEndCommandBuffer", f.end(cb), vk.Success)
	}
	p := newPresenter(f)
	s := abi.QueueSubmitArgs{Queue: p.queue, SubmitCount: 1, PSubmits: &abi.SubmitInfo{CommandBufferCount: 2, PCommandBuffers: &list[0]}}
	call(f, abi.OpQueueSubmit, &s)
	want(t, "vkQueueSubmit", s.Ret, vk.Success)
	index, im := p.acquire()
	draw(1, im)
	p.present(index)
	if text, err := os.ReadFile(file); err != nil || !strings.Contains(string(text), `"where":"command buffer 1, transfer 0 (vkCmdClearColorImage)"`) {
		t.Errorf("%v: %s", err, text)
	}
}

// A device that cannot be watched is said so.
func TestFrames_ExplainedNot(t *testing.T) {
	f := newTest(t) // with a device that keeps nothing of shaders
	var log strings.Builder
	f.asked(FrameRequests{Explain: "frame=1,pixel=1,2", To: filepath.Join(t.TempDir(), "told")}, &log)
	p := newPresenter(f)
	index, im := p.acquire()
	draw(1, im)
	p.present(index)
	if !strings.Contains(log.String(), "the device keeps nothing of shaders") {
		t.Error(log.String())
	}
}

// A frame without commands is explained, too, and what cannot be is said in one line.
func TestFrames_ExplainedOrNot(t *testing.T) {
	for request, says := range map[string]string{
		"frame=1,pixel=7,7":          "",
		"frame=1,pixel=8,7":          "pixel 8,7 is outside the picture of 8×8",
		"frame=1,pixel=7,7,sample=1": "sample 1 of 1",
		"frame=1,pixel=1,1,image=9":  "there is no image #9 in frame 1",
		"frame=1,pixel=0,9,image=1":  "pixel 0,9 is outside the picture of 8×8",
		"frame=0,pixel=7,7":          "want frame=N",
		"pixel=7,7":                  "want frame=N",
		"frame=1":                    "want one pixel=X,Y",
		"frame=1,pixel=1":            "whole numbers",
		"frame=1,pixel=1,-1":         "whole numbers",
		"frame=1,pixel=1,1,2":        "none of",
		"frame=1,pixel=1,1;":         "none of",
		"":                           "none of",
	} {
		t.Run(request, func(t *testing.T) {
			f := newTest(t)
			log, file := &reports{}, filepath.Join(t.TempDir(), "told")
			f.asked(FrameRequests{Explain: request, To: file}, log)
			if e := f.driver.frames.explain; e != nil {
				e.watch = (&watching{}).watch
			}
			p := newPresenter(f)
			index, im := p.acquire()
			draw(1, im)
			p.present(index)
			_, err := os.Stat(file)
			if text := log.String(); (err == nil) != (says == "") || !strings.Contains(text, says) || strings.Count(text, "\n") != min(len(says), 1) {
				t.Errorf("%v; it says %q, want %q", err, text, says)
			}
		})
	}
}

// Words of storage buffers are named by set and binding, or by name.
func TestParseExplain_Words(t *testing.T) {
	for text, want := range map[string]string{
		"frame=1,word=0/2/64":            "{ 0 2 -1} 64",
		"frame=1,word=Data/8,dispatch=3": "{Data 0 0 3} 8",
		"frame=1,word=64":                "", "frame=1,word=a/b": "", "frame=1,word=1/2/3/4": "", "frame=1,word=/4": "",
	} {
		e, err := parseExplain(text)
		got := ""
		if err == nil {
			got = fmt.Sprintf("%v %d", *e.points[0].word, e.points[0].offset)
		}
		if got != want {
			t.Errorf("%s: %q, %v, want %q", text, got, err, want)
		}
	}
}
