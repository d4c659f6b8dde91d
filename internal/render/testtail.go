package render

import (
	"math"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/fragops"
	lowered "github.com/pumice-gpu/pumice/internal/lower/fragops"
	"github.com/pumice-gpu/pumice/internal/raster"
)

// Depth bounds, stencil and depth test of many quads are a program, too. Its lanes are
// samples: those of a pixel side by side, and of a quad's pixels.

// loweredDepth is a key's program.
type loweredDepth struct {
	*lowered.Depth
	routine exec.Routine
}

// testTail is what a draw state's tests do to fragments of one face.
type testTail struct {
	*loweredDepth
	key     lowered.DepthKey
	program int // in passPlan.routines
	ctx     exec.Context
	// placed is the program on places, store the one that stores depths that have passed; or none.
	// With a density map placed is that of fragments of a pixel, and dense those of all sizes, by 3w +
	// h.
	placed, store placedTest
	dense         [9]placedTest
}

// placedTest is a program of tests on places, or none, and where samples are.
type placedTest struct {
	program int // that of warped planes comes later
	ctx     exec.Context
	key     placedDepthKey
}

// lowerDepth returns the program of a key. One goroutine at a time.
func (x *Executor) lowerDepth(key lowered.DepthKey) (*loweredDepth, error) {
	return kept(x.testTails, key, func() (*loweredDepth, error) {
		d, err := lowered.LowerDepth(key)
		if err != nil {
			return nil, err
		}
		r, err := x.cfg.Engine.Compile(d.Program)
		return &loweredDepth{d, r}, err
	})
}

// addTestTails gives tests their programs, one for both faces where these do the same.
// With referenced the shader makes the stencil references.
func (pl *passPlan) addTestTails(tests []fragops.DepthStencil, referenced bool, ss *raster.SampleSet) error {
	if pl.x.cfg.Engine == nil {
		return nil
	}
	for i := range tests {
		t := &tests[i]
		if !t.Active() {
			continue
		}
		for face := range t.Tails {
			if face == 1 && (!t.StencilTest || t.Faces[0] == t.Faces[1]) {
				t.Tails[1] = t.Tails[0]
				continue
			}
			key := lowered.DepthKeyOf(t, face == 1, referenced)
			l, err := pl.x.lowerDepth(key)
			if err != nil {
				return err
			}
			tail := &testTail{loweredDepth: l, key: key, program: pl.routine(l.routine), ctx: exec.Context{Push: lowered.DepthPush(t, face == 1)}}
			if err := tail.addPlaced(pl, t, face == 1, ss); err != nil {
				return err
			}
			pl.testTails = append(pl.testTails, tail)
			t.Tails[face] = len(pl.testTails)
		}
	}
	return nil
}

// tailOf is the program of tests, nil where there is none.
func (w *worker) tailOf(t *fragops.DepthStencil, back bool) *testTail {
	n := t.Tails[0]
	if back {
		n = t.Tails[1]
	}
	if n == 0 {
		return nil
	}
	return w.plan.testTails[n-1]
}

// testRun are quads that are tested together, none of which has a sample twice.
type testRun struct {
	depthAt, stencilAt []int // offsets of their first samples
	masks              []uint64
	z                  []float32
	refs               []uint32 // by lane, of shaders that make references
}

// runTests leaves in masks what passes, and updates depth and stencil. It returns
// false, and has done nothing, after an error, which stops the pass.
func (w *worker) runTests(t *testTail, r *testRun) bool {
	samples, prog := w.plan.samples, w.byIndex[t.program]
	group := len(prog.out[0]) / (4 * samples)
	for at := 0; at < len(r.masks); at += group {
		end := min(at+group, len(r.masks))
		part := testRun{masks: r.masks[at:end]}
		if t.key.Test {
			part.z = r.z[4*samples*at : 4*samples*end]
		}
		if t.Loads {
			part.depthAt = r.depthAt[at:end]
		}
		if t.key.Stencil {
			part.stencilAt = r.stencilAt[at:end]
		}
		if t.key.Referenced {
			part.refs = r.refs[4*at : 4*end]
		}
		if !w.runTestGroup(t, prog, &part) {
			return false
		}
	}
	return true
}

// runTestGroup is runTests for as many quads as a batch holds.
func (w *worker) runTestGroup(t *testTail, prog *program, r *testRun) bool {
	samples := w.plan.samples
	n := 4 * samples * len(r.masks)
	in, out := w.tail.in[:0], w.tail.out[:0]
	next := func() []uint32 {
		row := prog.in[len(in)][:n]
		in = append(in, row)
		return row
	}
	if t.key.Test {
		row := next()
		for i, v := range r.z {
			row[i] = math.Float32bits(v)
		}
	}
	if t.Loads {
		gatherQuads(&w.tile.depth, w.depthBytes(), samples, r.depthAt, r.masks, next())
	}
	if t.key.Stencil {
		gatherQuads(&w.tile.stencil, 1, samples, r.stencilAt, r.masks, next())
	}
	if t.key.Referenced {
		row := next()
		for lane, ref := range r.refs {
			fill(row[lane*samples:][:samples], ref)
		}
	}
	for _, row := range prog.out {
		out = append(out, row[:n])
	}
	w.tail.batch = exec.Batch{N: n, In: in, Out: out}
	if err := prog.run(&t.ctx, &w.tail.batch); err != nil {
		w.x.fail(w.x.during(nil, err))
		return false
	}
	written := 1
	if t.WritesDepth {
		scatterQuads(&w.tile.depth, w.depthBytes(), samples, r.depthAt, r.masks, out[written])
		written++
	}
	if t.WritesStencil {
		scatterQuads(&w.tile.stencil, 1, samples, r.stencilAt, r.masks, out[written])
	}
	keep(samples, r.masks, out[0])
	return true
}

