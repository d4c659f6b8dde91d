package lower_test

import (
	"encoding/binary"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/exec/vm"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/lower"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/internal/spirv"
	"github.com/pumice-gpu/pumice/vk"
)

// imageView is an image of 32-bit texels, level after level.
func imageView(t *testing.T, d resource.ImageDesc, texels ...float32) *resource.ImageView {
	t.Helper()
	im, err := resource.NewImage(d)
	if err != nil {
		t.Fatal(err)
	}
	if err := im.Bind(make([]byte, im.Layout.Size)); err != nil {
		t.Fatal(err)
	}
	for l := range im.MipLevels {
		lv := im.Level(0, l, 0)
		for i := range len(lv.Data) / 4 {
			x := texels[min(l, len(texels)-1)]
			if im.MipLevels == 1 {
				x = texels[i]
			}
			binary.LittleEndian.PutUint32(lv.Data[4*i:], math.Float32bits(x))
		}
	}
	v, err := resource.NewView(im, resource.ViewDesc{})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func compiled(t *testing.T, name string) (*ir.Program, exec.Routine) {
	t.Helper()
	return compiledModule(t, module(t, name))
}

func compiledModule(t *testing.T, m *spirv.Module) (*ir.Program, exec.Routine) {
	t.Helper()
	p, err := lower.Compile(m, "main", lower.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ir.Optimize(p)
	r, err := vm.New(vm.Options{Lanes: 64}).Compile(p)
	if err != nil {
		t.Fatal(err)
	}
	return p, r
}

func TestProjection_DividesCoordinatesAndReference(t *testing.T) {
	rules.Covers(t, "TC-49", "TC-50", "IMG-315", "IMG-390", "IMG-391")
	const edge = vk.SamplerAddressModeClampToEdge
	row := imageView(t, resource.ImageDesc{Type: vk.ImageType1D, Format: vk.FormatR32Sfloat, Extent: vk.Extent3D{Width: 4, Height: 1, Depth: 1}}, 10, 20, 30, 40)
	depth := imageView(t, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatD32Sfloat, Extent: vk.Extent3D{Width: 1, Height: 1, Depth: 1}}, 0.75)
	plain := &resource.Sampler{AddressModeU: edge, AddressModeV: edge}
	shadow := &resource.Sampler{AddressModeU: edge, AddressModeV: edge, CompareEnable: true, CompareOp: vk.CompareOpLess}
	for _, form := range forms {
		p, r := compiled(t, "project.comp"+form)
		out := make([]byte, 4*8)
		ctx := &exec.Context{}
		for _, res := range p.Resources {
			d := [3]exec.Descriptor{{View: row, Sampler: plain}, {View: depth, Sampler: shadow}, {Data: out}}[res.Binding]
			ctx.Resources = append(ctx.Resources, []exec.Descriptor{d})
		}
		b := &exec.Batch{N: 4}
		for _, io := range p.Inputs {
			lane := make([]uint32, 64)
			for i := range lane {
				if io.Component == 0 {
					lane[i] = uint32(i)
				}
			}
			b.In = append(b.In, lane)
		}
		if err := r.NewThread(64).Run(ctx, b); err != nil {
			t.Fatal(err)
		}
		// 2/0 is +Inf, 0/0 a NaN; −0.5/−1 is 0.5; references 0.7 and 0.8 of 0.75.
		for i, want := range []float32{40, 1, 10, 1, 30, 0, 20, 0} {
			if got := math.Float32frombits(binary.LittleEndian.Uint32(out[4*i:])); got != want {
				t.Errorf("%q, result %d: %v, want %v", form, i, got, want)
			}
		}
	}
}

func TestProjection_DerivativesOfTheQuotient(t *testing.T) {
	rules.Covers(t, "IMG-392", "IMG-398")
	v := imageView(t, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR32Sfloat, Extent: vk.Extent3D{Width: 16, Height: 16, Depth: 1}, MipLevels: 5}, 0, 1, 2, 3, 4)
	s := &resource.Sampler{MaxLod: 9, MipmapMode: vk.SamplerMipmapModeLinear}
	p, r := compiled(t, "projgrad.frag")
	ctx := &exec.Context{}
	for range p.Resources {
		ctx.Resources = append(ctx.Resources, []exec.Descriptor{{View: v, Sampler: s}})
	}
	b := &exec.Batch{N: 4}
	// Quotients step by 1/4, four texels: level 2. The dividends do not.
	z := [4]float32{1, 2, 4, 8}
	for _, io := range p.Inputs {
		lane := make([]uint32, 64)
		for i := range 4 {
			x := [3]float32{float32(i&1) / 4 * z[i], float32(i>>1) / 4 * z[i], z[i]}
			if io.Builtin == ir.BuiltinNone {
				lane[i] = math.Float32bits(x[io.Component%3])
			}
		}
		b.In = append(b.In, lane)
	}
	for range p.Outputs {
		b.Out = append(b.Out, make([]uint32, 64))
	}
	if err := r.NewThread(64).Run(ctx, b); err != nil {
		t.Fatal(err)
	}
	for lane := range 4 {
		for c := range 2 {
			if got := math.Float32frombits(b.Out[c][lane]); got != 2 {
				t.Errorf("lane %d, result %d: level %v, want 2", lane, c, got)
			}
		}
	}
}

