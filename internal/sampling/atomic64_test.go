package sampling

import (
	"bytes"
	"encoding/binary"
	"sync"
	"testing"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

func words(x ...uint64) (w []uint32) {
	for _, v := range x {
		w = append(w, uint32(v), uint32(v>>32))
	}
	return w
}

func bytesOf(x ...uint64) (b []byte) {
	for _, v := range x {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	return b
}

// Atomics of 64 bits on images and texel buffers take value and comparator from two words
// each, return two, and touch their texel alone.
func TestAtomics_IMG592_64Bits(t *testing.T) {
	rules.Covers(t, "IMG-592", "IMG-598")
	const old, v, before, after = 0x80000000_00000005, 0x00000007_FFFFFFFE, 0x1111, 0x2222
	for _, c := range []struct {
		op        ir.AtomicOp
		cmp, want uint64
	}{
		{ir.AtomicAdd, 0, 0x80000008_00000003}, {ir.AtomicAnd, 0, 4}, {ir.AtomicOr, 0, 0x80000007_FFFFFFFF}, {ir.AtomicXor, 0, 0x80000007_FFFFFFFB},
		{ir.AtomicSMin, 0, old}, {ir.AtomicSMax, 0, v}, {ir.AtomicUMin, 0, v}, {ir.AtomicUMax, 0, old}, {ir.AtomicExchange, 0, v},
		{ir.AtomicLoad, 0, old}, {ir.AtomicStore, 0, v}, {ir.AtomicCompareExchange, old, v}, {ir.AtomicCompareExchange, old ^ 1<<63, old},
		{ir.AtomicCompareExchange, old ^ 1, old},
	} {
		for _, f := range []vk.Format{vk.FormatR64Uint, vk.FormatR64Sint} {
			im := imageOf(t, f, 3, 1)
			copy(im.Data, bytesOf(before, old, after))
			x := lane1{op: ir.ImageOp{Kind: ir.ImageAtomic, Dim: ir.Dim2D, Atomic: c.op, Wide: true}, icoord: []int32{1, 0}, texel: words(v, c.cmp)}
			got := x.run(newView(t, im, resource.ViewDesc{}), nil)
			if want := (format.Texel{5, 0x80000000}); got != want || !bytes.Equal(im.Data[:24], bytesOf(before, c.want, after)) {
				t.Errorf("%v: operation %d returns %x and leaves %x, want %#x", f, c.op, got, im.Data[:24], c.want)
			}
			x.icoord[0] = 3
			if got := x.run(newView(t, im, resource.ViewDesc{}), nil); got != (format.Texel{}) {
				t.Errorf("%v: operation %d outside returns %x", f, c.op, got)
			}
			data := bytesOf(before, old, after)
			b, err := resource.NewBufferView(f, data)
			if err != nil {
				t.Fatal(err)
			}
			for i, want := range map[int32]format.Texel{1: {5, 0x80000000}, 3: {}, -1: {}} {
				x.op.Dim, x.icoord = ir.DimBuffer, []int32{i}
				a := x.args()
				RunBuffer(a, b, 0, 1)
				if got := (format.Texel{a.Out[0][0], a.Out[1][0], a.Out[2][0], a.Out[3][0]}); got != want {
					t.Errorf("%v: operation %d returns %x from element %d, want %x", f, c.op, got, i, want)
				}
			}
			if !bytes.Equal(data, bytesOf(before, c.want, after)) {
				t.Errorf("%v: operation %d leaves %x in a buffer", f, c.op, data)
			}
		}
	}
}

// A texel that is not of one component, or of another size than the operation's, is left
// alone and gives 0.
func TestAtomics_IMG596_OtherFormats(t *testing.T) {
	rules.Covers(t, "IMG-596")
	for f, wide := range map[vk.Format][]bool{
		vk.FormatR32Uint: {true}, vk.FormatR64Uint: {false}, vk.FormatR32G32Uint: {false, true}, vk.FormatR16Uint: {false, true},
		vk.FormatR16G16Uint: {false, true}, vk.FormatR16G16B16A16Uint: {false, true}, vk.FormatR32G32B32A32Uint: {false, true},
	} {
		for _, w := range wide {
			im := imageOf(t, f, 3, 1)
			for i := range im.Data {
				im.Data[i] = 0x55
			}
			before := bytes.Clone(im.Data)
			op := ir.ImageOp{Kind: ir.ImageAtomic, Dim: ir.Dim2D, Atomic: ir.AtomicExchange, Wide: w}
			got := lane1{op: op, icoord: []int32{1, 0}, texel: words(1, 2)}.run(newView(t, im, resource.ViewDesc{}), nil)
			if got[0] != 0 || w && got[1] != 0 || !bytes.Equal(im.Data, before) {
				t.Errorf("%v, 64 bits %v: returns %x and leaves %x", f, w, got, im.Data)
			}
		}
	}
}

// Atomics run on the view's base level (IMG-590) and for active lanes, in their order,
// whether or not the old value is wanted.
func TestAtomics_LanesAndLevel(t *testing.T) {
	rules.Covers(t, "IMG-590", "IMG-596", "IMG-597")
	for _, wide := range []bool{false, true} {
		f, n := vk.FormatR32Uint, 4
		if wide {
			f, n = vk.FormatR64Uint, 8
		}
		im, err := resource.NewImage(resource.ImageDesc{Type: vk.ImageType2D, Format: f, Extent: vk.Extent3D{Width: 4, Height: 4, Depth: 1}, MipLevels: 3})
		if err != nil {
			t.Fatal(err)
		}
		if err := im.Bind(make([]byte, im.Layout.Size)); err != nil {
			t.Fatal(err)
		}
		v := newView(t, im, resource.ViewDesc{Range: vk.ImageSubresourceRange{BaseMipLevel: 1, LevelCount: 2}})
		data := make([]byte, 4*n)
		b, err := resource.NewBufferView(f, data)
		if err != nil {
			t.Fatal(err)
		}
		for _, out := range []bool{true, false} {
			a := &Args{Op: &ir.ImageOp{Kind: ir.ImageAtomic, Dim: ir.Dim2D, Atomic: ir.AtomicAdd, Wide: wide}, Lod: []uint32{1, 1, 1, 1}, Mask: []uint32{0, ^uint32(0), 0, ^uint32(0)}}
			a.Coord[0], a.Coord[1] = []uint32{1, 1, 1, 1}, []uint32{0, 0, 0, 0}
			a.Texel[0] = []uint32{40, 1, 10, 100}
			if out {
				a.Out[0] = []uint32{7, 7, 7, 7}
			}
			clear(im.Data)
			both(a, v, nil, 4)
			l := v.Level(0, 0)
			if got := l.Data[l.Offset(1, 0, 0, 0)]; got != 101 {
				t.Errorf("64 bits %v: the level has %d", wide, got)
			}
			if out && (a.Out[0][0] != 7 || a.Out[0][1] != 0 || a.Out[0][2] != 7 || a.Out[0][3] != 1) {
				t.Errorf("64 bits %v: returned %d", wide, a.Out[0])
			}
			clear(data)
			a.Op.Dim = ir.DimBuffer
			RunBuffer(a, b, 0, 4)
			if data[n] != 101 {
				t.Errorf("64 bits %v: the buffer has %x", wide, data)
			}
		}
	}
}

// Words that are not aligned are changed all the same, though not atomically; workers on
// one that is do not lose each other's sums, nor a carry between the halves.
func TestAtomic64_AlignmentAndWorkers(t *testing.T) {
	b := make([]byte, 24)
	for at := range 16 {
		clear(b)
		if got := Atomic64(ir.AtomicExchange, b[at:], 0x0102030405060708, 0); got != 0 {
			t.Errorf("at %d: the first returns %#x", at, got)
		}
		if got := Atomic64(ir.AtomicAdd, b[at:], 0xF0, 0); got != 0x0102030405060708 || b[at] != 0xF8 || b[at+7] != 1 {
			t.Errorf("at %d: the second returns %#x and leaves %x", at, got, b)
		}
		if got := Atomic64(ir.AtomicLoad, b[at:], 9, 0); got != 0x01020304050607F8 {
			t.Errorf("at %d: loaded %#x", at, got)
		}
		for i, x := range b {
			if (i < at || i >= at+8) && x != 0 {
				t.Errorf("at %d: byte %d changed", at, i)
			}
		}
	}
	clear(b)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 500 {
				Atomic64(ir.AtomicAdd, b, 1<<31, 0)
			}
		})
	}
	wg.Wait()
	if got := binary.LittleEndian.Uint64(b); got != 2000<<31 {
		t.Errorf("the sum is %#x", got)
	}
}

