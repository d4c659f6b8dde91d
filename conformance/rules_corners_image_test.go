package conformance

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/rand/v2"
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

// The tables of IMG-815 and IMG-816.
var (
	bc7Two = [64]uint32{
		0xCCCC, 0x8888, 0xEEEE, 0xECC8, 0xC880, 0xFEEC, 0xFEC8, 0xEC80, 0xC800, 0xFFEC, 0xFE80, 0xE800, 0xFFE8, 0xFF00, 0xFFF0, 0xF000,
		0xF710, 0x008E, 0x7100, 0x08CE, 0x008C, 0x7310, 0x3100, 0x8CCE, 0x088C, 0x3110, 0x6666, 0x366C, 0x17E8, 0x0FF0, 0x718E, 0x399C,
		0xAAAA, 0xF0F0, 0x5A5A, 0x33CC, 0x3C3C, 0x55AA, 0x9696, 0xA55A, 0x73CE, 0x13C8, 0x324C, 0x3BDC, 0x6996, 0xC33C, 0x9966, 0x0660,
		0x0272, 0x04E4, 0x4E40, 0x2720, 0xC936, 0x936C, 0x39C6, 0x639C, 0x9336, 0x9CC6, 0x817E, 0xE718, 0xCCF0, 0x0FCC, 0x7744, 0xEE22,
	}
	bc7Three = [64]uint32{
		0xAA685050, 0x6A5A5040, 0x5A5A4200, 0x5450A0A8, 0xA5A50000, 0xA0A05050, 0x5555A0A0, 0x5A5A5050,
		0xAA550000, 0xAA555500, 0xAAAA5500, 0x90909090, 0x94949494, 0xA4A4A4A4, 0xA9A59450, 0x2A0A4250,
		0xA5945040, 0x0A425054, 0xA5A5A500, 0x55A0A0A0, 0xA8A85454, 0x6A6A4040, 0xA4A45000, 0x1A1A0500,
		0x0050A4A4, 0xAAA59090, 0x14696914, 0x69691400, 0xA08585A0, 0xAA821414, 0x50A4A450, 0x6A5A0200,
		0xA9A58000, 0x5090A0A8, 0xA8A09050, 0x24242424, 0x00AA5500, 0x24924924, 0x24499224, 0x50A50A50,
		0x500AA550, 0xAAAA4444, 0x66660000, 0xA5A0A5A0, 0x50A050A0, 0x69286928, 0x44AAAA44, 0x66666600,
		0xAA444444, 0x54A854A8, 0x95809580, 0x96969600, 0xA85454A8, 0x80959580, 0xAA141414, 0x96960000,
		0xAAAA1414, 0xA05050A0, 0xA0A5A5A0, 0x96000000, 0x40804080, 0xA9A8A9A8, 0xAAAAAA44, 0x2A4A5254,
	}
	bc7Anchor2 = [64]int{15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 2, 8, 2, 2, 8, 8, 15, 2, 8, 2, 2, 8, 8, 2, 2, 15, 15, 6, 8, 2, 8, 15, 15, 2, 8,
		2, 2, 2, 15, 15, 6, 6, 2, 6, 8, 15, 15, 2, 2, 15, 15, 15, 15, 15, 2, 2, 15}
	bc7Anchor3 = [2][64]int{
		{3, 3, 15, 15, 8, 3, 15, 15, 8, 8, 6, 6, 6, 5, 3, 3, 3, 3, 8, 15, 3, 3, 6, 10, 5, 8, 8, 6, 8, 5, 15, 15, 8, 15, 3, 5, 6, 10, 8, 15, 15, 3, 15, 5, 15, 15, 15, 15, 3, 15, 5, 5, 5, 8,
			5, 10, 5, 10, 8, 13, 15, 12, 3, 3},
		{15, 8, 8, 3, 15, 15, 3, 8, 15, 15, 15, 15, 15, 15, 15, 8, 15, 8, 15, 3, 15, 8, 15, 8, 3, 15, 6, 10, 15, 15, 10, 8, 15, 3, 15, 10, 10, 8, 9, 10, 6, 15, 8, 15, 3, 6, 6, 8, 15, 3,
			15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 3, 15, 15, 8},
	}
	// The table of IMG-810.
	bc7Modes = [8]struct{ ns, pb, rb, isb, cb, ab, epb, spb, ib, ib2 int }{
		{3, 4, 0, 0, 4, 0, 1, 0, 3, 0}, {2, 6, 0, 0, 6, 0, 0, 1, 3, 0}, {3, 6, 0, 0, 5, 0, 0, 0, 2, 0}, {2, 6, 0, 0, 7, 0, 1, 0, 2, 0},
		{1, 0, 2, 1, 5, 6, 0, 0, 2, 3}, {1, 0, 2, 0, 7, 8, 0, 0, 2, 2}, {1, 0, 0, 0, 7, 7, 1, 0, 4, 0}, {2, 6, 0, 0, 5, 5, 1, 0, 2, 0},
	}
	bc7Weights = map[int][]int{2: {0, 21, 43, 64}, 3: {0, 9, 18, 27, 37, 46, 55, 64}, 4: {0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64}}
)

