package icd

import (
	_ "embed"
	"testing"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/vk"
)

//go:generate glslangValidator -V --target-env vulkan1.1 -o testdata/indices64.comp.spv testdata/indices64.comp

//go:embed testdata/indices64.comp.spv
var indices64Shader []byte

// The flag of pipelines that gives indices 64 bits of range (VK_EXT_shader_64bit_indexing), and the same code without it.
func TestPipeline_64BitIndexing(t *testing.T) {
	f := newTest(t)
	b, words := f.storage(4)
	for _, c := range []struct {
		flags vk.PipelineCreateFlags2
		want  uint32
	}{{0, 7}, {vk.PipelineCreate2_64BitIndexingBitEXT, 0}, {0, 7}} {
		flags := &abi.PipelineCreateFlags2CreateInfo{Flags: c.flags}
		flags.SType = flags.StructureType()
		p, r := f.program(indices64Shader, 0, nil, unsafe.Pointer(flags), b)
		want(t, "vkCreateComputePipelines", r, vk.Success)
		words[0], words[1], words[2] = 2, 99, 7
		f.dispatch(p)
		if words[1] != c.want {
			t.Errorf("flags %v: %d, want %d", c.flags, words[1], c.want)
		}
	}
}
