package sampling

import (
	"math"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
	ref "github.com/pumice-gpu/pumice/internal/sampling"
)

// one8 is weight 1 of a filter or of a level.
const one8 = 256

// level is where one level of a view lies and how large it is.
type level struct {
	size  [3]int32
	scale [3]float64 // 256·size, 256 where coordinates are unnormalized
	start int32      // of texel (0,0,0) of the first layer
	layer int32      // bytes between layers
	salt  int32      // spreads the blocks of levels over the cache
	pitch [3]int32   // bytes between texels, rows and slices (of blocks, in compressed formats)
	// Levels bound block by block (resource.Columns): along a dimension, skip bytes
	// more for every 1<<shift steps.
	skip  [3]int32
	shift [3]uint8
}

// along is what step i along d adds to an offset.
func (l *level) along(d int, i int32) int32 {
	return i*l.pitch[d] + i>>(l.shift[d]&31)*l.skip[d]
}

// plan is the code of one key with the numbers of one view and sampler: what a
// routine keeps for an image instruction.
type plan struct {
	op  *ir.ImageOp
	v   *resource.ImageView
	s   *resource.Sampler
	key Key
	st  ref.State
	ok  bool // lowered

	info   *format.Info
	count  int // components of an array format
	shift  [4]uint8
	stored [4]bool // components that the format has
	border [4]uint32
	codes  [4]uint32 // the border as codes
	word   uint32    // the border as bytes
	block  [3]int32
	// shift256 is half a texel, times 256, in corner-sampled images.
	shift256 float64
	unit     float64 // 2^-24/codeMax for SumBytes
	// layered: lanes choose layers or faces.
	layered   bool
	flat      bool // integer coordinates are a column and a row
	lod       lodRange
	lastLayer float64
	// levels has the last level twice: what lies beyond it has no weight.
	levels []level
	ycbcr  ycbcr
	route  route
}

// make fills p for an instruction.
func (p *plan) make(op *ir.ImageOp, v *resource.ImageView, s *resource.Sampler) {
	*p = plan{op: op, v: v, s: s, levels: p.levels[:0], route: route{params: p.route.params[:0]}}
	p.key, p.st, p.ok = resolve(op, v, s)
	if !p.ok {
		return
	}
	p.layered = p.st.Cube || p.st.Layer >= 0
	p.lastLayer = float64(p.st.Layers - 1)
	if p.key.Ycbcr {
		p.stored = [4]bool{true, true, true, true}
		p.makeYcbcr()
		return
	}
	// IMG-255
	p.info = v.Info
	_, p.count = classOf(v.Info)
	for c, x := range v.Info.Components {
		p.shift[c] = uint8(x.Shift) & 63
		p.stored[c] = x.Kind != format.KindNone
	}
	p.block = [3]int32{int32(v.Info.BlockWidth), int32(v.Info.BlockHeight), int32(v.Info.BlockDepth)}

	for l := range v.Levels {
		p.levels = append(p.levels, makeLevel(v, l, &p.st))
	}
	p.levels = append(p.levels, p.levels[v.Levels-1])
	p.flat = texelDims(op.Dim) == 2 && !op.Arrayed && p.key.Texel != TexelBlock && p.levels[0].skip == [3]int32{} && v.MinLod < float32(v.BaseLevel+1)
	if p.key.Corner {
		p.shift256 = one8 / 2
	}
	st := &p.st
	p.lod = lodRange{bias: st.Bias, minLod: st.MinLod, maxLod: st.MaxLod, last: st.LastLevel, viewMin: st.ViewMin}
	if st.MipLinear {
		p.lod.linear = 1
	}
	p.makeBorder()
}

// makeLevel places a level of the view.
//
// IMG-004, IMG-042
func makeLevel(v *resource.ImageView, l int, st *ref.State) level {
	r := v.Level(l, 0)
	start, layer := v.Start(l)
	x := level{
		size:  [3]int32{int32(r.Width), int32(r.Height), int32(r.Depth)},
		start: int32(start), layer: int32(layer), salt: int32(l*0x55) & 0xFF,
		pitch: [3]int32{int32(r.TexelPitch), int32(r.RowPitch), int32(r.SlicePitch)},
		skip:  [3]int32{int32(r.ColumnSkip), 0, int32(r.SlabSkip)},
		shift: [3]uint8{r.ColumnShift, 0, r.SlabShift},
	}
	for d, n := range x.size {
		switch {
		case st.Unnormalized:
			x.scale[d] = one8
		case st.Corner: // IMG-476
			x.scale[d] = one8 * float64(n-1)
		default:
			x.scale[d] = one8 * float64(n)
		}
	}
	return x
}

// makeBorder makes the border colour, as codes too where texels are filtered as codes.
//
// IMG-290, IMG-291, IMG-292, IMG-293, IMG-295, IMG-296
func (p *plan) makeBorder() {
	p.border = p.st.Border
	for c, b := range p.border {
		p.codes[c] = math.Float32bits(float32(math.RoundToEven(float64(math.Float32frombits(b)) * p.st.CodeMax)))
	}
	if p.key.Sum != SumBytes {
		return
	}
	p.unit = 1.0 / (255 << 24)
	for c, stored := range p.stored {
		if stored {
			p.word |= uint32(math.Float32frombits(p.codes[c])) << p.shift[c]
		}
	}
}
