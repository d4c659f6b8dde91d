package pumice_test

import (
	"context"
	_ "embed"
	"fmt"
	"image"
	"image/color"
	"log"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/vk"
)

// The shaders are testdata/cube.vert and cube.frag, compiled with glslangValidator -V.
//
//go:embed testdata/cube.vert.spv
var cubeVertex []byte

//go:embed testdata/cube.frag.spv
var cubeFragment []byte

// corner is a vertex of the cube, as the vertex shader reads it.
type corner struct {
	Position [3]float32
	UV       [2]float32
}

// cube is four corners and two triangles a face.
func cube() (corners []corner, indices []uint16) {
	for face := range 6 {
		axis, side := face%3, float32(1-face/3*2)
		first := uint16(len(corners))
		for i := range 4 {
			u, v := float32(i%2), float32(i/2)
			c := corner{UV: [2]float32{u, v}}
			c.Position[axis], c.Position[(axis+1)%3], c.Position[(axis+2)%3] = side, 2*u-1, 2*v-1
			corners = append(corners, c)
		}
		for _, i := range []uint16{0, 1, 2, 2, 1, 3} {
			indices = append(indices, first+i)
		}
	}
	return corners, indices
}

// A textured cube: vertices, indices, a texture with mipmaps, depth, push constants, and four
// samples a pixel.
func Example_cube() {
	dev, err := pumice.Open(&pumice.Config{Debug: func(m pumice.Message) { log.Print(m.Text) }})
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()

	picture := image.NewNRGBA(image.Rect(0, 0, 64, 64))
	for y := range 64 {
		for x := range 64 {
			picture.Set(x, y, color.NRGBA{uint8(4 * x), uint8(4 * y), 160, 255})
			if (x/8+y/8)%2 == 0 {
				picture.Set(x, y, color.White)
			}
		}
	}
	texture, err := dev.NewImageFrom(picture, &pumice.ImageDesc{MipLevels: pumice.AllMips})
	if err != nil {
		log.Fatal(err)
	}
	sampler, err := dev.NewSampler(pumice.LinearSampler(vk.SamplerAddressModeClampToEdge))
	if err != nil {
		log.Fatal(err)
	}
	corners, indices := cube()
	vertexBuffer, err := dev.NewBufferFrom(corners)
	if err != nil {
		log.Fatal(err)
	}
	indexBuffer, err := dev.NewBufferFrom(indices)
	if err != nil {
		log.Fatal(err)
	}
	const width, height, samples = 320, 240, 4
	pipeline, err := dev.NewGraphicsPipeline(pumice.GraphicsPipelineDesc{
		Vertex: pumice.Shader{Code: cubeVertex}, Fragment: pumice.Shader{Code: cubeFragment},
		ColorFormats: []vk.Format{vk.FormatR8G8B8A8Srgb}, DepthFormat: vk.FormatD32Sfloat, Samples: samples,
		VertexBindings: []vk.VertexInputBindingDescription{{Binding: 0, Stride: 20}},
		VertexAttributes: []vk.VertexInputAttributeDescription{
			{Location: 0, Format: vk.FormatR32G32B32Sfloat},
			{Location: 1, Format: vk.FormatR32G32Sfloat, Offset: 12},
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	set, err := pipeline.NewDescriptorSet(0)
	if err != nil {
		log.Fatal(err)
	}
	if err := set.Bind(0, pumice.Texture{View: texture, Sampler: sampler}); err != nil {
		log.Fatal(err)
	}

	// An error in making one of these is found again when the commands name it.
	target, _ := dev.NewImage(pumice.ImageDesc{Width: width, Height: height})
	canvas, _ := dev.NewImage(pumice.ImageDesc{Width: width, Height: height, Samples: samples})
	depth, _ := dev.NewImage(pumice.ImageDesc{Width: width, Height: height, Samples: samples, Format: vk.FormatD32Sfloat})

	cmd := dev.NewCommandBuffer()
	pass := cmd.BeginRendering(pumice.ClearTo(canvas, color.NRGBA{32, 36, 48, 255}).WithDepth(depth, 1).WithResolve(target))
	pass.BindPipeline(pipeline)
	pass.BindDescriptorSet(0, set)
	pass.BindVertexBuffer(0, vertexBuffer, 0)
	pass.BindIndexBuffer(indexBuffer, 0, vk.IndexTypeUint16)
	pass.PushConstants(0, struct{ Yaw, Pitch, Distance, Aspect float32 }{0.6, -0.5, 4.5, float32(width) / height})
	pass.DrawIndexed(uint32(len(indices)), 1, 0, 0, 0)
	pass.End()
	if err := dev.Submit(context.Background(), cmd); err != nil {
		log.Fatal(err)
	}
	img, err := target.ReadNRGBA(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(img.NRGBAAt(0, 0), img.NRGBAAt(145, 72), img.NRGBAAt(139, 104), img.NRGBAAt(204, 112))
	// Output: {32 36 48 255} {81 121 160 255} {171 24 160 255} {53 86 160 255}
}
