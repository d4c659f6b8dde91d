package core

import (
	"context"
	"encoding/binary"
	"testing"
	"time"

	"github.com/pumice-gpu/pumice/internal/processor"
	"github.com/pumice-gpu/pumice/vk"
)

//go:generate glslangValidator -V --target-env vulkan1.2 -o testdata/long.comp.spv testdata/long.comp

// after is what n turns of s·a + c make of s: n halvings of their composition.
func after(s, n uint32) uint32 {
	a, c := uint32(1664525), uint32(1013904223)
	for ; n > 0; n /= 2 {
		if n&1 != 0 {
			s = s*a + c
		}
		a, c = a*a, c*(a+1)
	}
	return s
}

// A loop that ends is run to its end, however many turns it takes: 100 million are no defect. Who asks for a limit has one,
// and a context ends what nobody wants.
func TestLongLoops(t *testing.T) {
	for turns, want := range map[uint32]uint32{1_000_000: 366300225, 10_000_000: 818035329, 100_000_000: 3477293313} { // as other implementations have it
		if got := after(1, turns); got != want {
			t.Fatalf("after(1, %d) = %d, want %d", turns, got, want)
		}
	}
	run := func(t *testing.T, cfg Config, ctx context.Context, turns uint32) error {
		cfg.HeapMemory, cfg.Threads = true, 2
		d := must(Open(cfg))(t)
		defer d.Close()
		b := bufferOf(t, d, make([]uint32, 3)...)
		p := must(d.NewComputePipeline(&ComputePipelineInfo{Stage: Stage{Code: shaderCode(t, "long.comp")}}))(t)
		set := must(p.NewDescriptorSet(0))(t)
		if err := set.Write(0, 0, []Descriptor{{Buffer: b}}); err != nil {
			t.Fatal(err)
		}
		c := d.NewCommandBuffer()
		c.BindPipeline("bind", vk.PipelineBindPointCompute, p)
		c.BindDescriptorSet("bind", vk.PipelineBindPointCompute, 0, set, nil)
		c.PushConstants("push", 0, binary.LittleEndian.AppendUint32(nil, turns))
		c.Dispatch("dispatch", [3]uint32{}, [3]uint32{3, 1, 1})
		if err := d.queue.SubmitAndWait(ctx, "test", []*CommandBuffer{c}); err != nil {
			return err
		}
		for i, got := range words(b, 3) {
			if want := after(1+uint32(i), turns); got != want {
				t.Errorf("%d turns in invocation %d: %d, want %d", turns, i, got, want)
			}
		}
		return nil
	}
	for _, engine := range []string{"native", "vm"} {
		t.Run(engine, func(t *testing.T) {
			turns := uint32(40_000_000)
			if engine == "native" && processor.Vectors() > 0 && !testing.Short() {
				turns = 1_000_000_000
			}
			if err := run(t, Config{Engine: engine}, ctx, turns); err != nil {
				t.Error(err)
			}
			if err := run(t, Config{Engine: engine, LoopBudget: 1 << 20}, ctx, 40_000_000); rule(err) != "loop budget" {
				t.Errorf("with a budget: %v", err)
			}
			soon, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
			defer cancel()
			start := time.Now()
			if err := run(t, Config{Engine: engine}, soon, 4_000_000_000); err == nil || time.Since(start) > 20*time.Second {
				t.Errorf("with a context of 50 ms: %v after %v", err, time.Since(start))
			}
		})
	}
}
