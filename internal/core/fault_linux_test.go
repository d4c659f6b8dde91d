package core

import (
	"errors"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/pumice-gpu/pumice/vk"
)

// Memory of the host that goes away under a dispatch loses the device, not the
// process, whichever worker hits it.
func TestImportMemory_GoneUnderWorkers_LosesTheDevice(t *testing.T) {
	d := must(Open(Config{Threads: 4}))(t)
	defer d.Close()
	data, err := unix.Mmap(-1, 0, 1<<20, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		t.Fatal(err)
	}
	m := must(d.ImportMemory(data, nil))(t)
	b := must(d.NewBuffer(vk.BufferCreateInfo{Size: 1 << 20}, m, 0, ""))(t)
	list := must(d.NewBuffer(vk.BufferCreateInfo{Size: 8 << 10}, nil, 0, ""))(t)
	pipeline := must(d.NewComputePipeline(&ComputePipelineInfo{Stage: Stage{Code: shaderCode(t, "address.comp")}}))(t)
	set := must(d.NewDescriptorSet(pipeline.Layout().Set(0), ""))(t)
	if err := set.Update(DescriptorWrite{Descriptors: []Descriptor{{Buffer: list}}}, DescriptorWrite{Binding: 1, Descriptors: []Descriptor{{Buffer: b}}}); err != nil {
		t.Fatal(err)
	}
	c := d.NewCommandBuffer()
	c.BindPipeline("bind", vk.PipelineBindPointCompute, pipeline)
	c.BindDescriptorSet("bind", vk.PipelineBindPointCompute, 0, set, nil)
	c.Dispatch("dispatch", [3]uint32{}, [3]uint32{1 << 10, 1, 1})
	if err := unix.Munmap(data); err != nil {
		t.Fatal(err)
	}
	if err := d.Queue().SubmitAndWait(ctx, "test", []*CommandBuffer{c}); !errors.Is(err, ErrDeviceLost) {
		t.Errorf("the dispatch: %v, want ErrDeviceLost", err)
	}
}
