package core

import (
	"encoding/binary"
	"fmt"
	"runtime"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/vk"
)

//go:generate glslangValidator -V --target-env vulkan1.2 -o testdata/private.comp.spv testdata/private.comp

// What shaders' variables take is what the largest program needs, however many programs have run, and whether their
// pipelines are still there; and nothing is left of it when the device is closed. 256 invocations with 64,000 bytes
// each are 16.4 MB.
func TestScratch_ManyPrograms(t *testing.T) {
	for _, engine := range Engines {
		for _, c := range []struct {
			local  uint32
			shares bool
			closes bool
		}{{1, true, true}, {64, false, false}, {256, true, false}, {256, false, true}} {
			t.Run(fmt.Sprintf("%s/%d %v %v", engine, c.local, c.shares, c.closes), func(t *testing.T) {
				manyPrograms(t, engine, c.local, c.shares, c.closes)
			})
		}
	}
}

func manyPrograms(t *testing.T, engine string, local uint32, shares, closes bool) {
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	d := must(Open(Config{HeapMemory: true, Threads: 2, Engine: engine}))(t)
	defer d.Close()
	word := func(x uint32) []byte { return binary.LittleEndian.AppendUint32(nil, x) }
	b := bufferOf(t, d, make([]uint32, 2*local)...)
	add := uint32(0)
	if shares {
		add = 1
	}
	before := heap()
	const programs = 12
	for i := range uint32(programs) {
		p := must(d.NewComputePipeline(&ComputePipelineInfo{Stage: Stage{Code: shaderCode(t, "private.comp"), Constants: map[uint32][]byte{0: word(local), 1: word(16000 - i), 2: word(add)}}}))(t)
		for k := range 2 * local {
			copy(b.Bytes()[4*k:], word(20000+k))
		}
		set := must(p.NewDescriptorSet(0))(t)
		if err := set.Write(0, 0, []Descriptor{{Buffer: b}}); err != nil {
			t.Fatal(err)
		}
		c := d.NewCommandBuffer()
		c.BindPipeline("bind", vk.PipelineBindPointCompute, p)
		c.BindDescriptorSet("bind", vk.PipelineBindPointCompute, 0, set, nil)
		c.Dispatch("dispatch", [3]uint32{}, [3]uint32{2, 1, 1})
		if err := d.queue.SubmitAndWait(ctx, "test", []*CommandBuffer{c}); err != nil {
			t.Fatal(err)
		}
		for k, got := range words(b, int(2*local)) {
			if want := (20000+uint32(k))%(16000-i)*3 + add; got != want {
				t.Fatalf("program %d gave invocation %d %d, want %d", i, k, got, want)
			}
		}
		if closes {
			_ = p.Close()
		}
	}
	// Two workers with 16.4 MB and an eighth more.
	if grown := int64(heap()) - int64(before); grown > 44<<20 {
		t.Errorf("%d programs left %d MB", programs, grown>>20)
	}
	_ = d.Close()
	if grown := int64(heap()) - int64(before); grown > 6<<20 {
		t.Errorf("a closed device left %d MB", grown>>20)
	}
	runtime.KeepAlive(d)
}

// The compiled shaders that a device keeps are counted by size as well: those that nobody has asked for for longest go.
func TestCache_Bytes(t *testing.T) {
	c := cache[int]{limit: 100, size: func(n int) int { return n }, most: 10}
	get := func(n int) { _, _ = c.get(routineKey{byte(n)}, func() (int, error) { return n, nil }) }
	kept := func() (list []int) {
		for n := range 100 {
			if _, ok := c.entries[routineKey{byte(n)}]; ok {
				list = append(list, n)
			}
		}
		return list
	}
	for _, n := range []int{2, 3, 4, 2, 5} { // 2 was asked for after 3
		get(n)
	}
	if got := kept(); !slices.Equal(got, []int{2, 5}) || c.bytes != 7 { // 2+3+4+5 > 10, 2+4+5 > 10
		t.Errorf("%v are left with %d bytes, want 2 and 5 with 7", got, c.bytes)
	}
	get(50)
	if got := kept(); !slices.Equal(got, []int{50}) {
		t.Errorf("%v are left, want 50 alone", got)
	}
	r, err := open(t).engine.Compile(&ir.Program{Stage: ir.StageCompute, LocalSize: [3]uint32{1, 1, 1}, Table: make([]byte, 1<<20)})
	if n := routineBytes(exec.Routine(r)); err != nil || n < 1<<20 {
		t.Errorf("a program with a table of 1 MiB counts as %d bytes, %v", n, err)
	}
}
