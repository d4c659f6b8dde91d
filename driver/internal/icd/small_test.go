package icd

import (
	"testing"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/memory"
	"github.com/pumice-gpu/pumice/vk"
)

// TestIdentifier_NamesAModule: a pipeline can be made from the identifier of a module
// that the driver knows, and asks for compilation where it doesn't.
func TestIdentifier_NamesAModule(t *testing.T) {
	f := newTest(t)
	var of, again abi.ShaderModuleIdentifierEXT
	info := &abi.ShaderModuleCreateInfo{CodeSize: uint64(len(subgroupShader)), PCode: (*uint32)(unsafe.Pointer(&subgroupShader[0]))}
	call(f, abi.OpGetShaderModuleCreateInfoIdentifierEXT, &abi.GetShaderModuleCreateInfoIdentifierEXTArgs{Device: f.device, PCreateInfo: info, PIdentifier: &of})
	next := &abi.PipelineShaderStageModuleIdentifierCreateInfoEXT{IdentifierSize: of.IdentifierSize, PIdentifier: &of.Identifier[0]}
	next.SType = next.StructureType()
	b, data := f.storage(64)
	const flags = vk.PipelineCreateFailOnPipelineCompileRequiredBit
	if _, r := f.program(nil, flags, unsafe.Pointer(next), nil, b); r != vk.PipelineCompileRequired {
		t.Errorf("a module that nobody has seen: %v", r)
	}
	var m abi.ShaderModule
	s := abi.CreateShaderModuleArgs{Device: f.device, PShaderModule: &m, PCreateInfo: info}
	call(f, abi.OpCreateShaderModule, &s)
	want(t, "vkCreateShaderModule", s.Ret, vk.Success)
	call(f, abi.OpGetShaderModuleIdentifierEXT, &abi.GetShaderModuleIdentifierEXTArgs{Device: f.device, ShaderModule: m, PIdentifier: &again})
	if of.IdentifierSize == 0 || again.IdentifierSize != of.IdentifierSize || again.Identifier != of.Identifier {
		t.Errorf("%x of the code, %x of the module", of.Identifier, again.Identifier)
	}
	if _, r := f.program(subgroupShader, 0, nil, nil, b); r != vk.Success { // compiles it
		t.Fatal(r)
	}
	p, r := f.program(nil, flags, unsafe.Pointer(next), nil, b)
	want(t, "by its identifier", r, vk.Success)
	f.dispatch(p)
	if data[5] != subgroupSize<<16|64/subgroupSize<<8|5/subgroupSize {
		t.Errorf("%#x", data[5])
	}
}

// TestExecutables_TellOfEachStage: two calls as always, and text cut where there is
// no room.
func TestExecutables_TellOfEachStage(t *testing.T) {
	f := newTest(t)
	b, _ := f.storage(64)
	p, r := f.program(subgroupShader, vk.PipelineCreateCaptureInternalRepresentationsBitKHR|vk.PipelineCreateCaptureStatisticsBitKHR, nil, nil, b)
	want(t, "vkCreateComputePipelines", r, vk.Success)
	n := uint32(7)
	var e abi.PipelineExecutablePropertiesKHR
	a := abi.GetPipelineExecutablePropertiesKHRArgs{Device: f.device, PPipelineInfo: &abi.PipelineInfoKHR{Pipeline: p.pipeline}, PExecutableCount: &n, PProperties: &e}
	call(f, abi.OpGetPipelineExecutablePropertiesKHR, &a)
	if a.Ret != vk.Success || n != 1 || e.Stages != vk.ShaderStageComputeBit || e.SubgroupSize != subgroupSize || abi.String(&e.Name[0]) == "" {
		t.Errorf("%v: %d, %+v", a.Ret, n, e)
	}
	of := &abi.PipelineExecutableInfoKHR{Pipeline: p.pipeline}
	stats := make([]abi.PipelineExecutableStatisticKHR, 2)
	n = 2
	s := abi.GetPipelineExecutableStatisticsKHRArgs{Device: f.device, PExecutableInfo: of, PStatisticCount: &n, PStatistics: &stats[0]}
	call(f, abi.OpGetPipelineExecutableStatisticsKHR, &s)
	if s.Ret != vk.Incomplete || n != 2 || *stats[0].Value.U64() == 0 {
		t.Errorf("%v: %d statistics, %d instructions", s.Ret, n, *stats[0].Value.U64())
	}
	text := make([]byte, 8)
	code := abi.PipelineExecutableInternalRepresentationKHR{DataSize: uint64(len(text)), PData: unsafe.Pointer(&text[0])}
	n = 1
	i := abi.GetPipelineExecutableInternalRepresentationsKHRArgs{Device: f.device, PExecutableInfo: of, PInternalRepresentationCount: &n, PInternalRepresentations: &code}
	call(f, abi.OpGetPipelineExecutableInternalRepresentationsKHR, &i)
	if i.Ret != vk.Incomplete || code.DataSize != 8 || string(text[:7]) != "program" {
		t.Errorf("%v: %q", i.Ret, text)
	}
}