// IMG-522: texels (x, y) hold 10·y + x, and (0.5, 0.5) of 8×8 is u = v = 4: the
// NEAREST texel is (4, 4), LINEAR's first (3, 3). The last has an offset of its own,
// and its last texel wraps (IMG-884).
func TestGather_Modes(t *testing.T) {
	rules.Covers(t, "IMG-522", "IMG-884")
	texels := make([]float32, 64)
	for i := range texels {
		texels[i] = float32(10*(i/8) + i%8)
	}
	v := imageView(t, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR32Sfloat, Extent: vk.Extent3D{Width: 8, Height: 8, Depth: 1}}, texels...)
	p, r := compiled(t, "gather.qcom")
	out := make([]byte, 16*5)
	ctx := &exec.Context{}
	for range p.Resources {
		ctx.Resources = append(ctx.Resources, []exec.Descriptor{{View: v, Sampler: &resource.Sampler{}, Data: out}})
	}
	if err := r.NewThread(64).Run(ctx, &exec.Batch{N: 1, In: make([][]uint32, len(p.Inputs))}); err != nil {
		t.Fatal(err)
	}
	for i, want := range []float32{44, 45, 46, 47, 54, 45, 34, 43, 42, 45, 35, 32, 53, 54, 24, 23, 45, 46, 47, 40} {
		if got := math.Float32frombits(binary.LittleEndian.Uint32(out[4*i:])); got != want {
			t.Errorf("mode %d, component %d: %v, want %v", i/4, i%4, got, want)
		}
	}
}