// bc7 is a block's texels, by IMG-810 to IMG-816.
func bc7(block []byte) (out [16][4]int) {
	at := 0
	take := func(n int) (v int) {
		for b := range n {
			v |= int(block[at/8]>>(at%8)&1) << b
			at++
		}
		return v
	}
	mode := 0
	for take(1) == 0 {
		mode++
	}
	m := bc7Modes[mode]
	partition, rotation, selector := take(m.pb), take(m.rb), take(m.isb)
	var ends [6][4]int
	for c := range 4 {
		for e := range 2 * m.ns {
			if c < 3 {
				ends[e][c] = take(m.cb)
			} else {
				ends[e][c] = take(m.ab)
			}
		}
	}
	width := [4]int{m.cb, m.cb, m.cb, m.ab}
	var p [6]int
	for e := range 2 * m.ns {
		if m.epb == 1 || m.spb == 1 && e%2 == 0 {
			p[e] = take(1)
		} else if m.spb == 1 {
			p[e] = p[e-1]
		}
	}
	for e := range 2 * m.ns {
		for c := range 4 {
			n, x := width[c], ends[e][c]
			if n == 0 {
				ends[e][c] = 255
				continue
			}
			if m.epb+m.spb > 0 {
				n, x = n+1, x<<1|p[e]
			}
			x <<= 8 - n
			ends[e][c] = x | x>>n
		}
	}
	subset, anchors := [16]int{}, map[int]bool{0: true}
	for k := range 16 {
		switch m.ns {
		case 2:
			subset[k], anchors[bc7Anchor2[partition]] = int(bc7Two[partition]>>k&1), true
		case 3:
			subset[k], anchors[bc7Anchor3[0][partition]], anchors[bc7Anchor3[1][partition]] = int(bc7Three[partition]>>(2*k)&3), true, true
		}
	}
	var first, second [16]int
	for k := range 16 {
		first[k] = take(m.ib - map[bool]int{true: 1}[anchors[k]])
	}
	for k := range 16 {
		if m.ib2 > 0 {
			second[k] = take(m.ib2 - map[bool]int{true: 1}[k == 0])
		}
	}
	for k := range 16 {
		for c := range 4 {
			index, bits := first[k], m.ib
			if c < 3 && selector == 1 || c == 3 && m.ib2 > 0 && selector == 0 {
				index, bits = second[k], m.ib2
			}
			w := bc7Weights[bits][index]
			e := ends[2*subset[k]:]
			out[k][c] = ((64-w)*e[0][c] + w*e[1][c] + 32) >> 6
		}
		if rotation > 0 {
			out[k][3], out[k][rotation-1] = out[k][rotation-1], out[k][3]
		}
	}
	return out
}

// Every partition of every mode, and each of its anchors, with bits by lot behind them.
func TestCorners_IMG812_EveryPartition(t *testing.T) {
	rules.Covers(t, "IMG-810", "IMG-811", "IMG-812", "IMG-813", "IMG-814", "IMG-815", "IMG-816")
	r := rand.New(rand.NewPCG(812, 0))
	var blocks [][]byte
	for mode, m := range bc7Modes {
		for partition := range 1 << (m.pb + m.rb + m.isb) {
			for range 8 {
				b := binary.LittleEndian.AppendUint64(nil, r.Uint64())
				b = binary.LittleEndian.AppendUint64(b, r.Uint64())
				// The mode's bits, and the fields behind them.
				low := uint32(1)<<mode | uint32(partition)<<(mode+1)
				mask := uint32(1)<<(mode+1+m.pb+m.rb+m.isb) - 1
				binary.LittleEndian.PutUint32(b, binary.LittleEndian.Uint32(b)&^mask|low)
				blocks = append(blocks, b)
			}
		}
	}
	dev := imageDevices(t)[0]
	im, err := dev.NewImage(pumice.ImageDesc{Format: vk.FormatBc7UnormBlock, Width: 4 * len(blocks), Height: 4})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { im.Close() })
	var data []byte
	var coords [][4]int
	for i, b := range blocks {
		data = append(data, b...)
		for k := range 16 {
			coords = append(coords, [4]int{4*i + k%4, k / 4})
		}
	}
	if err := im.Write(ctx, pumice.Subresource{}, data); err != nil {
		t.Fatal(err)
	}
	got, err := dev.Fetch(ctx, im, coords, pumice.FetchOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i, b := range blocks {
		want := bc7(b)
		for k := range 16 {
			f := got[16*i+k].Float()
			for c := range 4 {
				if f[c] != float32(want[k][c])/255 {
					t.Fatalf("block %x, texel %d: %v, want %v of 255", b, k, f, want[k])
				}
			}
		}
	}
}
