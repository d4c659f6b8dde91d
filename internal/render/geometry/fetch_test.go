package geometry

import (
	"encoding/binary"
	"fmt"
	"math"
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
		a := Attribute{Info: info, Size: 4 * words, Offset: uint64(r.IntN(20)), Stride: uint32(r.IntN(40)), Slots: [4]int{0, 1, 2, 3}, Words: words}
		if r.IntN(3) == 0 {
			a.Slots[r.IntN(4)] = None
		}
		data := make([]byte, 1+r.IntN(800))
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		keys := make([]VertexKey, 1+r.IntN(30))
		reach := 1 + r.IntN(40)
		l := lot{keys: keys, n: len(keys)}
		if r.IntN(3) == 0 {
			l = lot{first: uint32(r.IntN(reach)), instance: r.Uint32(), n: len(keys)}
		}
		for i := range keys {
			if keys[i] = (VertexKey{Vertex: uint32(r.IntN(reach)), Instance: r.Uint32()}); l.keys == nil {
				keys[i] = l.key(i)
			}
		}
		in := make([][]uint32, 4)
		for c := range in {
			in[c] = make([]uint32, 32)
		}
		d := Draw{Buffers: []VertexBuffer{{Data: data}}}
		if err := (&Worker{Feed: Feed{Draw: &d, Params: new(Params)}}).fetch(&a, None, in, &l, l.last()); err != nil {
			t.Fatal(err)
		}
		for lane, k := range keys {
			want := [4]uint32{3: one}
			at := int(a.Offset) + int(k.Vertex)*int(a.Stride)
			for w := range words {
				want[w] = 0
				if at+4*words <= len(data) {
					want[w] = binary.LittleEndian.Uint32(data[at+4*w:])
				}
			}
			for comp, slot := range a.Slots {
				if slot != None && in[slot][lane] != want[comp] {
					t.Fatalf("%v with stride %d from %d of %d bytes, vertex %d: component %d is %#x, want %#x", info.Format, a.Stride, a.Offset, len(data), k.Vertex, comp, in[slot][lane], want[comp])
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

// runnerOf runs a routine that works on the rows of others.
func runnerOf(r exec.Routine, lanes int) *Runner {
	return &Runner{IR: r.Program(), Lanes: lanes, Run: exec.NewThread(r, new(exec.Scratch), lanes).Run}
}

// Vertices fetched together, of which many have the same texel, are as each alone; converted by a program, too.
//
// fxvertex-input-extraction
func TestFetch_Together_AsAlone(t *testing.T) {
	r := rand.New(rand.NewPCG(43, 44))
	engine, w := vm.New(vm.Options{Native: true}), &Worker{Lanes: 256}
	for _, f := range []vk.Format{vk.FormatR8G8B8A8Unorm, vk.FormatR16G16Sfloat, vk.FormatR32G32Sfloat, vk.FormatB10G11R11UfloatPack32, vk.FormatR8Sint, vk.FormatR8G8B8Snorm, vk.FormatR16Uint, vk.FormatR16G16B16Unorm, vk.FormatR16G16B16A16Sfloat} {
		info, _ := format.Lookup(f)
		p, err := texels.Attribute(info)
		if err != nil {
			t.Fatal(err)
		}
		routine, err := engine.Compile(p)
		if err != nil {
			t.Fatal(err)
		}
		w.Programs = []*Runner{runnerOf(routine, 32)}
		for range 200 {
			decoder := r.IntN(2) - 1
			a := Attribute{Info: info, Size: info.BlockBytes, Offset: uint64(r.IntN(9)), Stride: uint32(r.IntN(9)), Slots: [4]int{0, 1, 2, 3}, Words: WordsOf(info), Instanced: r.IntN(2) == 0, Divisor: r.Uint32N(4)}
			data := make([]byte, r.IntN(200))
			for i := range data {
				data[i] = byte(r.Uint32())
			}
			keys := make([]VertexKey, 1+r.IntN(30))
			for i := range keys {
				keys[i] = VertexKey{r.Uint32N(8), uint32(i / 8)}
			}
			w.Feed = Feed{Params: &Params{FirstInstance: r.Uint32N(3)}, Draw: &Draw{Buffers: []VertexBuffer{{Data: data}}}}
			together, alone := Rows(4, 32), Rows(4, 4)
			l := lot{keys: keys, n: len(keys)}
			if r.IntN(3) == 0 {
				l = lot{first: r.Uint32N(8), instance: r.Uint32N(4), n: len(keys)}
				for i := range keys {
					keys[i] = l.key(i)
				}
			}
			if err := w.fetch(&a, decoder, together, &l, l.last()); err != nil {
				t.Fatal(err)
			}
			for lane := range keys {
				if err := w.fetch(&a, None, alone, &lot{keys: keys[lane : lane+1], n: 1}, keys[lane].Vertex); err != nil {
					t.Fatal(err)
				}
				for slot := range together {
					if together[slot][lane] != alone[slot][0] {
						t.Fatalf("%v, instanced %v by %d, stride %d: component %d of vertex %v is %#x, alone %#x", f, a.Instanced, a.Divisor, a.Stride, slot, keys[lane], together[slot][lane], alone[slot][0])
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
				a := Attribute{Info: info, Size: info.BlockBytes, Stride: 16, Slots: [4]int{0, 1, 2, 3}, Words: WordsOf(info), Instanced: instanced, Divisor: 1}
				keys := make([]VertexKey, 256)
				for i := range keys {
					keys[i] = VertexKey{uint32(i), uint32(i / 32)}
				}
				in := Rows(4, 256)
				engine, w, decoder := vm.New(vm.Options{Native: true}), &Worker{Lanes: 256}, None
				if p, err := texels.Attribute(info); err == nil && a.Words != 3 {
					routine, err := engine.Compile(p)
					if err != nil {
						b.Fatal(err)
					}
					w.Programs, decoder = []*Runner{runnerOf(routine, 256)}, 0
				}
				w.Feed.Draw, w.Feed.Params = &Draw{Buffers: []VertexBuffer{{Data: make([]byte, 4200)}}}, new(Params)
				for b.Loop() {
					if err := w.fetch(&a, decoder, in, &lot{keys: keys, n: 256}, 255); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func TestFetch_FormatsAndRobustness(t *testing.T) {
	word := math.Float32bits
	data := []byte{0x80, 0xFF, 0x00, 0x33, 0, 0, 0x80, 0x3F, 0, 0, 0, 0x40, 1, 2, 3, 4}
	for _, c := range []struct {
		format vk.Format
		offset uint64
		vertex uint32
		want   [4]uint32
	}{
		{vk.FormatR8G8B8A8Unorm, 0, 0, [4]uint32{word(128.0 / 255), word(1), 0, word(.2)}},
		{vk.FormatR8G8Unorm, 0, 0, [4]uint32{word(128.0 / 255), word(1), 0, word(1)}},
		{vk.FormatR32Sfloat, 4, 0, [4]uint32{word(1), 0, 0, word(1)}},
		{vk.FormatR32G32Sfloat, 4, 0, [4]uint32{word(1), word(2), 0, word(1)}},
		{vk.FormatR8G8B8A8Uint, 0, 3, [4]uint32{1, 2, 3, 4}},
		{vk.FormatR8Sint, 0, 0, [4]uint32{0xFFFFFF80, 0, 0, 1}},
		{vk.FormatR8G8B8A8Uscaled, 12, 0, [4]uint32{word(1), word(2), word(3), word(4)}},
		{vk.FormatR32G32B32Sfloat, 8, 0, [4]uint32{0, 0, 0, word(1)}}, // reaches beyond the buffer
		{vk.FormatR32G32B32A32Sfloat, 4, 0, [4]uint32{}},
		{vk.FormatR8Unorm, 0, math.MaxUint32, [4]uint32{0, 0, 0, word(1)}},
	} {
		info, ok := format.Lookup(c.format)
		if !ok {
			t.Fatal(c.format)
		}
		a := Attribute{Info: info, Size: info.BlockBytes, Offset: c.offset, Stride: 4, Slots: [4]int{0, 1, 2, 3}, Words: WordsOf(info)}
		in := Rows(4, 4)
		w := Worker{Feed: Feed{Params: new(Params), Draw: &Draw{Buffers: []VertexBuffer{{Data: data}}}}}
		if err := w.fetch(&a, None, in, &lot{keys: []VertexKey{{}, {Vertex: c.vertex}}, n: 2}, c.vertex); err != nil {
			t.Fatal(err)
		}
		if got := [4]uint32{in[0][1], in[1][1], in[2][1], in[3][1]}; got != c.want {
			t.Errorf("%v: %#x, want %#x", c.format, got, c.want)
		}
	}
}
