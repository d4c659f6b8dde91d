package fragops_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/exec/vm"
	"github.com/pumice-gpu/pumice/internal/format"
	ref "github.com/pumice-gpu/pumice/internal/fragops"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/lower/fragops"
	"github.com/pumice-gpu/pumice/internal/rules"
)

// Programs on places give the reference's bits in samples of all sizes, those that share a word, and leave
// alone what is not covered.
func TestColor_SamplesOfPlaces(t *testing.T) {
	rules.Covers(t, "RAS-104", "RAS-333", "RAS-337", "RAS-347", "RAS-348")
	states := rules.Cases(6, 200)
	for _, info := range targets() {
		t.Run(info.Format.String(), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(uint64(info.Format), 8))
			for range states {
				checkPlaces(t, r, state(r, info), window(r), nil)
			}
		})
	}
}

// samplesShift is the logarithm of a number of samples; programs of many are long.
func samplesShift(r *rand.Rand) int {
	if r.IntN(12) == 0 {
		return 5 + r.IntN(2)
	}
	return r.IntN(5)
}

// window is all samples of a pixel, or some.
func window(r *rand.Rand) fragops.Window {
	w := fragops.All(1 << samplesShift(r))
	if w.Of > ir.PlaceSamples || r.IntN(2) == 0 {
		w.First = r.IntN(w.Of)
		w.Count = 1 + r.IntN(min(w.Of-w.First, ir.PlaceSamples))
	}
	return w
}

// checkPlaces compares a state over two rows of places, which have samples of the attachment's pixels,
// or those that v makes these of.
func checkPlaces(t *testing.T, r *rand.Rand, d ref.ColorDesc, samples fragops.Window,
	v *ref.Coverage) {
	t.Helper()
	c, err := ref.NewColor(d)
	if err != nil {
		t.Fatal(err)
	}
	key := fragops.KeyOf(&c.ColorState)
	own, all := samples, samples.Count
	if v != nil {
		key.Reduction = fragops.ReductionOf(v, samples.Of)
		if own = key.Reduction.Window(samples); key.Reduction.Whole() {
			all = samples.Of
		}
	}
	lowered, err := fragops.Lower(key, samples)
	if err != nil {
		t.Fatal(err)
	}
	pixel := own.Of * d.Info.BlockBytes
	const width, height, n = 24, 4, 6
	var src, second [4][]uint32
	for k := range src {
		for range n * ir.PlaceLanes {
			src[k], second[k] = append(src[k], operand(r, d.Info.Class)), append(second[k], operand(r, d.Info.Class))
		}
	}
	old := make([]byte, width*height*pixel)
	for at := 0; at < len(old); at += d.Info.BlockBytes {
		d.Info.Encode(old[at:], format.Texel{operand(r, d.Info.Class), operand(r, d.Info.Class), operand(r, d.Info.Class), operand(r, d.Info.Class)})
	}
	want := bytes.Clone(old)
	surface := ref.Surface{Data: want, TexelPitch: pixel, RowPitch: width * pixel, SampleBytes: d.Info.BlockBytes}
	places := make([]exec.Place, n)
	for i := range places {
		p := &places[i]
		p.X, p.Y = int32(i%3*8), int32(i/3*2)
		for s := range all {
			p.Covered[s] = [3]uint16{0xFFFF, uint16(r.Uint32()), 0}[r.IntN(3)]
		}
		for lane := range ir.PlaceLanes {
			f := ref.Fragment{Lane: uint16(ir.PlaceLanes*i + lane)}
			x, y := p.Pixel(lane)
			f.X, f.Y = uint16(x), uint16(y)
			for s := range samples.Count {
				f.Mask |= uint64(p.Covered[s]>>lane&1) << (samples.First + s)
			}
			switch {
			case f.Mask == 0:
			case v == nil:
				c.Write(&surface, []ref.Fragment{f}, &src, &second)
			default:
				whole := f.Mask
				for s := range all - samples.Count { // behind those of the window, in order
					at := s
					if s >= samples.First {
						at += samples.Count
					}
					whole |= uint64(p.Covered[samples.Count+s]>>lane&1) << at
				}
				writeReduced(c, v, &surface, f, whole, &src, &second)
			}
		}
	}
	for _, options := range []vm.Options{{}, {Native: true, Check: true}, {Native: true, Check: true, Vectors: 256}} {
		got := bytes.Clone(old)
		routine, err := vm.New(options).Compile(lowered)
		if err != nil {
			t.Fatal(err)
		}
		in := append([][]uint32{}, src[:]...)
		if key.Dual() {
			in = append(in, second[:]...)
		}
		batch := exec.Batch{N: n * ir.PlaceLanes, In: in, Places: places, Surfaces: []exec.Surface{{Data: got, RowPitch: width * pixel}}}
		ctx := exec.Context{Push: fragops.Push(&c.ColorState, v)}
		if err := routine.NewThread(256).Run(&ctx, &batch); err != nil {
			t.Fatal(err)
		}
		for at := 0; at < len(want); at += d.Info.BlockBytes {
			if end := at + d.Info.BlockBytes; !bytes.Equal(got[at:end], want[at:end]) {
				t.Fatalf("%+v %v, %+v, sample %d: over %x gives %x, want %x", d.State, d.LogicOp, samples, at/d.Info.BlockBytes, old[at:end], got[at:end], want[at:end])
			}
		}
	}
}
