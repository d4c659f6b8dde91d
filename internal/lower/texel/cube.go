package texel

import (
	"encoding/binary"

	"github.com/pumice-gpu/pumice/internal/ir"
)

// # Cubes
//
// Faces and the coordinates there are those of the reference, in binary32. A tap that
// leaves its face over an edge finds its location by one word of a table, of the face and the edge:
// on the neighbour, one coordinate is that along the edge, from either end, and the other one is
// the first or the last. Lanes with taps that leave over two edges are left to the reference
// (IMG-220), as are those whose probes leave the face.

// direction is what IMG-412 makes of a direction, or of a derivative of one.
type direction struct{ sc, tc, rc ir.Value }

// cube is the face of each lane.
type cube struct {
	x, y, negative ir.Value // the axis is x or y; the face is on its negative side
	face           ir.Value
	d              direction
	q, at          [2]ir.Value // sc/|rc| and tc/|rc|; coordinates on the face
}

// toFace is IMG-411…413: faces, and coordinates there.
//
// IMG-023, IMG-410, IMG-415, IMG-416, IMG-417
func (e *coordinates) toFace() {
	var v, size [3]ir.Value
	for i := range v {
		s := e.rows[CoordX+Operand(i)]
		v[i] = e.b.Op(ir.OpSelect, ir.F32, e.is(ir.OpFOrd, s, s), s, e.float(0)) // IMG-005
		size[i] = e.f(ir.OpFAbs, v[i])
	}
	c := &cube{}
	notZ := e.is(ir.OpNot, e.is(ir.OpAnd, e.is(ir.OpFLe, size[0], size[2]), e.is(ir.OpFLe, size[1], size[2])))
	less := e.is(ir.OpFLt, size[1], size[0])
	c.x, c.y = e.is(ir.OpAnd, notZ, less), e.is(ir.OpAnd, notZ, e.is(ir.OpNot, less))
	c.negative = e.is(ir.OpFLt, e.onAxis(c, v), e.float(0))
	face := e.b.Op(ir.OpSelect, ir.I32, c.x, e.int(0),
		e.b.Op(ir.OpSelect, ir.I32, c.y, e.int(2), e.int(4)))
	c.face = e.sum(face, e.b.Op(ir.OpSelect, ir.I32, c.negative, e.int(1), e.int(0)))
	e.cube = c
	c.d = e.turned(v)
	for i, s := range [2]ir.Value{c.d.sc, c.d.tc} { // 0/0 is 0
		half := e.float(0.5)
		c.q[i] = e.f(ir.OpFDiv, s, c.d.rc)
		c.at[i] = e.f(ir.OpFMax, e.f(ir.OpFma, c.q[i], half, half), e.float(0))
	}
}

// onAxis is the component of v along the axis.
func (e *coordinates) onAxis(c *cube, v [3]ir.Value) ir.Value {
	return e.b.Op(ir.OpSelect, ir.F32, c.x, v[0], e.b.Op(ir.OpSelect, ir.F32, c.y, v[1], v[2]))
}

// turned is IMG-412.
//
// IMG-416
func (e *coordinates) turned(v [3]ir.Value) (d direction) {
	c := e.cube
	flip := e.b.Op(ir.OpSelect, ir.I32, c.negative, e.int(1<<31), e.int(0))
	other := e.b.Op(ir.OpSelect, ir.I32, c.y, flip, e.int(0)) // of tc
	signed := func(x, sign ir.Value) ir.Value {
		return e.f(ir.OpBitcast, e.i(ir.OpXor, e.bits(x), sign))
	}
	d.sc = signed(e.b.Op(ir.OpSelect, ir.F32, c.x, e.f(ir.OpFNeg, v[2]), v[0]),
		e.i(ir.OpXor, flip, other))
	d.tc = signed(e.b.Op(ir.OpSelect, ir.F32, c.y, v[2], e.f(ir.OpFNeg, v[1])), other)
	d.rc = signed(e.onAxis(c, v), flip)
	return d
}

