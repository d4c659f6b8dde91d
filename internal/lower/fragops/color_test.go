package fragops_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/exec/vm"
	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/fp"
	ref "github.com/pumice-gpu/pumice/internal/fragops"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/lower/fragops"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// targets are the formats of colour attachments.
func targets() (list []*format.Info) {
	for _, f := range format.All() {
		if info, _ := format.Lookup(f); info.ImageFeatures(vk.ImageTilingOptimal)&vk.FormatFeature2ColorAttachmentBit != 0 {
			list = append(list, info)
		}
	}
	return list
}

// lanesAt are places for n lanes, side by side, with their samples covered.
func lanesAt(n int) (list []exec.Place) {
	for ; n > 0; n -= ir.PlaceLanes {
		p := exec.Place{X: int32(8 * len(list))}
		p.Covered[0] = uint16(uint32(1)<<min(n, ir.PlaceLanes) - 1)
		list = append(list, p)
	}
	return list
}

// eachLane hands on the bytes of each lane's pixel in a surface of such places.
func eachLane(places []exec.Place, data []byte, size int, f func(lane int, pixel []byte)) exec.Surface {
	s := exec.Surface{Data: data, RowPitch: 8 * size * len(places)}
	for lane := range ir.PlaceLanes * len(places) {
		x, y := places[lane/ir.PlaceLanes].Pixel(lane % ir.PlaceLanes)
		f(lane, data[int(y)*s.RowPitch+int(x)*size:][:size])
	}
	return s
}

// tail runs a lowered key on places of a pixel a lane.
type tail struct {
	key    fragops.ColorKey
	thread exec.Thread
	ctx    exec.Context
}

// permutes is ColorKey.Permutes.
func newTail(t testing.TB, s *ref.ColorState, permutes bool) *tail {
	t.Helper()
	k := fragops.KeyOf(s)
	k.Permutes = permutes
	c, err := fragops.Lower(k, fragops.All(1))
	if err != nil {
		t.Fatal(err)
	}
	r, err := vm.New(vm.Options{}).Compile(c)
	if err != nil {
		t.Fatal(err)
	}
	return &tail{key: k, thread: r.NewThread(256), ctx: exec.Context{Push: fragops.Push(s, nil)}}
}

// run writes a colour over each texel of dst, lane for lane.
func (t *tail) run(tb testing.TB, dst []byte, size int, src, second *[4][]uint32) {
	tb.Helper()
	n := len(dst) / size
	places := lanesAt(n)
	all := ir.PlaceLanes * len(places)
	var in [][]uint32
	add := func(rows *[4][]uint32) {
		for _, row := range rows {
			in = append(in, append(slices.Clone(row[:n]), make([]uint32, all-n)...))
		}
	}
	if add(src); t.key.Dual() {
		add(second)
	}
	data := make([]byte, all*size)
	surface := eachLane(places, data, size, func(lane int, pixel []byte) {
		if lane < n {
			copy(pixel, dst[lane*size:])
		}
	})
	b := exec.Batch{N: all, In: in, Places: places, Surfaces: []exec.Surface{surface}}
	if err := t.thread.Run(&t.ctx, &b); err != nil {
		tb.Fatal(err)
	}
	eachLane(places, data, size, func(lane int, pixel []byte) {
		if lane < n {
			copy(dst[lane*size:], pixel)
		}
	})
}

// operand is a colour component: a code's value and its neighbours, an integer, or
// something special.
func operand(r *rand.Rand, class format.Class) uint32 {
	special := []uint32{0, 1 << 31, 1, 0x80000001, 0x7FFFFF, 0x3F800000, 0x3F800001, 0x3F7FFFFF, 0xBF800000, 0x7F800000, 0xFF800000, 0x7FC00000,
		0x7F800001, 0xFFC12345, 0x477FE000, 0x477FEFFF, 0x477FF000, 0x47800000, 0x7F7FFFFF, 0x38800000, 0x387FFFFF, 0x33000000, 0x33000001, 0x39000000}
	switch r.IntN(7) {
	case 0:
		return special[r.IntN(len(special))]
	case 1: // often in the middle of two numbers of fewer bits
		return r.Uint32() &^ (1<<r.IntN(21) - 1)
	case 2:
		limit := float64(uint32(1)<<(1+r.IntN(16)) - 1)
		return math.Float32bits(float32((float64(r.IntN(int(limit)+1))+0.5*float64(r.IntN(2)))/limit)) ^ uint32(r.IntN(4)/3)<<31
	case 3:
		if class != format.ClassFloat {
			return uint32(r.IntN(1<<17) - 1<<16)
		}
		return (math.Float32bits(float32(math.Exp2(40*r.Float64()-25))) ^ r.Uint32()&(1<<31)) &^ (1<<r.IntN(21) - 1)
	default:
		return math.Float32bits(r.Float32())
	}
}

