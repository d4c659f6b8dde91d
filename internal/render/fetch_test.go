package render

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/exec/vm"
	"github.com/pumice-gpu/pumice/internal/format"
	texels "github.com/pumice-gpu/pumice/internal/lower/texel"
	"github.com/pumice-gpu/pumice/vk"
)

// Attributes of words, four vertices at a time and one by one, by keys and following each other, with strides and
// offsets of any number of bytes, up to the last byte of the buffer and beyond it.
//
// fxvertex-input-extraction
func TestFetch_Words(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 42))
	formats := []vk.Format{vk.FormatR32Uint, vk.FormatR32G32Sfloat, vk.FormatR32G32B32Sfloat, vk.FormatR32G32B32A32Uint}
	for range 3000 {
		words := 1 + r.IntN(4)
		info, _ := format.Lookup(formats[words-1])
		one := uint32(1)
		if info.Class == format.ClassFloat {
			one = 0x3F800000
		}
		a := attribute{info: info, size: 4 * words, offset: uint64(r.IntN(20)), stride: uint32(r.IntN(40)), slots: [4]int{0, 1, 2, 3}, fast: fetchKindOf(info.Format)}
		if r.IntN(3) == 0 {
			a.slots[r.IntN(4)] = none
		}
		data := make([]byte, 1+r.IntN(800))
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		keys := make([]vertexKey, 1+r.IntN(30))
		reach := 1 + r.IntN(40)
		l := lot{keys: keys, n: len(keys)}
		if r.IntN(3) == 0 {
			l = lot{first: uint32(r.IntN(reach)), instance: r.Uint32(), n: len(keys)}
		}
		for i := range keys {
			if keys[i] = (vertexKey{vertex: uint32(r.IntN(reach)), instance: r.Uint32()}); l.keys == nil {
				keys[i] = l.key(i)
			}
		}
		in := make([][]uint32, 4)
		for c := range in {
			in[c] = make([]uint32, 32)
		}
		c := &chunk{draw: &drawPlan{draw: &Draw{VertexBuffers: []VertexBuffer{{Data: data}}}}}
		if err := (&geometry{}).fetch(&a, none, in, &l, l.last(), c); err != nil {
			t.Fatal(err)
		}
		for lane, k := range keys {
			want := [4]uint32{3: one}
			at := int(a.offset) + int(k.vertex)*int(a.stride)
			for w := range words {
				want[w] = 0
				if at+4*words <= len(data) {
					want[w] = binary.LittleEndian.Uint32(data[at+4*w:])
				}
			}
			for comp, slot := range a.slots {
				if slot != none && in[slot][lane] != want[comp] {
					t.Fatalf("%v with stride %d from %d of %d bytes, vertex %d: component %d is %#x, want %#x", info.Format, a.stride, a.offset, len(data), k.vertex, comp, in[slot][lane], want[comp])
				}
			}
		}
		for comp := range in {
			if in[comp][len(keys)] != 0 {
				t.Fatalf("lane %d of %d is written", len(keys), len(keys))
			}
		}
	}
}

