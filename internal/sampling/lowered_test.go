package sampling_test

import (
	"sync"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/exec/vm"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/lower/texel"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/sampling"
)

// What tests of the reference expect, they expect of the path that users' pixels take, too:
// programs on both engines.
func init() {
	engine := func(o vm.Options) texel.Engine {
		e := vm.New(o)
		return exec.NewTexels(func(p *ir.Program) (exec.Routine, error) {
			r, err := e.Compile(p)
			if err != nil {
				panic(err)
			}
			return r, nil
		})
	}
	for _, w := range []struct {
		name string
		unit texel.Unit
	}{
		{"vm", texel.Unit{Engine: engine(vm.Options{})}}, {"native", texel.Unit{Engine: engine(vm.Options{Native: true})}},
	} {
		u := &w.unit
		u.Sites(1, 1024)
		var mu sync.Mutex // tests run beside each other, and a unit is one thread's
		sampling.Ways = append(sampling.Ways, sampling.Way{Name: w.name, Run: func(a *sampling.Args, v *resource.ImageView, s *resource.Sampler, n int) {
			mu.Lock()
			defer mu.Unlock()
			plain := *a
			plain.Trace = nil // told once, by the reference
			u.Run(0, &plain, v, s, n)
		}})
	}
}
