package geometry

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/rules"
)

// meshOf is a mesh shader of some records, a word each, whose elements lie one behind the other.
func meshOf(output ir.OutputPrimitive, vertices, primitives uint32, outputs ...ir.IO) *ir.Program {
	p := &ir.Program{Stage: ir.StageMesh, Shape: ir.Shape{Output: output, MaxVertices: vertices, MaxPrimitives: primitives}}
	at := uint32(4) // what lies at 0 is no output
	for _, io := range outputs {
		n := vertices
		switch {
		case io.Builtin == ir.BuiltinMeshCounts:
			n = 1
		case io.PerPrimitive, io.Builtin == ir.BuiltinPrimitiveIndices, io.Builtin == ir.BuiltinCullPrimitive:
			n = primitives
		}
		p.Records = append(p.Records, ir.SharedOutput{IO: io, Offset: at, Stride: 4})
		at += 4 * n
	}
	p.SharedBytes = at
	return p
}

// put writes a word of a workgroup's memory.
func put(shared []byte, r ir.SharedOutput, i, word uint32) {
	binary.LittleEndian.PutUint32(shared[r.Offset+i*r.Stride:], word)
}

// A mesh's vertices and primitives: as many as the shader has counted and declared, each of their words, every index;
// primitives that are culled, that lack a vertex or whose index is beyond the vertices are left out.
func TestTables_RAS183_EveryOutputOfMeshes(t *testing.T) {
	rules.Covers(t, "RAS-183")
	const maxVertices, maxPrimitives = 6, 5
	index := func(k uint32) ir.IO { return ir.IO{Builtin: ir.BuiltinPrimitiveIndices, Component: k} }
	counts := func(k uint32) ir.IO { return ir.IO{Builtin: ir.BuiltinMeshCounts, Component: k} }
	for n, output := range []ir.OutputPrimitive{1: ir.OutputPoints, 2: ir.OutputLines, 3: ir.OutputTriangles} {
		if n == 0 {
			continue
		}
		for _, lacking := range []int{-1, 0, 1, 2} { // the index that the shader never writes
			for _, cull := range []bool{false, true} {
				if lacking >= n {
					continue
				}
				// Counts come first, or third, and last; others do not count, whatever they hold.
				var outputs []ir.IO
				for k := range uint32(n) {
					if int(k) != lacking {
						outputs = append(outputs, index(k))
					}
				}
				if cull {
					outputs = append(outputs, ir.IO{Builtin: ir.BuiltinCullPrimitive})
				}
				for k := range uint32(4) {
					outputs = append(outputs, ir.IO{Builtin: ir.BuiltinPosition, Component: k}, ir.IO{Location: k, PerPrimitive: true})
				}
				at := 0
				if cull {
					at = 2
				}
				outputs = slices.Insert(outputs, at, counts(1))
				outputs = append(outputs, ir.IO{Location: 9}, ir.IO{Builtin: ir.BuiltinLayer, PerPrimitive: true}, counts(0))
				p := meshOf(output, maxVertices, maxPrimitives, outputs...)
				for _, last := range []bool{false, true} {
					for vertices := range uint32(maxVertices + 2) {
						for primitives := range uint32(maxPrimitives + 2) {
							var l Link
							l.Mesh.Sort(p)
							state := &State{Key: Key{LastProvokes: last}, Link: &l}
							m := &meshStage{lanes: exec.Batch{Shared: make([]byte, p.SharedBytes)}}
							word := func(at int, i uint32) uint32 { return uint32(1000*at) + i + 1 }
							var indices [maxPrimitives][3]uint32
							for at, r := range p.Records {
								switch {
								case r.Builtin == ir.BuiltinMeshCounts:
									put(m.lanes.Shared, r, 0, []uint32{vertices, primitives}[r.Component])
								case r.Builtin == ir.BuiltinPrimitiveIndices:
									for i := range uint32(maxPrimitives) {
										v := (i + uint32(r.Component)*3) % (maxVertices + 1) // one is beyond what there may be
										indices[i][r.Component] = v
										put(m.lanes.Shared, r, i, v)
									}
								case r.Builtin == ir.BuiltinCullPrimitive:
									put(m.lanes.Shared, r, 2, 1)
								case r.PerPrimitive:
									for i := range uint32(maxPrimitives) {
										put(m.lanes.Shared, r, i, word(at, i))
									}
								default:
									for i := range uint32(maxVertices) {
										put(m.lanes.Shared, r, i, word(at, i))
									}
								}
							}
							b := &m.out
							b.reset(len(l.Mesh.vertex), 0)
							b.resetPrimitives(len(l.Mesh.primitive))
							for round := range uint32(2) { // the second mesh goes behind the first
								m.collect(state, p)
								have, made := min(vertices, maxVertices), min(primitives, maxPrimitives)
								if b.Rows != int((round+1)*have) {
									t.Fatalf("%d and %d: %d vertices", vertices, primitives, b.Rows)
								}
								for slot, at := range l.Mesh.vertex {
									for i := range have {
										if got := b.Out[slot][round*have+i]; got != word(at, i) {
											t.Fatalf("%d and %d: vertex %d has %d in slot %d, want %d", vertices, primitives, i, got, slot, word(at, i))
										}
									}
								}
								var want []Primitive
								var from []uint32
								for i := range made {
									q := Primitive{N: uint8(n), Flags: 1}
									if last {
										q.Provoking = uint8(n - 1)
									}
									good := lacking < 0 && !(cull && i == 2)
									for k := range 3 {
										v := indices[i][min(k, n-1)]
										good = good && v < have
										q.V[k] = round*have + v
									}
									if good {
										want, from = append(want, q), append(from, i)
									}
								}
								earlier := len(b.Primitives) - len(want)
								if earlier < 0 || round == 0 && earlier != 0 || !slices.Equal(b.Primitives[max(earlier, 0):], want) {
									t.Fatalf("%d and %d, of %d, lacking %d, culled %v, last %v: %+v, want %+v", vertices, primitives, n, lacking, cull, last, b.Primitives, want)
								}
								for slot, at := range l.Mesh.primitive {
									for i, f := range from {
										if got := b.OfPrimitive[slot][earlier+i]; got != word(at, f) {
											t.Fatalf("%d and %d: primitive %d has %d in slot %d, want %d", vertices, primitives, f, got, slot, word(at, f))
										}
									}
								}
							}
						}
					}
				}
			}
		}
	}
}