// TestMarker_InsideAndOutsideOfPasses: vkCmdWriteBufferMarkerAMD.
func TestMarker_WritesInOrder(t *testing.T) {
	f := newTest(t)
	b, data := f.buffer(4)
	cb := f.begin()
	record(f, cb, abi.OpCmdWriteBufferMarkerAMD, &abi.CmdWriteBufferMarkerAMD{DstBuffer: b, DstOffset: 4, Marker: 77})
	record(f, cb, abi.OpCmdWriteBufferMarker2AMD, &abi.CmdWriteBufferMarker2AMD{DstBuffer: b, DstOffset: 8, Marker: 78})
	record(f, cb, abi.OpCmdFillBuffer, &abi.CmdFillBuffer{DstBuffer: b, DstOffset: 8, Size: 4, Data: 79})
	f.run(cb)
	if data[0] != 0 || data[1] != 77 || data[2] != 79 || data[3] != 0 {
		t.Errorf("%d", data)
	}
}

// TestSparse_BindingNeedsNoBlocks: images of any colour format can be bound page by
// page, also those whose texels don't fill a page.
func TestSparse_BindingNeedsNoBlocks(t *testing.T) {
	if !hasSparse {
		t.Skip("this system shows no page in two places")
	}
	f := newTest(t)
	for flags, wanted := range map[vk.ImageCreateFlags]vk.Result{
		vk.ImageCreateSparseBindingBit:                                    vk.Success,
		vk.ImageCreateSparseBindingBit | vk.ImageCreateSparseAliasedBit:   vk.Success,
		vk.ImageCreateSparseBindingBit | vk.ImageCreateSparseResidencyBit: vk.Success,
		vk.ImageCreateSparseResidencyBit:                                  vk.ErrorFormatNotSupported,
	} {
		if _, r := newTest(t).driver.imageFormatProperties(vk.FormatR32G32B32Uint, vk.ImageType3D, vk.ImageTilingOptimal, vk.ImageUsageSampledBit, flags); r != wanted {
			t.Errorf("%v: %v", flags, r)
		}
	}
	var h abi.Image
	a := abi.CreateImageArgs{Device: f.device, PImage: &h, PCreateInfo: &abi.ImageCreateInfo{
		Flags: vk.ImageCreateSparseBindingBit, ImageType: vk.ImageType3D, Format: vk.FormatR32G32B32Uint, Extent: vk.Extent3D{Width: 8, Height: 8, Depth: 8},
		MipLevels: 1, ArrayLayers: 1, Samples: vk.SampleCount1Bit, Usage: vk.ImageUsageSampledBit,
	}}
	call(f, abi.OpCreateImage, &a)
	want(t, "vkCreateImage", a.Ret, vk.Success)
}

// Depth and stencil are texels like others: in any dimension and tiling, but with several samples
// in optimal 2D images only.
func TestImageFormatProperties_DepthStencilInAnyShape(t *testing.T) {
	const usage = vk.ImageUsageSampledBit | vk.ImageUsageDepthStencilAttachmentBit | vk.ImageUsageHostTransferBit
	for _, f := range []vk.Format{vk.FormatD16Unorm, vk.FormatX8D24UnormPack32, vk.FormatD32SfloatS8Uint, vk.FormatS8Uint} {
		for _, typ := range []vk.ImageType{vk.ImageType1D, vk.ImageType2D, vk.ImageType3D} {
			for _, tiling := range []vk.ImageTiling{vk.ImageTilingOptimal, vk.ImageTilingLinear} {
				p, r := newTest(t).driver.imageFormatProperties(f, typ, tiling, usage, 0)
				several := typ == vk.ImageType2D && tiling == vk.ImageTilingOptimal
				if r != vk.Success || (p.SampleCounts != vk.SampleCount1Bit) != several || (p.MaxExtent.Depth > 1) != (typ == vk.ImageType3D) {
					t.Errorf("%v, %v, %v: %v, %+v", f, typ, tiling, r, p)
				}
			}
		}
	}
}

// Pieces are apart, and blocks without any go back to the system but for a few.
func TestSlab_GivesBlocksBack(t *testing.T) {
	var s slab
	s.init(segmentBytes, memory.Config{})
	const n = 60 * slabBytes / segmentBytes
	held := map[unsafe.Pointer]bool{}
	for round := range 3 {
		for len(held) < n {
			p := s.get()
			if p == nil || held[p] {
				t.Fatalf("round %d: piece %p", round, p)
			}
			held[p] = true
		}
		if got := s.alloc.Stats().Used; got != 60*slabBytes {
			t.Errorf("round %d: %d bytes for %d pieces", round, got, n)
		}
		for p := range held { // in any order
			if len(held) > n/10*round {
				delete(held, p)
				s.put(p)
			}
		}
	}
	for p := range held {
		s.put(p)
	}
	if got := s.alloc.Stats().Used; got != slabIdle*slabBytes || s.idle != slabIdle {
		t.Errorf("%d bytes are kept", got)
	}
}
