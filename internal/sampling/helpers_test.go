package sampling

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/vk"
)

const (
	repeat   = vk.SamplerAddressModeRepeat
	mirrored = vk.SamplerAddressModeMirroredRepeat
	edge     = vk.SamplerAddressModeClampToEdge
	border   = vk.SamplerAddressModeClampToBorder
	mirrorK  = vk.SamplerAddressModeMirrorClampToEdge
	nearest  = vk.FilterNearest
	linear   = vk.FilterLinear
)

var (
	nan = float32(math.NaN())
	inf = float32(math.Inf(1))
)

// newImage makes a bound image; zero counts mean 1.
func newImage(t testing.TB, d resource.ImageDesc) *resource.Image {
	t.Helper()
	im, err := resource.NewImage(d)
	if err != nil {
		t.Fatal(err)
	}
	if err := im.Bind(make([]byte, im.Layout.Size)); err != nil {
		t.Fatal(err)
	}
	return im
}

func newView(t testing.TB, im *resource.Image, d resource.ViewDesc) *resource.ImageView {
	t.Helper()
	v, err := resource.NewView(im, d)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func newSampler(t testing.TB, s resource.Sampler) *resource.Sampler {
	t.Helper()
	r, err := resource.NewSampler(s)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func viewType(v vk.ImageViewType) *vk.ImageViewType { return &v }

func extent(w, h, d uint32) vk.Extent3D { return vk.Extent3D{Width: w, Height: h, Depth: d} }

// setFloat stores a float32 texel of an R32 format.
func setFloat(im *resource.Image, level, layer, x, y int, f float32) {
	l := im.Level(0, level, layer)
	binary.LittleEndian.PutUint32(l.Data[l.Offset(x, y, 0, 0):], math.Float32bits(f))
}

// imageA4 is fixture A4: 10, 20, 30, 40.
func imageA4(t testing.TB) *resource.ImageView {
	im := newImage(t, resource.ImageDesc{Type: vk.ImageType1D, Format: vk.FormatR32Sfloat, Extent: extent(4, 1, 1)})
	for i := range 4 {
		setFloat(im, 0, 0, i, 0, float32(10*(i+1)))
	}
	return newView(t, im, resource.ViewDesc{})
}

// imageL3 is fixture L3: levels that are constant 1, 2, 3.
func imageL3(t testing.TB) *resource.Image {
	im := newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR32Sfloat, Extent: extent(4, 4, 1), MipLevels: 3})
	for level := range 3 {
		for i := range 4 >> level {
			for j := range 4 >> level {
				setFloat(im, level, 0, i, j, float32(level+1))
			}
		}
	}
	return im
}

// imageC2 is fixture C2: texel 100·face + 10·j + i.
func imageC2(t testing.TB) *resource.ImageView {
	im := newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR32Sfloat, Extent: extent(2, 2, 1), ArrayLayers: 6,
		Flags: vk.ImageCreateCubeCompatibleBit})
	for face := range 6 {
		for j := range 2 {
			for i := range 2 {
				setFloat(im, 0, face, i, j, float32(100*face+10*j+i))
			}
		}
	}
	return newView(t, im, resource.ViewDesc{Type: viewType(vk.ImageViewTypeCube)})
}

// lane1 holds the operands of one lane.
type lane1 struct {
	op     ir.ImageOp
	coord  []float32
	icoord []int32
	lod    float32
	ilod   int32
	hasLod bool
	dref   float32
	dx, dy []float32
	offset []int32
	minLod float32
	sample int32
	texel  []uint32
}

func one(f float32) []uint32 { return []uint32{math.Float32bits(f)} }

// args makes the Args of one lane, with outputs.
func (x lane1) args() *Args {
	a := &Args{Op: &x.op}
	for i, c := range x.coord {
		a.Coord[i] = one(c)
	}
	for i, c := range x.icoord {
		a.Coord[i] = []uint32{uint32(c)}
	}
	for i := range x.dx {
		a.DX[i], a.DY[i] = one(x.dx[i]), one(x.dy[i])
	}
	for i, o := range x.offset {
		a.Offset[i] = []uint32{uint32(o)}
	}
	if x.op.Kind == ir.ImageSample && (x.op.Lod == ir.LodExplicit || x.op.Lod == ir.LodBias) {
		a.Lod = one(x.lod)
	} else if x.hasLod {
		a.Lod = []uint32{uint32(x.ilod)}
	}
	if x.op.Dref {
		a.Dref = one(x.dref)
	}
	if x.op.HasMinLod {
		a.MinLod = one(x.minLod)
	}
	if x.op.HasSample {
		a.SampleIndex = []uint32{uint32(x.sample)}
	}
	for i, v := range x.texel {
		a.Texel[i] = []uint32{v}
	}
	for c := range a.Out {
		a.Out[c] = []uint32{0xDEAD}
	}
	return a
}