// Before a mesh shader runs, the point size of each vertex is 1, wherever among its outputs that is, up to the end
// of its memory; other outputs are left alone.
func TestTables_RAS187_EveryPointSize(t *testing.T) {
	rules.Covers(t, "RAS-187")
	others := []ir.IO{
		{Builtin: ir.BuiltinPosition}, {Builtin: ir.BuiltinPrimitiveShadingRate, PerPrimitive: true}, {Builtin: ir.BuiltinLayer, PerPrimitive: true}, {Location: 1},
	}
	for vertices := uint32(1); vertices <= 5; vertices++ {
		for at := range len(others) + 1 {
			for short := range 9 {
				p := meshOf(ir.OutputPoints, vertices, vertices, slices.Insert(slices.Clone(others), at, ir.IO{Builtin: ir.BuiltinPointSize})...)
				m := &Runner{IR: p, Shared: slices.Repeat([]byte{0xee}, int(p.SharedBytes)-short)}
				sizeOne(m)
				want := slices.Repeat([]byte{0xee}, len(m.Shared))
				r := p.Records[at]
				for v := range vertices {
					if to := r.Offset + 4*v; int(to)+4 <= len(want) {
						binary.LittleEndian.PutUint32(want[to:], math.Float32bits(1))
					}
				}
				if !slices.Equal(m.Shared, want) {
					t.Errorf("%d vertices, output %d, %d bytes short: %v, want %v", vertices, at, short, m.Shared, want)
				}
			}
		}
	}
}
