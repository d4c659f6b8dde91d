package texel

import (
	"math"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/memory"
	"github.com/pumice-gpu/pumice/internal/resource"
	ref "github.com/pumice-gpu/pumice/internal/sampling"
	"github.com/pumice-gpu/pumice/vk"
)

// viewLevel is where one level of a view lies and how large it is.
type viewLevel struct {
	size  [3]int32
	start int32    // of texel (0,0,0) of the first layer
	layer int32    // bytes between layers
	pitch [3]int32 // bytes between texels, rows and slices (of blocks, in compressed formats)
	// Levels bound block by block (resource.Columns): along a dimension, skip bytes
	// more for every 1<<shift steps.
	skip  [3]int32
	shift [3]uint8
}

// along is what step i along d adds to an offset.
func (l *viewLevel) along(d int, i int32) int32 {
	return i*l.pitch[d] + i>>(l.shift[d]&31)*l.skip[d]
}

// makeLevel places a level of the view.
//
// IMG-004, IMG-042
func makeLevel(v *resource.ImageView, l int) viewLevel {
	r := v.Level(l, 0)
	start, layer := v.Start(l)
	return viewLevel{
		size:  [3]int32{int32(r.Width), int32(r.Height), int32(r.Depth)},
		start: int32(start), layer: int32(layer),
		pitch: [3]int32{int32(r.TexelPitch), int32(r.RowPitch), int32(r.SlicePitch)},
		skip:  [3]int32{int32(r.ColumnSkip), 0, int32(r.SlabSkip)},
		shift: [3]uint8{r.ColumnShift, 0, r.SlabShift},
	}
}

// params is Params in memory.
type params [4 * ParamWords]byte

// access is an instruction on a view and a sampler: its key, and the numbers that a routine of it
// reads.
type access struct {
	op *ir.ImageOp
	v  *resource.ImageView
	s  *resource.Sampler
	// texels is the memory of a texel buffer, which has no view.
	texels []byte
	st     ref.State
	key    Key
	ok     bool // there is a routine of the key
	// levels are the view's, and the last of them again; params those of each level, the last
	// without texels.
	levels  []viewLevel
	params  []params
	sampled bool // through a sampler; else the level is an operand
	level   int  // of params, of samples
	// How an engine runs the routine: nil where it does not. each is for lanes that have images of
	// their own, with an operand more, and sought where it is asked for.
	thread, each          Thread
	sought                bool
	operands              []Operand
	results               int
	writes, leaves, quads bool
}

// make fills p for an instruction.
func (p *access) make(op *ir.ImageOp, v *resource.ImageView, s *resource.Sampler) {
	*p = access{op: op, v: v, s: s, levels: p.levels[:0], params: p.params[:0]}
	if y, ok := ref.ResolveYcbcr(op, v, s); ok {
		if p.ok = !op.Wide && op.Results > 0 && p.ycbcrKey(&y); p.ok {
			p.prepareRun()
		}
		return
	}
	if !p.resolve() {
		return
	}
	for l := range v.Levels {
		p.levels = append(p.levels, makeLevel(v, l))
	}
	p.levels = append(p.levels, p.levels[v.Levels-1])
	writes := op.Kind == ir.ImageWrite || op.Kind == ir.ImageAtomic
	if p.levels[0].skip != [3]int32{} || op.Results == 0 && !writes {
		return
	}
	if p.ok = p.makeKey() && p.key.Lowered(); p.ok {
		p.prepare()
	}
}

// resolve finds the state of the instruction; false where State does not tell all of it, or a
// texel is not where routines look.
func (p *access) resolve() (ok bool) {
	op, v := p.op, p.v
	if op.Wide {
		return false
	}
	switch op.Kind {
	case ir.ImageSample, ir.ImageGather:
		if p.s == nil {
			return false
		}
		p.st, ok = ref.Resolve(op, v, p.s)
		return ok && addressable(v) && v.Image.Samples == 1 &&
			!(p.st.Compare && v.Info.Components[0].Kind == format.KindNone) &&
			(op.Kind == ir.ImageSample || op.Dim == ir.Dim2D || op.Dim == ir.DimCube)
	case ir.ImageFetch, ir.ImageRead, ir.ImageWrite, ir.ImageAtomic:
		p.st, ok = ref.ResolveTexels(v)
		return ok && addressable(v) && op.Dim != ir.DimBuffer &&
			!(op.Kind == ir.ImageWrite && otherSign(op, v.Info)) &&
			!(op.Kind == ir.ImageAtomic && !wordTexels(v))
	}
	return false
}

// otherSign says that integers of one signedness are written to the other, which
// the reference saturates (IMG-381).
//
// IMG-371
func otherSign(op *ir.ImageOp, info *format.Info) bool {
	return op.Result == ir.ClassSint && info.Class == format.ClassUint ||
		op.Result == ir.ClassUint && info.Class == format.ClassSint
}

// wordTexels says that each texel of the view is a word, as atomics have it. Layouts keep words at
// multiples of their size.
//
// IMG-596
func wordTexels(v *resource.ImageView) bool {
	return v.Info.BlockBytes == 4 && v.Info.ComponentCount == 1 && memory.Word(v.Image.Data) != nil
}

