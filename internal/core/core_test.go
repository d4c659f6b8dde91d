package core

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/render"
	"github.com/pumice-gpu/pumice/vk"
)

var ctx = context.Background()

func open(t testing.TB) *Device {
	t.Helper()
	d, err := Open(Config{HeapMemory: true, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

func TestQueue_PanicOfAJob_LosesTheDevice(t *testing.T) {
	for name, job := range map[string]func(context.Context) error{
		"panic":  func(context.Context) error { panic("broken") },
		"worker": func(context.Context) error { return &render.WorkerError{Value: "broken"} },
	} {
		t.Run(name, func(t *testing.T) {
			d := open(t)
			b, err := d.NewBuffer(vk.BufferCreateInfo{Size: 4}, nil, 0, "")
			if err != nil {
				t.Fatal(err)
			}
			if err := d.run(ctx, "test", []*Memory{b.mem}, job); !errors.Is(err, ErrDeviceLost) {
				t.Errorf("the job: %v, want ErrDeviceLost", err)
			}
			if n := b.mem.users.Load(); n != 1 {
				t.Errorf("%d users of the memory after the job, want 1", n)
			}
			if err := b.Write(ctx, 0, []byte{1}); !errors.Is(err, ErrDeviceLost) {
				t.Errorf("afterwards: %v, want ErrDeviceLost", err)
			}
			if err := errors.Join(b.Close(), d.Close()); err != nil {
				t.Errorf("closing: %v", err)
			}
		})
	}
}

// hold blocks the queue until release is called.
func hold(t *testing.T, d *Device) (release func()) {
	t.Helper()
	gate := make(chan struct{})
	if _, err := d.queue.push(job{ctx: ctx, op: "hold", run: func(context.Context, *stopwatch) error { <-gate; return nil }}); err != nil {
		t.Fatal(err)
	}
	return sync.OnceFunc(func() { close(gate) })
}

func TestMemory_ClosedWhileSubmitted_LivesUntilDone(t *testing.T) {
	d := open(t)
	release := hold(t, d)
	defer release()
	b, err := d.NewBuffer(vk.BufferCreateInfo{Size: 64}, nil, 0, "")
	if err != nil {
		t.Fatal(err)
	}
	c := d.NewCommandBuffer()
	c.FillBuffer(b, 0, vk.WholeSize, 7)
	f, err := d.queue.Submit(ctx, "test", []*CommandBuffer{c})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if used, _ := d.Memory(); used != 64 {
		t.Errorf("%d bytes in use while the work waits, want 64", used)
	}
	release()
	if err := f.Wait(ctx); err != nil {
		t.Fatal(err)
	}
	if used, _ := d.Memory(); used != 0 {
		t.Errorf("%d bytes in use after the work, want 0", used)
	}
}

func TestQueue_ContextEndsWhileWaiting_JobNeverRuns(t *testing.T) {
	d := open(t)
	release := hold(t, d)
	defer release()
	var ran atomic.Bool
	own, cancel := context.WithCancel(ctx)
	cancel()
	if err := d.run(own, "test", nil, func(context.Context) error { ran.Store(true); return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
	release()
	if err := d.queue.Wait(ctx, "test"); err != nil || ran.Load() {
		t.Errorf("ran: %v, Wait: %v", ran.Load(), err)
	}
}

func TestQueue_Wait_ReportsFailuresNobodyWaitedFor(t *testing.T) {
	d := open(t)
	boom := errors.New("boom")
	f, _ := d.queue.push(job{ctx: ctx, op: "test", run: func(context.Context, *stopwatch) error { return boom }})
	if err := d.queue.Wait(ctx, "test"); !errors.Is(err, boom) {
		t.Errorf("got %v, want boom", err)
	}
	if err := d.queue.Wait(ctx, "test"); err != nil {
		t.Errorf("reported twice: %v", err)
	}
	if err := f.Err(); !errors.Is(err, boom) {
		t.Errorf("the fence forgot: %v", err)
	}
}

func TestShaderCache_BuildsOnceAndDropsTheOldest(t *testing.T) {
	c := cache[exec.Routine]{limit: 2}
	builds := 0
	get := func(k byte) {
		if _, err := c.get(routineKey{k}, func() (exec.Routine, error) { builds++; return nil, nil }); err != nil {
			t.Fatal(err)
		}
	}
	for _, step := range []struct {
		key  byte
		want int
	}{{1, 1}, {1, 1}, {2, 2}, {1, 2}, {3, 3}, {1, 3}, {2, 4}} {
		if get(step.key); builds != step.want {
			t.Errorf("after key %d: %d builds, want %d", step.key, builds, step.want)
		}
	}
}

// The key changes with everything that the code depends on.
func TestStage_Key(t *testing.T) {
	m := &ShaderModule{}
	base := Stage{Module: m, Entry: "main"}
	seen := map[routineKey]string{base.key(0): "base"}
	for name, k := range map[string]routineKey{
		"stage":     base.key(1),
		"entry":     (&Stage{Module: m, Entry: "other"}).key(0),
		"constants": (&Stage{Module: m, Entry: "main", Constants: map[uint32][]byte{0: {1, 0, 0, 0}}}).key(0),
		"value":     (&Stage{Module: m, Entry: "main", Constants: map[uint32][]byte{0: {2, 0, 0, 0}}}).key(0),
		"module":    (&Stage{Module: &ShaderModule{digest: [32]byte{1}}, Entry: "main"}).key(0),
	} {
		if other, ok := seen[k]; ok {
			t.Errorf("%s has the key of %s", name, other)
		}
		seen[k] = name
	}
}

func TestDynamicStates_ApplyAndMergeEach(t *testing.T) {
	for i := range dynamicStates {
		s := dynamicStates[i].state
		words := []uint32{3, 1, 1, 1, 1, 1, 1, 1} // or the first of attachments: 3
		m, ok := dynOf(s)
		if !ok || int(m) != i {
			t.Fatalf("%v is %d", s, m)
		}
		if dynElsewhere.has(m) {
			continue
		}
		zero := render.DynamicState{}
		set, merged := zero, zero
		n := 5
		switch m {
		case dynViewport:
			n = 6
		case dynBlendEquation:
			n = 7
		case dynBlendAdvanced:
			n = 6
		case dynWScaling:
			n = 3
		case dynSampleLocations: // one sample, a grid of one pixel
			words = []uint32{1, 1, 1, 1, 1}
		}
		m.apply(&set, words[:n])
		if set == zero {
			t.Errorf("%v: apply does nothing", s)
		}
		m.merge(&merged, &set)
		if merged != set {
			t.Errorf("%v: merge gives %+v, want %+v", s, merged, set)
		}
	}
	if _, ok := dynOf(vk.DynamicStateRayTracingPipelineStackSizeKHR); ok {
		t.Error("an unsupported state was accepted")
	}
}

// A dynamic offset moves the range of a uniform or storage buffer.
func TestDescriptors_DynamicOffset(t *testing.T) {
	d := open(t)
	code, err := os.ReadFile(filepath.Join("..", "..", "testdata", "saxpy.comp.spv"))
	if err != nil {
		t.Fatal(err)
	}
	layout, err := d.NewDescriptorSetLayout([]Binding{{Binding: 1, Type: vk.DescriptorTypeStorageBufferDynamic}, {Binding: 0, Type: vk.DescriptorTypeStorageBuffer}})
	if err != nil {
		t.Fatal(err)
	}
	pl, err := d.NewPipelineLayout([]*DescriptorSetLayout{layout})
	if err != nil {
		t.Fatal(err)
	}
	p, err := d.NewComputePipeline(&ComputePipelineInfo{Stage: Stage{Code: code}, Layout: pl})
	if err != nil {
		t.Fatal(err)
	}
	b, err := d.NewBuffer(vk.BufferCreateInfo{Size: 16}, nil, 0, "")
	if err != nil {
		t.Fatal(err)
	}
	copy(b.Bytes(), []byte{0, 0, 0x80, 0x3F}) // x[0] = 1
	set, err := p.NewDescriptorSet(0)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(set.Write(0, 0, []Descriptor{{Buffer: b}}), set.Write(1, 0, []Descriptor{{Buffer: b, Range: 4}})); err != nil {
		t.Fatal(err)
	}
	record := func(offset uint32) *CommandBuffer {
		c := d.NewCommandBuffer()
		c.BindPipeline("bind", vk.PipelineBindPointCompute, p)
		c.BindDescriptorSet("bind", vk.PipelineBindPointCompute, 0, set, []uint32{offset})
		c.PushConstants("push", 0, []byte{0, 0, 0, 0x40, 1, 0, 0, 0}) // a = 2, n = 1
		c.Dispatch("dispatch", [3]uint32{}, [3]uint32{1, 1, 1})
		return c
	}
	if err := d.queue.SubmitAndWait(ctx, "test", []*CommandBuffer{record(8)}); err != nil {
		t.Fatal(err)
	}
	if got := b.Bytes(); got[11] != 0x40 || got[7] != 0 {
		t.Errorf("the buffer is %v, want 2.0 at byte 8", got)
	}
	var e *Error
	if err := record(16).Err(); !errors.As(err, &e) || e.Rule != "VUID-vkCmdBindDescriptorSets-pDescriptorSets-01979" {
		t.Errorf("an offset beyond the buffer: %v", err)
	}
}

// FormatProperties promises only what can be made.
func TestFormatProperties_ImagesOfAllUsagesExist(t *testing.T) {
	d := open(t)
	made := 0
	for f := vk.FormatR4G4UnormPack8; f <= vk.FormatAstc12x12SrgbBlock; f++ {
		if d.imageUsage(f) == 0 {
			continue
		}
		im, err := d.NewImage(vk.ImageCreateInfo{ImageType: vk.ImageType2D, Format: f, Extent: vk.Extent3D{Width: 12, Height: 12, Depth: 1}}, nil, 0, "")
		if err != nil {
			t.Errorf("%v: %v", f, err)
			continue
		}
		made++
		if err := im.Close(); err != nil {
			t.Error(err)
		}
	}
	if made < 60 {
		t.Errorf("only %d formats work", made)
	}
}
