package icd

import (
	"sync"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/core"
	"github.com/pumice-gpu/pumice/vk"
)

// knownModules are shader modules by their identifiers, for pipelines that name a
// module without bringing it (VK_EXT_shader_module_identifier).
type knownModules struct {
	mu sync.Mutex
	of map[core.ModuleIdentifier]*ShaderModule
}

// maxKnownModules bounds what modules may be kept after they were destroyed.
const maxKnownModules = 256

func (k *knownModules) add(m *ShaderModule) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.of) >= maxKnownModules || k.of == nil {
		k.of = map[core.ModuleIdentifier]*ShaderModule{}
	}
	k.of[m.core.Identifier()] = m
}

// find returns a module; nil if it is not known any more.
func (k *knownModules) find(i *abi.PipelineShaderStageModuleIdentifierCreateInfoEXT) *ShaderModule {
	var id core.ModuleIdentifier
	if i.IdentifierSize != uint32(len(id)) || copy(id[:], abi.Slice(i.PIdentifier, i.IdentifierSize)) != len(id) {
		return nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.of[id]
}

func putIdentifier(to *abi.ShaderModuleIdentifierEXT, id core.ModuleIdentifier) {
	clear(to.Identifier[:])
	to.IdentifierSize = uint32(copy(to.Identifier[:], id[:]))
}

// GetShaderModuleIdentifierEXT is vkGetShaderModuleIdentifierEXT.
func (d *Device) GetShaderModuleIdentifierEXT(a *abi.GetShaderModuleIdentifierEXTArgs) {
	if m := lookup(&d.shaderModules, a.ShaderModule); m != nil {
		putIdentifier(a.PIdentifier, m.core.Identifier())
	}
}

// GetShaderModuleCreateInfoIdentifierEXT is vkGetShaderModuleCreateInfoIdentifierEXT.
func (d *Device) GetShaderModuleCreateInfoIdentifierEXT(a *abi.GetShaderModuleCreateInfoIdentifierEXTArgs) {
	if i := a.PCreateInfo; i.PCode != nil && i.CodeSize <= maxShaderBytes {
		putIdentifier(a.PIdentifier, core.IdentifyModule(unsafe.Slice((*byte)(unsafe.Pointer(i.PCode)), i.CodeSize)))
	}
}

// identified is the module that a stage names by its identifier.
func (d *Device) identified(i *abi.PipelineShaderStageCreateInfo) (*ShaderModule, error) {
	named := abi.Find[abi.PipelineShaderStageModuleIdentifierCreateInfoEXT](i.PNext)
	if named == nil {
		return nil, vk.ErrorValidationFailed
	}
	if m := d.known.find(named); m != nil {
		return m, nil
	}
	return nil, vk.PipelineCompileRequired
}