// addressable says that every texel of the view lies at an offset that fits
// int32, so that offsets of a batch are words, and is a sum of what each dimension
// adds.
func addressable(v *resource.ImageView) bool {
	size := v.Image.Layout.Size
	return size < 1<<31 && !v.Slabs() && int64(len(v.Image.Data)) >= size
}

// makeKey makes the key; false where no key stands for the instruction. Whether there is a
// routine, the key's Lowered says.
//
// IMG-204, IMG-255
func (p *access) makeKey() bool {
	p.key = Key{Format: p.v.Info.Format, Decode: p.v.Info.DecodeMode(), Swizzle: p.st.Swizzle,
		Results: uint8(p.op.Results)}
	if p.op.Kind == ir.ImageSample || p.op.Kind == ir.ImageGather {
		return p.sampleKey()
	}
	k := &p.key
	k.Kind, k.Layered, k.Sampled, k.Offset = Fetch, p.op.Arrayed, p.op.HasSample, p.op.HasOffset
	switch p.op.Kind { // components have their places
	case ir.ImageWrite:
		k.Kind, k.Swizzle, k.Results = Store, [4]int8{}, 4
	case ir.ImageAtomic:
		if k.Kind, k.Swizzle, k.Op = Atomic, [4]int8{}, p.op.Atomic; k.Results > 1 {
			return false
		}
	}
	if k.Dims = uint8(texelDims(p.op.Dim)); p.op.Dim == ir.DimCube {
		k.Dims, k.Layered = 2, true
		return !k.Offset
	}
	return true
}

// texelDims is the number of spatial components of an integer coordinate.
func texelDims(d ir.ImageDim) int {
	switch d {
	case ir.Dim1D:
		return 1
	case ir.Dim2D, ir.DimSubpass:
		return 2
	default:
		return 3
	}
}

// sampleKey is makeKey of samples and gathers.
func (p *access) sampleKey() bool {
	k, st := &p.key, &p.st
	k.Dims, k.Layered, k.Unnormalized = uint8(st.Dims), st.Layer >= 0, st.Unnormalized
	k.Offset = p.op.HasOffset && !st.Cube
	k.Cube, k.Seams, k.Corner = st.Cube, st.Seams, st.Corner
	if k.Compare = st.Compare; k.Compare {
		k.CompareOp, k.RefUnit = st.CompareOp, st.RefUnit
	}
	for d := range st.Dims {
		if k.Modes[d] = st.Modes[d]; st.Seams {
			k.Modes[d] = vk.SamplerAddressModeClampToEdge // IMG-215
		}
		m := k.Modes[d]
		wraps := m == vk.SamplerAddressModeRepeat || m == vk.SamplerAddressModeMirroredRepeat
		n := p.levels[0].size[d]
		k.PowerOfTwo[d] = wraps && n&(n-1) == 0
	}
	if p.op.Kind == ir.ImageGather {
		if p.v.MinLod >= float32(p.v.BaseLevel+1) { // IMG-520
			return false
		}
		comp := p.op.GatherComp & 3
		if k.Compare {
			comp = 0 // IMG-518
		}
		k.Kind, k.Swizzle = Gather, [4]int8{st.Swizzle[comp]} // IMG-329
	} else if !p.filterKey() {
		return false
	}
	for d := range st.Dims {
		most, least := p.levels[0].size[d], p.levels[p.level].size[d]
		k.Far = k.Far || most > k.MaxSize(d) || least < k.MinSize(d)
	}
	return true
}

// filterKey adds filters, levels and sums to the key of a sample.
func (p *access) filterKey() bool {
	k, st := &p.key, &p.st
	aniso := st.Aniso > 1 && p.op.Lod != ir.LodExplicit && p.op.Lod != ir.LodZero // a footprint
	mag, min := st.Mag, st.Min
	levels := p.v.Levels > 1 || mag != min || aniso
	switch { // IMG-451
	case !levels || st.MaxLod <= 0:
		min = mag
	case st.MinLod > 0:
		mag = min
	}
	cubic := mag == vk.FilterCubicEXT
	if cubic != (min == vk.FilterCubicEXT) {
		return false
	}
	if k.Kind = Nearest; mag != vk.FilterNearest || min != vk.FilterNearest {
		k.Kind = Linear
		k.NearestMag, k.NearestMin = mag == vk.FilterNearest, min == vk.FilterNearest
	}
	if levels {
		k.Aniso, k.MipLinear = aniso, st.MipLinear && p.v.Levels > 1
		if !p.fixedLevel() && !p.levelsKey() {
			return false
		}
	}
	if k.Kind != Nearest || k.MipLinear {
		p.sumKey()
	}
	if cubic {
		p.cubicKey()
	}
	return true
}