// Three and four components of 64 bits go on in the next location. An attribute that reaches beyond its buffer is zero in both.
//
// fxvertex-input-extraction
func TestFetch_WideGoesOnInNextLocation(t *testing.T) {
	data := make([]byte, 4+2*40)
	for i := range data {
		data[i] = byte(i + 1)
	}
	for f, words := range map[vk.Format][2]int{
		vk.FormatR64Sint: {2}, vk.FormatR64G64Sfloat: {4}, vk.FormatR64G64B64Uint: {4, 2}, vk.FormatR64G64B64A64Sfloat: {4, 4},
	} {
		d := &PipelineDesc{Bindings: []vk.VertexInputBindingDescription{{Stride: 40}}, Attributes: []vk.VertexInputAttributeDescription{{Location: 3, Format: f, Offset: 4}}}
		size := 4 * (words[0] + words[1])
		for part, n := range words {
			a, err := newAttribute(d, uint32(3+part))
			if n == 0 {
				var e *PipelineError
				if !errors.As(err, &e) || e.Rule != "VUID-VkGraphicsPipelineCreateInfo-Input-07904" {
					t.Errorf("%v has a second location: %v", f, err)
				}
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			for c := range n {
				a.slots[c] = c
			}
			for _, end := range []int{len(data), 44 + size, 44 + size - 1} {
				for _, instanced := range []bool{false, true} {
					a.instanced, a.divisor = instanced, 1
					c := &chunk{draw: &drawPlan{draw: &Draw{VertexBuffers: []VertexBuffer{{Data: data[:end]}}}}}
					in := lanesOf(4, 4)
					l := lot{keys: []vertexKey{{0, 0}, {1, 1}}, n: 2}
					if err := (&geometry{}).fetch(&a, none, in, &l, 1, c); err != nil {
						t.Fatal(err)
					}
					for lane := range 2 {
						for w := range n {
							want := binary.LittleEndian.Uint32(data[4+40*lane+16*part+4*w:])
							if lane == 1 && end < 44+size {
								want = 0
							}
							if in[w][lane] != want {
								t.Errorf("%v of %d bytes, instanced %v, location %d, vertex %d: word %d is %#x, want %#x", f, end, instanced, 3+part, lane, w, in[w][lane], want)
							}
						}
					}
				}
			}
		}
	}
	// An attribute of its own at the next location wins.
	d := &PipelineDesc{Bindings: []vk.VertexInputBindingDescription{{Stride: 40}}, Attributes: []vk.VertexInputAttributeDescription{
		{Location: 4, Format: vk.FormatR32Uint}, {Location: 3, Format: vk.FormatR64G64B64A64Sfloat}, {Location: 7, Format: vk.FormatR64G64B64A64Sfloat}, {Location: 8, Format: vk.FormatR32Uint}}}
	for _, location := range []uint32{4, 8} {
		if a, err := newAttribute(d, location); err != nil || a.skip != 0 || a.fast != fetchWords1 {
			t.Errorf("location %d: %+v, %v", location, a, err)
		}
	}
}

// Vertices fetched together, of which many have the same texel, are as each alone; converted by a program, too.
//
// fxvertex-input-extraction
func TestFetch_Together_AsAlone(t *testing.T) {
	r := rand.New(rand.NewPCG(43, 44))
	w := &geometry{x: New(Config{Threads: 1, Engine: vm.New(vm.Options{Native: true})})}
	for _, f := range []vk.Format{vk.FormatR8G8B8A8Unorm, vk.FormatR16G16Sfloat, vk.FormatR32G32Sfloat, vk.FormatB10G11R11UfloatPack32, vk.FormatR8Sint, vk.FormatR8G8B8Snorm, vk.FormatR16Uint, vk.FormatR16G16B16Unorm, vk.FormatR16G16B16A16Sfloat} {
		info, _ := format.Lookup(f)
		p, err := texels.Attribute(info)
		if err != nil {
			t.Fatal(err)
		}
		routine, err := w.x.cfg.Engine.Compile(p)
		if err != nil {
			t.Fatal(err)
		}
		w.programs = []*program{newProgram(routine, 32, new(exec.Scratch))}
		for range 200 {
			decoder := r.IntN(2) - 1
			a := attribute{info: info, size: info.BlockBytes, offset: uint64(r.IntN(9)), stride: uint32(r.IntN(9)), slots: [4]int{0, 1, 2, 3}, fast: fetchKindOf(f), instanced: r.IntN(2) == 0, divisor: r.Uint32N(4)}
			data := make([]byte, r.IntN(200))
			for i := range data {
				data[i] = byte(r.Uint32())
			}
			keys := make([]vertexKey, 1+r.IntN(30))
			for i := range keys {
				keys[i] = vertexKey{r.Uint32N(8), uint32(i / 8)}
			}
			c := &chunk{params: drawParams{firstInstance: r.Uint32N(3)}, draw: &drawPlan{draw: &Draw{VertexBuffers: []VertexBuffer{{Data: data}}}}}
			together, alone := lanesOf(4, 32), lanesOf(4, 4)
			l := lot{keys: keys, n: len(keys)}
			if r.IntN(3) == 0 {
				l = lot{first: r.Uint32N(8), instance: r.Uint32N(4), n: len(keys)}
				for i := range keys {
					keys[i] = l.key(i)
				}
			}
			if err := w.fetch(&a, decoder, together, &l, l.last(), c); err != nil {
				t.Fatal(err)
			}
			for lane := range keys {
				if err := w.fetch(&a, none, alone, &lot{keys: keys[lane : lane+1], n: 1}, keys[lane].vertex, c); err != nil {
					t.Fatal(err)
				}
				for slot := range together {
					if together[slot][lane] != alone[slot][0] {
						t.Fatalf("%v, instanced %v by %d, stride %d: component %d of vertex %v is %#x, alone %#x", f, a.instanced, a.divisor, a.stride, slot, keys[lane], together[slot][lane], alone[slot][0])
					}
				}
			}
		}
	}
}

// BenchmarkFetch fetches an attribute for 256 vertices, or 8 instances of 32.
func BenchmarkFetch(b *testing.B) {
	for _, f := range []vk.Format{vk.FormatR32G32B32Sfloat, vk.FormatR8G8B8A8Unorm, vk.FormatR16G16Sfloat} {
		for _, instanced := range []bool{false, true} {
			b.Run(fmt.Sprintf("%v/%v", f, instanced), func(b *testing.B) {
				info, _ := format.Lookup(f)
				a := attribute{info: info, size: info.BlockBytes, stride: 16, slots: [4]int{0, 1, 2, 3}, fast: fetchKindOf(f), instanced: instanced, divisor: 1}
				keys := make([]vertexKey, 256)
				for i := range keys {
					keys[i] = vertexKey{uint32(i), uint32(i / 32)}
				}
				in := lanesOf(4, 256)
				w, decoder := &geometry{x: New(Config{Threads: 1, Engine: vm.New(vm.Options{Native: true})})}, none
				if p, err := texels.Attribute(info); err == nil && a.fast != fetchWords3 {
					routine, err := w.x.cfg.Engine.Compile(p)
					if err != nil {
						b.Fatal(err)
					}
					w.programs, decoder = []*program{newProgram(routine, 256, new(exec.Scratch))}, 0
				}
				c := &chunk{draw: &drawPlan{draw: &Draw{VertexBuffers: []VertexBuffer{{Data: make([]byte, 4200)}}}}}
				for b.Loop() {
					if err := w.fetch(&a, decoder, in, &lot{keys: keys, n: 256}, 255, c); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