// state draws a state at random.
func state(r *rand.Rand, info *format.Info) ref.ColorDesc {
	factor := func() vk.BlendFactor { return vk.BlendFactor(r.IntN(int(vk.BlendFactorOneMinusSrc1Alpha) + 1)) }
	op := func() vk.BlendOp { return vk.BlendOp(r.IntN(int(vk.BlendOpMax) + 1)) }
	constant := func() float32 { return math.Float32frombits(operand(r, format.ClassFloat)) }
	d := ref.ColorDesc{Info: info, WriteEnable: true, Constants: ref.Vec4{constant(), constant(), constant(), constant()},
		State: vk.PipelineColorBlendAttachmentState{
			BlendEnable: r.IntN(4) > 0, SrcColorBlendFactor: factor(), DstColorBlendFactor: factor(), ColorBlendOp: op(),
			SrcAlphaBlendFactor: factor(), DstAlphaBlendFactor: factor(), AlphaBlendOp: op(), ColorWriteMask: 15,
		},
		LogicOpEnable: r.IntN(6) == 0, LogicOp: vk.LogicOp(r.IntN(int(vk.LogicOpSet) + 1))}
	if r.IntN(3) == 0 {
		d.State.ColorWriteMask = vk.ColorComponentFlags(1 + r.IntN(15))
	}
	if r.IntN(4) == 0 {
		op := vk.BlendOpZeroEXT + vk.BlendOp(r.IntN(int(vk.BlendOpBlueEXT-vk.BlendOpZeroEXT)+1))
		d.State.ColorBlendOp, d.State.AlphaBlendOp = op, op
		d.Advanced = ref.AdvancedBlend{
			SrcStraight: r.IntN(2) == 0, DstStraight: r.IntN(2) == 0,
			Overlap: vk.BlendOverlapEXT(r.IntN(3)), ClampResults: r.IntN(2) == 0,
		}
	}
	return d
}

// Every format with every operation: the program gives the reference's bits.
func TestColor_EqualsReference(t *testing.T) {
	rules.Covers(t, "IMG-241", "IMG-242", "IMG-248", "IMG-249", "IMG-376", "IMG-377", "IMG-378", "IMG-379")
	rules.Covers(t, "RAS-337", "RAS-339", "RAS-340", "RAS-341", "RAS-342", "RAS-343", "RAS-345", "RAS-346", "RAS-347", "RAS-348")
	states := rules.Cases(60, 2000)
	for _, info := range targets() {
		t.Run(info.Format.String(), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(uint64(info.Format), 7))
			for i := range states {
				d := state(r, info)
				if i == 0 { // the rows as they stand
					d.State.BlendEnable, d.LogicOpEnable, d.State.ColorWriteMask = false, false, 15
				}
				checkState(t, r, d)
			}
		})
	}
}

// checkState compares a state over random lanes.
func checkState(t *testing.T, r *rand.Rand, d ref.ColorDesc) {
	t.Helper()
	c, err := ref.NewColor(d)
	if err != nil {
		t.Fatal(err)
	}
	const n = 100
	size := d.Info.BlockBytes
	var src, second [4][]uint32
	for k := range src {
		for range n {
			src[k], second[k] = append(src[k], operand(r, d.Info.Class)), append(second[k], operand(r, d.Info.Class))
		}
	}
	want := make([]byte, n*size)
	for i := range n {
		texel := want[i*size : (i+1)*size]
		if i%2 == 0 {
			d.Info.Encode(texel, format.Texel{operand(r, d.Info.Class), operand(r, d.Info.Class), operand(r, d.Info.Class), operand(r, d.Info.Class)})
			continue
		}
		for k := range texel {
			texel[k] = byte(r.Uint32())
		}
	}
	old, got := bytes.Clone(want), bytes.Clone(want)
	for i := range uint16(n) {
		c.Write(&ref.Surface{Data: want, TexelPitch: size, RowPitch: len(want), SampleBytes: size}, []ref.Fragment{{Lane: i, X: i, Mask: 1}}, &src, &second)
	}
	newTail(t, &c.ColorState, r.IntN(2) == 0).run(t, got, size, &src, &second)
	for i := range n {
		if at := i * size; !bytes.Equal(got[at:at+size], want[at:at+size]) {
			t.Fatalf("%+v %v: source %08x, %08x over %x gives %x, want %x", d.State, d.LogicOp, format.Texel{src[0][i], src[1][i], src[2][i], src[3][i]},
				format.Texel{second[0][i], second[1][i], second[2][i], second[3][i]}, old[at:at+size], got[at:at+size], want[at:at+size])
		}
	}
}

