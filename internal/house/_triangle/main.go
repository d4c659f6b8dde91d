// Command _triangle draws one opaque triangle and prints the engine and a pixel of it. The house's
// measure builds it with coverage, to see how much of the renderer that takes.
package main

import (
	"context"
	_ "embed"
	"fmt"
	"image/color"
	"os"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/vk"
)

func main() {
	if err := draw(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func draw(vertexFile, fragmentFile string) error {
	vertex, err := os.ReadFile(vertexFile)
	if err != nil {
		return err
	}
	fragment, err := os.ReadFile(fragmentFile)
	if err != nil {
		return err
	}
	dev, err := pumice.Open(&pumice.Config{Threads: 1})
	if err != nil {
		return err
	}
	defer dev.Close()
	target, err := dev.NewImage(pumice.ImageDesc{
		Format: vk.FormatR8G8B8A8Unorm, Width: 640, Height: 480,
	})
	if err != nil {
		return err
	}
	triangle, err := dev.NewGraphicsPipeline(pumice.GraphicsPipelineDesc{
		Vertex: pumice.Shader{Code: vertex}, Fragment: pumice.Shader{Code: fragment},
		ColorFormats: []vk.Format{vk.FormatR8G8B8A8Unorm},
	})
	if err != nil {
		return err
	}
	cmd := dev.NewCommandBuffer()
	pass := cmd.BeginRendering(pumice.ClearTo(target, color.Black))
	pass.BindPipeline(triangle)
	pass.Draw(3, 1)
	pass.End()
	if err := dev.Submit(context.Background(), cmd); err != nil {
		return err
	}
	img, err := target.ReadNRGBA(context.Background())
	if err != nil {
		return err
	}
	fmt.Println(dev.Engine(), img.NRGBAAt(320, 240))
	return nil
}
