package trace_test

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/vk"
)

// modules are the compiled shaders of the tree, by their file.
func modules(t testing.TB) (names []string, words map[string][]uint32) {
	t.Helper()
	words = map[string][]uint32{}
	err := filepath.WalkDir("../../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".spv") {
			return err
		}
		words[path] = readWords(t, path)
		names = append(names, path)
		return nil
	})
	if err != nil || len(names) < 300 {
		t.Fatal(len(names), "modules", err)
	}
	return names, words
}

func readWords(t testing.TB, path string) []uint32 {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	w := make([]uint32, len(data)/4)
	for i := range w {
		w[i] = binary.LittleEndian.Uint32(data[4*i:])
	}
	return w
}

// world is all that a batch of a program reads and writes, made up from a seed.
type world struct {
	ctx    *exec.Context
	batch  *exec.Batch
	memory [][]byte
	r      *rand.Rand
}

func newWorld(t testing.TB, p *ir.Program, seed uint64) *world {
	t.Helper()
	w := &world{r: rand.New(rand.NewPCG(seed, 21)), ctx: &exec.Context{Addresses: exec.NewAddressTable(nil)}}
	w.ctx.Push = w.bytes(256)
	for i := range p.Resources {
		w.ctx.Resources = append(w.ctx.Resources, w.resource(t, p, i))
	}
	n := 24
	if p.Stage.Workgroups() {
		n = int(p.LocalSize[0] * p.LocalSize[1] * p.LocalSize[2])
	}
	b := &exec.Batch{N: n, Shared: make([]byte, p.SharedBytes), Interp: interpolator{}}
	w.memory = append(w.memory, b.Shared)
	for _, io := range p.Inputs {
		b.In = append(b.In, w.lanes(n, io))
	}
	for range p.Outputs {
		out := make([]uint32, n)
		for i := range out {
			out[i] = w.r.Uint32()
		}
		b.Out = append(b.Out, out)
	}
	if p.Stage == ir.StageFragment {
		b.Live = make([]uint32, n)
		for i := range b.Live {
			if w.r.IntN(5) > 0 {
				b.Live[i] = ^uint32(0)
			}
		}
	}
	b.Emitted = make([]uint32, n*int(p.Shape.MaxVertices)*len(p.Emits))
	b.Vertices = exec.Vertices{First: make([]uint32, n), Count: max(p.Shape.InputVertices, 3)}
	for i := range b.Vertices.First {
		b.Vertices.First[i] = uint32(i) % 4
	}
	for _, io := range p.VertexInputs {
		b.Vertices.Slots = append(b.Vertices.Slots, w.lanes(16, io))
	}
	w.batch = b
	return w
}

func (w *world) bytes(n int) []byte {
	b := make([]byte, n)
	for k := 0; k < n; k += 4 {
		binary.LittleEndian.PutUint32(b[k:], w.word())
	}
	return b
}

// word is a small integer or a number around one.
func (w *world) word() uint32 {
	if w.r.IntN(3) > 0 {
		return uint32(w.r.IntN(9))
	}
	return math.Float32bits(4*w.r.Float32() - 2)
}

func (w *world) lanes(n int, io ir.IO) []uint32 {
	x := make([]uint32, n)
	for i := range x {
		switch {
		case io.Builtin == ir.BuiltinGroupBase:
		case io.Builtin == ir.BuiltinFragCoord && io.Component < 2: // quads of a row
			x[i] = math.Float32bits(float32([2]int{i/4*2 + i&1, i >> 1 & 1}[io.Component]) + 0.5)
		case io.Builtin == ir.BuiltinLocalInvocationIndex || io.Builtin == ir.BuiltinLocalInvocationID && io.Component == 0 || io.Builtin == ir.BuiltinInvocationID:
			x[i] = uint32(i)
		case io.Type == ir.Bool:
			x[i] = -uint32(w.r.IntN(2))
		case io.Type == ir.F32 && w.r.IntN(30) == 0:
			x[i] = []uint32{0x7FC00000, 0x7F800000, 0x80000000, 0xFF800000, 1}[w.r.IntN(5)]
		case io.Type == ir.F32:
			x[i] = math.Float32bits(4*w.r.Float32() - 2)
		default:
			x[i] = uint32(w.r.IntN(8))
		}
	}
	return x
}

func (w *world) resource(t testing.TB, p *ir.Program, i int) []exec.Descriptor {
	t.Helper()
	n := int(p.Resources[i].Count)
	if n == 0 || n > 16 {
		n = 4
	}
	list := make([]exec.Descriptor, n)
	for e := range list {
		d := &list[e]
		d.Data = w.bytes(2048)
		w.memory = append(w.memory, d.Data)
		for k := range p.ImageOps {
			if op := &p.ImageOps[k]; op.Image == i || op.Kind.Takes2() && op.Second == i {
				w.image(t, d, op)
				break
			}
		}
		d.Sampler = w.sampler(t)
	}
	return list
}