// A Way is one way of those on the users' path to run an instruction. What it needs imports this
// package, so lowered_test.go makes them.
type Way struct {
	Name string
	Run  func(a *Args, v *resource.ImageView, s *resource.Sampler, n int)
}

// Ways are all of them.
var Ways []Way

// both runs an instruction on the reference and in each way, and panics where results or
// memory differ.
func both(a *Args, v *resource.ImageView, s *resource.Sampler, n int) {
	writes := v != nil && v.Image != nil && (a.Op.Kind == ir.ImageWrite || a.Op.Kind == ir.ImageAtomic)
	var before, after []byte
	if writes {
		before = bytes.Clone(v.Image.Data)
	}
	defer func(op *ir.ImageOp) { a.Op = op }(a.Op)
	a.Op = whole(a)
	out := a.Out
	var held [4][]uint32 // what lanes that take no part keep
	for c := range out {
		held[c] = slices.Clone(out[c])
	}
	Run(a, v, s, n)
	if writes {
		after = bytes.Clone(v.Image.Data)
	}
	for _, w := range Ways {
		for c := range out {
			a.Out[c] = slices.Clone(held[c])
		}
		if writes {
			copy(v.Image.Data, before)
		}
		w.Run(a, v, s, n)
		if writes && !bytes.Equal(v.Image.Data, after) {
			panic(fmt.Sprintf("%s leaves other memory than the reference: %+v", w.Name, *a.Op))
		}
		for c := range out {
			for lane := range min(n, len(out[c])) {
				if got, want := a.Out[c][lane], out[c][lane]; got != want {
					panic(fmt.Sprintf("%s: lane %d, component %d is %#x, and %#x on the reference: %+v", w.Name, lane, c, got, want, *a.Op))
				}
			}
		}
	}
	a.Out = out
}

// whole is the operation of a with the counts and flags that its operands stand for, which the reference does without.
func whole(a *Args) *ir.ImageOp {
	op := *a.Op
	op.Coords, op.GradCoords = 0, [...]int{ir.Dim1D: 1, ir.Dim2D: 2, ir.Dim3D: 3, ir.DimCube: 3, ir.DimBuffer: 1, ir.DimSubpass: 2}[op.Dim]
	for _, c := range a.Coord {
		if c != nil {
			op.Coords++
		}
	}
	op.HasOffset, op.HasMinLod, op.HasSample = a.Offset[0] != nil, a.MinLod != nil, a.SampleIndex != nil
	if op.Kind == ir.ImageFetch && a.Lod != nil {
		op.Lod = ir.LodExplicit
	}
	if op.Results == 0 {
		op.Results = 4
	}
	return &op
}

// run executes the lane and returns its texel.
func (x lane1) run(v *resource.ImageView, s *resource.Sampler) format.Texel {
	return x.how(both, v, s)
}

// how executes the lane with Run, which many goroutines may, or both.
func (x lane1) how(run func(*Args, *resource.ImageView, *resource.Sampler, int), v *resource.ImageView, s *resource.Sampler) format.Texel {
	a := x.args()
	run(a, v, s, 1)
	return format.Texel{a.Out[0][0], a.Out[1][0], a.Out[2][0], a.Out[3][0]}
}

// red executes the lane and returns its first component.
func (x lane1) red(v *resource.ImageView, s *resource.Sampler) float32 {
	return math.Float32frombits(x.run(v, s)[0])
}

// sampleOp is an explicit-LOD sample of a dimension.
func sampleOp(d ir.ImageDim) ir.ImageOp {
	return ir.ImageOp{Kind: ir.ImageSample, Dim: d, Lod: ir.LodExplicit}
}

func floats(t format.Texel) (f [4]float32) {
	for c := range f {
		f[c] = math.Float32frombits(t[c])
	}
	return f
}
