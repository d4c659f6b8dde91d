package lower_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/exec/vm"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/lower"
)

// A loop that does not end is stopped, and the error says in which line it is:
// from OpLine and from DebugLine, before and after the passes; from modules
// without either it says only the shader.
func TestEndlessLoop_NamesItsLine(t *testing.T) {
	for _, c := range []struct{ form, want string }{{"", "in a loop"}, {".line", "lines.comp:11"}, {".debug", "lines.comp:11"}} {
		p := compile(t, "lines.comp"+c.form, lower.Options{})
		for range 2 {
			r, err := vm.New(vm.Options{Lanes: 64}).Compile(p)
			if err != nil {
				t.Fatal(err)
			}
			ctx := &exec.Context{Resources: [][]exec.Descriptor{{{Data: []byte{5, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0}}}}, Fuel: 5000}
			err = r.NewThread(64).Run(ctx, &exec.Batch{N: 64})
			var fuel *exec.FuelError
			if !errors.As(err, &fuel) || !strings.Contains(err.Error(), "shader main") || !strings.Contains(err.Error(), c.want) {
				t.Errorf("form %q: %v, want one that says %q", c.form, err, c.want)
			}
			ir.Optimize(p)
		}
	}
}