// Codes of components of all widths stand for the same numbers as in the reference,
// and numbers around the middle between two codes give the same codes.
func TestColor_EveryCode(t *testing.T) {
	rules.Covers(t, "IMG-241", "IMG-242", "IMG-243", "IMG-245", "IMG-246", "IMG-248")
	rules.Covers(t, "RAS-004")
	keep := vk.PipelineColorBlendAttachmentState{BlendEnable: true, ColorWriteMask: 15, DstColorBlendFactor: vk.BlendFactorOne, DstAlphaBlendFactor: vk.BlendFactorOne}
	for _, f := range []vk.Format{vk.FormatR8Unorm, vk.FormatR8Snorm, vk.FormatR8Srgb, vk.FormatR16Unorm, vk.FormatR16Snorm, vk.FormatR16Sfloat,
		vk.FormatR5G6B5UnormPack16, vk.FormatA1R5G5B5UnormPack16, vk.FormatR4G4B4A4UnormPack16, vk.FormatA2B10G10R10UnormPack32, vk.FormatA2B10G10R10SnormPack32, vk.FormatR10X6UnormPack16,
		vk.FormatR12X4UnormPack16, vk.FormatB10G11R11UfloatPack32,
		vk.FormatR8Uscaled, vk.FormatR8G8B8A8Sscaled, vk.FormatR16G16B16Uscaled, vk.FormatR16Sscaled, vk.FormatA2R10G10B10UscaledPack32, vk.FormatA2B10G10R10SscaledPack32} {
		info, _ := format.Lookup(f)
		if info.ImageFeatures(vk.ImageTilingOptimal)&vk.FormatFeature2ColorAttachmentBit == 0 {
			continue
		}
		t.Run(f.String(), func(t *testing.T) {
			t.Parallel()
			plain, err := ref.NewColor(ref.ColorDesc{Info: info, WriteEnable: true, State: vk.PipelineColorBlendAttachmentState{ColorWriteMask: 15}})
			if err != nil {
				t.Fatal(err)
			}
			same, err := ref.NewColor(ref.ColorDesc{Info: info, WriteEnable: true, State: keep})
			if err != nil {
				t.Fatal(err)
			}
			encode, decode := newTail(t, &plain.ColorState, true), newTail(t, &same.ColorState, false)
			size, widest := info.BlockBytes, 0
			for _, c := range info.Components {
				widest = max(widest, c.Bits)
			}
			for first := uint32(0); first < 1<<widest; first += 256 {
				var src [4][]uint32
				var codes []byte
				for i := range uint32(256) {
					var word uint64
					for _, c := range info.Components {
						word |= uint64((first+i)&(1<<c.Bits-1)) << c.Shift
					}
					codes = append(codes, binary.LittleEndian.AppendUint64(nil, word)[:size]...)
					texel := info.Decode(codes[int(i)*size:])
					for k, v := range texel {
						src[k] = append(src[k], v)
					}
				}
				// -0 times 0 plus the destination.
				got, zeros := bytes.Clone(codes), [4][]uint32{}
				for k := range zeros {
					for range 256 {
						zeros[k] = append(zeros[k], 1<<31)
					}
				}
				decode.run(t, got, size, &zeros, nil)
				want := bytes.Clone(codes)
				for i := range 256 {
					info.Encode(want[i*size:], info.Decode(codes[i*size:]))
				}
				if !bytes.Equal(got, want) {
					t.Fatalf("codes %d: decoded and encoded they are %x, want %x", first, got, want)
				}
				for _, shift := range []float32{0, -0.5, 0.5} {
					for _, step := range []uint32{0, 1, ^uint32(0)} {
						moved := middle(info, src, shift, step)
						encode.run(t, got, size, &moved, nil)
						for i := range 256 {
							info.Encode(want[i*size:], format.Texel{moved[0][i], moved[1][i], moved[2][i], moved[3][i]})
						}
						if !bytes.Equal(got, want) {
							t.Fatalf("codes %d moved by %v and %d: %x, want %x", first, shift, int32(step), got, want)
						}
					}
				}
			}
		})
	}
}