func (w *world) image(t testing.TB, d *exec.Descriptor, op *ir.ImageOp) {
	t.Helper()
	f := []vk.Format{vk.FormatR8G8B8A8Unorm, vk.FormatR32G32B32A32Sfloat, vk.FormatR8G8B8A8Srgb, vk.FormatR16G16Sfloat}[w.r.IntN(4)]
	atomic := op.Kind == ir.ImageAtomic || op.Kind == ir.ImageRead || op.Kind == ir.ImageWrite
	switch {
	case op.Wide:
		f = vk.FormatR64Uint
	case op.Result == ir.ClassSint:
		f = vk.FormatR32Sint
	case op.Result == ir.ClassUint:
		f = vk.FormatR32Uint
	case op.Dref:
		f = vk.FormatD32Sfloat
	case atomic:
		f = vk.FormatR32Sfloat
	}
	if op.Dim == ir.DimBuffer {
		v, err := resource.NewBufferView(f, d.Data)
		if err != nil {
			t.Fatal(err)
		}
		d.Texel = v
		return
	}
	desc := resource.ImageDesc{Type: vk.ImageType2D, Format: f, Extent: vk.Extent3D{Width: 8, Height: 8, Depth: 1}, MipLevels: 3, ArrayLayers: 1}
	kind := vk.ImageViewType2D
	if op.Arrayed {
		desc.ArrayLayers, kind = 3, vk.ImageViewType2DArray
	}
	switch op.Dim {
	case ir.Dim1D:
		desc.Type, desc.Extent.Height, kind = vk.ImageType1D, 1, vk.ImageViewType1D
		if op.Arrayed {
			kind = vk.ImageViewType1DArray
		}
	case ir.Dim3D:
		desc.Type, desc.Extent.Depth, kind = vk.ImageType3D, 4, vk.ImageViewType3D
	case ir.DimCube:
		desc.ArrayLayers, desc.Flags, kind = 6, vk.ImageCreateCubeCompatibleBit, vk.ImageViewTypeCube
		if op.Arrayed {
			desc.ArrayLayers, kind = 12, vk.ImageViewTypeCubeArray
		}
		if op.Kind == ir.ImageRead || op.Kind == ir.ImageWrite || op.Kind == ir.ImageAtomic {
			kind = vk.ImageViewType2DArray
		}
	default:
	}
	if op.MS {
		desc.Samples, desc.MipLevels = 4, 1
	}
	im, err := resource.NewImage(desc)
	if err != nil {
		t.Fatal(err)
	}
	data := make([]byte, im.Layout.Size)
	for k := range data {
		data[k] = byte(w.r.IntN(256))
	}
	if f == vk.FormatD32Sfloat || f == vk.FormatR32G32B32A32Sfloat || f == vk.FormatR32Sfloat {
		for k := 0; k+4 <= len(data); k += 4 {
			binary.LittleEndian.PutUint32(data[k:], math.Float32bits(w.r.Float32()))
		}
	}
	if err := im.Bind(data); err != nil {
		t.Fatal(err)
	}
	w.memory = append(w.memory, data)
	if d.View, err = resource.NewView(im, resource.ViewDesc{Type: &kind}); err != nil {
		t.Fatal(err)
	}
}

func (w *world) sampler(t testing.TB) *resource.Sampler {
	t.Helper()
	mode := func() vk.SamplerAddressMode { return vk.SamplerAddressMode(w.r.IntN(4)) }
	s, err := resource.NewSampler(resource.Sampler{
		MagFilter: vk.Filter(w.r.IntN(2)), MinFilter: vk.Filter(w.r.IntN(2)), MipmapMode: vk.SamplerMipmapMode(w.r.IntN(2)),
		AddressModeU: mode(), AddressModeV: mode(), AddressModeW: mode(), MaxLod: 4, BorderColor: vk.BorderColorFloatOpaqueWhite,
		AnisotropyEnable: w.r.IntN(3) == 0, MaxAnisotropy: 4, CompareEnable: true, CompareOp: vk.CompareOpLess,
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// interpolator gives numbers that depend on everything.
type interpolator struct{}

func (interpolator) InterpolateAt(slot, lane int, dx, dy float32) uint32 {
	return math.Float32bits(float32(slot) + float32(lane)*0.25 + dx*0.5 + dy)
}
func (interpolator) SampleOffset(lane int, sample uint32) (dx, dy float32) {
	return float32(sample&3) / 4, float32(lane&1) / 4
}
func (interpolator) CentroidOffset(lane int) (dx, dy float32) { return float32(lane&3) / 8, 0.25 }

// outcome is what a run leaves.
type outcome struct {
	lanes  [][]uint32 // outputs, live lanes, emitted vertices
	memory [][]byte
}

func (w *world) outcome() outcome {
	return outcome{append(slices.Clone(w.batch.Out), w.batch.Live, w.batch.Emitted), w.memory}
}

func (o outcome) differ(p outcome) (what string, differ bool) {
	for i := range o.lanes {
		if !slices.Equal(o.lanes[i], p.lanes[i]) {
			return "outputs", true
		}
	}
	for i := range o.memory {
		if !slices.Equal(o.memory[i], p.memory[i]) {
			return "memory", true
		}
	}
	return "", false
}

// run runs a batch; false where it does not end.
func (w *world) run(t testing.TB, e exec.Engine, p *ir.Program, fuel int64, tell func(*exec.Told)) bool {
	t.Helper()
	r, err := e.Compile(p)
	if err != nil {
		t.Fatal(err)
	}
	w.ctx.Fuel, w.ctx.Trace = fuel, tell
	var spent *exec.FuelError
	if err := r.NewThread(max(w.batch.N, 64)).Run(w.ctx, w.batch); err != nil && !errors.As(err, &spent) {
		t.Fatal(err)
	}
	return spent == nil
}