// depthBytes is the size of a stored depth.
func (w *worker) depthBytes() int {
	if w.plan.depthFormat == fragops.DepthD16 {
		return 2
	}
	return 4
}

// keep takes samples out of masks that have not passed.
func keep(samples int, masks []uint64, pass []uint32) {
	for k := range masks {
		if samples == 1 {
			p := (*[4]uint32)(pass[4*k:])
			masks[k] &= uint64(p[0]&1) | uint64(p[1]&1)<<16 | uint64(p[2]&1)<<32 | uint64(p[3]&1)<<48
			continue
		}
		left := uint64(0)
		for lane := range 4 {
			for i, p := range pass[(4*k+lane)*samples:][:samples] {
				left |= uint64(p&1) << (16*lane + i)
			}
		}
		masks[k] &= left
	}
}

// testTogether is testPart by a program; false where there is none.
func (w *worker) testTogether(s *raster.Setup, tests *fragops.DepthStencil, part []raster.Quad, masks []uint64, z []float32) bool {
	t := w.tailOf(tests, !s.FrontFacing)
	if t == nil {
		return false
	}
	r := testRun{masks: masks, z: z, depthAt: w.testAt[:len(part)], stencilAt: w.stencilAt[:len(part)]}
	for k := range part {
		q := &part[k]
		masks[k] = q.Mask
		r.depthAt[k], r.stencilAt[k] = w.tile.depth.Offset(int(q.X), int(q.Y), 0), w.tile.stencil.Offset(int(q.X), int(q.Y), 0)
	}
	return w.runTests(t, &r)
}

// testLate runs the tests of the batch's quads after shading, on the masks that they
// have by now, in waves of one face and viewport without a sample twice.
func (w *worker) testLate(st *drawState, masks []uint64) {
	w.lateInputs(st, len(masks))
	for k := 0; k < len(masks); {
		n, tests, back := w.testWave(st, k, masks)
		w.testLateWave(st, tests, back, k, masks[k:k+n])
		k += n
	}
}

// lateInputs takes what the shader writes for n quads.
func (w *worker) lateInputs(st *drawState, n int) {
	b, samples := &w.batch, w.plan.samples
	if o := st.link.outs.depth; o != none {
		// RAS-310: one depth for all samples of the invocation.
		for lane := range 4 * n {
			for s := range samples {
				b.z[lane*samples+s] = math.Float32frombits(b.prog.out[o][lane])
			}
		}
	}
	if st.stencilRef {
		copy(b.refs[:4*n], b.prog.out[st.link.outs.stencil]) // RAS-311
	}
}

// testWave is how many quads from k on may be tested together, and how.
func (w *worker) testWave(st *drawState, k int, masks []uint64) (n int, tests *fragops.DepthStencil, back bool) {
	t, b := &w.tail, &w.batch
	t.newWave()
	for ; k+n < len(masks); n++ {
		q := &b.quads[k+n]
		its := &st.tests[q.chunk.recs[q.setup.Prim].viewport]
		switch {
		case n == 0:
			if tests, back = its, !q.setup.FrontFacing; tests.Tails == [2]int{} {
				return 1, tests, back
			}
		case its != tests, back == q.setup.FrontFacing && tests.Tails[0] != tests.Tails[1]:
			return n, tests, back
		}
		if !t.take(w.plan.grid.shift-1, uint32(q.quad.X), uint32(q.quad.Y), masks[k+n]) {
			return n, tests, back
		}
	}
	return n, tests, back
}

// testLateWave tests the quads from k on.
func (w *worker) testLateWave(st *drawState, tests *fragops.DepthStencil, back bool, k int, masks []uint64) {
	if !tests.Active() {
		return
	}
	b, samples := &w.batch, w.plan.samples
	r := testRun{masks: masks, z: b.z[4*samples*k:]}
	if st.stencilRef {
		r.refs = b.refs[4*k:]
	}
	if t := w.tailOf(tests, back); t != nil {
		r.depthAt, r.stencilAt = b.depthAt[:len(masks)], b.stencilAt[:len(masks)]
		for i := range masks {
			q := &b.quads[k+i].quad
			r.depthAt[i], r.stencilAt[i] = w.tile.depth.Offset(int(q.X), int(q.Y), 0), w.tile.stencil.Offset(int(q.X), int(q.Y), 0)
		}
		if w.runTests(t, &r) {
			return
		}
	}
	for i := range masks {
		q := &b.quads[k+i]
		var refs *[4]uint8
		if st.stencilRef {
			for lane := range 4 {
				b.quadRefs[lane] = uint8(r.refs[4*i+lane])
			}
			refs = &b.quadRefs
		}
		masks[i] = tests.Quad(&w.tile.depth, &w.tile.stencil, int(q.quad.X), int(q.quad.Y), samples, masks[i], r.z[4*samples*i:4*samples*(i+1)], !q.setup.FrontFacing, refs)
	}
}
