package render

import (
	"math/bits"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/fragops"
	"github.com/pumice-gpu/pumice/internal/ir"
	lowered "github.com/pumice-gpu/pumice/internal/lower/fragops"
	"github.com/pumice-gpu/pumice/internal/lower/inputs"
	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/vk"
)

// Depth and stencil tests of places: a program loads and stores what the attachments hold,
// and leaves covered what passes.

// testTail is what a draw state's tests do to fragments of one face.
type testTail struct {
	key lowered.DepthKey
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

// addTestTails gives tests their programs, one for both faces where these do the same.
// With referenced the shader makes the stencil references.
func (pl *passPlan) addTestTails(tests []fragops.DepthStencil, referenced bool, ss *raster.SampleSet) error {
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
			tail := &testTail{key: key}
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
func (pl *passPlan) tailOf(t *fragops.DepthStencil, back bool) *testTail {
	n := t.Tails[0]
	if back {
		n = t.Tails[1]
	}
	if n == 0 {
		return nil
	}
	return pl.testTails[n-1]
}

// placedDepthKey is that of a program of tests.
type placedDepthKey struct {
	lowered.DepthKey
	samples lowered.Window
}

// addPlaced gives tests their programs.
func (t *testTail) addPlaced(pl *passPlan, tests *fragops.DepthStencil, back bool, ss *raster.SampleSet) error {
	t.store.program = none
	add := func(to *placedTest, key lowered.DepthKey, ss *raster.SampleSet) (err error) {
		key.Grid = ss.Grid != nil
		*to, err = pl.placedTest(key, tests, back, ss, lowered.All(ss.N))
		return err
	}
	if err := add(&t.placed, t.key, ss); err != nil {
		return err
	}
	if pl.density != nil {
		for i := range t.dense {
			if err := add(&t.dense[i], t.key, pl.density.sets[i/3][i%3]); err != nil {
				return err
			}
		}
	}
	if !t.key.Test || !t.key.Write {
		return nil
	}
	return add(&t.store, lowered.DepthKey{
		Format: t.key.Format, Test: true, Write: true, Unit: t.key.Unit, Compare: vk.CompareOpAlways,
	}, ss)
}

// placedTest is the program of a key on places that have such samples, with the numbers of a state.
func (pl *passPlan) placedTest(
	key lowered.DepthKey, tests *fragops.DepthStencil, back bool, ss *raster.SampleSet,
	samples lowered.Window,
) (placedTest, error) {
	t := placedTest{key: placedDepthKey{key, samples}}
	t.ctx.Push = lowered.DepthPush(tests, back, ss, samples)
	r, err := pl.x.lowerTests(t.key)
	if err == nil {
		t.program = pl.Number(*r)
	}
	return t, err
}

// lowerTests is the program of a key.
func (x *Executor) lowerTests(key placedDepthKey) (*exec.Routine, error) {
	return kept(x.placedTests, key, func() (*exec.Routine, error) {
		p, err := lowered.LowerDepth(key.DepthKey, key.samples)
		if err != nil {
			return nil, err
		}
		r, err := x.cfg.Engine.Compile(p)
		return &r, err
	})
}

// wholeBlock are the masks of a block of which all is covered.
var wholeBlock = func() (all [fragops.MaxSamples]uint64) {
	for i := range all {
		all[i] = ^uint64(0)
	}
	return all
}()

// placedTests is what programs on whole blocks take, and what those of tests have in common.
type placedTests struct {
	places   []exec.Place                       // of a resolve
	settled  [raster.BlockPixels / 2]exec.Place // of a block
	record   [inputs.DepthRecord]byte           // of tests alone
	surfaces [2]exec.Surface
	batch    exec.Batch
	// Those of a resolve.
	resolved [2]exec.Surface
	resolve  exec.Batch
}

// runPlaces runs a program of tests on places. Tests are often of few: all that stays the same in
// a tile is in the batch already.
func (t *tile) runPlaces(
	test *placedTest, planes inputs.Planes, places []exec.Place, records []byte,
) error {
	b := &t.tests.batch
	b.N, b.Places, b.Records = ir.PlaceLanes*len(places), places, records
	if planes < inputs.Warped {
		return t.threads.By[test.program].Run(&test.ctx, b)
	}
	p, err := t.threads.Later(test, func() (exec.Routine, error) {
		key := test.key
		key.Warped = true
		r, err := t.x.lowerTests(key)
		if err != nil {
			return nil, err
		}
		return *r, nil
	})
	if err != nil {
		return err
	}
	return p.Run(&test.ctx, b)
}

// storeDepths stores those of a set-up in the block at (x, y).
func (t *tile) storeDepths(s *raster.Setup, tests *fragops.DepthStencil, x, y int32) {
	p := &t.tests
	inputs.WriteDepth(p.record[:], s)
	places := appendPlaces(p.settled[:0], x, y, wholeBlock[:t.plan.samples], 0)
	store := &t.plan.tailOf(tests, false).store
	if err := t.runPlaces(store, inputs.PlanesOf(s), places, p.record[:]); err != nil {
		t.x.fail(t.x.during(nil, err))
	}
}

// appendPlaces appends the places of a block, of which mask has the samples.
func appendPlaces(to []exec.Place, x, y int32, mask []uint64, record uint32) []exec.Place {
	any := mask[0]
	if len(mask) == 1 {
		for ; any != 0; y, any = y+2, any>>16 {
			if uint16(any) == 0 {
				continue
			}
			n := len(to)
			to = to[:n+1]
			q := &to[n] // field by field, one after the other: what is assigned together is made elsewhere and copied
			q.X, q.Y, q.Record = x, y, record
			q.Quads = [4]uint8{}
			q.Covered = [ir.PlaceSamples]uint16{}
			q.Covered[0] = uint16(any)
		}
		return to
	}
	for _, m := range mask[1:] {
		any |= m
	}
	return appendRows(to, x, y, mask, any, record)
}

// appendRows appends the places of a block that have some of the pixels.
func appendRows(to []exec.Place, x, y int32, mask []uint64, any uint64, record uint32) []exec.Place {
	for any != 0 {
		row := uint(bits.TrailingZeros64(any)) / 16
		shift := 16 * row & 63
		any &^= 0xFFFF << shift
		n := len(to)
		to = to[:n+1]
		q := &to[n]
		q.X, q.Y, q.Record = x, y+2*int32(row), record
		q.Quads = [4]uint8{}
		q.Covered = [ir.PlaceSamples]uint16{}
		for k, m := range mask {
			q.Covered[k] = uint16(m >> shift)
		}
	}
	return to
}

// appendPacked is appendPlaces with the quads that have any samples side by side in places, where these are
// fewer then.
func appendPacked(to []exec.Place, x, y int32, mask []uint64, record uint32) []exec.Place {
	const each = 0x1111_1111_1111_1111 // the first lane of each quad
	any := mask[0]
	for _, m := range mask[1:] {
		any |= m
	}
	any |= any >> 1
	any = (any | any>>2) & each
	rows := any | any>>8
	rows = (rows | rows>>4) & 0x0001_0001_0001_0001
	if (bits.OnesCount64(any)+3)/4 >= bits.OnesCount64(rows) {
		return appendPlaces(to, x, y, mask, record)
	}
	for any != 0 {
		n := len(to)
		to = to[:n+1]
		q := &to[n]
		q.X, q.Y, q.Record = x, y, record
		q.Quads = [4]uint8{}
		q.Covered = [ir.PlaceSamples]uint16{}
		for i := 0; i < 4 && any != 0; i++ {
			at := bits.TrailingZeros64(any)
			any &= any - 1
			q.Quads[i] = uint8(i ^ at>>2)
			for k, m := range mask {
				q.Covered[k] |= uint16(m>>at&15) << (4 * i)
			}
		}
	}
	return to
}
