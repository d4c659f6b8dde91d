package texel_test

import (
	"slices"
	"testing"
	"time"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/exec/vm"
	"github.com/pumice-gpu/pumice/internal/lower/texel"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/rules"
	ref "github.com/pumice-gpu/pumice/internal/sampling"
)

func init() {
	for _, opt := range []vm.Options{{}, {Native: true}} {
		texel.Engines = append(texel.Engines, func() texel.Engine { return vm.New(opt).Texels() })
	}
}

// Routines on the batch machine give what the reference gives, and allocate nothing once they
// are made.
func TestRoutines_OnVM(t *testing.T) {
	const n = 256
	routed := 0
	for _, opt := range []vm.Options{{}, {Portable: true}, {Native: true}} {
		all := exec.NewTexels(vm.New(opt).Compile)
		texel.EachBench(n, func(name string, a *ref.Args, v *resource.ImageView, s *resource.Sampler) {
			routine, plain := &texel.Unit{Engine: all}, &texel.Unit{}
			routine.Sites(1, n)
			plain.Sites(1, n)
			plain.Run(0, a, v, s, n)
			want := a.Out
			for c := range a.Out {
				a.Out[c] = make([]uint32, n)
			}
			routine.Run(0, a, v, s, n)
			if !routine.Routed() {
				return
			}
			routed++
			for c := range want {
				if !slices.Equal(a.Out[c], want[c]) {
					t.Errorf("%s: component %d differs", name, c)
				}
			}
			if m := testing.AllocsPerRun(20, func() { routine.Run(0, a, v, s, n) }); m != 0 {
				t.Errorf("%s: %v allocations", name, m)
			}
		})
	}
	if routed < 30 {
		t.Errorf("only %d routines", routed)
	}
}

// Random routines give the reference's bits on the batch machine and as machine code.
func TestRoutines_RandomOnVM(t *testing.T) {
	rules.Covers(t, "IMG-003", "IMG-004", "IMG-005", "IMG-006", "IMG-007", "IMG-008", "IMG-009", "IMG-010", "IMG-011", "IMG-023", "IMG-025", "IMG-028",
		"IMG-029", "IMG-030", "IMG-040", "IMG-042", "IMG-043", "IMG-064", "IMG-073", "IMG-074", "IMG-075", "IMG-195", "IMG-200", "IMG-201", "IMG-202",
		"IMG-203", "IMG-204", "IMG-205", "IMG-215", "IMG-216", "IMG-218", "IMG-220", "IMG-221", "IMG-222", "IMG-240", "IMG-241", "IMG-242", "IMG-243",
		"IMG-244", "IMG-245", "IMG-246", "IMG-247", "IMG-248", "IMG-250", "IMG-251", "IMG-252", "IMG-253", "IMG-257", "IMG-290", "IMG-291", "IMG-292",
		"IMG-293", "IMG-294", "IMG-295", "IMG-296", "IMG-297", "IMG-300", "IMG-301", "IMG-305", "IMG-306", "IMG-307", "IMG-310", "IMG-311", "IMG-312",
		"IMG-313", "IMG-314", "IMG-315", "IMG-316", "IMG-317", "IMG-320", "IMG-321", "IMG-323", "IMG-325", "IMG-326", "IMG-327", "IMG-328", "IMG-329",
		"IMG-330", "IMG-372", "IMG-374", "IMG-375", "IMG-376", "IMG-383", "IMG-396", "IMG-397", "IMG-398", "IMG-399", "IMG-400", "IMG-404", "IMG-410",
		"IMG-411", "IMG-412", "IMG-413", "IMG-414", "IMG-415", "IMG-416", "IMG-417", "IMG-425", "IMG-426", "IMG-427", "IMG-428", "IMG-429", "IMG-430",
		"IMG-431", "IMG-432", "IMG-433", "IMG-434", "IMG-445", "IMG-446", "IMG-447", "IMG-448", "IMG-449", "IMG-450", "IMG-451", "IMG-452", "IMG-460",
		"IMG-461", "IMG-462", "IMG-463", "IMG-464", "IMG-465", "IMG-466", "IMG-475", "IMG-477", "IMG-480", "IMG-481", "IMG-484", "IMG-485", "IMG-486",
		"IMG-500", "IMG-501", "IMG-502", "IMG-503", "IMG-505", "IMG-506", "IMG-515", "IMG-516", "IMG-518", "IMG-519", "IMG-520", "IMG-521", "IMG-523",
		"IMG-530", "IMG-531", "IMG-532", "IMG-533", "IMG-535", "IMG-555", "IMG-556", "IMG-557", "IMG-560", "IMG-561", "IMG-562", "IMG-563", "IMG-564",
		"IMG-565", "IMG-566", "IMG-567", "IMG-568", "IMG-575", "IMG-576", "IMG-577", "IMG-578", "IMG-579", "IMG-580", "IMG-590", "IMG-591", "IMG-592", "IMG-596", "IMG-597", "IMG-598", "IMG-700", "IMG-701", "IMG-702",
		"IMG-704", "IMG-750", "IMG-751", "IMG-752", "IMG-753", "IMG-755", "IMG-756", "IMG-757", "IMG-758", "IMG-759", "IMG-800", "IMG-801",
		"IMG-802", "IMG-804", "IMG-805", "IMG-807")
	lanes := texel.Pairs() / 5
	if testing.Short() {
		lanes /= 4
	}
	for i, opt := range []vm.Options{{}, {Native: true}} {
		all := exec.NewTexels(vm.New(opt).Compile)
		if err := texel.CompareRandom(all, uint64(i), lanes); err != nil {
			t.Errorf("%+v: %v", opt, err)
		}
		if err := texel.CompareStores(all); err != nil {
			t.Errorf("%+v: %v", opt, err)
		}
		if err := texel.CompareAtomics(all); err != nil {
			t.Errorf("%+v: %v", opt, err)
		}
	}
}

