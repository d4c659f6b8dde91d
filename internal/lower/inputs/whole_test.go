package inputs_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/exec/vm"
	"github.com/pumice-gpu/pumice/internal/format"
	ref "github.com/pumice-gpu/pumice/internal/fragops"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/lower/fragops"
	"github.com/pumice-gpu/pumice/internal/lower/inputs"
	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// A fragment program with its tail stores what the shader, the program for coverage and those of the
// attachments store one after the other: shaders that demote and leave outputs unwritten, in control flow, masks,
// alpha to coverage and to one, depth and references that the shader writes, second sources, missing components, blend constants, one sample and several, and
// tests of depth and stencil in between. It leaves places as covered.
func TestFuse_Tail(t *testing.T) {
	rules.Covers(t, "RAS-298", "RAS-310", "RAS-311", "RAS-315", "RAS-317", "RAS-337", "RAS-318", "RAS-319", "RAS-343")
	r := rand.New(rand.NewPCG(11, 3))
	for round := range 120 {
		samples := []int{1, 1, 1, 2, 2, 4, 4, 64}[r.IntN(8)]
		w := newWhole(t, r, samples)
		for _, native := range []bool{false, true} {
			got, left := w.run(t, native, true)
			want, covered := w.run(t, native, false)
			if !slices.Equal(left, covered) {
				t.Fatalf("round %d, native %v, %+v: places are left with %v, want %v", round, native, w.tail, left, covered)
			}
			for i := range want {
				if !bytes.Equal(got[i], want[i]) {
					k := 0
					for got[i][k] == want[i][k] {
						k++
					}
					t.Fatalf("round %d, native %v, %+v: byte %d of attachment %d is %x, want %x", round, native, w.tail, k, i, got[i][k], want[i][k])
				}
			}
		}
	}
}

// whole is a shader with what follows it, and places that it runs on.
type whole struct {
	shader    *ir.Program
	list      []inputs.Input
	slots     []int
	tail      fragops.Tail
	constants [][]byte // by target
	records   []byte
	places    []exec.Place
	surfaces  []exec.Surface // of targets, depth and stencil
	tests     []byte         // push constants of tests
}

const side = 32 // pixels of a surface

var depthFormats = []ref.DepthFormat{ref.DepthD32, ref.DepthD24, ref.DepthD16}

