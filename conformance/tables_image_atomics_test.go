package conformance

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"os"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// Every atomic on every format that has any, on words that meet its corners; one on every kind of image, inside and outside.

// Instructions of testdata/atomic.glsl.
const (
	atomicAdded imageHow = iota
	atomicCompared
	atomicStored
)

// atomicOp is an instruction, and what it leaves of o with v: IMG-592.
type atomicOp struct {
	name string
	code uint32
	new  func(o, v uint64, bits int) uint64
}

// signedWord extends a word's sign.
func signedWord(v uint64, bits int) int64 { return int64(v<<(64-bits)) >> (64 - bits) }

var integerAtomics = []atomicOp{
	{"OpAtomicLoad", 227, func(o, _ uint64, _ int) uint64 { return o }},
	{"OpAtomicExchange", 229, func(_, v uint64, _ int) uint64 { return v }},
	{"OpAtomicIIncrement", 232, func(o, _ uint64, _ int) uint64 { return o + 1 }},
	{"OpAtomicIDecrement", 233, func(o, _ uint64, _ int) uint64 { return o - 1 }},
	{"OpAtomicIAdd", 234, func(o, v uint64, _ int) uint64 { return o + v }},
	{"OpAtomicISub", 235, func(o, v uint64, _ int) uint64 { return o - v }},
	{"OpAtomicSMin", 236, func(o, v uint64, bits int) uint64 {
		if signedWord(v, bits) < signedWord(o, bits) {
			return v
		}
		return o
	}},
	{"OpAtomicUMin", 237, func(o, v uint64, _ int) uint64 { return min(o, v) }},
	{"OpAtomicSMax", 238, func(o, v uint64, bits int) uint64 {
		if signedWord(v, bits) > signedWord(o, bits) {
			return v
		}
		return o
	}},
	{"OpAtomicUMax", 239, func(o, v uint64, _ int) uint64 { return max(o, v) }},
	{"OpAtomicAnd", 240, func(o, v uint64, _ int) uint64 { return o & v }},
	{"OpAtomicOr", 241, func(o, v uint64, _ int) uint64 { return o | v }},
	{"OpAtomicXor", 242, func(o, v uint64, _ int) uint64 { return o ^ v }},
}

// onFloats makes an operation on words of one on floats. NaNs are the canonical one.
func onFloats(f func(o, v float32) float32) func(o, v uint64, bits int) uint64 {
	return func(o, v uint64, _ int) uint64 {
		x := f(math.Float32frombits(uint32(o)), math.Float32frombits(uint32(v)))
		if x != x {
			return 0x7FC00000
		}
		return uint64(math.Float32bits(x))
	}
}

var floatAtomics = []atomicOp{
	integerAtomics[0], integerAtomics[1],
	{"OpAtomicFAddEXT", 6035, onFloats(func(o, v float32) float32 {
		if s := float64(o) + float64(v); s != s || math.IsInf(s, 0) || s == 0 { // no rounding: only infinities and zeros
			return float32(s)
		}
		return nearest32(new(big.Rat).Add(exactly(o), exactly(v)))
	})},
	{"OpAtomicFMinEXT", 5614, onFloats(func(o, v float32) float32 { return extreme(o, v, true) })},
	{"OpAtomicFMaxEXT", 5615, onFloats(func(o, v float32) float32 { return extreme(o, v, false) })},
}

// extreme is minNum or maxNum, with −0 below +0.
func extreme(o, v float32, least bool) float32 {
	switch {
	case o != o:
		return v
	case v != v:
		return o
	case o == v && math.Signbit(float64(o)) == least:
		return o
	case o == v:
		return v
	case (o < v) == least:
		return o
	}
	return v
}