// IMG-884: in each mode an offset of the instruction is added to that of each texel, along both dimensions.
func TestGather_ModesWithOffsets(t *testing.T) {
	rules.Covers(t, "IMG-522", "IMG-884")
	texels := make([]float32, 64)
	for i := range texels {
		texels[i] = float32(10*(i/8) + i%8)
	}
	v := imageView(t, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR32Sfloat, Extent: vk.Extent3D{Width: 8, Height: 8, Depth: 1}}, texels...)
	places := [4][4][2]int{{{0, 0}, {1, 0}, {2, 0}, {3, 0}}, {{0, 1}, {1, 0}, {0, -1}, {-1, 0}}, {{-1, 1}, {2, 1}, {2, 0}, {-1, 0}}, {{0, 2}, {1, 2}, {1, -1}, {0, -1}}}
	for mode, want := range places {
		for _, offset := range [][2]int{{1, 0}, {0, 1}, {1, 1}, {0, 0}} {
			data, err := os.ReadFile("testdata/gather.qcom.spv")
			if err != nil {
				t.Fatal(err)
			}
			word := func(at int) uint32 { return binary.LittleEndian.Uint32(data[at:]) }
			unsigned, signed := map[uint32]uint32{}, map[uint32]uint32{} // constants by their value
			var ints uint32
			for at := 20; at < len(data); at += 4 * int(word(at)>>16) {
				switch op := spirv.Op(word(at) & 0xFFFF); {
				case op == spirv.OpTypeInt && word(at+12) == 1:
					ints = word(at + 4)
				case op == spirv.OpConstant && word(at+4) == ints:
					signed[word(at+12)] = word(at + 8)
				case op == spirv.OpConstant:
					unsigned[word(at+12)] = word(at + 8)
				case op == spirv.OpConstantComposite && word(at+12) == signed[1] && word(at+16) == signed[0]:
					binary.LittleEndian.PutUint32(data[at+12:], signed[uint32(offset[0])])
					binary.LittleEndian.PutUint32(data[at+16:], signed[uint32(offset[1])])
				case op == spirv.OpImageGatherQCOM && word(at)>>16 > 7:
					binary.LittleEndian.PutUint32(data[at+24:], unsigned[uint32(mode)])
				}
			}
			m, err := spirv.ParseBytes(data)
			if err != nil {
				t.Fatal(err)
			}
			p, r := compiledModule(t, m)
			out := make([]byte, 16*5)
			ctx := &exec.Context{}
			for range p.Resources {
				ctx.Resources = append(ctx.Resources, []exec.Descriptor{{View: v, Sampler: &resource.Sampler{}, Data: out}})
			}
			if err := r.NewThread(64).Run(ctx, &exec.Batch{N: 1, In: make([][]uint32, len(p.Inputs))}); err != nil {
				t.Fatal(err)
			}
			first := 4 // the NEAREST texel, or LINEAR's first
			if mode >= 2 {
				first = 3
			}
			for c, at := range want {
				x, y := (first+at[0]+offset[0])%8, (first+at[1]+offset[1])%8
				if got := math.Float32frombits(binary.LittleEndian.Uint32(out[4*(16+c):])); got != float32(10*y+x) {
					t.Errorf("mode %d, offset %v, component %d: %v, want %d", mode, offset, c, got, 10*y+x)
				}
			}
		}
	}
}

// IMG-884: the modes have offsets of their own instead of ConstOffsets.
func TestGather_ModesWithoutConstOffsets(t *testing.T) {
	rules.Covers(t, "IMG-884")
	data, err := os.ReadFile("testdata/gather.qcom.spv")
	if err != nil {
		t.Fatal(err)
	}
	changed := 0
	for at := 20; at < len(data); at += 4 * int(binary.LittleEndian.Uint32(data[at:])>>16) {
		const offset, offsets = byte(spirv.ImageOperandsConstOffset | spirv.ImageOperandsOffset), byte(spirv.ImageOperandsConstOffsets)
		if word := binary.LittleEndian.Uint32(data[at:]); word&0xFFFF == uint32(spirv.OpImageGatherQCOM) && word>>16 > 7 && data[at+28]&offset != 0 {
			data[at+28] = offsets
			changed++
		}
	}
	m, err := spirv.ParseBytes(data)
	if err == nil {
		_, err = lower.Compile(m, "main", lower.Options{})
	}
	if changed == 0 || err == nil || !strings.Contains(err.Error(), "ConstOffsets") {
		t.Errorf("%d changed: %v", changed, err)
	}
}

// IMG-884: there are four modes and four components, of which one more is an error, and so are both.
func TestGather_ModesAndComponentsThatThereAreNot(t *testing.T) {
	rules.Covers(t, "IMG-884")
	for _, c := range []struct {
		values map[byte]byte // of constants
		want   string
	}{{map[byte]byte{3: 4}, "of component 0 in mode 4"}, {map[byte]byte{0: 3, 3: 4}, "of component 3 in mode 4"}, {map[byte]byte{0: 4}, "of component 4 in mode 4"}} {
		data, err := os.ReadFile("testdata/gather.qcom.spv")
		if err != nil {
			t.Fatal(err)
		}
		for at := 20; at < len(data); at += 4 * int(binary.LittleEndian.Uint32(data[at:])>>16) {
			if binary.LittleEndian.Uint32(data[at:]) != 4<<16|uint32(spirv.OpConstant) {
				continue
			}
			if v, ok := c.values[data[at+12]]; ok {
				data[at+12] = v
			}
		}
		m, err := spirv.ParseBytes(data)
		if err == nil {
			_, err = lower.Compile(m, "main", lower.Options{})
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.values, err, c.want)
		}
	}
}

