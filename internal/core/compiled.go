package core

import (
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/vk"
)

// irStage is the stage of one bit of VkShaderStageFlagBits.
func irStage(s vk.ShaderStageFlags) (ir.Stage, bool) {
	switch s {
	case vk.ShaderStageVertexBit:
		return ir.StageVertex, true
	case vk.ShaderStageFragmentBit:
		return ir.StageFragment, true
	case vk.ShaderStageComputeBit:
		return ir.StageCompute, true
	case vk.ShaderStageTessellationControlBit:
		return ir.StageControl, true
	case vk.ShaderStageTessellationEvaluationBit:
		return ir.StageEvaluation, true
	case vk.ShaderStageGeometryBit:
		return ir.StageGeometry, true
	case vk.ShaderStageTaskBitEXT:
		return ir.StageTask, true
	case vk.ShaderStageMeshBitEXT:
		return ir.StageMesh, true
	}
	return 0, false
}

// Key names the code of a stage that has a module: equal keys, equal code. Zero
// for stages that do not exist here.
func (s Stage) Key(stage vk.ShaderStageFlags) (k [32]byte) {
	as, ok := irStage(stage)
	if !ok || s.Module == nil {
		return k
	}
	if s.Entry == "" {
		s.Entry = "main"
	}
	return s.key(as)
}

// Compiled says whether the code of a stage that has a module is there, so that
// a pipeline needs no compilation.
func (d *Device) Compiled(s Stage, stage vk.ShaderStageFlags) bool {
	key := routineKey(s.Key(stage))
	if key == (routineKey{}) {
		return false
	}
	d.shaders.mu.Lock()
	defer d.shaders.mu.Unlock()
	_, ok := d.shaders.entries[key]
	return ok
}

// Precompile compiles a stage that has a module, so that pipelines find its code.
func (d *Device) Precompile(s Stage, stage vk.ShaderStageFlags) error {
	const op Op = "vkCreateGraphicsPipelines"
	if err := d.usable(op); err != nil {
		return err
	}
	as, ok := irStage(stage)
	if !ok {
		return d.unsupported(op, "VkPipelineShaderStageCreateInfo-stage-parameter", "", "%v", stage)
	}
	_, err := d.compile(op, s, as)
	return err
}