// faceDifference is dsc − sc/|rc|·d|rc|, and the same of tc, of IMG-414: of a derivative.
//
// IMG-416, IMG-417
func (e *lod) faceDifference(derivative ir.Op, operand Operand) (g [2]ir.Value) {
	var v [3]ir.Value
	for i := range v {
		v[i] = e.gradient(derivative, operand, i)
	}
	d := e.turned(v)
	for i, x := range [2]ir.Value{d.sc, d.tc} {
		g[i] = e.f(ir.OpFma, e.f(ir.OpFNeg, e.cube.q[i]), d.rc, x)
	}
	return g
}

// faceGradient is IMG-414: a derivative of both coordinates on the face.
func (e *lod) faceGradient(derivative ir.Op, operand Operand) (g [2]wide) {
	rc := e.widen(e.cube.d.rc)
	for i, x := range e.faceDifference(derivative, operand) {
		g[i] = e.times(e.over(e.widen(x), rc), e.double(0.5))
	}
	return g
}

// faceLength2 is length2 on the face. Lanes whose quotients might be as small or large as no
// binary32 number are left to the reference.
func (e *lod) faceLength2(derivative ir.Op, operand Operand) ir.Value {
	g, rc := e.faceDifference(derivative, operand), e.cube.d.rc
	e.leave(e.is(ir.OpNot, e.is(ir.OpAnd, e.is(ir.OpFLt, e.float(0x1p-80), rc), e.is(ir.OpFLt, rc, e.float(0x1p80)))))
	scale := e.f(ir.OpFDiv, e.f(ir.OpFMul, e.f(ir.OpS2F, e.base(0)), e.float(0.5)), rc)
	x, y := e.f(ir.OpFMul, g[0], scale), e.f(ir.OpFMul, g[1], scale)
	return e.f(ir.OpFma, y, y, e.f(ir.OpFma, x, x, e.float(pointLength2)))
}

// stays leaves lanes to the reference whose probes may leave the face.
func (e *lod) stays(c *[3]ir.Value, f *ellipse) {
	half := e.float(0.5)
	for d := range 2 {
		reach := e.f(ir.OpFMul, e.f(ir.OpFAbs, f.axis[d]), half)
		from := e.f(ir.OpFAbs, e.f(ir.OpFSub, c[d], half))
		e.leave(e.is(ir.OpNot, e.is(ir.OpFLt, e.f(ir.OpFAdd, reach, from), e.float(0.4999))))
	}
}

// Words of the table of edges: the neighbour, and flags.
const (
	edgeLastI = 1 << (8 + iota) // i counts from the last texel, or is it
	edgeLastJ
	edgeAlongJ // the coordinate along the edge is j
	edgeBack   // and runs back
)

// neighbours is IMG-216 by face, and by edge i = −1, i = n, j = −1, j = n.
var neighbours = [6][4]uint32{
	{4 | edgeLastI | edgeAlongJ, 5 | edgeAlongJ, 2 | edgeLastI | edgeLastJ | edgeAlongJ | edgeBack,
		3 | edgeLastI | edgeAlongJ},
	{5 | edgeLastI | edgeAlongJ, 4 | edgeAlongJ, 2 | edgeAlongJ,
		3 | edgeLastJ | edgeAlongJ | edgeBack},
	{1, 0 | edgeLastI | edgeBack, 5 | edgeLastI | edgeBack, 4},
	{1 | edgeLastI | edgeLastJ | edgeBack, 0 | edgeLastJ, 4 | edgeLastJ,
		5 | edgeLastI | edgeLastJ | edgeBack},
	{1 | edgeLastI | edgeAlongJ, 0 | edgeAlongJ, 2 | edgeLastJ, 3},
	{0 | edgeLastI | edgeAlongJ, 1 | edgeAlongJ, 2 | edgeLastI | edgeBack,
		3 | edgeLastI | edgeLastJ | edgeBack},
}

// edges makes the table of edges a part of the program's; it returns its offset.
func (e *coordinates) edges() uint32 {
	return e.table(&e.edgesAt, func(t []byte) []byte {
		for _, face := range neighbours {
			for _, w := range face {
				t = binary.LittleEndian.AppendUint32(t, w)
			}
		}
		return t
	})
}

