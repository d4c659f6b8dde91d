package core

import (
	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/exec/vm"
)

// Engines are the names of the engines, for Config.Engine: machine code where the
// processor and the system have it, else the same as "vm"; and the portable batch
// machine. All draw the same bits.
var Engines = []string{"native", "vm"}

// newEngine makes the engine that the checked Config asks for.
func (d *Device) newEngine() exec.Engine {
	return vm.New(vm.Options{Lanes: d.cfg.Lanes, Native: d.cfg.Engine != "vm"})
}
