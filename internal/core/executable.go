package core

import (
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/vk"
)

// Executable is what a stage of a pipeline was compiled to, for tools
// (VK_KHR_pipeline_executable_properties).
type Executable struct {
	Stage        vk.ShaderStageFlags
	SubgroupSize uint32 // 0: the stage has no subgroups
	Instructions int    // of the intermediate code
	Variables    int    // that are left of the shader's
	SharedBytes  uint32
	text         func() string
}

// Text is the intermediate code.
func (e *Executable) Text() string { return e.text() }

// Executables are those of a pipeline, in the order of the stages.
func (p *Pipeline) Executables() []Executable {
	if p == nil {
		return nil
	}
	out := make([]Executable, len(p.programs))
	for n, q := range p.programs {
		out[n] = Executable{
			Stage: stageBit(q.Stage), SubgroupSize: q.SubgroupSize, Instructions: len(q.Insts), Variables: len(q.Vars),
			SharedBytes: uint32(q.SharedBytes), text: q.String,
		}
	}
	return out
}

// stageBit undoes irStage.
func stageBit(s ir.Stage) vk.ShaderStageFlags {
	for bit := vk.ShaderStageFlags(1); bit != 0; bit <<= 1 {
		if of, ok := irStage(bit); ok && of == s {
			return bit
		}
	}
	return 0
}
