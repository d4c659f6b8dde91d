package render

import (
	"context"
	"testing"

	"github.com/pumice-gpu/pumice/vk"
)

// blendStates are ways in which programs write colours.
var blendStates = []struct {
	name  string
	state vk.PipelineColorBlendAttachmentState
}{
	{"plain", vk.PipelineColorBlendAttachmentState{ColorWriteMask: 15}},
	{"over", vk.PipelineColorBlendAttachmentState{ColorWriteMask: 15, BlendEnable: true, SrcColorBlendFactor: vk.BlendFactorSrcAlpha, DstColorBlendFactor: vk.BlendFactorOneMinusSrcAlpha,
		SrcAlphaBlendFactor: vk.BlendFactorOne, DstAlphaBlendFactor: vk.BlendFactorOneMinusSrcAlpha}},
	{"add", vk.PipelineColorBlendAttachmentState{ColorWriteMask: 15, BlendEnable: true, SrcColorBlendFactor: vk.BlendFactorOne, DstColorBlendFactor: vk.BlendFactorOne,
		SrcAlphaBlendFactor: vk.BlendFactorOne, DstAlphaBlendFactor: vk.BlendFactorOne}},
	{"masked", vk.PipelineColorBlendAttachmentState{ColorWriteMask: 7}},
}

// BenchmarkColor draws four layers over the whole framebuffer, each of which has to be
// shaded: tests come before, and the last is drawn with another state.
func BenchmarkColor(b *testing.B) {
	for _, samples := range []int{1, 4} {
		for _, f := range []vk.Format{vk.FormatR8G8B8A8Unorm, vk.FormatR8G8B8A8Srgb, vk.FormatR16G16B16A16Sfloat, vk.FormatB10G11R11UfloatPack32, vk.FormatA2B10G10R10UnormPack32, vk.FormatR32G32B32A32Sfloat} {
			for _, c := range blendStates {
				if samples == 4 && c.name != "over" {
					continue
				}
				name := f.String()[len("VK_FORMAT_"):] + "/" + c.name
				if samples == 4 {
					name += "/4x"
				}
				b.Run(name, func(b *testing.B) { benchColor(b, samples, f, c.state) })
			}
		}
	}
}

func benchColor(b *testing.B, samples int, f vk.Format, blend vk.PipelineColorBlendAttachmentState) {
	s := newScene(b, 512, 512, samples, vk.FormatUndefined)
	s.color = newView(b, f, 512, 512, samples, 1)
	s.pass.Color[0].View = s.color
	s.state.Blend[0] = blend
	p := s.pipeline(b, 256)
	var v []float32
	for range 4 {
		v = s.quad(v, 0, 0, 512, 512, .5, .25, .5, .75, .5)
	}
	s.add(p, s.state, v, 8)
	x := newExecutor(Config{Threads: 1})
	x.shadeHidden = true
	n := uint64(0)
	b.ReportAllocs()
	for b.Loop() {
		st, err := x.Run(context.Background(), &s.pass)
		if err != nil {
			b.Fatal(err)
		}
		n += st.Fragments
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/fragment")
}

// BenchmarkTests draws layers whose fragments are tested and not shaded.
func BenchmarkTests(b *testing.B) {
	counting := vk.StencilOpState{PassOp: vk.StencilOpIncrementAndWrap, DepthFailOp: vk.StencilOpDecrementAndWrap, CompareOp: vk.CompareOpAlways, CompareMask: 0xFF, WriteMask: 0xFF}
	for _, c := range []struct {
		name    string
		f       vk.Format
		samples int
		set     func(st *DynamicState)
	}{
		{"D32/less", vk.FormatD32Sfloat, 1, func(st *DynamicState) {
			st.DepthTestEnable, st.DepthWriteEnable, st.DepthCompareOp = true, true, vk.CompareOpLess
		}},
		{"D24/less", vk.FormatD24UnormS8Uint, 1, func(st *DynamicState) {
			st.DepthTestEnable, st.DepthWriteEnable, st.DepthCompareOp = true, true, vk.CompareOpLess
		}},
		{"D16/greater", vk.FormatD16Unorm, 1, func(st *DynamicState) {
			st.DepthTestEnable, st.DepthWriteEnable, st.DepthCompareOp = true, true, vk.CompareOpGreater
		}},
		{"D32/equal", vk.FormatD32Sfloat, 1, func(st *DynamicState) { st.DepthTestEnable, st.DepthCompareOp = true, vk.CompareOpEqual }},
		{"D24/stencil", vk.FormatD24UnormS8Uint, 1, func(st *DynamicState) {
			st.DepthTestEnable, st.DepthCompareOp = true, vk.CompareOpLess
			st.StencilTestEnable, st.Front, st.Back = true, counting, counting
		}},
		{"D24/stencil/4x", vk.FormatD24UnormS8Uint, 4, func(st *DynamicState) {
			st.DepthTestEnable, st.DepthCompareOp = true, vk.CompareOpLess
			st.StencilTestEnable, st.Front, st.Back = true, counting, counting
		}},
		{"D32/bounds", vk.FormatD32Sfloat, 1, func(st *DynamicState) {
			st.DepthBoundsTestEnable, st.MaxDepthBounds = true, .75
		}},
	} {
		for _, small := range []bool{false, true} {
			name := c.name
			if small {
				name += "/small"
			}
			b.Run(name, func(b *testing.B) {
				s := newScene(b, 512, 512, c.samples, c.f)
				s.vs, s.fs, s.pass.Color = vertexProgram(0), nil, nil
				c.set(&s.state)
				p := s.pipeline(b, 256)
				var v []float32
				for i := range 4 {
					if !small {
						v = s.quad(v, 0, 0, 512, 512, .5-float32(i)/16)
						continue
					}
					for k := range 64 * 64 {
						x, y := float32(k%64*8), float32(k/64*8)
						v = s.quad(v, x, y, x+8, y+8, .5-float32(i)/16)
					}
				}
				s.add(p, s.state, v, 4)
				x := newExecutor(Config{Threads: 1})
				for b.Loop() {
					if _, err := x.Run(context.Background(), &s.pass); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(4*512*512), "ns/pixel")
			})
		}
	}
}
