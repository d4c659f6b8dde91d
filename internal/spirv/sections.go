package spirv

// Sections of a module in their order (spec: _logical_layout).
const (
	sectionCapabilities = iota
	sectionExtensions
	sectionImports
	sectionMemoryModel
	sectionEntryPoints
	sectionModes
	sectionStrings
	sectionNames
	sectionProcessed
	sectionAnnotations
	sectionTypes
	sectionFunctions
	sectionAny = -1
)

func sectionOf(op Op) int {
	switch op {
	case OpCapability:
		return sectionCapabilities
	case OpExtension:
		return sectionExtensions
	case OpExtInstImport:
		return sectionImports
	case OpMemoryModel:
		return sectionMemoryModel
	case OpEntryPoint:
		return sectionEntryPoints
	case OpExecutionMode, OpExecutionModeId:
		return sectionModes
	case OpString, OpSource, OpSourceContinued, OpSourceExtension:
		return sectionStrings
	case OpName, OpMemberName:
		return sectionNames
	case OpModuleProcessed:
		return sectionProcessed
	case OpDecorate, OpDecorateId, OpDecorateString, OpMemberDecorate, OpMemberDecorateString, OpMemberDecorateIdEXT, OpDecorationGroup, OpGroupDecorate, OpGroupMemberDecorate:
		return sectionAnnotations
	case OpFunction:
		return sectionFunctions
	case OpLine, OpNoLine, OpNop, OpExtInst, OpExtInstWithForwardRefsKHR: // debug information stands in several
		return sectionAny
	}
	return sectionTypes
}

// inOrder demands that sections follow each other, and that there is one memory
// model that Vulkan has.
func (p *parser) inOrder(in *Inst) error {
	s := sectionOf(in.Op)
	switch {
	case s == sectionAny || p.fn != nil:
		return nil
	case s < p.section:
		return in.errorf("_logical_layout", "%v stands after its section of the module", in.Op)
	case s > sectionMemoryModel && !p.hasModel:
		return in.errorf("_logical_layout", "%v before OpMemoryModel", in.Op)
	}
	p.section = s
	if in.Op == OpMemoryModel {
		if p.hasModel {
			return in.errorf("_logical_layout", "a second OpMemoryModel")
		}
		p.hasModel = true
		const logical, physical, glsl, vulkan = 0, 5348, 1, 3
		if a, m := in.Operands[0], in.Operands[1]; a != logical && a != physical || m != glsl && m != vulkan {
			return in.errorf("VUID-StandaloneSpirv-None-04635", "addressing model %d with memory model %d", a, m)
		}
	}
	return nil
}
