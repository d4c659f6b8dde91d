package lower_test

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/exec/vm"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/lower"
)

// slotOf finds the slot of a built-in or location.
func slotOf(t *testing.T, list []ir.IO, b ir.Builtin, location, component uint32) int {
	t.Helper()
	for i, io := range list {
		if io.Builtin == b && io.Location == location && io.Component == component {
			return i
		}
	}
	t.Fatalf("no slot for built-in %d, location %d, component %d in %+v", b, location, component, list)
	return -1
}

// A geometry shader of two streams: vertices come in the order of their emission,
// each with the outputs of its stream, and dynamic indices work everywhere.
func TestGeometry_StreamsAndDynamicIndices(t *testing.T) {
	for _, optimize := range []bool{false, true} {
		p := compile(t, "stages.geom", lower.Options{})
		if optimize {
			ir.Optimize(p)
		}
		if p.Shape.InputVertices != 1 || p.Shape.Output != ir.OutputPoints || p.Shape.Invocations != 2 || p.Shape.MaxVertices != 6 {
			t.Fatalf("shape %+v", p.Shape)
		}
		r, err := vm.New(vm.Options{}).Compile(p)
		if err != nil {
			t.Fatal(err)
		}
		// Lane l works on vertex l/2, whose slot s holds 10·vertex + s as a float,
		// or as an integer.
		const lanes, vertices = 6, 3
		b := exec.Batch{N: lanes, Emitted: make([]uint32, lanes*6*len(p.Emits))}
		b.Vertices = exec.Vertices{First: make([]uint32, lanes), Rows: []uint32{2, 1, 0}, Count: 1}
		for s, io := range p.VertexInputs {
			rows := make([]uint32, vertices)
			for v := range rows {
				rows[v] = uint32(10*v + s)
				if io.Type == ir.F32 {
					rows[v] = math.Float32bits(float32(rows[v]))
				}
			}
			b.Vertices.Slots = append(b.Vertices.Slots, rows)
		}
		for _, io := range p.Inputs {
			in := make([]uint32, lanes)
			for l := range in {
				if in[l] = uint32(l % 2); io.Builtin == ir.BuiltinPrimitiveID {
					in[l] = uint32(l / 2)
				}
			}
			b.In = append(b.In, in)
		}
		b.Out = [][]uint32{make([]uint32, lanes)}
		for l := range lanes {
			b.Vertices.First[l] = uint32(l / 2)
		}
		if err := r.NewThread(lanes).Run(&exec.Context{}, &b); err != nil {
			t.Fatal(err)
		}
		in := func(lane int, builtin ir.Builtin, location, component uint32) float32 {
			row := []uint32{2, 1, 0}[lane/2]
			return math.Float32frombits(b.Vertices.Slots[slotOf(t, p.VertexInputs, builtin, location, component)][row])
		}
		for lane := range lanes {
			if got := b.Out[0][lane]; got != 5 {
				t.Fatalf("lane %d emits %d vertices", lane, got)
			}
			next := b.Emitted[lane*6*len(p.Emits):]
			vertex := func(stream uint32) func(ir.Builtin, uint32, uint32) uint32 {
				v := next[:len(p.Emits)]
				next = next[len(p.Emits):]
				if v[0] != stream {
					t.Errorf("lane %d: mark %#x, want stream %d at the start of a strip", lane, v[0], stream)
				}
				return func(k ir.Builtin, location, component uint32) uint32 {
					return v[slotOf(t, p.Emits, k, location, component)]
				}
			}
			is := func(what string, got uint32, want float32) {
				if math.Float32frombits(got) != want {
					t.Errorf("optimize %v, lane %d: %s is %v, want %v", optimize, lane, what, math.Float32frombits(got), want)
				}
			}
			for i := range 3 {
				v := vertex(0)
				is("x", v(ir.BuiltinPosition, 0, 0), in(lane, ir.BuiltinPosition, 0, 0)+float32(i))
				is("y", v(ir.BuiltinPosition, 0, 1), in(lane, ir.BuiltinPosition, 0, 1)+float32(lane%2))
				is("size", v(ir.BuiltinPointSize, 0, 0), in(lane, ir.BuiltinPointSize, 0, 0))
				is("clip", v(ir.BuiltinClipDistance, 0, uint32(i&1)), in(lane, ir.BuiltinClipDistance, 0, uint32(1-i&1)))
				is("zero.x", v(ir.BuiltinNone, 0, 0), in(lane, ir.BuiltinNone, 1+uint32(i), 0))
				is("zero.z", v(ir.BuiltinNone, 0, 2), float32(lane/2))
				if layer, viewport := v(ir.BuiltinLayer, 0, 0), v(ir.BuiltinViewportIndex, 0, 0); layer != uint32(i) || viewport != uint32(i+1) {
					t.Errorf("layer %d, viewport %d", layer, viewport)
				}
				if i == 1 {
					continue
				}
				w := vertex(1)
				bx := b.Vertices.Slots[slotOf(t, p.VertexInputs, ir.BuiltinNone, 4, 0)][[]uint32{2, 1, 0}[lane/2]]
				if got := w(ir.BuiltinNone, 4, 0); got != bx*uint32(i) {
					t.Errorf("lane %d: stream 1 has %d, want %d", lane, got, bx*uint32(i))
				}
				if got := w(ir.BuiltinNone, 0, 0); got != 0 {
					t.Errorf("lane %d: a vertex of stream 1 has an output of stream 0: %d", lane, got)
				}
			}
		}
	}
}

