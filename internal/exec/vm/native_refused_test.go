//go:build amd64 || arm64

package vm

import (
	"errors"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec/code"
	"github.com/pumice-gpu/pumice/internal/exec/native"
)

// Where the system refuses executable memory there is the portable machine, under its own name.
func TestNew_MachineCodeRefused(t *testing.T) {
	if native.Vectors() == 0 {
		t.Skip("no machine code here")
	}
	before := code.Refused
	defer func() { code.Refused = before }()
	refused := errors.New("a policy")
	code.Refused = func() error { return refused }
	if e := New(Options{Native: true}); e.Name() != "vm" || e.PacksQuads() || !errors.Is(Refused(), refused) {
		t.Errorf("engine %q, packs quads %v: %v", e.Name(), e.PacksQuads(), Refused())
	}
}
