package sampling

import (
	"sync/atomic"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/fp"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/lower/texel"
	"github.com/pumice-gpu/pumice/internal/resource"
	ref "github.com/pumice-gpu/pumice/internal/sampling"
)

// Counter counts image instructions (one for each batch and descriptor) that
// ran on the reference because their key is not lowered. It is safe for
// concurrent use.
type Counter struct{ reference atomic.Uint64 }

// Reference returns the count.
func (c *Counter) Reference() uint64 { return c.reference.Load() }

// chunk is how many lanes go through the steps together: their state, about
// 30 KiB, stays in the first-level cache.
const chunk = 64

// Unit runs image instructions for one goroutine: the plans of the sites that
// it meets, decoded blocks and scratch memory. Sites makes it ready.
type Unit struct {
	// Counter is where instructions on the reference are counted; may be nil.
	Counter *Counter
	// Portable keeps to Go where there is assembly with the same results.
	Portable bool
	// Engine runs routines, where it wants to; may be nil. Set before Sites.
	Engine   texel.Engine
	routines routines
	plans    []*plan // the last of each site
	known    plans
	eachMask []uint32 // of RunEach
	whole    batch    // lanes of a chunk
	part     batch    // those of one level
	probes   batch    // those of one anisotropic probe
	kept     sums     // level sums
	lo       sums
	total    sums // sums over levels and probes
	x        [3]axis
	start    [chunk]int32 // where a lane's layer starts
	off      [chunk]int32 // a tap's texel or block
	inBlock  [chunk]int32 // and its place in the block
	weight   [chunk]float64
	texels   texelSet
	only     int // the component that is needed, or −1
	bytesHi  byteSums
	bytesLo  byteSums
	weightZ  [chunk]uint32
	weight4  [4][chunk]int32
	words    [chunk]uint32
	quads    [chunk][4]format.Texel // footprints
	simd     bool                   // use the kernels in assembly
	cosited  [chunk]float64         // a quarter of a texel, times 256
	// halfTexel is half a texel, times 256.
	halfTexel [chunk]float64
	cubic     *cubic
	// What the codes of 8 bits stand for.
	srgb, unorm [256]float64
	block       blocks
	seams       []seam
	cache       *format.BlockCache // of the reference; made when it is first needed
	mask        []uint32
	onCorner    []int32 // lanes that the reference must do
}

// Sites makes room for instructions 0…n-1 of a routine, whose batches have at
// most lanes lanes, so that Run allocates nothing until a site meets a second view.
func (u *Unit) Sites(n, lanes int) {
	u.plans, u.only, u.simd = make([]*plan, n), -1, haveAVX2 && !u.Portable
	u.known = plans{found: make(map[planOf]*plan, n), ring: make([]planOf, 0, n)}
	for i := range u.plans {
		u.plans[i] = &plan{levels: make([]level, 0, resource.MaxLevels+1), route: route{params: make([]params, 0, resource.MaxLevels+1)}}
	}
	for c := range u.srgb {
		u.srgb[c], u.unorm[c] = float64(fp.SrgbToLinear(uint8(c))), float64(fp.Unorm8ToFloat(uint8(c)))
	}
	for k := range u.cosited {
		u.cosited[k], u.halfTexel[k] = one8/4, one8/2
	}
	u.mask = make([]uint32, lanes)
	u.onCorner = make([]int32, 0, chunk)
	u.seams = make([]seam, 0, chunk)
	if u.Engine != nil {
		u.routines.init(lanes)
	}
}

// Run is ref.Run for the instruction at a site: the same bits. It keeps the
// site's plan for the next call, which likely has the same view and sampler.
//
// IMG-002, IMG-010
func (u *Unit) Run(site int, a *ref.Args, v *resource.ImageView, s *resource.Sampler, n int) {
	v = v.As(a.Op.Result != ir.ClassFloat, false)
	p := u.plan(site, a.Op, v, s)
	if !p.runs(a) {
		u.reference(a, v, s, n)
		return
	}
	if p.route.thread != nil && u.routines.run(p, a, n, nil, nil) {
		u.sampleLeft(p, a, n)
		return
	}
	if p.key.Ycbcr {
		u.throughYcbcr(p, a, n)
		return
	}
	switch a.Op.Kind {
	case ir.ImageSample:
		u.sample(p, a, n)
	case ir.ImageGather:
		u.gather(p, a, n)
	case ir.ImageWrite:
		u.write(p, a, n)
	case ir.ImageAtomic:
		u.reference(a, v, s, n)
	default:
		u.fetch(p, a, n)
	}
}

// runs says that lowered code runs the instruction: kernels rely on offsets that lie in the image's layout, and on memory
// for all of it.
func (p *plan) runs(a *ref.Args) bool {
	return p.ok && (p.key.Ycbcr || int64(len(p.v.Image.Data)) >= p.v.Image.Layout.Size) && p.complete(a)
}

// complete says that the instruction has the operands that lowered code reads
// without asking. Those of valid shaders do.
func (p *plan) complete(a *ref.Args) bool {
	k := &p.key
	if k.Kind != ir.ImageSample && k.Kind != ir.ImageGather {
		return true
	}
	for d := range p.st.Coords {
		if a.Coord[d] == nil || k.Lod == ir.LodGrad && (a.DX[d] == nil || a.DY[d] == nil) {
			return false
		}
	}
	return !(p.st.Layer >= 0 && a.Coord[p.st.Layer&3] == nil || k.Compare && a.Dref == nil ||
		(k.Lod == ir.LodBias || k.Lod == ir.LodExplicit) && a.Lod == nil)
}

func (u *Unit) reference(a *ref.Args, v *resource.ImageView, s *resource.Sampler, n int) {
	if u.Counter != nil && v != nil && (a.Op.Kind == ir.ImageSample || a.Op.Kind == ir.ImageGather ||
		a.Op.Kind == ir.ImageFetch || a.Op.Kind == ir.ImageRead || a.Op.Kind == ir.ImageWrite) {
		u.Counter.reference.Add(1)
	}
	a.Blocks = u.cache
	ref.Run(a, v, s, n)
	u.cache = a.Blocks
}

// sampleLeft runs the lanes that a routine has left.
func (u *Unit) sampleLeft(p *plan, a *ref.Args, n int) {
	if len(u.routines.left) == 0 {
		return
	}
	m := a.Mask
	a.Mask = u.routines.mask[:n]
	for _, lane := range u.routines.left {
		a.Mask[lane] = ^uint32(0)
	}
	if p.op.Kind == ir.ImageGather {
		u.gather(p, a, n)
	} else {
		u.sample(p, a, n)
	}
	clear(a.Mask)
	a.Mask = m
}

// laneOnReference runs one lane on the reference.
func (u *Unit) laneOnReference(p *plan, a *ref.Args, lane, n int) {
	if len(u.mask) < n {
		u.mask = make([]uint32, n)
	}
	m := a.Mask
	a.Mask = u.mask[:n]
	a.Mask[lane] = ^uint32(0)
	a.Blocks = u.cache
	ref.Run(a, p.v, p.s, n)
	u.cache = a.Blocks
	u.mask[lane] = 0
	a.Mask = m
}
