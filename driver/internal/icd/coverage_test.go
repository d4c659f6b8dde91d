package icd

import (
	"slices"
	"testing"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/core"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// The combinations of samples; a short list is incomplete.
func TestMixedSamplesCombinations_RAS335(t *testing.T) {
	rules.Covers(t, "RAS-335")
	f := newTest(t)
	n := uint32(0)
	a := abi.GetPhysicalDeviceSupportedFramebufferMixedSamplesCombinationsNVArgs{PhysicalDevice: f.physical, PCombinationCount: &n}
	want := core.MixedSamplesCombinations()
	if call(f, abi.OpGetPhysicalDeviceSupportedFramebufferMixedSamplesCombinationsNV, &a); a.Ret != vk.Success || int(n) != len(want) {
		t.Fatalf("%v, %d combinations", a.Ret, n)
	}
	list := make([]abi.FramebufferMixedSamplesCombinationNV, n)
	a.PCombinations = &list[0]
	if call(f, abi.OpGetPhysicalDeviceSupportedFramebufferMixedSamplesCombinationsNV, &a); a.Ret != vk.Success {
		t.Errorf("the whole list: %v", a.Ret)
	}
	for i, c := range list {
		if got := (core.MixedSamples{Mode: c.CoverageReductionMode, Rasterization: c.RasterizationSamples, DepthStencil: c.DepthStencilSamples, Color: c.ColorSamples}); got != want[i] {
			t.Errorf("combination %d is %+v, want %+v", i, got, want[i])
		}
	}
	n = 3
	if call(f, abi.OpGetPhysicalDeviceSupportedFramebufferMixedSamplesCombinationsNV, &a); a.Ret != vk.Incomplete || n != 3 {
		t.Errorf("a list of 3: %v, %d combinations", a.Ret, n)
	}
}

// What the structs of coverage say arrives; a table that is dynamic or off is not
// looked at.
func TestCoverage_Structs(t *testing.T) {
	table := [2]float32{.5, 1}
	reduction := abi.PipelineCoverageReductionStateCreateInfoNV{CoverageReductionMode: vk.CoverageReductionModeTruncateNV}
	modulation := abi.PipelineCoverageModulationStateCreateInfoNV{CoverageModulationMode: vk.CoverageModulationModeAlphaNV,
		CoverageModulationTableEnable: 1, CoverageModulationTableCount: 2, PCoverageModulationTable: &table[0]}
	color := abi.PipelineCoverageToColorStateCreateInfoNV{CoverageToColorEnable: 1, CoverageToColorLocation: 3}
	reduction.SType, modulation.SType, color.SType = reduction.StructureType(), modulation.StructureType(), color.StructureType()
	reduction.PNext, modulation.PNext = unsafe.Pointer(&modulation), unsafe.Pointer(&color)
	m := abi.PipelineMultisampleStateCreateInfo{PNext: unsafe.Pointer(&reduction)}
	g := &graphics{in: &abi.GraphicsPipelineCreateInfo{}}
	g.coverage(&m)
	c := g.out.Coverage
	if c.Reduction == nil || *c.Reduction != vk.CoverageReductionModeTruncateNV || c.Modulation != vk.CoverageModulationModeAlphaNV || !c.TableEnable ||
		!slices.Equal(c.Table, table[:]) || !c.ToColor || c.ToColorLocation != 3 {
		t.Errorf("%+v", c)
	}
	g.out.DynamicStates = []vk.DynamicState{vk.DynamicStateCoverageModulationTableNV}
	if g.coverage(&m); g.out.Coverage.Table != nil {
		t.Error("a dynamic table was read")
	}
	g.out.DynamicStates, modulation.CoverageModulationTableEnable = nil, 0
	if g.coverage(&m); g.out.Coverage.Table != nil {
		t.Error("a table that is off was read")
	}
}
