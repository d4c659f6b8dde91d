package pumice_test

import (
	"context"
	"fmt"
	"image/color"
	"log"
	"os"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/vk"
)

// A triangle, from shaders to a pixel.
func ExampleOpen() {
	dev, err := pumice.Open(nil)
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	vertex, _ := os.ReadFile("testdata/triangle.vert.spv")
	fragment, _ := os.ReadFile("testdata/triangle.frag.spv")

	target, _ := dev.NewImage(pumice.ImageDesc{Format: vk.FormatR8G8B8A8Unorm, Width: 640, Height: 480})
	triangle, err := dev.NewGraphicsPipeline(pumice.GraphicsPipelineDesc{
		Vertex: pumice.Shader{Code: vertex}, Fragment: pumice.Shader{Code: fragment}, ColorFormats: []vk.Format{vk.FormatR8G8B8A8Unorm},
	})
	if err != nil {
		log.Fatal(err)
	}
	cmd := dev.NewCommandBuffer()
	pass := cmd.BeginRendering(pumice.ClearTo(target, color.Black))
	pass.BindPipeline(triangle)
	pass.Draw(3, 1)
	pass.End()
	if err := dev.Submit(context.Background(), cmd); err != nil {
		log.Fatal(err)
	}
	img, err := target.ReadNRGBA(context.Background())
	fmt.Println(img.NRGBAAt(320, 240), err)
	// Output: {255 128 0 255} <nil>
}

// Petals from a mesh shader: no vertices, a workgroup each.
func ExamplePass_DrawMeshTasks() {
	dev, err := pumice.Open(nil)
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	mesh, _ := os.ReadFile("testdata/flower.mesh.spv")
	fragment, _ := os.ReadFile("testdata/triangle.frag.spv")

	target, _ := dev.NewImage(pumice.ImageDesc{Format: vk.FormatR8G8B8A8Unorm, Width: 200, Height: 200})
	flower, err := dev.NewGraphicsPipeline(pumice.GraphicsPipelineDesc{
		Mesh: pumice.Shader{Code: mesh}, Fragment: pumice.Shader{Code: fragment}, ColorFormats: []vk.Format{vk.FormatR8G8B8A8Unorm},
	})
	if err != nil {
		log.Fatal(err)
	}
	cmd := dev.NewCommandBuffer()
	pass := cmd.BeginRendering(pumice.ClearTo(target, color.Black))
	pass.BindPipeline(flower)
	pass.DrawMeshTasks(5, 1, 1)
	pass.End()
	if err := dev.Submit(context.Background(), cmd); err != nil {
		log.Fatal(err)
	}
	img, err := target.ReadNRGBA(context.Background())
	fmt.Println(img.NRGBAAt(120, 128), img.NRGBAAt(100, 140), err)
	// Output: {255 128 0 255} {0 0 0 255} <nil>
}