// patchRun is a control shader's run for two patches of four vertices, in one batch.
type patchRun struct {
	p *ir.Program
	b exec.Batch
}

const runPatches, runPatchIn = 2, 4

// input is scalar slot of a vertex of a patch before the shader.
func (r *patchRun) input(slot, patch, vertex int) float32 {
	return float32(100*slot + patch*runPatchIn + vertex)
}

// runControl runs a control shader; its patches are the primitives 7 and 8.
func runControl(t *testing.T, p *ir.Program, o vm.Options) *patchRun {
	t.Helper()
	routine, err := vm.New(o).Compile(p)
	if err != nil {
		t.Fatal(err)
	}
	r, out := &patchRun{p: p}, int(p.Shape.PatchVertices)
	b := &r.b
	*b = exec.Batch{N: runPatches * out, Shared: make([]byte, runPatches*p.SharedBytes)}
	b.Vertices = exec.Vertices{First: make([]uint32, b.N), Count: runPatchIn}
	for s := range p.VertexInputs {
		rows := make([]uint32, runPatches*runPatchIn)
		for row := range rows {
			rows[row] = math.Float32bits(r.input(s, 0, row))
		}
		b.Vertices.Slots = append(b.Vertices.Slots, rows)
	}
	for lane := range b.N {
		b.Vertices.First[lane] = uint32(lane / out * runPatchIn)
	}
	for _, io := range p.Inputs {
		lanes := make([]uint32, b.N)
		for lane := range lanes {
			switch io.Builtin {
			case ir.BuiltinInvocationID:
				lanes[lane] = uint32(lane % out)
			case ir.BuiltinPrimitiveID:
				lanes[lane] = uint32(7 + lane/out)
			case ir.BuiltinPatchVertices:
				lanes[lane] = runPatchIn
			case ir.BuiltinGroupBase:
				lanes[lane] = uint32(lane/out) * p.SharedBytes
			}
		}
		b.In = append(b.In, lanes)
	}
	if err := routine.NewThread(64).Run(&exec.Context{}, b); err != nil {
		t.Fatal(err)
	}
	return r
}

// record is what the shader left in a scalar of a vertex of a patch.
func (r *patchRun) record(t *testing.T, patch, vertex int, builtin ir.Builtin, location, component uint32) uint32 {
	t.Helper()
	for _, rec := range r.p.Records {
		if rec.Builtin == builtin && rec.Location == location && rec.Component == component {
			return binary.LittleEndian.Uint32(r.b.Shared[patch*int(r.p.SharedBytes)+int(rec.Offset)+vertex*int(rec.Stride):])
		}
	}
	t.Fatalf("no record of built-in %d, location %d, component %d", builtin, location, component)
	return 0
}

