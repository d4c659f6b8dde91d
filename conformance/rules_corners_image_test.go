package conformance

import (
	"encoding/binary"
	"math"
	"math/big"
	"os"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// Corners of image operations: ends of ranges, signed zeros, one partition of many.

// powerOf2 is 2^e.
func powerOf2(e int) *big.Rat {
	x := new(big.Int).Lsh(big.NewInt(1), uint(max(e, -e)))
	if e < 0 {
		return new(big.Rat).SetFrac(big.NewInt(1), x)
	}
	return new(big.Rat).SetInt(x)
}

// sharedWord is E5B9G9R9 of three numbers, by IMG-060 to IMG-063 in rationals.
func sharedWord(c [3]float32) uint32 {
	var in [3]*big.Rat
	largest := new(big.Rat)
	for i, v := range c {
		switch f := float64(v); {
		case !(f > 0):
			in[i] = new(big.Rat)
		case f > 65408:
			in[i] = big.NewRat(65408, 1)
		default:
			in[i] = new(big.Rat).SetFloat64(f)
		}
		if in[i].Cmp(largest) > 0 {
			largest = in[i]
		}
	}
	exp := 0
	if largest.Cmp(powerOf2(-16)) > 0 {
		for powerOf2(exp+1-16).Cmp(largest) <= 0 { // floor(log2) = exp − 16
			exp++
		}
	}
	mantissa := func(v *big.Rat) uint32 {
		x := new(big.Rat).Quo(v, powerOf2(exp-24))
		x.Add(x, big.NewRat(1, 2))
		return uint32(new(big.Int).Quo(x.Num(), x.Denom()).Uint64())
	}
	if mantissa(largest) == 512 {
		exp++
	}
	return uint32(exp)<<27 | mantissa(in[2])<<18 | mantissa(in[1])<<9 | mantissa(in[0])
}

// Every exponent, with mantissas that round to the next one and those that do not, in each component and beside others.
func TestCorners_IMG062_SharedExponents(t *testing.T) {
	rules.Covers(t, "IMG-060", "IMG-061", "IMG-062", "IMG-063")
	dev := ruleDevice(t)
	var list [][3]float32
	for e := -28; e <= 17; e++ {
		// 1023/1024 is the tie between 511 and 512.
		tie := float32(math.Ldexp(2047./1024, e))
		for _, v := range []float32{float32(math.Ldexp(1, e)), float32(math.Ldexp(1.5, e)), float32(math.Ldexp(1023./512, e)), tie, math.Nextafter32(tie, 0), math.Nextafter32(tie, 1e9),
			math.Nextafter32(float32(math.Ldexp(1, e)), 0), math.Nextafter32(float32(math.Ldexp(1, e)), 1e9), float32(math.Ldexp(1.99998, e))} {
			list = append(list, [3]float32{v, 0, 0}, [3]float32{0, v, 0}, [3]float32{0, 0, v}, [3]float32{v, v / 2, v / 3}, [3]float32{v / 1024, v, math.Nextafter32(v, 0)}, [3]float32{v / 512, -v, v})
		}
	}
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	for _, v := range []float32{inf, -inf, nan, 65408, math.Nextafter32(65408, 0), math.Nextafter32(65408, 1e9), -1, float32(math.Copysign(0, -1))} {
		list = append(list, [3]float32{v, 0, 0}, [3]float32{1, v, .5}, [3]float32{v, v, v}, [3]float32{.25, 1. / 1024, v})
	}
	const width = 64
	for len(list)%width != 0 {
		list = append(list, [3]float32{})
	}
	height := len(list) / width
	var data []byte
	for _, c := range list {
		for _, v := range c {
			data = append(data, word(v)...)
		}
		data = append(data, word(1)...)
	}
	image := func(f vk.Format) *pumice.Image {
		im, err := dev.NewImage(pumice.ImageDesc{Format: f, Width: width, Height: height})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { im.Close() })
		return im
	}
	from, to, cleared := image(vk.FormatR32G32B32A32Sfloat), image(vk.FormatE5B9G9R9UfloatPack32), image(vk.FormatE5B9G9R9UfloatPack32)
	if err := from.Write(ctx, pumice.Subresource{}, data); err != nil {
		t.Fatal(err)
	}
	read := func(im *pumice.Image) []byte {
		b, err := im.Read(ctx, pumice.Subresource{})
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	layer := vk.ImageSubresourceLayers{AspectMask: vk.ImageAspectColorBit, LayerCount: 1}
	all := [2]vk.Offset3D{{}, {X: width, Y: int32(height), Z: 1}}
	cmd := dev.NewCommandBuffer()
	cmd.BlitImage(from, to, vk.FilterNearest, vk.ImageBlit{SrcSubresource: layer, SrcOffsets: all, DstSubresource: layer, DstOffsets: all})
	if err := dev.Submit(ctx, cmd); err != nil {
		t.Fatal(err)
	}
	got := read(to)
	for i, c := range list {
		if w, want := binary.LittleEndian.Uint32(got[4*i:]), sharedWord(c); w != want {
			t.Errorf("%v (%x): %#08x, want %#08x", c, data[16*i:16*i+12], w, want)
		}
	}
	for i := 0; i < len(list); i += 37 {
		cmd := dev.NewCommandBuffer()
		cmd.ClearColorImage(cleared, vk.ClearColorValue{Float32: [4]float32{list[i][0], list[i][1], list[i][2], 1}})
		if err := dev.Submit(ctx, cmd); err != nil {
			t.Fatal(err)
		}
		if w, want := binary.LittleEndian.Uint32(read(cleared)), sharedWord(list[i]); w != want {
			t.Errorf("cleared to %v: %#08x, want %#08x", list[i], w, want)
		}
	}
}

// compute runs invocations of a shader of testdata/rules.
func compute(t *testing.T, dev *imageDevice, shader string, n int, push any, bindings ...pumice.Resource) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	code, err := os.ReadFile("testdata/rules/" + shader + ".spv")
	must(err)
	p, err := dev.NewComputePipeline(pumice.ComputePipelineDesc{Compute: pumice.Shader{Code: code}})
	must(err)
	defer p.Close()
	set, err := p.NewDescriptorSet(0)
	must(err)
	defer set.Close()
	for i, b := range bindings {
		must(set.Bind(uint32(i), b))
	}
	cmd := dev.NewCommandBuffer()
	cmd.BindPipeline(p)
	cmd.BindDescriptorSet(0, set)
	if push != nil {
		cmd.PushConstants(0, push)
	}
	cmd.Dispatch(uint32(n/64), 1, 1)
	must(dev.Submit(ctx, cmd))
}