// fixedLevel says that all lanes take one level, without derivatives or operands, and
// which.
func (p *access) fixedLevel() bool {
	k, st := &p.key, &p.st
	if p.op.Lod != ir.LodZero || p.op.HasMinLod {
		return false
	}
	lambda := max(min(st.Bias, resource.MaxSamplerLodBias), -resource.MaxSamplerLodBias)
	lambda = min(max(lambda, st.MinLod), st.MaxLod)
	n := k.Bounds(max(min(lambda, st.LastLevel), st.ViewMin))
	switch {
	case !k.MipLinear: // IMG-462
		p.level = min(int(n+255)>>9, p.v.Levels-1)
	case n&255 != 0:
		return false
	default: // IMG-461
		p.level = int(n >> 8)
	}
	filter := st.Min
	if lambda <= 0 {
		filter = st.Mag
	}
	k.Kind, k.NearestMag, k.NearestMin, k.MipLinear = Nearest, false, false, false
	if filter != vk.FilterNearest {
		k.Kind = Linear
	}
	return true
}

// levelsKey adds level selection to the key; false where levels do not lie as routines find them.
func (p *access) levelsKey() bool {
	k := &p.key
	k.Levels, k.Lod, k.MinLod, k.Biased = true, p.op.Lod, p.op.HasMinLod, p.st.Bias != 0
	if k.Single = p.v.Levels == 1; k.Single {
		return true
	}
	first, info := &p.levels[0], p.v.Info
	block := [3]int32{int32(info.BlockWidth), int32(info.BlockHeight), int32(info.BlockDepth)}
	for n := range p.v.Levels {
		l, bytes := &p.levels[n], int32(info.BlockBytes)
		for d := range p.st.Dims {
			if l.size[d] != max(first.size[d]>>n, 1) || l.pitch[d] != bytes || l.skip[d] != 0 ||
				l.layer != first.layer {
				return false
			}
			bytes *= (l.size[d] + block[d] - 1) / block[d]
		}
	}
	return true
}

// sumKey says how a sample's texels add up.
//
// IMG-533
func (p *access) sumKey() {
	k, st := &p.key, &p.st
	switch {
	case st.Reduction == vk.SamplerReductionModeMin:
		k.Sum = SumMin
	case st.Reduction == vk.SamplerReductionModeMax:
		k.Sum = SumMax
	case k.Compare, st.CodeMax != 0:
	case st.Shares:
		k.Sum = SumShares
	case st.Lerps:
		k.Sum = SumLerps
	default:
		k.Sum = SumFloat
	}
}

// prepare makes the parameters of the key's routine.
func (p *access) prepare() {
	p.sampled = !p.key.Whole()
	for l := range p.v.Levels {
		p.params = append(p.params, params{})
		p.levelParams(&p.params[l], &p.levels[l])
	}
	p.params = append(p.params, params{})
	p.prepareRun()
}

// prepareRun remembers what of the key each run asks for.
func (p *access) prepareRun() {
	p.operands, p.results = p.key.Operands(), int(p.key.Results)
	if p.writes = p.key.Writes(); p.key.Kind == Store {
		p.results = 0
	}
	p.leaves, p.quads = p.key.Leaves(), p.key.Quads()
}

// levelParams makes those of a level.
//
// IMG-290, IMG-291, IMG-292, IMG-293
func (p *access) levelParams(to *params, l *viewLevel) {
	x := Params{Start: uint32(l.start), Layer: uint32(l.layer), Layers: uint32(p.v.Layers),
		Samples: uint32(p.v.Image.Samples), Border: p.st.Border}
	if p.sampled {
		x.Layers = uint32(p.st.Layers)
	}
	for d, n := range l.size {
		x.Size[d], x.Pitch[d] = uint32(n), uint32(l.pitch[d])
	}
	if p.key.Levels {
		st := &p.st
		bias := float64(256 * min(max(st.Bias, -resource.MaxSamplerLodBias), resource.MaxSamplerLodBias))
		whole := math.RoundToEven(bias)
		x.Shift, x.Whole, x.Bias = float32(st.Bias), int32(whole), float32(bias-whole)
		end := func(lambda float64) int32 {
			lambda = min(max(lambda, st.MinLod), st.MaxLod)
			return p.key.Bounds(max(min(lambda, st.LastLevel), st.ViewMin))
		}
		x.Aniso = float32(st.Aniso)
		x.Low, x.High = end(math.Inf(-1)), end(math.Inf(1))
		for n := range p.v.Levels + 1 {
			x.Starts[n] = uint32(p.levels[n].start)
		}
	}
	x.Put(to[:])
}

// memory is the image's.
func (p *access) memory() []byte {
	if p.v == nil {
		return p.texels
	}
	return Memory(p.v, nil)
}

// paramsOf are the parameters of a level that all lanes read, which instructions without a sampler
// count.
//
// IMG-201
func (p *access) paramsOf(level uint32) *params {
	if p.v == nil {
		return &p.params[0]
	}
	if p.op.Kind == ir.ImageAtomic { // IMG-590
		level = 0
	}
	first := int32(math.Floor(float64(p.v.MinLod))) - int32(p.v.BaseLevel)
	switch {
	case p.sampled:
		level = uint32(p.level)
	case level >= uint32(p.v.Levels) || int32(level) < first:
		level = uint32(p.v.Levels)
	}
	return &p.params[level]
}