// middle moves colours by a part of a code and a number of floats.
func middle(info *format.Info, src [4][]uint32, part float32, step uint32) (out [4][]uint32) {
	for k := range src {
		limit := float64(uint32(1)<<info.Components[k].Bits - 1)
		if info.Unscaled() != nil {
			limit = 1
		}
		for _, v := range src[k] {
			f := math.Float32frombits(v)
			if part != 0 {
				f += float32(float64(part) / limit)
			}
			out[k] = append(out[k], math.Float32bits(f)+step)
		}
	}
	return out
}

// What blends into sRGB needs each linear value's code, and rounds near boundaries.
func TestColor_SrgbCodeBoundaries(t *testing.T) {
	rules.Covers(t, "IMG-376")
	rules.Covers(t, "IMG-249")
	for _, f := range []vk.Format{vk.FormatR8Srgb, vk.FormatB8G8R8A8Srgb} {
		for _, permutes := range []bool{false, true} {
			srgbCodeBoundaries(t, f, permutes)
		}
	}
}

func srgbCodeBoundaries(t *testing.T, f vk.Format, permutes bool) {
	t.Helper()
	info, _ := format.Lookup(f)
	c, err := ref.NewColor(ref.ColorDesc{Info: info, WriteEnable: true, State: vk.PipelineColorBlendAttachmentState{ColorWriteMask: 15}})
	if err != nil {
		t.Fatal(err)
	}
	encode, size := newTail(t, &c.ColorState, permutes), info.BlockBytes
	var src [4][]uint32
	check := func() {
		got, want := make([]byte, size*len(src[0])), make([]byte, size)
		src[1], src[2], src[3] = slices.Clone(src[0]), src[0], src[0]
		slices.Reverse(src[1])
		encode.run(t, got, size, &src, nil)
		for i := range src[0] {
			texel := format.Texel{src[0][i], src[1][i], src[2][i], src[3][i]}
			info.Encode(want, texel)
			if !bytes.Equal(got[size*i:][:size], want) {
				t.Fatalf("%v, %v, %#x: codes %d, want %d", f, permutes, texel, got[size*i:][:size], want)
			}
		}
		src[0] = src[0][:0]
	}
	add := func(v uint32) {
		if src[0] = append(src[0], v); len(src[0]) == 256 {
			check()
		}
	}
	for c := range 256 {
		for d := range uint32(4) {
			add(fp.SrgbStart(uint8(c)) + d - 2)
		}
	}
	// All floats up to 1 in a long run.
	for v, step := uint32(0), uint32(4096/rules.Cases(1, 4096)); v < 0x3F810000; v += step {
		add(v)
	}
	for len(src[0]) > 0 {
		add(0)
	}
}

// A program reads a destination only where its key does.
func TestColor_ReadsOnlyWhatItNeeds(t *testing.T) {
	rules.Covers(t, "RAS-347", "RAS-341")
	for name, c := range map[string]struct {
		f      vk.Format
		state  vk.PipelineColorBlendAttachmentState
		stored bool
	}{
		"plain":          {vk.FormatR8G8B8A8Unorm, vk.PipelineColorBlendAttachmentState{ColorWriteMask: 15}, false},
		"masked":         {vk.FormatR8G8B8A8Unorm, vk.PipelineColorBlendAttachmentState{ColorWriteMask: 7}, true},
		"mask of none":   {vk.FormatR8G8Unorm, vk.PipelineColorBlendAttachmentState{ColorWriteMask: 3}, false},
		"times constant": {vk.FormatR8G8B8A8Unorm, vk.PipelineColorBlendAttachmentState{ColorWriteMask: 15, BlendEnable: true, SrcColorBlendFactor: vk.BlendFactorConstantColor}, false},
		"0 · infinity":   {vk.FormatR16G16Sfloat, vk.PipelineColorBlendAttachmentState{ColorWriteMask: 15, BlendEnable: true, SrcColorBlendFactor: vk.BlendFactorOne}, true},
	} {
		info, _ := format.Lookup(c.f)
		k, err := ref.NewColor(ref.ColorDesc{Info: info, WriteEnable: true, State: c.state})
		if err != nil {
			t.Fatal(err)
		}
		key := fragops.KeyOf(&k.ColorState)
		low, err := fragops.Lower(key, fragops.All(1))
		if err != nil {
			t.Fatal(err)
		}
		reads := func(in ir.Inst) bool { return in.Op == ir.OpLoadTexel }
		if stored := slices.ContainsFunc(low.Insts, reads); stored != c.stored {
			t.Errorf("%s: reads the destination: %v", name, stored)
		}
		if err := ir.Verify(low); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