// Lanes that name different images and samplers get the reference's bits, on the batch machine and as machine code.
func TestRoutines_EachLaneItsImage(t *testing.T) {
	rules.Covers(t, "IMG-002", "IMG-402")
	lanes := texel.Pairs() / 10
	if testing.Short() {
		lanes /= 4
	}
	for i, opt := range []vm.Options{{}, {Portable: true}, {Native: true}} {
		all := exec.NewTexels(vm.New(opt).Compile)
		if err := texel.CompareEach(all, uint64(i), lanes); err != nil {
			t.Errorf("%+v: %v", opt, err)
		}
	}
}

// BenchmarkRoutines sets routines on the batch machine, and as machine code where that can be, beside the reference, in batches as
// shaders have them; nothing where the engine has no routine.
func BenchmarkRoutines(b *testing.B) {
	const n = 256
	all := exec.NewTexels(vm.New(vm.Options{}).Compile)
	native := exec.NewTexels(vm.New(vm.Options{Native: true}).Compile)
	texel.EachBench(n, func(name string, a *ref.Args, v *resource.ImageView, s *resource.Sampler) {
		routine, machine, plain := &texel.Unit{Engine: all}, &texel.Unit{Engine: native}, &texel.Unit{}
		for _, u := range []*texel.Unit{routine, machine, plain} {
			u.Sites(1, n)
			u.Run(0, a, v, s, n)
		}
		if !routine.Routed() {
			return
		}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			var took [3]time.Duration // interleaved, so that both meet the same machine
			for b.Loop() {
				for i, u := range []*texel.Unit{routine, machine, plain} {
					start := rules.CPU()
					for range 8 {
						u.Run(0, a, v, s, n)
					}
					took[i] += rules.CPU() - start
				}
			}
			per := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / float64(8*n*b.N) }
			b.ReportMetric(per(took[0]), "vm-ns/sample")
			b.ReportMetric(per(took[1]), "native-ns/sample")
			b.ReportMetric(per(took[2]), "reference-ns/sample")
			b.ReportMetric(0, "ns/op")
		})
	})
}
