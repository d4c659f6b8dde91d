package icd

import (
	"time"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/core"
	"github.com/pumice-gpu/pumice/internal/memory"
	"github.com/pumice-gpu/pumice/vk"
)

// stages are the shaders of a pipeline that is being made.
type stages struct {
	of   []core.Stage
	as   []vk.ShaderStageFlags
	keys []shaderKey
	code [][]byte // SPIR-V, where it is kept
}

// newStages reads the shaders of a pipeline with flags.
func (d *Device) newStages(infos []abi.PipelineShaderStageCreateInfo, flags vk.PipelineCreateFlags2) (*stages, error) {
	s := &stages{}
	for n := range infos {
		one, code, err := d.stage(&infos[n])
		if err == nil {
			err = d.mapStage(&one, &infos[n], flags)
		}
		if err != nil {
			return nil, err
		}
		one.DeviceViews = flags&vk.PipelineCreate2ViewIndexFromDeviceIndexBit != 0
		one.Indices64 = flags&vk.PipelineCreate2_64BitIndexingBitEXT != 0
		s.add(one, infos[n].Stage, code)
	}
	return s, nil
}

// mapStage says where the resources of a shader lie, in a pipeline that uses heaps.
func (d *Device) mapStage(s *core.Stage, i *abi.PipelineShaderStageCreateInfo, flags vk.PipelineCreateFlags2) (err error) {
	if s.Heap = flags&vk.PipelineCreate2DescriptorHeapBitEXT != 0; s.Heap {
		s.Mappings, _, err = d.mappings(i.PNext)
	}
	return err
}

func (s *stages) add(one core.Stage, as vk.ShaderStageFlags, code []byte) {
	s.of, s.as, s.code = append(s.of, one), append(s.as, as), append(s.code, code)
	s.keys = append(s.keys, shaderKey(one.Key(as)))
}

// link adds the shaders of libraries.
func (s *stages) link(libraries []*library) {
	for _, l := range libraries {
		for n := range l.stages.of {
			s.add(l.stages.of[n], l.stages.as[n], l.stages.code[n])
		}
	}
}

// compiled says whether the device has the code of all stages.
func (s *stages) compiled(d *Device) bool {
	for n := range s.of {
		if !d.core.Compiled(s.of[n], s.as[n]) {
			return false
		}
	}
	return true
}

// pipelineFlags are the flags in 64 bits, where an extension's struct brings
// them, or in 32.
func pipelineFlags(flags vk.PipelineCreateFlags, next unsafe.Pointer) vk.PipelineCreateFlags2 {
	if f := abi.Find[abi.PipelineCreateFlags2CreateInfo](next); f != nil {
		return f.Flags
	}
	return vk.PipelineCreateFlags2(flags)
}

// allStages are all shaders of a request: from binaries, where it has any, and of the libraries that
// it links.
func (d *Device) allStages(q *request) (*stages, error) {
	s, err := (*stages)(nil), error(nil)
	if b := abi.Find[abi.PipelineBinaryInfoKHR](q.next); b != nil && b.BinaryCount > 0 {
		s, err = d.binaryStages(q.stages, q.flags, abi.Slice(b.PPipelineBinaries, b.BinaryCount))
	} else {
		s, err = d.newStages(q.stages, q.flags)
	}
	if err == nil {
		s.link(q.libraries)
	}
	return s, err
}

// A request is one of the pipelines of a vkCreate…Pipelines.
type request struct {
	flags     vk.PipelineCreateFlags2
	next      unsafe.Pointer
	stages    []abi.PipelineShaderStageCreateInfo
	point     vk.PipelineBindPoint
	libraries []*library // to be linked
	build     func(*stages) (*core.Pipeline, *library, error)
}

// createPipelines makes pipelines one by one. A failure leaves the others alone,
// unless it is to end the call (EARLY_RETURN_ON_FAILURE).
//
// pipelines-multiple
func (d *Device) createPipelines(cache abi.PipelineCache, out []abi.Pipeline, request func(n int) request) vk.Result {
	clear(out)
	c := lookup(&d.pipelineCaches, cache)
	all := vk.Success
	for n := range out {
		q := request(n)
		r := d.createPipeline(c, &out[n], &q)
		if r < 0 && all >= 0 || all == vk.Success {
			all = r
		}
		if r != vk.Success && q.flags&vk.PipelineCreate2EarlyReturnOnFailureBit != 0 {
			break
		}
	}
	return all
}