// Two patches in one batch through a control shader: each has its own memory,
// invocations see what others of their patch wrote before the barrier, and an
// index past the end stays in its array.
func TestControl_OutputsOfPatches(t *testing.T) {
	p := compile(t, "stages.tesc", lower.Options{})
	ir.Optimize(p)
	if p.Shape.PatchVertices != 3 {
		t.Fatalf("shape %+v", p.Shape)
	}
	r := runControl(t, p, vm.Options{})
	record := func(patch, vertex int, builtin ir.Builtin, location, component uint32) uint32 {
		t.Helper()
		return r.record(t, patch, vertex, builtin, location, component)
	}
	is := func(what string, got uint32, want float32) {
		t.Helper()
		if math.Float32frombits(got) != want {
			t.Errorf("%s is %v, want %v", what, math.Float32frombits(got), want)
		}
	}
	for patch := range runPatches {
		for v := range 3 {
			is("x", record(patch, v, ir.BuiltinPosition, 0, 0), r.input(slotOf(t, p.VertexInputs, ir.BuiltinPosition, 0, 0), patch, v)+float32(7+patch))
			is("y", record(patch, v, ir.BuiltinPosition, 0, 1), r.input(slotOf(t, p.VertexInputs, ir.BuiltinPosition, 0, 1), patch, v)+runPatchIn)
			is("b", record(patch, v, ir.BuiltinNone, 2+uint32(v&1), 1), r.input(slotOf(t, p.VertexInputs, ir.BuiltinNone, 0, 1), patch, v))
			is("outer", record(patch, 0, ir.BuiltinTessLevelOuter, 0, uint32(v)), float32(100+(v+1)%3))
			is("d", record(patch, 0, ir.BuiltinNone, 6, uint32(v)), float32(100+v))
			want := math.Float64bits(float64(r.input(slotOf(t, p.VertexInputs, ir.BuiltinNone, 0, 1), patch, v)))
			if got := uint64(record(patch, v, ir.BuiltinNone, 0, 2)) | uint64(record(patch, v, ir.BuiltinNone, 0, 3))<<32; got != want {
				t.Errorf("f.y is %#x, want %#x", got, want)
			}
		}
		is("e", record(patch, 0, ir.BuiltinNone, 7, 0), r.input(slotOf(t, p.VertexInputs, ir.BuiltinNone, 0, 1), patch, 2))
		is("inner", record(patch, 0, ir.BuiltinTessLevelInner, 0, 0), 5)
	}
}

// Outputs of vertices have elements for all vertices of the patch, though their arrays
// declare fewer, and for all that they declare: indices stay in those, so in the patch. A
// whole array is what is declared.
func TestControl_ArraysNotAsLongAsThePatch(t *testing.T) {
	for _, o := range []vm.Options{{}, {Native: true}} {
		for _, optimize := range []bool{false, true} {
			p := compile(t, "fifth.spvasm", lower.Options{})
			if optimize {
				ir.Optimize(p)
			}
			if want := uint32(4 * (5*2 + 8 + 5 + 1)); p.Shape.PatchVertices != 5 || p.SharedBytes != want {
				t.Fatalf("%d bytes of outputs, want %d; shape %+v", p.SharedBytes, want, p.Shape)
			}
			r := runControl(t, p, o)
			for patch := range runPatches {
				is := func(what string, location, component uint32, want ...uint32) {
					t.Helper()
					for v, w := range want {
						if got := r.record(t, patch, v, ir.BuiltinNone, location, component); got != w {
							t.Errorf("native %v, optimized %v, patch %d: %s of vertex %d is %d, want %d", o.Native, optimize, patch, what, v, got, w)
						}
					}
				}
				is("few.x", 0, 0, 10, 11, 12, 13, 60)
				is("few.y", 0, 1, 20, 21, 22, 23, 70)
				is("many", 1, 0, 10, 11, 12, 13, 14, 0, 0, 80)
				is("whole", 2, 0, 50, 60, 70, 80, 14)
				is("the sum", 3, 0, 80+14)
			}
		}
	}
}
