package core

import (
	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/exec/check"
	"github.com/pumice-gpu/pumice/internal/exec/vm"
)

// Engines are the names of the engines, for Config.Engine: machine code where the
// processor and the system have it, else the same as "vm"; the portable batch machine;
// and both, every batch compared. All draw the same bits.
var Engines = []string{"native", "vm", "check"}

// newEngine makes the engine that the checked Config asks for.
func (d *Device) newEngine() exec.Engine {
	portable, native := vm.Options{Lanes: d.cfg.Lanes}, vm.Options{Lanes: d.cfg.Lanes, Native: true}
	if d.dump.mir || d.dump.code {
		native.Show, native.ShowList, native.ShowCode = d.dump, d.dump.mir, d.dump.code
	}
	if d.dump.perf {
		if w := perfMap(); w != nil {
			native.Map = w
		}
	}
	switch d.cfg.Engine {
	case "vm":
		return vm.New(portable)
	case "check":
		return check.New(vm.New(native), vm.New(portable))
	}
	return vm.New(native)
}

// tellEngine says that machine code was wanted, and why there is none.
func (d *Device) tellEngine() {
	if err := vm.Refused(); err != nil && d.cfg.Engine != "vm" && d.cfg.Debug != nil {
		d.cfg.Debug(Message{Severity: SeverityInfo, Op: d.named("vkCreateDevice"), Text: "the system refuses machine code (" + err.Error() + "): the portable engine runs shaders, slower and with the same bits"})
	}
}