// seams makes the locations of a footprint's taps on seamless cubes (IMG-215, IMG-216), whose
// texels are i0 and i0+1 of either dimension; p has the start of the cube's first face. What lies
// over edges is looked up only if some lane is there: few are.
//
// IMG-043, IMG-218, IMG-221, IMG-503
func (e *coordinates) seams(p *footprint, first [2]ir.Value) {
	var i [2][2]ir.Value   // texels
	var out [2][2]ir.Value // they are not on the face
	for d, x := range first {
		i[d] = [2]ir.Value{x, e.sum(x, e.int(1))}
		out[d] = [2]ir.Value{e.is(ir.OpSLt, x, e.int(0)), e.is(ir.OpSLe, e.lv.size[0], i[d][1])}
	}
	across, down := e.is(ir.OpOr, out[0][0], out[0][1]), e.is(ir.OpOr, out[1][0], out[1][1])
	e.leave(e.is(ir.OpAnd, across, down))
	own := e.sum(p.start, e.mul(e.cube.face, e.param(ir.I32, wordLayer)))
	var vars [4][2]ir.VarID
	for t := range vars {
		here := location{at: own, in: e.int(0)}
		for d, at := range [2]ir.Value{i[0][t&1], i[1][t>>1]} {
			here.at, here.in = e.sum(here.at, e.along(d, at)), e.sum(here.in, e.inBlock(d, at))
		}
		for k, x := range [2]ir.Value{here.at, here.in} {
			vars[t][k] = e.b.NewVar(ir.I32, "tap")
			e.b.Set(vars[t][k], x)
		}
	}
	e.b.If(e.is(ir.OpOr, across, down), func() {
		there := e.overEdge(p.start, &i, &out, across)
		for t := range vars {
			over := e.is(ir.OpOr, out[0][t&1], out[1][t>>1])
			for k, x := range [2]ir.Value{there[t].at, there[t].in} {
				e.b.Set(vars[t][k], e.b.Op(ir.OpSelect, ir.I32, over, x, e.b.Get(vars[t][k])))
			}
		}
	}, nil)
	for _, v := range vars {
		p.taps = append(p.taps, location{at: e.b.Get(v[0]), out: ir.NoValue, in: e.b.Get(v[1])})
	}
}

// overEdge is where the taps of a footprint are that lie over the one edge of a face which it
// crosses; start is that of the first face.
func (e *coordinates) overEdge(start ir.Value, i, out *[2][2]ir.Value,
	across ir.Value) (there [4]location) {
	last := e.i(ir.OpISub, e.lv.size[0], e.int(1))
	edge := e.b.Op(ir.OpSelect, ir.I32, out[0][0], e.int(0),
		e.b.Op(ir.OpSelect, ir.I32, out[0][1], e.int(4),
			e.b.Op(ir.OpSelect, ir.I32, out[1][0], e.int(8), e.int(12))))
	w := e.b.Op(ir.OpLoadTable, ir.I32, e.sum(e.sum(e.i(ir.OpShl, e.cube.face, e.int(4)), edge),
		e.int(e.edges())))
	flag := func(bit uint32) ir.Value { return e.is(ir.OpINe, e.i(ir.OpAnd, w, e.int(bit)), e.int(0)) }
	pick := func(cond, a, b ir.Value) ir.Value { return e.b.Op(ir.OpSelect, ir.I32, cond, a, b) }
	start = e.sum(start, e.mul(e.i(ir.OpAnd, w, e.int(7)), e.param(ir.I32, wordLayer)))
	for t := range there {
		step := pick(across, i[1][t>>1], i[0][t&1])
		step = pick(flag(edgeBack), e.i(ir.OpINeg, step), step)
		there[t] = location{at: start, in: e.int(0)}
		for d, last1 := range [2]uint32{edgeLastI, edgeLastJ} {
			moves := e.is(ir.OpXor, flag(edgeAlongJ), e.b.Bool(d == 0))
			at := e.sum(pick(flag(last1), last, e.int(0)), pick(moves, step, e.int(0)))
			there[t].at = e.sum(there[t].at, e.along(d, at))
			there[t].in = e.sum(there[t].in, e.inBlock(d, at))
		}
	}
	return there
}