// ruleWords makes a buffer of words, and returns how to read it.
func ruleWords(t *testing.T, dev *imageDevice, words []uint32) (*pumice.Buffer, func() []uint32) {
	t.Helper()
	b, err := dev.NewBufferFrom(words)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b, func() []uint32 {
		bytes, out := make([]byte, 4*len(words)), make([]uint32, len(words))
		if err := b.Read(ctx, 0, bytes); err != nil {
			t.Fatal(err)
		}
		for i := range out {
			out[i] = binary.LittleEndian.Uint32(bytes[4*i:])
		}
		return out
	}
}

// A residency code says that all texels are resident where it is 0, and nowhere else.
func TestCorners_IMG232_EveryBitOfACode(t *testing.T) {
	rules.Covers(t, "IMG-232", "IMG-623")
	codes := make([]uint32, 0, 128)
	for b := range 32 {
		codes = append(codes, 1<<b, 1<<b-1, ^uint32(1<<b))
	}
	for len(codes) < 128 {
		codes = append(codes, 0)
	}
	for _, dev := range imageDevices(t) {
		in, _ := ruleWords(t, dev, codes)
		out, answers := ruleWords(t, dev, make([]uint32, len(codes)))
		compute(t, dev, "resident.spvasm", len(codes), nil, in, out)
		for i, a := range answers() {
			if resident := codes[i] == 0; (a == 1) != resident || a > 1 {
				t.Errorf("engine %s: code %#x: %d", dev.Engine(), codes[i], a)
			}
		}
	}
}

// Atomic minima, maxima and sums of floats for zeros of both signs, NaN, infinities and denormals.
func TestCorners_IMG592_Floats(t *testing.T) {
	rules.Covers(t, "IMG-592")
	values := []uint32{0, 1 << 31, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000, 1, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x7f7fffff, 0xff7fffff, 0x40490fdb}
	var old, operand []uint32
	for _, o := range values {
		for _, v := range values {
			old, operand = append(old, o), append(operand, v)
		}
	}
	isNaN := func(x uint32) bool { return x&0x7fffffff > 0x7f800000 }
	// The order of numbers with −0 below +0 is that of their bits as signed magnitudes.
	rank := func(x uint32) int64 {
		if x>>31 != 0 {
			return -1 - int64(x&0x7fffffff)
		}
		return int64(x)
	}
	for _, dev := range imageDevices(t) {
		for how := range 3 {
			var data []byte
			for _, o := range old {
				data = binary.LittleEndian.AppendUint32(data, o)
			}
			im, err := dev.NewImage(pumice.ImageDesc{Format: vk.FormatR32Sfloat, Width: len(old)})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { im.Close() })
			if err := im.Write(ctx, pumice.Subresource{}, data); err != nil {
				t.Fatal(err)
			}
			in, _ := ruleWords(t, dev, operand)
			out, before := ruleWords(t, dev, make([]uint32, len(old)))
			compute(t, dev, "atomicfloat.comp", len(old), []int32{int32(how)}, im, in, out)
			after, err := im.Read(ctx, pumice.Subresource{})
			if err != nil {
				t.Fatal(err)
			}
			for i, was := range before() {
				o, v, got := old[i], operand[i], binary.LittleEndian.Uint32(after[4*i:])
				if was != o {
					t.Errorf("engine %s, operation %d: %#x is returned as %#x", dev.Engine(), how, o, was)
				}
				want := v
				switch {
				case how == 2:
					sum := math.Float32frombits(o) + math.Float32frombits(v)
					want = math.Float32bits(sum)
				case isNaN(v) || !isNaN(o) && (rank(o) < rank(v)) == (how == 0):
					want = o
				}
				if got != want && !(isNaN(got) && isNaN(want)) {
					t.Errorf("engine %s, operation %d of %#x and %#x: %#x, want %#x", dev.Engine(), how, o, v, got, want)
				}
			}
		}
	}
}
