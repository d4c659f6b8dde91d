package conformance

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// Corner cases of fragment operations, drawn.

// square is a draw of one value onto all of 2×2 pixels of a format.
func square(f vk.Format, value ...float32) *ruleDraw {
	var v [4]float32
	copy(v[:], value)
	return &ruleDraw{size: [2]int{2, 2}, formats: []vk.Format{f}, vertex: "values.vert", pixels: "values.frag", topology: vk.PrimitiveTopologyTriangleList,
		vertices: everywhere(2, v, v, v)}
}

func TestCorners_RC65_AlphaToCoverage(t *testing.T) {
	rules.Covers(t, "RC-65", "RAS-317")
	dev := ruleDevice(t)
	for alpha, want := range map[float32]int{0: 0, .124: 0, .125: 1, .5: 2, 1: 4, float32(math.NaN()): 0} {
		d := square(ruleFormat, 1, 1, 1, alpha)
		d.samples = 4
		d.pipeline = func(p *pumice.GraphicsPipelineDesc) {
			p.Multisample = &vk.PipelineMultisampleStateCreateInfo{RasterizationSamples: 4, AlphaToCoverageEnable: true}
		}
		got, n := d.run(t, dev), 0
		for s := range 4 {
			if got.at(0, 1, 1, s)[0] == 1 {
				n++
			}
		}
		if n != want {
			t.Errorf("alpha %v covers %d samples, want %d", alpha, n, want)
		}
	}
}

// stencilled is a draw whose stencil test is s on both faces, over depth and stencil that hold values.
func stencilled(depth float32, stencil uint32, s vk.StencilOpState) *ruleDraw {
	d := square(ruleFormat, 1)
	d.depth = vk.FormatD32SfloatS8Uint
	d.pipeline = func(p *pumice.GraphicsPipelineDesc) {
		p.DepthStencil = &vk.PipelineDepthStencilStateCreateInfo{StencilTestEnable: true, Front: s, Back: s}
	}
	d.rendering = func(r *pumice.Rendering) {
		r.Depth.Clear.DepthStencil = vk.ClearDepthStencilValue{Depth: depth, Stencil: stencil}
	}
	return d
}

func TestCorners_RC66_StencilOperationsAtTheEnds(t *testing.T) {
	rules.Covers(t, "RC-66", "RAS-322", "RAS-323")
	dev := ruleDevice(t)
	for _, c := range []struct {
		op          vk.StencilOp
		stored      uint32
		write, want uint8
	}{
		{vk.StencilOpIncrementAndClamp, 255, 0xFF, 255}, {vk.StencilOpIncrementAndWrap, 255, 0xFF, 0},
		{vk.StencilOpDecrementAndWrap, 0, 0xFF, 255}, {vk.StencilOpInvert, 0x0F, 0x0F, 0},
	} {
		got := stencilled(1, c.stored, vk.StencilOpState{CompareOp: vk.CompareOpAlways, PassOp: c.op, WriteMask: uint32(c.write)}).run(t, dev)
		for _, s := range got.s {
			if s != c.want {
				t.Errorf("%v of %d is %d, want %d", c.op, c.stored, s, c.want)
			}
		}
	}
}

func TestCorners_RC67_ReferenceOnTheLeft(t *testing.T) {
	rules.Covers(t, "RC-67", "RAS-321", "RAS-325")
	dev := ruleDevice(t)
	for _, c := range []struct{ reference, stored, want float32 }{{1, 2, 1}, {2, 1, 0}, {2, 2, 0}} {
		got := stencilled(1, uint32(c.stored), vk.StencilOpState{CompareOp: vk.CompareOpLess, CompareMask: 0xFF, Reference: uint32(c.reference)}).run(t, dev)
		if v := got.at(0, 1, 0, 0)[0]; v != c.want {
			t.Errorf("LESS with reference %v, stored %v: drawn %v, want %v", c.reference, c.stored, v, c.want)
		}
	}
}

func TestCorners_RC68_DepthBoundsOfWhatIsStored(t *testing.T) {
	rules.Covers(t, "RC-68", "RAS-320")
	dev := ruleDevice(t)
	for _, c := range []struct{ stored, z, want float32 }{{.5, .9, 1}, {.7, .5, 0}, {.3, .5, 0}, {.4, .9, 1}, {.6, .1, 1}} {
		d := stencilled(c.stored, 0, vk.StencilOpState{})
		for i := range d.vertices {
			d.vertices[i].z = c.z
		}
		d.pipeline = func(p *pumice.GraphicsPipelineDesc) {
			p.DepthStencil = &vk.PipelineDepthStencilStateCreateInfo{DepthBoundsTestEnable: true, MinDepthBounds: .4, MaxDepthBounds: .6}
		}
		if v := d.run(t, dev).at(0, 0, 1, 0)[0]; v != c.want {
			t.Errorf("stored %v, z %v: drawn %v, want %v", c.stored, c.z, v, c.want)
		}
	}
}

