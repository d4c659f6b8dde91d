package core

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/pumice-gpu/pumice/vk"
)

//go:generate glslangValidator -V --target-env vulkan1.2 -o testdata/spin.comp.spv testdata/spin.comp

// spins are the loops of spin.comp.
var spins = []string{"alike", "some leave", "barriers", "waiting", "subgroups",
	"dear operations", "loops in a loop"}

// TestWishes_EndLoops: what is not wanted any more ends within 100 ms of the wish, whatever loop
// it is in: of a context, of the time that a submission has, of a device that is lost or closed.
func TestWishes_EndLoops(t *testing.T) {
	const soon, tries = 100 * time.Millisecond, 8
	for _, engine := range []string{"native", "vm"} {
		for kind, name := range spins {
			for _, size := range []uint32{1, 64} {
				if testing.Short() && (kind%2 != 0 || size == 1) {
					continue
				}
				for wish, end := range wishes {
					t.Run(fmt.Sprintf("%s/%s/%d/%s", engine, name, size, wish), func(t *testing.T) {
						var took time.Duration
						for range tries { // a busy machine may be late
							took = spin(t, engine, uint32(kind), size, wish == "time", end)
							if took <= soon || t.Failed() {
								return
							}
						}
						t.Errorf("ended after %v", took)
					})
				}
			}
		}
	}
}

// wishes end work that has begun, and return when they were uttered, and the error that its fence is
// to have.
var wishes = map[string]func(d *Device, cancel context.CancelFunc) (at time.Time, want error){
	"context": func(_ *Device, cancel context.CancelFunc) (time.Time, error) {
		at := time.Now()
		cancel()
		return at, context.Canceled
	},
	"time": func(d *Device, _ context.CancelFunc) (time.Time, error) {
		return time.Now().Add(spinTime - spinWait), ErrDeviceLost
	},
	"loss": func(d *Device, _ context.CancelFunc) (time.Time, error) {
		at := time.Now()
		d.loseWith(&Error{Op: "test", Rule: "VK_ERROR_DEVICE_LOST", Err: ErrDeviceLost}, nil)
		return at, ErrDeviceLost
	},
	"close": func(d *Device, _ context.CancelFunc) (time.Time, error) {
		at := time.Now()
		_ = d.Close()
		return at, ErrClosed
	},
}

// spinWait is how long a loop has before a wish, spinTime the time that a submission has.
const spinWait, spinTime = 20 * time.Millisecond, 60 * time.Millisecond

// spin runs a loop until a wish ends it, and returns how long that took.
func spin(t *testing.T, engine string, kind, size uint32, limited bool,
	end func(*Device, context.CancelFunc) (time.Time, error)) time.Duration {
	cfg := Config{Engine: engine, HeapMemory: true, Threads: 2}
	if limited {
		cfg.SubmitTimeout = spinTime
	}
	d := must(Open(cfg))(t)
	defer d.Close()
	b := bufferOf(t, d, make([]uint32, 24)...)
	constants := map[uint32][]byte{0: binary.LittleEndian.AppendUint32(nil, size)}
	stage := Stage{Code: shaderCode(t, "spin.comp"), Constants: constants}
	p := must(d.NewComputePipeline(&ComputePipelineInfo{Stage: stage}))(t)
	set := must(p.NewDescriptorSet(0))(t)
	if err := set.Write(0, 0, []Descriptor{{Buffer: b}}); err != nil {
		t.Fatal(err)
	}
	c := d.NewCommandBuffer()
	c.BindPipeline("bind", vk.PipelineBindPointCompute, p)
	c.BindDescriptorSet("bind", vk.PipelineBindPointCompute, 0, set, nil)
	c.PushConstants("push", 0, binary.LittleEndian.AppendUint32(nil, kind))
	c.Dispatch("dispatch", [3]uint32{}, [3]uint32{2, 1, 1})
	work, cancel := context.WithCancel(ctx)
	defer cancel()
	f := must(d.queue.Submit(work, "test", []*CommandBuffer{c}))(t)
	time.Sleep(spinWait)
	select {
	case <-f.Done():
		t.Errorf("it ended by itself: %v", f.Err())
		return 0
	default:
	}
	at, want := end(d, cancel)
	select {
	case <-f.Done():
	case <-time.After(5 * time.Second):
		t.Fatal("it goes on")
	}
	took := time.Since(at)
	if err := f.Err(); !errors.Is(err, want) {
		t.Errorf("%v, want %v", err, want)
	}
	return took
}