func (d *Device) createPipeline(c *PipelineCache, out *abi.Pipeline, q *request) vk.Result {
	if memory.HeapShort(callHeap) {
		return vk.ErrorOutOfHostMemory
	}
	start := time.Now()
	if q.flags&vk.PipelineCreate2LibraryBitKHR != 0 && q.point != vk.PipelineBindPointGraphics {
		return vk.ErrorFeatureNotPresent // libraries of compute pipelines, which Vulkan has not
	}
	s, err := d.allStages(q)
	if err != nil {
		return result(err)
	}
	if q.flags&vk.PipelineCreate2FailOnPipelineCompileRequiredBit != 0 && !s.compiled(d) {
		return vk.PipelineCompileRequired
	}
	p := &Pipeline{point: q.point}
	if q.flags&vk.PipelineCreate2CaptureDataBitKHR != 0 {
		p.kept = s
	}
	p.core, p.library, err = q.build(s)
	if r := created(&d.pipelines, out, p, err); r != vk.Success {
		return r
	}
	feedback(q.next, c.add(s.keys), time.Since(start))
	return vk.Success
}

// feedback fills in VkPipelineCreationFeedbackCreateInfo.
func feedback(next unsafe.Pointer, hit bool, took time.Duration) {
	f := abi.Find[abi.PipelineCreationFeedbackCreateInfo](next)
	if f == nil {
		return
	}
	flags := vk.PipelineCreationFeedbackFlags(vk.PipelineCreationFeedbackValidBit)
	if hit {
		flags |= vk.PipelineCreationFeedbackApplicationPipelineCacheHitBit
	}
	if f.PPipelineCreationFeedback != nil {
		*f.PPipelineCreationFeedback = vk.PipelineCreationFeedback{Flags: flags, Duration: uint64(took)}
	}
	stages := abi.Slice(f.PPipelineStageCreationFeedbacks, f.PipelineStageCreationFeedbackCount)
	for n := range stages {
		stages[n] = vk.PipelineCreationFeedback{Flags: flags, Duration: uint64(took) / uint64(len(stages))}
	}
}

// pipelineLayout returns package core's layout of a handle.
func (d *Device) pipelineLayout(h abi.PipelineLayout) (*core.PipelineLayout, error) {
	l := lookup(&d.pipelineLayouts, h)
	if l == nil {
		return nil, vk.ErrorValidationFailed
	}
	return l.core, nil
}

// CreateComputePipelines is vkCreateComputePipelines.
func (d *Device) CreateComputePipelines(a *abi.CreateComputePipelinesArgs) vk.Result {
	infos := abi.Slice(a.PCreateInfos, a.CreateInfoCount)
	return d.createPipelines(a.PipelineCache, abi.Slice(a.PPipelines, a.CreateInfoCount), func(n int) request { return d.computeRequest(&infos[n]) })
}

func (d *Device) computeRequest(i *abi.ComputePipelineCreateInfo) request {
	return request{
		flags: pipelineFlags(i.Flags, i.PNext), next: i.PNext, point: vk.PipelineBindPointCompute,
		stages: abi.Slice(&i.Stage, 1),
		build: func(s *stages) (*core.Pipeline, *library, error) {
			l, err := d.pipelineLayout(i.Layout)
			if err != nil && !s.of[0].Heap {
				return nil, nil, err
			}
			p, err := d.core.NewComputePipeline(&core.ComputePipelineInfo{Stage: s.of[0], Layout: l})
			return p, nil, err
		},
	}
}

// DestroyPipeline is vkDestroyPipeline.
func (d *Device) DestroyPipeline(a *abi.DestroyPipelineArgs) {
	destroy(&d.pipelines, a.Pipeline, func(p *Pipeline) object { return p.core })
}
