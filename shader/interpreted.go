package shader

import (
	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/exec/vm"
	"github.com/pumice-gpu/pumice/internal/lower"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// Instructions are instructions of one kind of an entry point.
type Instructions struct {
	EntryPoint string `json:"entryPoint"`
	Name       string `json:"name"` // as dumps of programs have it
	Count      int    `json:"count"`
	Why        string `json:"why"` // a clause
	// Source is FILE:LINE of the first one, or of the loop around it, where the module tells.
	Source string `json:"source,omitempty"`
}

// Interpreted lists the instructions of a module that no machine code of this machine runs, as it is
// without specialization: they run in Go, tens of times slower, with the same bits. None are listed
// where there is no machine code at all, or of entry points that no device takes.
func Interpreted(code []byte) (list []Instructions, err error) {
	m, err := spirv.ParseBytes(code)
	if err != nil {
		return nil, err
	}
	e := vm.New(vm.Options{Native: true})
	for _, x := range m.EntryPoints {
		model, ok := models[x.Model]
		if !ok {
			continue
		}
		p, err := lower.CompileStage(m, model.ir, x.Name, lower.Options{})
		if err != nil {
			continue // Reflect says so
		}
		r, err := e.Compile(p)
		if err != nil {
			return nil, err
		}
		for _, l := range r.(exec.Interpreter).Interpreted() {
			list = append(list, Instructions{x.Name, l.Name, l.Count, l.Why, l.Source.String()})
		}
	}
	return list, nil
}
