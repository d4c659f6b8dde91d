package texel

import (
	"slices"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/fp"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// Inlines says that Inline takes the key of an image operation.
func (k *Key) Inlines(op *ir.ImageOp) bool {
	info, ok := format.Lookup(k.Format)
	return ok && (!info.Compressed || ours(info)) && !op.Residency && !op.Wide &&
		!(k.Kind == Store && info.Numeric == format.NumericSrgb)
}

// What sites may have that name elements of arrays.
const (
	MaxKeys    = 16       // keys
	MaxAnswers = 256      // elements, of a query
	MaxPairs   = 1 << 20  // elements, or pairs of those of two arrays
	MaxSlots   = 1 + 1023 // what is known of these, with the first one, which is nothing
	// MaxStored is how many slots there are of images that are written, since accesses to buffers of
	// long arrays are machine code for whole words alone.
	MaxStored = 256
)

// Slots is how many slots a site of an operation has at most.
func Slots(op *ir.ImageOp) int {
	if op.Writes() {
		return MaxStored
	}
	return MaxSlots
}

// beyond is an offset behind all blocks of parameters, and twice as much is one, too.
const beyond = 1 << 30

// Site is what Inline makes of an image operation.
type Site struct {
	// Keys are those of the images; none: instructions stay as they are.
	Keys []Key
	// Each: instructions name elements of an array of images, of samplers, or of both. A table has,
	// behind how many there are of both, for each element or pair of them the number of its slot, in
	// the order of images, then of samplers; 0: none yet. Parameters of slots stand one behind the
	// other, each with what PutGroup says, those of 0 with none; and so do the images' memories, but
	// where Each is of samplers alone there is one. A query's answers stand by element.
	Each [2]bool
	// Same is the first operation with the same parameters, whose block it reads: then operations
	// with the same coordinates find levels, weights and locations of texels together, as those of a
	// material's images of one size do. Of two sites with Each, images and table are the same, too.
	Same int
}

// Inline returns a copy of an optimized program, optimized, in which the instructions of image
// operations are what Build makes of their keys, or loads of what queries give. sites has one for
// each of p.ImageOps. Lanes that a routine leaves, and those whose element has no key, go to an
// instruction of ir.ImageOp.Rest. The copy has three resources more for each operation, in their
// order: the memory of its images, Params or Answers in a uniform buffer, and a table in another.
func Inline(p *ir.Program, sites []Site) (*ir.Program, error) {
	x := &inliner{p: p, sites: sites}
	q := ir.Rewrite(p, x.replace, x.prepare, func(*ir.Builder) {})
	q.Scattered = x.scattered && (q.Stage == ir.StageFragment || !q.UsesDerivatives)
	if err := ir.Verify(q); err != nil {
		return nil, err
	}
	ir.Optimize(q)
	return q, nil
}

// inliner is what Inline works with.
type inliner struct {
	p         *ir.Program
	sites     []Site
	shared    tables
	scattered bool
}

// each says that instructions at the site name elements of arrays.
func (s *Site) each() bool { return s.Each[0] || s.Each[1] }

// memory, params and table are the resources of an operation.
func (x *inliner) memory(op uint64) int {
	if x.sites[op].each() {
		op = uint64(x.sites[op].Same)
	}
	return len(x.p.Resources) + 3*int(op)
}
func (x *inliner) params(op uint64) int { return x.memory(uint64(x.sites[op].Same)) + 1 }
func (x *inliner) table(op uint64) int  { return x.memory(op) + 2 }

// rests says that an operation's instructions are followed by those for lanes that are left.
func (x *inliner) rests(op int) bool {
	s := &x.sites[op]
	return len(s.Keys) > 0 && s.Keys[0].Kind != Query && (s.each() || s.Keys[0].Leaves())
}

// prepare adds to the copy what instructions name.
func (x *inliner) prepare(b *ir.Builder) {
	p := x.p
	b.P.ImageOps = slices.Clone(p.ImageOps)
	for i, op := range p.ImageOps {
		op.Rest = x.rests(i)
		b.P.ImageOps = append(b.P.ImageOps, op)
	}
	for i := range p.ImageOps {
		s, n := &x.sites[i], uint32(1)
		if s.Each[0] {
			n = uint32(Slots(&p.ImageOps[i]))
		}
		readOnly := len(s.Keys) == 0 || !s.Keys[0].Writes()
		b.P.Resources = append(b.P.Resources,
			ir.Resource{Kind: ir.StorageBuffer, Count: n, ReadOnly: readOnly},
			ir.Resource{Kind: ir.UniformBuffer, Count: 1}, ir.Resource{Kind: ir.UniformBuffer, Count: 1})
	}
}

// replace is what stands in the place of an instruction.
func (x *inliner) replace(b *ir.Builder, in *ir.Inst) ([]ir.Value, bool) {
	if in.Op != ir.OpImage || len(x.sites[in.Imm].Keys) == 0 {
		return nil, false
	}
	s, op := &x.sites[in.Imm], &x.p.ImageOps[in.Imm]
	if s.Keys[0].Kind == Query {
		return x.answers(b, in), true
	}
	for i := range s.Keys {
		if _, ok := s.Keys[i].rows(op, in.More); !ok {
			return nil, false
		}
		x.scattered = x.scattered || !s.Keys[i].Whole()
	}
	var list []ir.Value
	var left ir.Value
	switch {
	case !s.each():
		list, left = x.routine(b, in, &s.Keys[0], ir.NoValue, ir.NoValue)
	default:
		list, left = x.routines(b, in)
	}
	if left != ir.NoValue && x.rests(int(in.Imm)) {
		list = x.rest(b, list, in, left)
	}
	return list, true
}

// routine emits that of a key, and what lanes it leaves; of a key with Each, lanes have slots, and
// block is where their parameters begin.
func (x *inliner) routine(b *ir.Builder, in *ir.Inst, k *Key,
	slot, block ir.Value) ([]ir.Value, ir.Value) {
	op := &x.p.ImageOps[in.Imm]
	info, _ := format.Lookup(k.Format)
	rows, _ := k.rows(op, in.More)
	e := newOperation(&inputs{builder: builder{b, &x.shared}, k: k, info: info, rows: rows,
		memory: uint64(x.memory(in.Imm)), params: x.params(in.Imm), image: b.I32(0), block: block,
		left: ir.NoValue})
	if x.sites[in.Imm].Each[0] {
		e.image = slot
	}
	for _, o := range k.Operands() {
		v := rows[o]
		if t := e.typeOf(o); b.P.Insts[v].Type != t {
			rows[o] = b.Op(ir.OpBitcast, t, v)
		}
	}
	if k.Kind == Store {
		e.lv = e.only()
		e.store(e.address().at)
		return nil, e.left
	}
	out := e.result()
	list := make([]ir.Value, 0, 4)
	for _, v := range out[:k.Results] {
		list = append(list, e.shown(v, op))
	}
	return list, e.left
}

// routines emits those of a site with Each: a lane takes that of its element's key.
func (x *inliner) routines(b *ir.Builder, in *ir.Inst) (list []ir.Value, left ir.Value) {
	s := &x.sites[in.Imm]
	slot := x.slot(b, in)
	block := b.Op(ir.OpIMul, ir.I32, slot, b.I32(4*ParamWords))
	at := b.Op(ir.OpIAdd, ir.I32, block, b.I32(4*wordGroup))
	group := b.OpImm(ir.OpLoadBuffer, ir.I32, uint64(x.params(in.Imm)), b.I32(0), at)
	if len(s.Keys) == 1 { // images without a key have no memory, and no size
		list, left = x.routine(b, in, &s.Keys[0], slot, block)
		other := b.Op(ir.OpINe, ir.Bool, group, b.I32(1))
		if left != ir.NoValue {
			other = b.Op(ir.OpOr, ir.Bool, left, other)
		}
		return list, other
	}
	var vars []ir.VarID
	others := b.NewVar(ir.Bool, "left")
	b.Set(others, b.Const(ir.Bool, ^uint32(0)))
	var choose func(k int)
	choose = func(k int) {
		b.If(b.Op(ir.OpIEq, ir.Bool, group, b.I32(uint32(k+1))), func() {
			list, left := x.routine(b, in, &s.Keys[k], slot, block)
			for i, v := range list {
				if i == len(vars) {
					vars = append(vars, b.NewVar(b.P.Insts[v].Type, "texel"))
				}
				b.Set(vars[i], v)
			}
			if left == ir.NoValue {
				left = b.Const(ir.Bool, 0)
			}
			b.Set(others, left)
		}, func() {
			if k+1 < len(s.Keys) {
				choose(k + 1)
			}
		})
	}
	choose(0)
	for _, v := range vars {
		list = append(list, b.Get(v))
	}
	return list, b.Get(others)
}

// slot is that of a lane's elements: 0 where none is known.
func (x *inliner) slot(b *ir.Builder, in *ir.Inst) ir.Value {
	load := func(at ir.Value) ir.Value {
		return b.OpImm(ir.OpLoadBuffer, ir.I32, uint64(x.table(in.Imm)), b.I32(0), at)
	}
	inside, at := ir.NoValue, ir.NoValue
	for i, each := range x.sites[in.Imm].Each {
		if !each {
			continue
		}
		n, v := load(b.I32(uint32(4*i))), in.More[i]
		below := b.Op(ir.OpULt, ir.Bool, v, n)
		if at == ir.NoValue {
			inside, at = below, v
			continue
		}
		inside = b.Op(ir.OpAnd, ir.Bool, inside, below)
		at = b.Op(ir.OpIAdd, ir.I32, b.Op(ir.OpIMul, ir.I32, at, n), v)
	}
	at = b.Op(ir.OpShl, ir.I32, b.Op(ir.OpIAdd, ir.I32, at, b.I32(2)), b.I32(2))
	return load(b.Op(ir.OpSelect, ir.I32, inside, at, b.I32(beyond)))
}

// element is where what belongs to the element of a query begins, of which each has so many bytes;
// elsewhere where there is nothing.
func element(b *ir.Builder, in *ir.Inst, bytes uint32) ir.Value {
	inside := b.Op(ir.OpULt, ir.Bool, in.More[0], b.I32(MaxAnswers))
	at := b.Op(ir.OpIMul, ir.I32, in.More[0], b.I32(bytes))
	return b.Op(ir.OpSelect, ir.I32, inside, at, b.I32(beyond))
}

// rest has the lanes that are left done by an instruction for them: that of the operation behind,
// by the number of operations, the one of in.
func (x *inliner) rest(b *ir.Builder, list []ir.Value, in *ir.Inst, left ir.Value) []ir.Value {
	op, more := in.Imm+uint64(len(x.p.ImageOps)), append(slices.Clone(in.More), left)
	if len(list) == 0 {
		b.OpMore(ir.OpImage, ir.Void, op, more)
		return nil
	}
	t := b.P.Insts[list[0]].Type
	v := b.OpMore(ir.OpImage, t, op, append(more, list...))
	list[0] = v
	for i := range list[1:] {
		list[i+1] = b.OpImm(ir.OpResult, t, uint64(i+1), v)
	}
	return list
}

// shown is a component as the result of an image instruction: of its type, and a NaN of a
// sample as arithmetic gives it.
func (e *decoder) shown(v ir.Value, op *ir.ImageOp) ir.Value {
	t := ir.I32
	if op.Result == ir.ClassFloat {
		t = ir.F32
	}
	if e.b.P.Insts[v].Type != t {
		v = e.b.Op(ir.OpBitcast, t, v)
	}
	if c := &e.info.Components[0]; (e.k.Kind == Nearest || e.k.split()) && t == ir.F32 &&
		c.Numeric == format.NumericSfloat && c.Bits == 32 {
		v = e.b.Op(ir.OpSelect, t, e.is(ir.OpFEq, v, v), v, e.b.Const(t, fp.CanonicalNaN))
	}
	return v
}

// rows finds the rows of a key among the operands of an instruction, which stand in the order that
// ir.ImageOp states; false where one is missing.
func (k *Key) rows(op *ir.ImageOp, more []ir.Value) (map[Operand]ir.Value, bool) {
	at := 1
	if op.Sampler >= 0 {
		at = 2
	}
	rows := map[Operand]ir.Value{}
	take := func(wanted bool, list ...Operand) {
		for _, o := range list {
			if at < len(more) && wanted {
				rows[o] = more[at]
			}
			at++
		}
	}
	grad := min(op.GradCoords, 3)
	take(true, []Operand{CoordX, CoordY, CoordZ}[:k.coords()]...)
	if rest := op.Coords - k.coords(); rest > 0 {
		take(k.Layered, Layer)
		at += rest - 1
	}
	take(true, []Operand{Dref}[:count(op.Dref)]...)
	switch op.Lod {
	case ir.LodBias, ir.LodExplicit:
		take(true, Lod)
	case ir.LodGrad:
		take(true, []Operand{GradXX, GradXY, GradXZ}[:grad]...)
		take(true, []Operand{GradYX, GradYY, GradYZ}[:grad]...)
	}
	if op.HasOffset {
		take(true, []Operand{OffsetX, OffsetY, OffsetZ}[:grad]...)
	}
	take(true, []Operand{MinLod}[:count(op.HasMinLod)]...)
	take(true, []Operand{Sample}[:count(op.HasSample)]...)
	if k.Writes() {
		take(true, TexelR, TexelG, TexelB, TexelA)
	}
	if k.Each {
		rows[Which] = more[0]
	}
	for _, o := range k.Operands() {
		if _, ok := rows[o]; !ok {
			return nil, false
		}
	}
	return rows, true
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}
