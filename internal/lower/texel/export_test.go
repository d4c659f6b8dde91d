package texel

import (
	"fmt"
	"math/rand/v2"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
	ref "github.com/pumice-gpu/pumice/internal/sampling"
	"github.com/pumice-gpu/pumice/vk"
)

// EachBench calls f for the cases of the benchmarks, with operands for n lanes, for tests with
// an engine, which imports this package.
func EachBench(n int, f func(name string, a *ref.Args, v *resource.ImageView, s *resource.Sampler)) {
	for _, c := range benchCases() {
		a, v, s, _ := c.lanes(n)
		f(c.name, a, v, s)
	}
}

// Pairs is how many (key, lane) pairs the command line asks for.
func Pairs() int { return *pairs }

// Engines make the engines of tests, the batch machine and machine code: package texel_test sets it, which may import them.
var Engines []func() Engine

// unitsOf are units for batches of n lanes, one for each engine.
func unitsOf(n int) (units []*Unit) {
	for _, e := range Engines {
		u := &Unit{Engine: e()}
		u.Sites(1, n)
		units = append(units, u)
	}
	return units
}

// keyOf is the key of an instruction; false where it runs on the reference.
func keyOf(op *ir.ImageOp, v *resource.ImageView, s *resource.Sampler) (Key, bool) {
	var p access
	p.make(op, v, s)
	return p.key, p.ok
}

// Routed says whether the instruction at site 0 runs as a routine.
func (u *Unit) Routed() bool { return u.accesses[0].thread != nil }

// CompareRandom compares routines of an engine with the reference, for random instructions on
// random views and samplers, until as many lanes ran as routines.
func CompareRandom(e Engine, seed uint64, lanes int) error {
	r := rand.New(rand.NewPCG(seed, 12))
	u := Unit{Engine: e}
	u.Sites(1, 256)
	for done := 0; done < lanes; {
		c := randomCase(r)
		n := []int{1, 3, 4, 16, 61, 64, 128, 256}[r.IntN(8)]
		a := randomArgs(r, &c.op, n)
		if r.IntN(4) == 0 {
			a.Mask = sparse(r, n)
		}
		if err := compare(&u, &c, a, n); err != nil {
			return err
		}
		if u.Routed() {
			done += n
		}
	}
	return nil
}

// CompareStores compares routines of an engine that write texels with the reference, for every
// format.
func CompareStores(e Engine) error {
	r := rand.New(rand.NewPCG(23, 24))
	u := Unit{Engine: e}
	u.Sites(1, 1024)
	op := ir.ImageOp{Kind: ir.ImageWrite, Dim: ir.Dim2D, Coords: 2, GradCoords: 2}
	routed := 0
	for _, f := range format.All() {
		info, _ := format.Lookup(f)
		if info.Supported() != nil || info.NeedsConversion() || info.BlockWidth > 1 || len(info.Planes) > 1 || info.Compressed {
			continue
		}
		n := 200 + r.IntN(100)
		a := randomArgs(r, &op, n)
		for c := range 2 {
			a.Coord[c] = make([]uint32, n)
			for i := range n {
				a.Coord[c][i] = uint32(r.IntN(20) - 2)
			}
		}
		c := testCase{op: op, v: noise(r, vk.ImageType2D, f, 17, 15)}
		if err := compare(&u, &c, a, n); err != nil {
			return err
		}
		if u.Routed() {
			routed++
		}
	}
	if routed < 60 {
		return fmt.Errorf("only %d formats", routed)
	}
	return nil
}

// CompareAtomics compares routines of an engine that run atomics with the reference: every operation, on images of every
// dimension, layered or not, in lanes that meet at texels and in such that are outside.
func CompareAtomics(e Engine) error {
	r := rand.New(rand.NewPCG(25, 26))
	u := Unit{Engine: e}
	u.Sites(1, 256)
	routed := 0
	for op := ir.AtomicAdd; op <= ir.AtomicFMax; op++ {
		for _, f := range []vk.Format{vk.FormatR32Uint, vk.FormatR32Sint, vk.FormatR32Sfloat, vk.FormatR16Uint, vk.FormatR8G8B8A8Uint, vk.FormatR32G32Uint} {
			for dim := ir.Dim1D; dim <= ir.DimCube; dim++ {
				x := ir.ImageOp{Kind: ir.ImageAtomic, Dim: dim, Atomic: op, Arrayed: dim <= ir.Dim2D && r.IntN(2) == 0, Results: 1, Sampler: -1}
				if op == ir.AtomicStore {
					x.Results = 0
				}
				x.Coords = texelDims(dim)
				if x.Arrayed {
					x.Coords++
				}
				info, _ := format.Lookup(f)
				x.Result = map[format.Class]ir.Class{format.ClassSint: ir.ClassSint, format.ClassUint: ir.ClassUint}[info.Class]
				n := 1 + r.IntN(256)
				a := randomArgs(r, &x, n)
				for i := range x.Results {
					a.Out[i] = make([]uint32, n)
				}
				for i := x.Results; i < 4; i++ {
					a.Out[i] = nil
				}
				c := testCase{op: x, v: viewOfDim(r, f, dim, x.Arrayed)}
				if err := compare(&u, &c, a, n); err != nil {
					return err
				}
				if u.Routed() != (info.BlockBytes == 4 && info.ComponentCount == 1) {
					return fmt.Errorf("as a routine: %v\n%v", u.Routed(), &c)
				}
				if u.Routed() {
					routed++
				}
			}
		}
	}
	if routed < 100 {
		return fmt.Errorf("only %d routines", routed)
	}
	return nil
}