func newWhole(t *testing.T, r *rand.Rand, samples int) *whole {
	w := &whole{shader: &ir.Program{Name: "random", Stage: ir.StageFragment, Demotes: true, PushBytes: 16}}
	b := ir.NewBuilder(w.shader)
	var values []ir.Value
	for k := range 6 {
		w.shader.Inputs = append(w.shader.Inputs, ir.IO{Location: uint32(k), Type: ir.F32, Interp: ir.Flat})
		w.list, w.slots = append(w.list, inputs.Word), append(w.slots, k)
		values = append(values, b.OpImm(ir.OpInput, ir.F32, uint64(k)))
	}
	values = append(values, b.Op(ir.OpLoadPush, ir.F32, b.I32(4)))
	if r.IntN(3) == 0 { // the shader's own table stands before that of sRGB
		w.shader.Table = []byte{0, 0, 0x80, 0x3e, 0, 0, 0, 0x3f}
		values = append(values, b.Op(ir.OpLoadTable, ir.F32, b.I32(4)))
	}
	x, y := b.OpImm(ir.OpPixel, ir.I32, 0), b.OpImm(ir.OpPixel, ir.I32, 1)
	values = append(values, b.Op(ir.OpFMul, ir.F32, b.Op(ir.OpS2F, ir.F32, x), b.F32(1./side)), b.Op(ir.OpFMul, ir.F32, b.Op(ir.OpS2F, ir.F32, y), b.F32(1./side)))
	if r.IntN(2) == 0 { // loads that are fetched ahead, as those of texels
		w.shader.Scattered, w.shader.Resources = true, []ir.Resource{{Kind: ir.StorageBuffer, Count: 1, ReadOnly: true}}
		at := b.Op(ir.OpShl, ir.I32, b.Op(ir.OpAnd, ir.I32, b.Op(ir.OpXor, ir.I32, x, y), b.I32(7)), b.I32(2))
		values = append(values, b.OpImm(ir.OpLoadBuffer, ir.F32, 0, b.I32(0), at))
	}
	value := func() ir.Value { return values[r.IntN(len(values))] }
	for range 8 {
		values = append(values, b.Op([]ir.Op{ir.OpFAdd, ir.OpFMul, ir.OpFSub, ir.OpFMax}[r.IntN(4)], ir.F32, value(), value()))
	}
	outputs := 5 + r.IntN(7)
	if r.IntN(2) == 0 {
		z := value()
		b.If(b.Op(ir.OpFLt, ir.Bool, value(), value()), func() {
			b.OpImm(ir.OpOutput, ir.Void, uint64(outputs+1), z)
			b.OpImm(ir.OpOutput, ir.Void, uint64(outputs+2), b.Op(ir.OpF2S, ir.I32, z))
		}, func() {})
	}
	for slot := range outputs {
		w.shader.Outputs = append(w.shader.Outputs, ir.IO{Location: uint32(slot), Type: ir.F32})
		write := func() { b.OpImm(ir.OpOutput, ir.Void, uint64(slot), value()) }
		if r.IntN(3) > 0 {
			write()
		}
		if r.IntN(3) == 0 {
			b.If(b.Op(ir.OpFLt, ir.Bool, value(), value()), write, func() {})
		}
	}
	demotes := r.IntN(2) == 0
	if demotes {
		b.If(b.Op(ir.OpFLt, ir.Bool, value(), b.F32(.3)), func() { b.Op(ir.OpDemote, ir.Void) }, func() {})
	}
	b.Finish()

	slot := func() int16 { return int16(r.IntN(outputs+1) - 1) }
	slots := func() [4]int16 { return [4]int16{slot(), slot(), slot(), slot()} }
	w.tail = fragops.Tail{Coverage: fragops.CoverageKey{Live: demotes, Samples: fragops.All(samples)}, One: fragops.Unwritten}
	colour := slots()
	if colour[3] != fragops.Unwritten {
		w.tail.Alpha, w.tail.Coverage.Alpha = colour[3], r.IntN(3) == 0
		if r.IntN(3) == 0 {
			w.tail.One = colour[3]
		}
	}
	// A mask is an output of its own.
	w.shader.Outputs = append(w.shader.Outputs, ir.IO{Location: uint32(outputs), Type: ir.I32})
	w.tail.Masks = [fragops.MaskWords]int16{int16(outputs), int16(outputs + 3)}
	if r.IntN(3) == 0 {
		w.tail.Coverage.Mask = 1<<((samples+31)/32) - 1
	}
	// So are depth and the reference, which a branch may leave unwritten.
	w.shader.Outputs = append(w.shader.Outputs, ir.IO{Location: uint32(outputs + 1), Type: ir.F32}, ir.IO{Location: uint32(outputs + 2), Type: ir.I32}, ir.IO{Location: uint32(outputs + 3), Type: ir.I32})
	w.tail.Depth, w.tail.Stencil = int16(outputs+1), int16(outputs+2)
	formats := []vk.Format{vk.FormatR8G8B8A8Unorm, vk.FormatB8G8R8A8Srgb, vk.FormatA2B10G10R10UnormPack32, vk.FormatR32Sfloat, vk.FormatR16G16Sfloat, vk.FormatR8G8B8A8Uint}
	if samples == 1 {
		formats = append(formats, vk.FormatR5G6B5UnormPack16, vk.FormatR8Unorm, vk.FormatR16G16B16A16Sfloat, vk.FormatR32G32B32A32Sfloat)
	}
	factor := func() vk.BlendFactor { return vk.BlendFactor(r.IntN(int(vk.BlendFactorOneMinusSrc1Alpha) + 1)) }
	l, err := inputs.Lower(w.list, inputs.Where{}, inputs.Divided)
	if err != nil {
		t.Fatal(err)
	}
	size := l.Size
	for range 1 + r.IntN(4) {
		f := formats[r.IntN(len(formats))]
		info, _ := format.Lookup(f)
		k := fragops.ColorKey{Format: f, Mask: 15, Permutes: r.IntN(2) == 0}
		if r.IntN(3) == 0 {
			k.Mask = vk.ColorComponentFlags(r.IntN(16))
		}
		if info.Class == format.ClassFloat && r.IntN(3) > 0 {
			k.Blending, k.SrcColor, k.DstColor, k.SrcAlpha, k.DstAlpha = true, factor(), factor(), factor(), factor()
			k.ColorOp, k.AlphaOp = vk.BlendOp(r.IntN(5)), vk.BlendOp(r.IntN(5))
		}
		factors, colors := 0, samples
		if samples > 1 && r.IntN(2) == 0 { // fewer samples, merged or not, which coverage may modulate
			colors = 1 << r.IntN(bits.Len(uint(samples)))
			v := ref.NewCoverage(samples, colors, vk.CoverageReductionModeNV(r.IntN(2)))
			if err := v.Modulate(info, vk.CoverageModulationModeNV(r.IntN(4)), nil); err != nil {
				t.Fatal(err)
			}
			if k.Reduction = fragops.ReductionOf(&v, samples); v.Modulates() {
				factors = ref.MaxSamples
			}
		}
		g := fragops.Target{ColorKey: k, Source: colour, Second: slots(), Integer: info.Class != format.ClassFloat}
		for i := range g.Second {
			if g.Second[i] == w.tail.One { // outputs share no slots
				g.Second[i] = fragops.Unwritten
			}
		}
		var constants []byte
		for range 4 + factors {
			constants = binary.LittleEndian.AppendUint32(constants, math.Float32bits(r.Float32()))
		}
		if k.Pushed() {
			g.Constants = size
			size += len(constants)
		}
		w.constants = append(w.constants, constants)
		w.tail.Targets[w.tail.Count] = g
		w.tail.Count++
		data := make([]byte, side*side*info.BlockBytes*colors)
		for i := range data {
			data[i] = byte(r.IntN(120))
		}
		w.surfaces = append(w.surfaces, exec.Surface{Data: data, RowPitch: side * info.BlockBytes * colors})
	}
	if w.tail.Tested = r.IntN(2) == 0; w.tail.Tested {
		op := func() vk.StencilOp { return vk.StencilOp(r.IntN(8)) }
		w.tail.Tests = fragops.DepthKey{Format: depthFormats[r.IntN(len(depthFormats))], Test: true, Write: r.IntN(2) == 0, Unit: true, Compare: vk.CompareOp(r.IntN(8)), Written: r.IntN(2) == 0}
		if samples == 1 {
			w.tail.Tests.Referenced = r.IntN(2) == 0
			w.tail.Tests.Stencil, w.tail.Tests.Fail, w.tail.Tests.Pass, w.tail.Tests.DepthFail = r.IntN(2) == 0, op(), op(), op()
			w.tail.Tests.StencilCompare, w.tail.Tests.Bounds = vk.CompareOp(r.IntN(8)), r.IntN(3) == 0
		} else {
			w.tail.Tests.Format = ref.DepthD32
		}
		for _, v := range []float32{0, 1, .2, .8} {
			w.tests = binary.LittleEndian.AppendUint32(w.tests, math.Float32bits(v))
		}
		if w.tail.Tests.Format != ref.DepthD32 { // bounds are codes
			binary.LittleEndian.PutUint32(w.tests[8:], 1000)
			binary.LittleEndian.PutUint32(w.tests[12:], 50000)
		}
		for _, v := range []uint32{r.Uint32N(256), r.Uint32N(256), r.Uint32N(256)} {
			w.tests = binary.LittleEndian.AppendUint32(w.tests, v)
		}
		for range 2 * samples {
			w.tests = binary.LittleEndian.AppendUint32(w.tests, r.Uint32N(256))
		}
		w.tail.TestsAt = size
		size += len(w.tests)
		depth, stencil := make([]byte, 4*side*side*samples), make([]byte, side*side)
		for i := 0; i < len(depth); i += 4 {
			v := math.Float32bits(r.Float32())
			if w.tail.Tests.Format != ref.DepthD32 {
				v = r.Uint32()
			}
			binary.LittleEndian.PutUint32(depth[i:], v)
		}
		for i := range stencil {
			stencil[i] = byte(r.IntN(256))
		}
		pitch := 4
		if w.tail.Tests.Format == ref.DepthD16 {
			pitch = 2
		}
		w.surfaces = append(w.surfaces, exec.Surface{Data: depth, RowPitch: side * pitch * samples}, exec.Surface{Data: stencil, RowPitch: side})
	}
	for range 3 {
		record := make([]byte, size)
		for i := 0; i+4 <= len(record); i += 4 {
			binary.LittleEndian.PutUint32(record[i:], math.Float32bits(r.Float32()*1.2))
		}
		plane := raster.Setup{RefX: r.Int32N(side * 256), RefY: r.Int32N(side * 256), Z: raster.Plane{C: r.Float64(), GX: r.NormFloat64() / 1e4, GY: r.NormFloat64() / 1e4}}
		inputs.WriteDepth(record, &plane)
		copy(record[w.tail.TestsAt:], w.tests)
		for i, g := range w.tail.Targets[:w.tail.Count] {
			if g.Constants > 0 {
				copy(record[g.Constants:], w.constants[i])
			}
		}
		for range 20 { // also more than one at a pixel
			p := exec.Place{X: 8 * r.Int32N(side/8), Y: 2 * r.Int32N(side/2), Record: uint32(len(w.records))}
			for s := range samples {
				p.Covered[s] = uint16(r.Uint32())
				if r.IntN(2) == 0 {
					p.Covered[s] = math.MaxUint16
				}
			}
			w.places = append(w.places, p)
		}
		w.records = append(w.records, record...)
		w.records = append(w.records, make([]byte, -len(w.records)&7)...)
	}
	return w
}