// IMG-031: the operand Depth of OpTypeImage has no effect.
func TestImageType_DepthDoesNotMatter(t *testing.T) {
	rules.Covers(t, "IMG-031")
	data, err := os.ReadFile("testdata/gather.qcom.spv")
	if err != nil {
		t.Fatal(err)
	}
	at := 20
	for binary.LittleEndian.Uint32(data[at:]) != 9<<16|uint32(spirv.OpTypeImage) {
		at += 4 * int(binary.LittleEndian.Uint32(data[at:])>>16)
	}
	var first []ir.ImageOp
	for depth := range byte(3) {
		data[at+16] = depth
		m, err := spirv.ParseBytes(data)
		if err != nil {
			t.Fatal(err)
		}
		p, err := lower.Compile(m, "main", lower.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = p.ImageOps
		}
		if !slices.Equal(first, p.ImageOps) {
			t.Errorf("Depth %d changes the instructions", depth)
		}
	}
}

// Texels (x, y) hold 10·y + x, depths a hundredth of that, and (0.5, 0.5) of 4×4 is u = v = 2: a gather's
// first texel is (1, 1).
//
// IMG-517: of ConstOffsets each gives the texel at its offset. IMG-621: sparse instructions give the texels that the
// others do.
func TestGathers_ConstOffsetsAndSparse(t *testing.T) {
	rules.Covers(t, "IMG-515", "IMG-517", "IMG-620", "IMG-621")
	texels, depths := make([]float32, 16), make([]float32, 16)
	for i := range texels {
		texels[i] = float32(10*(i/4) + i%4)
		depths[i] = texels[i] / 100
	}
	of := func(f vk.Format, texels []float32) *resource.ImageView {
		return imageView(t, resource.ImageDesc{Type: vk.ImageType2D, Format: f, Extent: vk.Extent3D{Width: 4, Height: 4, Depth: 1}}, texels...)
	}
	image, depth := of(vk.FormatR32Sfloat, texels), of(vk.FormatD32Sfloat, depths)
	p, r := compiled(t, "gathers.frag")
	ctx := &exec.Context{}
	for _, res := range p.Resources {
		d := [3]exec.Descriptor{{View: image, Sampler: &resource.Sampler{}}, {View: depth, Sampler: &resource.Sampler{CompareEnable: true, CompareOp: vk.CompareOpLess}}, {View: image}}[res.Binding]
		ctx.Resources = append(ctx.Resources, []exec.Descriptor{d})
	}
	b := &exec.Batch{N: 4}
	for range p.Inputs {
		b.In = append(b.In, make([]uint32, 64))
	}
	for range p.Outputs {
		b.Out = append(b.Out, make([]uint32, 64))
	}
	if err := r.NewThread(64).Run(ctx, b); err != nil {
		t.Fatal(err)
	}
	want := [9][4]float32{
		{11, 12, 21, 0}, {0, 1, 1, 0}, // offsets (0, 0), (1, 0), (0, 1) and (−1, −1)
		{21, 12, 32, 33}, {1, 0, 1, 0}, // (1, 2) and (2, 1), (2, 3), (3, 3); 0.2 < 0.21, 0.11 < 0.12
		{21, 22, 12, 11}, {1, 1, 1, 0}, {11, 12, 21, 0}, {1, 1, 0, 0}, {1, 1, 1, 1}, // alpha is 1
	}
	for i, io := range p.Outputs {
		if got := math.Float32frombits(b.Out[i][0]); got != want[io.Location][io.Component] {
			t.Errorf("output %d, component %d: %v, want %v", io.Location, io.Component, got, want[io.Location][io.Component])
		}
	}
}

