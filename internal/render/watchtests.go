package render

import (
	"fmt"
	"math"

	"github.com/pumice-gpu/pumice/explain"
	"github.com/pumice-gpu/pumice/internal/fragops"
	lowered "github.com/pumice-gpu/pumice/internal/lower/fragops"
	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/render/fragment"
	"github.com/pumice-gpu/pumice/internal/render/watch"
)

// What depth bounds, stencil and depth tests do to a watched sample: their reference says so.

// test asks the reference what the tests do to sample k of the pixel: ref is the stencil reference, z the fragment's depth before
// clamping, both from the shader where it gives them and tests come after it.
func (o *sight) test(
	st *drawState, s *raster.Setup, tests *fragops.DepthStencil, k int,
) (t fragops.Tested, ref uint8, z float32) {
	outs, given := &st.Link.Outs, o.shaded && fragment.Tested(st.After)
	if ref = tests.Faces[0].Reference; !s.FrontFacing {
		ref = tests.Faces[1].Reference
	}
	if given && outs.Stencil != none {
		ref = uint8(o.out[outs.Stencil])
	}
	if given && outs.Depth != none {
		z = math.Float32frombits(o.out[outs.Depth])
	} else {
		set := o.ss.Of(o.Watch.X, o.Watch.Y)
		at := min(k, set.N-1)
		x := []int32{o.Watch.X<<raster.SubpixelBits + set.X[at]}
		y := []int32{o.Watch.Y<<raster.SubpixelBits + set.Y[at]}
		var d [1]float32
		s.DepthAt(x, y, d[:])
		z = d[0]
	}
	return tests.Trace(o.depths[k], o.stencils[k], !s.FrontFacing, ref, z), ref, z
}

// tellTests tells of depth bounds, stencil and depth tests; false: the sample fails them.
func (m *watcher) tellTests(
	st *drawState, tests *fragops.DepthStencil, s *raster.Setup, o *sight,
) bool {
	f, pl := &o.F, m.w.plan
	if !tests.Active() {
		return true
	}
	given := o.shaded && fragment.Tested(st.After) // early tests take no notice of what the shader gives
	t, ref, z := o.test(st, s, tests, o.k)
	if given && st.Link.Outs.Stencil != none {
		watch.Step(f, "RAS-311", "the shader gives the stencil reference %d", ref)
	}
	if given && st.Link.Outs.Depth != none && tests.DepthTest {
		watch.Step(f, "RAS-310", "the shader gives the depth %s", explain.Float(z))
	}
	if tests.StencilTest && !s.FrontFacing && tests.Faces[0] != tests.Faces[1] {
		watch.Step(f, "RAS-324", "stencil state of the back face")
	}
	if t.Bounds {
		if !t.BoundsPass {
			watch.Lose(f, "RAS-320", "depth bounds: the stored depth %s is not between %g and %g", watch.DepthText(tests.Format, t.Stored), tests.MinBounds, tests.MaxBounds)
			return false
		}
		watch.Step(f, "RAS-320", "the stored depth %s is between %g and %g", watch.DepthText(tests.Format, t.Stored), tests.MinBounds, tests.MaxBounds)
	}
	if t.StencilReached {
		face := "front"
		if !s.FrontFacing {
			face = "back"
		}
		f.Stencil = &explain.Stencil{
			Face: face, Reference: ref, Stored: t.StencilStored, Compare: t.Face.CompareMask, WriteMask: t.Face.WriteMask,
			Op: watch.Short(t.Face.Compare), Pass: t.StencilPass, Action: watch.Short(t.Op), After: t.StencilAfter,
		}
		text := func(verb string) string {
			return fmt.Sprintf("stencil: %d (reference 0x%x & 0x%x) %s %s %d (stored 0x%x & 0x%x)", ref&t.Face.CompareMask, ref, t.Face.CompareMask,
				verb, watch.SayCompare(t.Face.Compare), t.StencilStored&t.Face.CompareMask, t.StencilStored, t.Face.CompareMask)
		}
		if !t.StencilPass {
			watch.Lose(f, "RAS-321", "%s", text("is not"))
			watch.TellStencil(f, &t)
			return false
		}
		watch.Step(f, "RAS-321", "%s", text("is"))
	}
	if t.DepthReached {
		if clamped := t.Clamped; clamped != z && !(z != z) {
			watch.Step(f, "RAS-326", "depth %s is clamped to %s", explain.Float(z), explain.Float(clamped))
		}
		f.Depth = &explain.DepthTest{
			Fragment: watch.CodeValue(tests.Format, t.Fragment), Stored: watch.CodeValue(tests.Format, t.Stored), Op: watch.Short(tests.Compare),
			Pass: t.DepthPass, Written: t.DepthPass && tests.DepthWrite,
		}
		za, zf := watch.DepthText(tests.Format, t.Stored), watch.DepthText(tests.Format, t.Fragment)
		if !t.DepthPass {
			watch.Lose(f, "RAS-327", "depth %s is not %s %s", zf, watch.SayCompare(tests.Compare), za)
		} else {
			watch.Step(f, "RAS-327", "depth %s is %s %s", zf, watch.SayCompare(tests.Compare), za)
			if tests.DepthWrite {
				watch.Step(f, "RAS-328", "depth %s is stored", zf)
			}
		}
	}
	if t.StencilReached {
		watch.TellStencil(f, &t)
	}
	m.checkTests(o, tests, &t, pl)
	return t.Pass
}

// checkTests compares what is told with what the pass has left in the attachment. Where tests come before shading
// that may fail for all of a pixel's samples one by one, later invocations of the same primitive have no say.
func (m *watcher) checkTests(o *sight, tests *fragops.DepthStencil, t *fragops.Tested, pl *passPlan) {
	one := *o.Watch
	one.Sample = o.k
	if d := one.DepthOf(&pl.Plan); len(d) > 0 && tests.DepthTest {
		want := t.Stored
		if t.Pass && tests.DepthWrite {
			want = t.Fragment
		}
		if got := fragops.LoadDepth(tests.Format, d); got != want {
			watch.Step(&o.F, "", "this account does not add up: the pass has left depth %s, not %s", watch.DepthText(tests.Format, got), watch.DepthText(tests.Format, want)).Failed = true
		}
	}
}

// failsTests says that tests after shading take the sample away.
func (m *watcher) failsTests(st *drawState, s *raster.Setup, o *sight) bool {
	if st.Takes != (lowered.CoverageKey{}) && !o.keptByShader(st, m.w.plan.Samples) {
		return false
	}
	tests := &st.Tests[o.F.Primitive.Viewport]
	if !tests.Active() {
		return false
	}
	t, _, _ := o.test(st, s, tests, o.k)
	return !t.Pass
}