// loaded is what the shader's buffer holds.
var loaded = func() (data []byte) {
	for i := range 8 {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(float32(i)/8))
	}
	return data
}()

// run gives what surfaces hold after the places, with the fused program or without it.
func (w *whole) run(t *testing.T, native, fused bool) (stored [][]byte, places []exec.Place) {
	t.Helper()
	engine := vm.New(vm.Options{Native: native})
	run := func(p *ir.Program, push []byte, b *exec.Batch) {
		t.Helper()
		routine, err := engine.Compile(p)
		if err != nil {
			t.Fatal(err)
		}
		ctx := &exec.Context{Push: push, Resources: [][]exec.Descriptor{{{Data: loaded}}}}
		if err := routine.NewThread(exec.MaxLanes).Run(ctx, b); err != nil {
			t.Fatal(err)
		}
	}
	surfaces := slices.Clone(w.surfaces)
	for i := range surfaces {
		surfaces[i].Data = bytes.Clone(surfaces[i].Data)
		stored = append(stored, surfaces[i].Data)
	}
	push := []byte{0, 0, 0, 0, 0, 0, 0x40, 0x3f, 0, 0, 0, 0, 0, 0, 0, 0}
	n := ir.PlaceLanes * len(w.places)
	rows := func(count int) (list [][]uint32) {
		for range count {
			list = append(list, make([]uint32, n))
		}
		return list
	}
	in, count := rows(len(w.shader.Inputs)), w.tail.Count
	places = slices.Clone(w.places)
	if fused {
		p, err := inputs.Fuse(w.shader, w.list, w.slots, inputs.Where{}, inputs.Divided, &w.tail)
		if err != nil {
			t.Fatal(err)
		}
		run(p, push, &exec.Batch{N: n, In: in, Places: places, Records: w.records, Surfaces: surfaces})
		return stored, places
	}
	l, err := inputs.Lower(append(w.list, inputs.CoordZ), inputs.Where{}, inputs.Divided)
	if err != nil {
		t.Fatal(err)
	}
	out, live := rows(len(w.shader.Outputs)), rows(1)[0]
	run(l.Program, nil, &exec.Batch{N: n, Out: append(in, out[w.tail.Depth]), Places: places, Records: w.records})
	for i := range live {
		live[i] = math.MaxUint32
	}
	for slot, row := range out { // what is not written: no sample less, alpha 1
		v := uint32(0)
		switch first := &w.tail.Targets[0]; {
		case slot == int(w.tail.Masks[0]), slot == int(w.tail.Masks[1]):
			v = math.MaxUint32
		case slot == int(w.tail.Depth):
			continue
		case slot == int(w.tail.Stencil) && w.tail.Tested:
			v = binary.LittleEndian.Uint32(w.tests[16:])
		case slot != int(first.Source[3]):
		case first.Integer:
			v = 1
		default:
			v = math.Float32bits(1)
		}
		for i := range row {
			row[i] = v
		}
	}
	run(w.shader, push, &exec.Batch{N: n, In: in, Out: out, Live: live, Places: places})
	cover, err := fragops.LowerCoverage(w.tail.Coverage)
	if err != nil {
		t.Fatal(err)
	}
	var taken [][]uint32
	if w.tail.Coverage.Live {
		taken = append(taken, live)
	}
	for k, slot := range w.tail.Masks {
		if w.tail.Coverage.Mask>>k&1 != 0 {
			taken = append(taken, out[slot])
		}
	}
	if w.tail.Coverage.Alpha {
		taken = append(taken, out[w.tail.Alpha])
	}
	run(cover, nil, &exec.Batch{N: n, In: taken, Places: places})
	if w.tail.Tested {
		d, err := fragops.LowerDepth(w.tail.Tests, w.tail.Coverage.Samples)
		if err != nil || d == nil {
			t.Fatal(w.tail.Tests, err)
		}
		var written [][]uint32
		if w.tail.Tests.Written {
			written = append(written, out[w.tail.Depth])
		}
		if w.tail.Tests.Referenced {
			written = append(written, out[w.tail.Stencil])
		}
		run(d, w.tests, &exec.Batch{N: n, In: written, Places: places, Records: w.records, Surfaces: surfaces[count:]})
	}
	if w.tail.One != fragops.Unwritten {
		for i := range out[w.tail.One] {
			out[w.tail.One][i] = math.Float32bits(1)
		}
	}
	for i := range w.tail.Targets[:w.tail.Count] {
		g := &w.tail.Targets[i]
		c, err := fragops.Lower(g.ColorKey, w.tail.Coverage.Samples)
		if err != nil || c == nil {
			t.Fatal(g.ColorKey, err)
		}
		var source [][]uint32
		for k, slot := range g.Source {
			row := rows(1)[0]
			switch {
			case slot != fragops.Unwritten:
				row = out[slot]
			case k == 3:
				for i := range row {
					if row[i] = math.Float32bits(1); g.Integer {
						row[i] = 1
					}
				}
			}
			source = append(source, row)
		}
		for _, slot := range g.Second {
			if !g.Dual() {
				break
			}
			row := rows(1)[0]
			if slot != fragops.Unwritten {
				row = out[slot]
			}
			source = append(source, row)
		}
		run(c, w.constants[i], &exec.Batch{N: n, In: source, Places: places, Surfaces: surfaces[i : i+1]})
	}
	return stored, places
}