// Fetches of 64-bit texels give two words, zero outside, that red is the number, and that alpha is one.
func TestFetch_64Bits(t *testing.T) {
	rules.Covers(t, "IMG-032", "IMG-259", "IMG-320", "IMG-321")
	im := imageOf(t, vk.FormatR64Uint, 2, 1)
	copy(im.Data, bytesOf(1, 0x33333333_22222222))
	data := bytes.Clone(im.Data)
	b, err := resource.NewBufferView(vk.FormatR64Uint, data)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range map[int32]format.Texel{0: {1, 0, 1, 8}, 1: {0x22222222, 0x33333333, 1, 8}, 2: {0, 0, 1, 8}} {
		x := lane1{op: ir.ImageOp{Kind: ir.ImageFetch, Dim: ir.Dim2D, Wide: true}, icoord: []int32{i, 0}}
		if got := x.run(newView(t, im, resource.ViewDesc{}), nil); got != want {
			t.Errorf("texel %d is %x, want %x", i, got, want)
		}
		x.op.Dim, x.icoord = ir.DimBuffer, []int32{i}
		a := x.args()
		RunBuffer(a, b, 0, 1)
		if got := (format.Texel{a.Out[0][0], a.Out[1][0], a.Out[2][0], a.Out[3][0]}); got != want {
			t.Errorf("element %d is %x, want %x", i, got, want)
		}
	}
}