// atomicPipeline puts an instruction in the place of the only addition of a shader of testdata/rules.
func (dev *imageDevice) atomicPipeline(t *testing.T, shader string, op uint32) string {
	t.Helper()
	key := fmt.Sprintf("%s with %d", shader, op)
	if dev.pipelines[key] != nil {
		return key
	}
	code, err := os.ReadFile("testdata/rules/" + shader + ".comp.spv")
	if err != nil {
		t.Fatal(err)
	}
	out, found := code[:20:20], 0
	for i := 20; i < len(code); {
		w := binary.LittleEndian.Uint32(code[i:])
		n := 4 * int(w>>16)
		inst := append([]byte(nil), code[i:i+n]...)
		if w&0xFFFF == 17 && (op == 5614 || op == 5615) && binary.LittleEndian.Uint32(inst[4:]) == 6033 { // AtomicFloat32AddEXT
			binary.LittleEndian.PutUint32(inst[4:], 5612) // AtomicFloat32MinMaxEXT
		}
		if c := w & 0xFFFF; c == 234 || c == 6035 {
			found++
			if op == 227 || op == 232 || op == 233 { // without a value
				inst = inst[:n-4]
			}
			binary.LittleEndian.PutUint32(inst, uint32(len(inst)/4)<<16|op)
		}
		out = append(out, inst...)
		i += n
	}
	if found != 1 {
		t.Fatalf("%s has %d additions", shader, found)
	}
	p, err := dev.NewComputePipeline(pumice.ComputePipelineDesc{Compute: pumice.Shader{Code: out}})
	if err != nil {
		t.Fatalf("%s, instruction %d: %v", shader, op, err)
	}
	t.Cleanup(func() { p.Close() })
	dev.pipelines[key] = p
	return key
}

