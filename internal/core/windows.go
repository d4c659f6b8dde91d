package core

import (
	"slices"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// windows are the descriptors of a program as its engine takes them: of buffers that it reaches
// beyond offsets of 32 bits, further windows (ir.Resource.Windowed); of all others the bytes that
// such offsets reach. It costs something where there is a large buffer, or such a program.
func (d *Device) windows(p *ir.Program, bound [][]exec.Descriptor) [][]exec.Descriptor {
	large, own := d.largeBuffers.Load(), false
	set := func(i int, list []exec.Descriptor) {
		if !own {
			bound, own = slices.Clone(bound), true
		}
		bound[i] = list
	}
	for i := range bound {
		switch res := &p.Resources[i]; {
		case res.Windowed:
			set(i, exec.Windows(bound[i], int(res.Count)))
		case large && slices.ContainsFunc(bound[i], isLarge):
			list := slices.Clone(bound[i])
			for k := range list {
				list[k].Data = list[k].Data[:min(uint64(len(list[k].Data)), maxReach)]
			}
			set(i, list)
		}
	}
	return bound
}

// maxReach is how many bytes of a buffer a program without windows reaches.
const maxReach = 1 << 31

func isLarge(d exec.Descriptor) bool { return uint64(len(d.Data)) > maxReach }