// Gathers of 64-bit texels give the low words and the high ones of the component that they name, after the swizzle:
// the number, 0, or 1 in alpha.
func TestGather_64Bits(t *testing.T) {
	rules.Covers(t, "IMG-259", "IMG-320", "IMG-321")
	im := imageOf(t, vk.FormatR64Uint, 2, 2)
	copy(im.Data, bytesOf(0x11111111_00000001, 0x22222222_00000002, 0x33333333_00000003, 0x44444444_00000004))
	low, high := format.Texel{3, 4, 2, 1}, format.Texel{0x33333333, 0x44444444, 0x22222222, 0x11111111}
	zero, one := format.Texel{}, format.Texel{1, 1, 1, 1}
	plain := [4][2]format.Texel{{low, high}, {zero, zero}, {zero, zero}, {one, zero}}
	swizzled := [4][2]format.Texel{{one, zero}, {low, high}, {one, zero}, {zero, zero}}
	for mapping, want := range map[vk.ComponentMapping][4][2]format.Texel{
		{}: plain,
		{R: vk.ComponentSwizzleA, G: vk.ComponentSwizzleR, B: vk.ComponentSwizzleOne, A: vk.ComponentSwizzleG}: swizzled,
	} {
		v := newView(t, im, resource.ViewDesc{Components: mapping})
		for comp := range uint8(4) {
			for half := range 2 {
				x := lane1{op: ir.ImageOp{Kind: ir.ImageGather, Dim: ir.Dim2D, Wide: true, Result: ir.ClassUint, GatherComp: comp, High: half == 1}, coord: []float32{0.5, 0.5}}
				if got := x.run(v, newSampler(t, resource.Sampler{})); got != want[comp][half] {
					t.Errorf("%v, component %d, half %d: %x, want %x", mapping, comp, half, got, want[comp][half])
				}
			}
		}
	}
}

// Writes to texel buffers change the element of each active lane, and nothing where they
// are outside (IMG-302).
func TestBuffers_IMG302_Writes(t *testing.T) {
	rules.Covers(t, "IMG-302")
	data := make([]byte, 4*4)
	b, err := resource.NewBufferView(vk.FormatR8G8B8A8Unorm, data)
	if err != nil {
		t.Fatal(err)
	}
	const one = 0x3F800000
	a := &Args{Op: &ir.ImageOp{Kind: ir.ImageWrite, Dim: ir.DimBuffer}, Mask: []uint32{^uint32(0), 0, ^uint32(0), ^uint32(0), ^uint32(0)}}
	a.Coord[0] = []uint32{1, 2, 4, 1<<32 - 1, 3}
	a.Texel = [4][]uint32{{one, one, one, one, 0}, {0, one, one, one, one}, {0, one, one, one, 0}, {one, one, one, one, 0x3F000000}}
	RunBuffer(a, b, 0, 5)
	if want := []byte{0, 0, 0, 0, 255, 0, 0, 255, 0, 0, 0, 0, 0, 255, 0, 128}; !bytes.Equal(data, want) {
		t.Errorf("the buffer is %v, want %v", data, want)
	}
}
