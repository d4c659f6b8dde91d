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
	return ok && (!info.Compressed || ours(info)) && !op.Residency && !op.Wide && !(k.Kind == Store && info.Numeric == format.NumericSrgb)
}

// Inline returns a copy of an optimized program, optimized, in which the instructions of image
// operations are what Build makes of their keys. keys has one for each of p.ImageOps, nil to leave its
// instructions as they are. Lanes that a routine leaves go to an instruction of ir.ImageOp.Rest. The copy has two resources
// more for each operation, in their order: the image's memory, and Params in a uniform buffer. same has the first operation
// with the same Params for each, whose block it reads: then operations with the same coordinates find levels, weights
// and places of texels together, as those of a material's images of one size do.
func Inline(p *ir.Program, keys []*Key, same []int) (*ir.Program, error) {
	first := len(p.Resources)
	var shared tables
	scattered := false
	q := ir.Rewrite(p, func(b *ir.Builder, in *ir.Inst) ([]ir.Value, bool) {
		if in.Op != ir.OpImage || keys[in.Imm] == nil {
			return nil, false
		}
		k, op := keys[in.Imm], &p.ImageOps[in.Imm]
		rows, ok := k.rows(op, in.More)
		if !ok {
			return nil, false
		}
		info, _ := format.Lookup(k.Format)
		memory := first + 2*int(in.Imm)
		e := &emitter{b: b, k: k, info: info, rows: rows, left: ir.NoValue, memory: uint64(memory), params: first + 2*same[in.Imm] + 1, tables: &shared, image: b.I32(0)}
		for _, o := range k.Operands() {
			v := rows[o]
			if t := e.typeOf(o); b.P.Insts[v].Type != t {
				rows[o] = b.Op(ir.OpBitcast, t, v)
			}
		}
		if k.Kind == Store {
			e.lv = e.only()
			e.store(e.address().at)
			return nil, true
		}
		scattered = scattered || !k.Whole()
		out := e.result()
		list := make([]ir.Value, 0, 4)
		for _, v := range out[:k.Results] {
			list = append(list, e.shown(v, op))
		}
		if k.Leaves() && e.left != ir.NoValue {
			list = e.rest(list, in, len(p.ImageOps))
		}
		return list, true
	}, func(b *ir.Builder) {
		b.P.ImageOps = slices.Clone(p.ImageOps)
		for i, op := range p.ImageOps {
			op.Rest = keys[i] != nil && keys[i].Leaves()
			b.P.ImageOps = append(b.P.ImageOps, op)
		}
		for i := range p.ImageOps {
			readOnly := keys[i] == nil || !keys[i].Writes()
			b.P.Resources = append(b.P.Resources, ir.Resource{Kind: ir.StorageBuffer, Count: 1, ReadOnly: readOnly}, ir.Resource{Kind: ir.UniformBuffer, Count: 1})
		}
	}, func(*ir.Builder) {})
	q.Scattered = scattered && (q.Stage == ir.StageFragment || !q.UsesDerivatives)
	if err := ir.Verify(q); err != nil {
		return nil, err
	}
	ir.Optimize(q)
	return q, nil
}

// rest has the lanes that a routine leaves done by an instruction for them: that of the operation
// behind, by first, the one of in.
func (e *emitter) rest(list []ir.Value, in *ir.Inst, first int) []ir.Value {
	t := e.b.P.Insts[list[0]].Type
	v := e.b.OpMore(ir.OpImage, t, in.Imm+uint64(first), append(append(slices.Clone(in.More), e.left), list...))
	list[0] = v
	for i := range list[1:] {
		list[i+1] = e.b.OpImm(ir.OpResult, t, uint64(i+1), v)
	}
	return list
}

// shown is a component as the result of an image instruction: of its type, and a NaN of a
// sample as arithmetic gives it.
func (e *emitter) shown(v ir.Value, op *ir.ImageOp) ir.Value {
	t := ir.I32
	if op.Result == ir.ClassFloat {
		t = ir.F32
	}
	if e.b.P.Insts[v].Type != t {
		v = e.b.Op(ir.OpBitcast, t, v)
	}
	if c := &e.info.Components[0]; (e.k.Kind == Nearest || e.k.split()) && t == ir.F32 && c.Numeric == format.NumericSfloat && c.Bits == 32 {
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