func TestTables_IMG592_EveryAtomicOfEveryFormat(t *testing.T) {
	rules.Covers(t, "IMG-590", "IMG-592", "IMG-596", "IMG-597")
	words := []uint64{0, 1, 2, 5, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFF, 0xFFFFFFFE, 0x5A5A5A5A, 0xA5A5A5A5, 0x00010000}
	var wide []uint64
	for _, w := range words {
		wide = append(wide, w, w<<32, w<<32|0xFFFFFFFF)
	}
	var floats []uint64
	for _, f := range []float32{0, minus0, 1, -1, 1 + 0x1p-23, 0x1p-24, 3 * 0x1p-25, -0x1p-24, smallest, -smallest, 0x1p-126, -0x1p-126, math.MaxFloat32, -math.MaxFloat32, 0x1p103, 0x1p104, float32(math.Inf(1)), float32(math.Inf(-1)), nan32, .1} {
		floats = append(floats, uint64(math.Float32bits(f)))
	}
	for _, dev := range imageDevices(t) {
		for _, c := range []struct {
			f      vk.Format
			shader string
			bits   int
			words  []uint64
			ops    []atomicOp
		}{
			{vk.FormatR32Uint, "atomic2du", 32, words, integerAtomics}, {vk.FormatR32Sint, "atomic2di", 32, words, integerAtomics}, {vk.FormatR32Sfloat, "atomic2df", 32, floats, floatAtomics},
			{vk.FormatR64Uint, "atomic2du64", 64, wide, integerAtomics}, {vk.FormatR64Sint, "atomic2di64", 64, wide, integerAtomics},
		} {
			n := len(c.words) * len(c.words)
			put := func(b []byte, w uint64) []byte { return binary.LittleEndian.AppendUint64(b, w)[:len(b)+c.bits/8] }
			run := func(what, pipeline string, how imageHow, comparator func(old uint64, k int) uint64, new func(o, v uint64, k int) uint64) {
				var lanes []imageLane
				var before []byte
				var after []uint64
				for k := range 64 * ((n + 63) / 64) {
					o, v := c.words[k%n/len(c.words)], c.words[k%len(c.words)]
					before = put(before, o)
					if k >= n {
						after = append(after, o)
						continue
					}
					l := imageLane{texel: [3]int32{int32(k % 64), int32(k / 64)}}
					cmp := comparator(o, k)
					for i, w := range [4]uint64{v, v >> 32, cmp, cmp >> 32} {
						l.at[i] = math.Float32frombits(uint32(w))
					}
					lanes, after = append(lanes, l), append(after, new(o, v, k)&(1<<(c.bits-1)<<1-1))
				}
				f := &tableFormat{Format: c.f, name: c.f.String(), bytes: c.bits / 8}
				im := f.image(t, dev, before, (n+63)/64)
				defer im.Close()
				olds := dev.lanes(t, pipeline, how, false, im, lanes)
				got, err := im.Read(ctx, pumice.Subresource{})
				if err != nil {
					t.Fatal(err)
				}
				for k := range n {
					o, v := c.words[k/len(c.words)], c.words[k%len(c.words)]
					old := uint64(olds[k][0]) | uint64(olds[k][1])<<32
					if c.f == vk.FormatR32Sfloat && math.IsNaN(float64(math.Float32frombits(uint32(old)))) {
						old = 0x7FC00000
					}
					if old != o && how != atomicStored {
						t.Errorf("%v, engine %s, %s of %#x with %#x gives %#x", c.f, dev.Engine(), what, o, v, old)
						return
					}
					if g, w := got[k*c.bits/8:][:c.bits/8], put(nil, after[k]); string(g) != string(w) {
						t.Errorf("%v, engine %s, %s of %#x with %#x leaves % x, want % x", c.f, dev.Engine(), what, o, v, g, w)
						return
					}
				}
			}
			none := func(uint64, int) uint64 { return 0 }
			for _, op := range c.ops {
				run(op.name, dev.atomicPipeline(t, c.shader, op.code), atomicAdded, none, func(o, v uint64, _ int) uint64 { return op.new(o, v, c.bits) })
			}
			run("OpAtomicStore", c.shader, atomicStored, none, func(_, v uint64, _ int) uint64 { return v })
			if c.f != vk.FormatR32Sfloat {
				// The comparator is what is there, or that with a bit changed: each bit in turn.
				run("OpAtomicCompareExchange", c.shader, atomicCompared, func(o uint64, k int) uint64 {
					if k%3 == 0 {
						return o
					}
					return o ^ 1<<(k%c.bits)
				}, func(o, v uint64, k int) uint64 {
					if k%3 == 0 {
						return v
					}
					return o
				})
			}
		}
	}
}

