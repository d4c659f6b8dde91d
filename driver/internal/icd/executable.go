package icd

import (
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/core"
	"github.com/pumice-gpu/pumice/vk"
)

// executables are those of a pipeline's handle; libraries have none.
func (d *Device) executables(h abi.Pipeline) []core.Executable {
	if p := lookup(&d.pipelines, h); p != nil {
		return p.core.Executables()
	}
	return nil
}

func (d *Device) executable(i *abi.PipelineExecutableInfoKHR) *core.Executable {
	if all := d.executables(i.Pipeline); int(i.ExecutableIndex) < len(all) {
		return &all[i.ExecutableIndex]
	}
	return nil
}

// enumerateInto is abi.Enumerate for structs whose sType and pNext are the
// caller's: fill writes item n of count.
func enumerateInto[T any](count *uint32, out *T, items int, fill func(n int, to *T)) vk.Result {
	if out == nil {
		*count = uint32(items)
		return vk.Success
	}
	to := abi.Slice(out, min(*count, uint32(items)))
	for n := range to {
		fill(n, &to[n])
	}
	*count = uint32(len(to))
	if len(to) < items {
		return vk.Incomplete
	}
	return vk.Success
}

// GetPipelineExecutablePropertiesKHR is vkGetPipelineExecutablePropertiesKHR: one
// executable a stage.
func (d *Device) GetPipelineExecutablePropertiesKHR(a *abi.GetPipelineExecutablePropertiesKHRArgs) vk.Result {
	all := d.executables(a.PPipelineInfo.Pipeline)
	return enumerateInto(a.PExecutableCount, a.PProperties, len(all), func(n int, to *abi.PipelineExecutablePropertiesKHR) {
		to.Stages, to.SubgroupSize = all[n].Stage, all[n].SubgroupSize
		putName(&to.Name, all[n].Stage.String())
		putName(&to.Description, "the shader, as the engine runs it")
	})
}

// putName writes a string of VK_MAX_DESCRIPTION_SIZE.
func putName(to *[256]byte, s string) {
	clear(to[:])
	abi.PutString(to[:], s)
}

// GetPipelineExecutableStatisticsKHR is vkGetPipelineExecutableStatisticsKHR.
func (d *Device) GetPipelineExecutableStatisticsKHR(a *abi.GetPipelineExecutableStatisticsKHRArgs) vk.Result {
	e := d.executable(a.PExecutableInfo)
	if e == nil {
		*a.PStatisticCount = 0
		return vk.Success
	}
	all := [...]struct {
		name, text string
		value      uint64
	}{
		{"Instructions", "instructions of the intermediate code", uint64(e.Instructions)},
		{"Variables", "variables that did not become registers", uint64(e.Variables)},
		{"Shared memory", "bytes of a workgroup's memory", uint64(e.SharedBytes)},
	}
	return enumerateInto(a.PStatisticCount, a.PStatistics, len(all), func(n int, to *abi.PipelineExecutableStatisticKHR) {
		putName(&to.Name, all[n].name)
		putName(&to.Description, all[n].text)
		to.Format = vk.PipelineExecutableStatisticFormatUint64KHR
		*to.Value.U64() = all[n].value
	})
}

// GetPipelineExecutableInternalRepresentationsKHR is
// vkGetPipelineExecutableInternalRepresentationsKHR: the intermediate code as text.
func (d *Device) GetPipelineExecutableInternalRepresentationsKHR(a *abi.GetPipelineExecutableInternalRepresentationsKHRArgs) vk.Result {
	e := d.executable(a.PExecutableInfo)
	if e == nil {
		*a.PInternalRepresentationCount = 0
		return vk.Success
	}
	short := false
	r := enumerateInto(a.PInternalRepresentationCount, a.PInternalRepresentations, 1, func(_ int, to *abi.PipelineExecutableInternalRepresentationKHR) {
		putName(&to.Name, "IR")
		putName(&to.Description, "the intermediate code, as PUMICE_DUMP=ir prints it")
		to.IsText = abi.Bool(true)
		text := append([]byte(e.Text()), 0)
		if to.PData == nil {
			to.DataSize = uint64(len(text))
			return
		}
		n := copy(unsafe.Slice((*byte)(to.PData), to.DataSize), text)
		short = n < len(text)
		to.DataSize = uint64(n)
	})
	if short {
		r = vk.Incomplete
	}
	return r
}