// IMG-889: a gather with Lod or Bias reads the level nearest to what a sample's level of detail would be, with the
// sampler's bias and bounds and the view's least level; other gathers read the base level. Level 0 holds 10, level 1 holds
// 20, level 2 holds 30. The quad's coordinates are a texel apart, so that λ_base is 0 where it comes from them.
func TestGathers_IMG889_ChosenLevels(t *testing.T) {
	rules.Covers(t, "IMG-515", "IMG-889")
	image := imageView(t, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR32Sfloat, Extent: vk.Extent3D{Width: 4, Height: 4, Depth: 1}, MipLevels: 3}, 10, 20, 30)
	atLeast := *image
	atLeast.MinLod = 1.25
	p, r := compiled(t, "gatherlevels.frag")
	at := [2][4]float32{{0.125, 0.375, 0.125, 0.375}, {0.125, 0.125, 0.375, 0.375}}
	linear := vk.SamplerMipmapModeLinear
	for _, c := range []struct {
		name               string
		view               *resource.ImageView
		sampler            resource.Sampler
		level              float32
		base, level1, bias float32
	}{
		{"0", image, resource.Sampler{MaxLod: 9}, 0, 10, 10, 10},
		{"1", image, resource.Sampler{MaxLod: 9}, 1, 10, 20, 20},
		{"2", image, resource.Sampler{MaxLod: 9}, 2, 10, 30, 30},
		{"past the last", image, resource.Sampler{MaxLod: 9}, 7, 10, 30, 30},
		{"before the first", image, resource.Sampler{MaxLod: 9}, -1, 10, 10, 10},
		{"at a tie", image, resource.Sampler{MaxLod: 9}, 0.5, 10, 10, 10},
		{"above a tie", image, resource.Sampler{MaxLod: 9}, 0.53125, 10, 20, 20},
		{"at the second tie", image, resource.Sampler{MaxLod: 9}, 1.5, 10, 20, 20},
		{"nearest, too, with linear mipmaps", image, resource.Sampler{MaxLod: 9, MipmapMode: linear}, 1.53125, 10, 30, 30},
		{"the sampler's bias", image, resource.Sampler{MaxLod: 9, MipLodBias: 1}, 0, 10, 20, 20},
		{"both", image, resource.Sampler{MaxLod: 9, MipLodBias: 1}, 1, 10, 30, 30},
		{"the sampler's least", image, resource.Sampler{MinLod: 1, MaxLod: 9}, 0, 10, 20, 20},
		{"the sampler's last", image, resource.Sampler{MaxLod: 1}, 2, 10, 20, 20},
		{"the view's least", &atLeast, resource.Sampler{MaxLod: 9}, 0, 0, 20, 20}, // IMG-520
		{"above the view's least", &atLeast, resource.Sampler{MaxLod: 9}, 2, 0, 30, 30},
	} {
		ctx := &exec.Context{Resources: [][]exec.Descriptor{{{View: c.view, Sampler: &c.sampler}}}}
		b := &exec.Batch{N: 4}
		for _, io := range p.Inputs {
			in := make([]uint32, 64)
			for lane := range 4 {
				x := c.level
				if io.Location == 0 {
					x = at[io.Component][lane]
				}
				in[lane] = math.Float32bits(x)
			}
			b.In = append(b.In, in)
		}
		for range p.Outputs {
			b.Out = append(b.Out, make([]uint32, 64))
		}
		if err := r.NewThread(64).Run(ctx, b); err != nil {
			t.Fatal(err)
		}
		want := [4]float32{c.base, c.level1, c.bias, c.level1}
		for i, io := range p.Outputs {
			for lane := range 4 {
				if got := math.Float32frombits(b.Out[i][lane]); got != want[io.Location] {
					t.Errorf("%s, lane %d: output %d.%d is %v, want %v", c.name, lane, io.Location, io.Component, got, want[io.Location])
				}
			}
		}
	}
}

// A gather of a fifth component is an error.
func TestGathers_IMG515_Component(t *testing.T) {
	rules.Covers(t, "IMG-515")
	data, err := os.ReadFile("testdata/gathers.frag.spv")
	if err != nil {
		t.Fatal(err)
	}
	changed := 0
	for at := 20; at < len(data); at += 4 * int(binary.LittleEndian.Uint32(data[at:])>>16) {
		if binary.LittleEndian.Uint32(data[at:]) == 4<<16|uint32(spirv.OpConstant) && binary.LittleEndian.Uint32(data[at+12:]) == 3 {
			data[at+12] = 4
			changed++
		}
	}
	m, err := spirv.ParseBytes(data)
	if err == nil {
		_, err = lower.Compile(m, "main", lower.Options{})
	}
	if changed == 0 || err == nil || !strings.Contains(err.Error(), "gather of component 4") {
		t.Errorf("%d constants changed: %v", changed, err)
	}
}
