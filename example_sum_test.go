package pumice_test

import (
	"context"
	_ "embed"
	"fmt"
	"log"

	"github.com/pumice-gpu/pumice"
)

//go:generate glslangValidator -V --target-env vulkan1.1 -o testdata/sum.comp.spv testdata/sum.comp

// The shader is testdata/sum.comp: a workgroup of 256 invocations adds 256 numbers, through shared
// memory and with barriers.
//
//go:embed testdata/sum.comp.spv
var sumCode []byte

// A sum of many numbers: each dispatch leaves one of 256, until there is one.
func Example_sum() {
	dev, err := pumice.Open(nil)
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	sum, err := dev.NewComputePipeline(pumice.ComputePipelineDesc{Compute: pumice.Shader{Code: sumCode}})
	if err != nil {
		log.Fatal(err)
	}
	numbers := make([]uint32, 60_000)
	for i := range numbers {
		numbers[i] = uint32(i)
	}
	from, err := dev.NewBufferFrom(numbers)
	if err != nil {
		log.Fatal(err)
	}
	for n := len(numbers); n > 1; {
		groups := (n + 255) / 256
		to, err := dev.NewBufferFrom(make([]uint32, groups))
		if err != nil {
			log.Fatal(err)
		}
		set, err := sum.NewDescriptorSet(0)
		if err != nil {
			log.Fatal(err)
		}
		for binding, b := range []*pumice.Buffer{from, to} {
			if err := set.Bind(uint32(binding), b); err != nil {
				log.Fatal(err)
			}
		}
		cmd := dev.NewCommandBuffer()
		cmd.BindPipeline(sum)
		cmd.BindDescriptorSet(0, set)
		cmd.PushConstants(0, uint32(n))
		cmd.Dispatch(uint32(groups), 1, 1)
		if err := dev.Submit(context.Background(), cmd); err != nil {
			log.Fatal(err)
		}
		from, n = to, groups
	}
	result := make([]uint32, 1)
	if err := from.Read(context.Background(), 0, result); err != nil {
		log.Fatal(err)
	}
	fmt.Println(result[0])
	// Output: 1799970000
}