// resolved gives a draw a target to resolve its attachment to, and returns how to read that.
func resolved(t *testing.T, dev *pumice.Device, d *ruleDraw, f vk.Format, of func(*pumice.Rendering) *pumice.Attachment, mode vk.ResolveModeFlags) func() []byte {
	t.Helper()
	im, err := dev.NewImage(pumice.ImageDesc{Format: f, Width: d.size[0], Height: d.size[1]})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { im.Close() })
	before := d.rendering
	d.rendering = func(r *pumice.Rendering) {
		if before != nil {
			before(r)
		}
		a := of(r)
		a.Resolve, a.ResolveMode = im, mode
	}
	return func() []byte {
		b, err := im.Read(ctx, pumice.Subresource{})
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
}

// onSamples restricts a draw to some of its samples.
func onSamples(d *ruleDraw, samples int, mask uint32) {
	d.samples = samples
	before := d.pipeline
	d.pipeline = func(p *pumice.GraphicsPipelineDesc) {
		if before != nil {
			before(p)
		}
		p.Multisample = &vk.PipelineMultisampleStateCreateInfo{RasterizationSamples: vk.SampleCountFlags(samples), SampleMask: []uint32{mask}}
	}
}

func colorOf(r *pumice.Rendering) *pumice.Attachment { return &r.Color[0] }

func TestCorners_RC69_MeanOfSrgbSamples(t *testing.T) {
	rules.Covers(t, "RC-69", "RAS-353")
	dev := ruleDevice(t)
	d := square(vk.FormatR8G8B8A8Srgb, 1, 0, 1, 1)
	onSamples(d, 2, 1)
	read := resolved(t, dev, d, vk.FormatR8G8B8A8Srgb, colorOf, 0)
	d.run(t, dev)
	// Codes 0 and 255: 188; alpha is linear: 127.5 is 128, to even.
	if got := read(); got[0] != 188 || got[1] != 0 || got[2] != 188 || got[3] != 128 {
		t.Errorf("%v, want [188 0 188 128]", got[:4])
	}
}

func TestCorners_RC70_IntegersDepthStencil(t *testing.T) {
	rules.Covers(t, "RC-70", "RAS-352", "RAS-354")
	dev := ruleDevice(t)
	depthOf := func(r *pumice.Rendering) *pumice.Attachment { return r.Depth }
	for mode, want := range map[vk.ResolveModeFlags]float32{vk.ResolveModeMinBit: .25, vk.ResolveModeMaxBit: .75, vk.ResolveModeSampleZeroBit: .75} {
		d := square(ruleFormat, 1)
		d.depth = vk.FormatD32Sfloat
		for i := range d.vertices {
			d.vertices[i].z = .25
		}
		d.pipeline = withDepth
		d.rendering = func(r *pumice.Rendering) { r.Depth.Clear.DepthStencil.Depth = .75 }
		onSamples(d, 4, 0b0100)
		read := resolved(t, dev, d, d.depth, depthOf, mode)
		d.run(t, dev)
		if got := math.Float32frombits(binary.LittleEndian.Uint32(read())); got != want {
			t.Errorf("%v of .75 .75 .25 .75: %v, want %v", mode, got, want)
		}
	}
	// A mean of stencils is refused.
	im := func(samples int) *pumice.Image {
		im, err := dev.NewImage(pumice.ImageDesc{Format: vk.FormatS8Uint, Width: 2, Height: 2, Samples: samples})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { im.Close() })
		return im
	}
	cmd := dev.NewCommandBuffer()
	cmd.BeginRendering(pumice.Rendering{Stencil: &pumice.Attachment{Target: im(4), Resolve: im(1), ResolveMode: vk.ResolveModeAverageBit}}).End()
	if err := dev.Submit(ctx, cmd); err == nil {
		t.Error("AVERAGE of stencils is accepted")
	}
}

func TestCorners_RC74_XorTwice(t *testing.T) {
	rules.Covers(t, "RC-74", "RAS-345")
	dev := ruleDevice(t)
	for f, want := range map[vk.Format]byte{vk.FormatR8G8B8A8Unorm: 0x5A, vk.FormatR8G8B8A8Srgb: 0xFF} {
		d := square(f, 1, 1, 1, 1)
		d.instances = 2
		d.pipeline = func(p *pumice.GraphicsPipelineDesc) {
			p.Blend = &vk.PipelineColorBlendStateCreateInfo{LogicOpEnable: true, LogicOp: vk.LogicOpXor, Attachments: []vk.PipelineColorBlendAttachmentState{{ColorWriteMask: 15}}}
		}
		d.rendering = func(r *pumice.Rendering) {
			for k := range 4 {
				r.Color[0].Clear.Color.Float32[k] = 0x5A / 255.
			}
		}
		if got := d.run(t, dev).color[0][0]; got != want {
			t.Errorf("%v after XOR with ones twice: %#x, want %#x", f, got, want)
		}
	}
}