// Texels by every number of coordinates, in a view that begins at another level and layer; one step outside on every side nothing is
// there, and nothing is written.
func TestTables_IMG590_AtomicsOnEveryKindOfImage(t *testing.T) {
	rules.Covers(t, "IMG-020", "IMG-021", "IMG-022", "IMG-030", "IMG-032", "IMG-043", "IMG-200", "IMG-203", "IMG-305", "IMG-590", "IMG-598")
	for _, dev := range imageDevices(t) {
		for _, c := range []struct {
			shader string
			desc   pumice.ImageDesc
			view   pumice.ViewDesc
			size   [4]int // of coordinates, and of samples
		}{
			{"atomic1du", pumice.ImageDesc{Width: 10, MipLevels: 2}, pumice.ViewDesc{Type: vk.ImageViewType1D, BaseLevel: 1}, [4]int{5}},
			{"atomic1darrayu", pumice.ImageDesc{Width: 10, MipLevels: 2, Layers: 5}, pumice.ViewDesc{Type: vk.ImageViewType1DArray, BaseLevel: 1, BaseLayer: 1, Layers: 3}, [4]int{5, 3}},
			{"atomic2du", pumice.ImageDesc{Width: 10, Height: 6, MipLevels: 2, Layers: 3}, pumice.ViewDesc{Type: vk.ImageViewType2D, BaseLevel: 1, BaseLayer: 2, Layers: 1}, [4]int{5, 3}},
			{"atomic2darrayu", pumice.ImageDesc{Width: 10, Height: 6, MipLevels: 2, Layers: 6}, pumice.ViewDesc{Type: vk.ImageViewType2DArray, BaseLevel: 1, BaseLayer: 1, Layers: 4}, [4]int{5, 3, 4}},
			{"atomic3du", pumice.ImageDesc{Width: 10, Height: 6, Depth: 8, MipLevels: 2}, pumice.ViewDesc{Type: vk.ImageViewType3D, BaseLevel: 1}, [4]int{5, 3, 4}},
			{"atomiccubeu", pumice.ImageDesc{Width: 6, Height: 6, Cube: true, Layers: 12, MipLevels: 2}, pumice.ViewDesc{Type: vk.ImageViewTypeCube, BaseLevel: 1, BaseLayer: 6, Layers: 6}, [4]int{3, 3, 6}},
			{"atomiccubearrayu", pumice.ImageDesc{Width: 6, Height: 6, Cube: true, Layers: 24, MipLevels: 2}, pumice.ViewDesc{Type: vk.ImageViewTypeCubeArray, BaseLevel: 1, BaseLayer: 6, Layers: 12}, [4]int{3, 3, 12}},
			{"atomic2dmsu", pumice.ImageDesc{Width: 5, Height: 3, Samples: 8}, pumice.ViewDesc{Type: vk.ImageViewType2D}, [4]int{5, 3, 0, 8}},
			{"atomic2dmsarrayu", pumice.ImageDesc{Width: 5, Height: 3, Samples: 4, Layers: 4}, pumice.ViewDesc{Type: vk.ImageViewType2DArray, BaseLayer: 1, Layers: 2}, [4]int{5, 3, 2, 4}},
			{"atomicbufferu", pumice.ImageDesc{}, pumice.ViewDesc{}, [4]int{7}},
		} {
			var target pumice.Resource
			if c.desc.Width == 0 {
				b, err := dev.NewBufferFrom(make([]uint32, 9))
				if err != nil {
					t.Fatal(err)
				}
				defer b.Close()
				view, err := dev.NewBufferView(b, vk.FormatR32Uint, 0, 28)
				if err != nil {
					t.Fatal(err)
				}
				defer view.Close()
				target = view
			} else {
				c.desc.Format = vk.FormatR32Uint
				im, err := dev.NewImage(c.desc)
				if err != nil {
					t.Fatal(err)
				}
				defer im.Close()
				view, err := im.NewView(c.view)
				if err != nil {
					t.Fatal(err)
				}
				defer view.Close()
				target = view
			}
			var lanes []imageLane
			var inside []bool
			at := [4][]int{{0}, {0}, {0}, {0}}
			for d, n := range c.size {
				if n == 0 {
					continue
				}
				at[d] = []int{-1, n, math.MinInt32, math.MaxInt32, n + math.MinInt32}
				for i := range n {
					at[d] = append(at[d], i)
				}
			}
			for _, x := range at[0] {
				for _, y := range at[1] {
					for _, z := range at[2] {
						for _, s := range at[3] {
							in := true
							for d, i := range [4]int{x, y, z, s} {
								in = in && i >= 0 && i < max(c.size[d], 1)
							}
							l := imageLane{texel: [3]int32{int32(x), int32(y), int32(z)}, level: int32(s)}
							l.at[0] = math.Float32frombits(uint32(1000 + len(lanes)))
							lanes, inside = append(lanes, l), append(inside, in)
						}
					}
				}
			}
			for round := range uint32(3) {
				for k, got := range dev.lanes(t, c.shader, atomicAdded, false, target, lanes)[:len(lanes)] {
					want := round * uint32(1000+k)
					if !inside[k] {
						want = 0
					}
					if got[0] != want {
						t.Fatalf("%s, engine %s, round %d, texel %v, sample %d: %d, want %d", c.shader, dev.Engine(), round, lanes[k].texel, lanes[k].level, got[0], want)
					}
				}
			}
		}
	}
}