// viewOfDim is a view of all of an image of a few texels, but of its second level, whose texels are random.
func viewOfDim(r *rand.Rand, f vk.Format, dim ir.ImageDim, arrayed bool) *resource.ImageView {
	d := resource.ImageDesc{Type: vk.ImageType2D, Format: f, Extent: extent(9, 9, 1), MipLevels: 3, ArrayLayers: 1}
	t := vk.ImageViewType2D
	switch dim {
	case ir.Dim1D:
		d.Type, d.Extent.Height, t = vk.ImageType1D, 1, vk.ImageViewType1D
	case ir.Dim3D:
		d.Type, d.Extent.Depth, t = vk.ImageType3D, 5, vk.ImageViewType3D
	case ir.DimCube:
		d.ArrayLayers, d.Flags, t = 6, vk.ImageCreateCubeCompatibleBit, vk.ImageViewTypeCube
	}
	if arrayed {
		d.ArrayLayers, t = 3, map[ir.ImageDim]vk.ImageViewType{ir.Dim1D: vk.ImageViewType1DArray, ir.Dim2D: vk.ImageViewType2DArray}[dim]
	}
	im := must(resource.NewImage(d))
	data := make([]byte, im.Layout.Size)
	for i := range data {
		data[i] = byte(r.Uint32())
	}
	if err := im.Bind(data); err != nil {
		panic(err)
	}
	return must(resource.NewView(im, resource.ViewDesc{Type: &t, Range: vk.ImageSubresourceRange{BaseMipLevel: 1, LevelCount: 2}}))
}

// kin is a view like v of another image, whose levels are as many and mostly of other sizes.
func kin(r *rand.Rand, v *resource.ImageView) *resource.ImageView {
	d := v.Image.ImageDesc
	if r.IntN(3) > 0 {
		for _, n := range []*uint32{&d.Extent.Width, &d.Extent.Height, &d.Extent.Depth} {
			if *n > 1 {
				*n += uint32(r.IntN(7))
			}
		}
		if v.Type == vk.ImageViewTypeCube || v.Type == vk.ImageViewTypeCubeArray {
			d.Extent.Height = d.Extent.Width
		}
	}
	im := must(resource.NewImage(d))
	data := make([]byte, im.Layout.Size)
	for i := range data {
		data[i] = byte(r.Uint32())
	}
	if err := im.Bind(data); err != nil {
		panic(err)
	}
	return must(resource.NewView(im, resource.ViewDesc{Type: &v.Type, Components: v.Components, MinLod: v.MinLod,
		Range: vk.ImageSubresourceRange{BaseMipLevel: uint32(v.BaseLevel), LevelCount: uint32(v.Levels)}}))
}

// CompareEach compares lanes that name different views and samplers with the reference, until as many lanes ran
// beside those of others as routines of an engine.
func CompareEach(e Engine, seed uint64, lanes int) error {
	r := rand.New(rand.NewPCG(seed, 13))
	u := Unit{Engine: e}
	u.Sites(1, 256)
	for done := 0; done < lanes; {
		c := randomCase(r)
		if c.v.Info.NeedsConversion() {
			continue
		}
		n := []int{1, 4, 61, 64, 128, 256}[r.IntN(6)]
		a := randomArgs(r, &c.op, n)
		if a.Lod != nil && c.op.Kind == ir.ImageFetch && r.IntN(2) == 0 {
			for i := range a.Lod {
				a.Lod[i] = a.Lod[0]
			}
		}
		choices := []Choice{{c.v, c.s}}
		for range r.IntN(9) {
			x := Choice{kin(r, c.v), c.s}
			switch r.IntN(6) {
			case 0:
				x = Choice{randomView(r, c.op.Dim, c.op.Arrayed), c.s}
			case 1:
				x.Sampler = randomSampler(r, &c.op, x.View)
			case 2:
				x.View = nil
			}
			choices = append(choices, x)
		}
		which, todo, want := make([]uint32, n), make([]uint32, n), make([]uint32, n)
		for i := range which {
			which[i], todo[i] = uint32(r.IntN(len(choices))), ^uint32(0)
			if i&3 > 0 && r.IntN(8) > 0 {
				which[i] = which[i-1]
			}
			if a.Mask != nil {
				todo[i] = a.Mask[i]
			}
		}
		each := Each{Choices: choices, Which: which}
		some := u.Choose(&each, 0, a, todo, want)
		for i := range todo {
			if todo[i]&want[i] != 0 || some && a.Mask != nil && todo[i]|want[i] != a.Mask[i] {
				return fmt.Errorf("lane %d is in %#x and in %#x", i, todo[i], want[i])
			}
		}
		if !some {
			continue
		}
		b := *a
		for i := range b.Out {
			if a.Out[i] != nil {
				b.Out[i] = make([]uint32, n)
				copy(b.Out[i], a.Out[i])
			}
		}
		b.Mask = make([]uint32, n)
		for k, x := range choices {
			for i := range b.Mask {
				if b.Mask[i] = 0; which[i] == uint32(k) {
					b.Mask[i] = want[i]
				}
			}
			ref.Run(&b, x.View, x.Sampler, n)
		}
		a.Mask = want
		u.RunEach(&each, 0, a, n)
		for k := range a.Out {
			for lane := range a.Out[k] {
				if a.Out[k][lane] != b.Out[k][lane] {
					return fmt.Errorf("lane %d of %d, image %d of %d, component %d: %#x, reference %#x; coordinates %v lod %v\n%v", lane, n, which[lane], len(choices), k,
						a.Out[k][lane], b.Out[k][lane], laneOf(a.Coord[:], lane), laneOf([][]uint32{a.Lod}, lane), &c)
				}
			}
		}
		for _, x := range want {
			done += int(x & 1)
		}
	}
	return nil
}
