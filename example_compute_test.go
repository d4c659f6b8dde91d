package pumice_test

import (
	"context"
	_ "embed"
	"fmt"
	"log"

	"github.com/pumice-gpu/pumice"
)

// The shader is testdata/saxpy.comp: y[i] = a·x[i] + y[i] for i < n, 64 invocations a workgroup.
//
//go:embed testdata/saxpy.comp.spv
var saxpyCode []byte

// Numbers to a compute shader and back: storage buffers, push constants, a dispatch.
func Example_compute() {
	dev, err := pumice.Open(nil)
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	saxpy, err := dev.NewComputePipeline(pumice.ComputePipelineDesc{Compute: pumice.Shader{Code: saxpyCode}})
	if err != nil {
		log.Fatal(err)
	}
	const n = 1000
	x, y := make([]float32, n), make([]float32, n)
	for i := range x {
		x[i], y[i] = float32(i), 1
	}
	xs, err := dev.NewBufferFrom(x)
	if err != nil {
		log.Fatal(err)
	}
	ys, err := dev.NewBufferFrom(y)
	if err != nil {
		log.Fatal(err)
	}
	set, err := saxpy.NewDescriptorSet(0)
	if err != nil {
		log.Fatal(err)
	}
	for binding, b := range []*pumice.Buffer{xs, ys} {
		if err := set.Bind(uint32(binding), b); err != nil {
			log.Fatal(err)
		}
	}

	cmd := dev.NewCommandBuffer()
	cmd.BindPipeline(saxpy)
	cmd.BindDescriptorSet(0, set)
	cmd.PushConstants(0, struct {
		A float32
		N uint32
	}{0.5, n})
	cmd.Dispatch((n+63)/64, 1, 1)
	if err := dev.Submit(context.Background(), cmd); err != nil {
		log.Fatal(err)
	}
	if err := ys.Read(context.Background(), 0, y); err != nil {
		log.Fatal(err)
	}
	fmt.Println(y[0], y[1], y[2], y[n-1])
	// Output: 1 1.5 2 500.5
}
