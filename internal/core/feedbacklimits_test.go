package core

import (
	"math"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/render"
	"github.com/pumice-gpu/pumice/vk"
)

//go:generate glslangValidator -V --target-env vulkan1.2 -o testdata/streams16.geom.spv testdata/limits.conf testdata/streams16.geom
//go:generate glslangValidator -V --target-env vulkan1.2 -o testdata/wide.vert.spv testdata/limits.conf testdata/wide.vert
//go:generate glslangValidator -V --target-env vulkan1.2 -o testdata/wide.geom.spv testdata/limits.conf testdata/wide.geom
//go:generate glslangValidator -V --target-env vulkan1.2 -o testdata/wide.frag.spv testdata/limits.conf testdata/wide.frag

// ones are n words of a pattern that nothing writes.
func ones(n int) []uint32 { return slices.Repeat([]uint32{math.MaxUint32}, n) }

// Sixteen streams at once: each has its own strip and counts, eight have buffers, and the last is drawn.
func TestStreams_RAS062_AllSixteenAndEightBuffers(t *testing.T) {
	if ir.MaxStreams != 16 || render.MaxFeedbackBuffers != 8 {
		t.Fatalf("%d streams, %d buffers", ir.MaxStreams, render.MaxFeedbackBuffers)
	}
	d := open(t)
	p := fullscreen(t, d, "number.frag", numberFormats, func(i *GraphicsPipelineInfo) {
		i.InputAssembly.Topology = vk.PrimitiveTopologyPointList
		i.Geometry, i.Stream = Stage{Code: shaderCode(t, "streams16.geom")}, 15
	})
	a, av := target(t, d, numbers, 1, 1)
	fillWords(a, 9999)
	// What a vertex of a buffer's stream takes, and where in it the number stands, in words.
	stride := []int{1, 1, 1, 1, 1, 1, 2, 2048}
	offset := []int{0, 0, 0, 0, 0, 0, 1, 2047}
	stream := []int{0, 1, 2, 3, 4, 5, 6, 15}
	var buffers []*Buffer
	var list []FeedbackBuffer
	for k, s := range stride {
		buffers = append(buffers, bufferOf(t, d, ones((stream[k]+1)*s+1)...))
		list = append(list, FeedbackBuffer{Buffer: buffers[k], Size: uint64(4 * (stream[k] + 1) * s)})
	}
	generated := must(d.NewQueryPool(vk.QueryTypePrimitivesGeneratedEXT, 16))(t)
	written := must(d.NewQueryPool(vk.QueryTypeTransformFeedbackStreamEXT, 16))(t)
	c := d.NewCommandBuffer()
	c.ResetQueries(generated, 0, 16)
	c.ResetQueries(written, 0, 16)
	c.BindTransformFeedbackBuffers(0, list)
	c.BeginRendering(RenderingInfo{Color: []RenderingAttachment{{View: av}}})
	c.BindPipeline("bind", vk.PipelineBindPointGraphics, p)
	for s := range 16 {
		c.BeginQueryIndexed(generated, s, uint32(s))
		c.BeginQueryIndexed(written, s, uint32(s))
	}
	c.BeginTransformFeedback(0, nil)
	c.Draw("draw", 1, 1, 0, 0)
	c.EndTransformFeedback(0, nil)
	for s := range 16 {
		c.EndQueryIndexed(generated, s, uint32(s))
		c.EndQueryIndexed(written, s, uint32(s))
	}
	c.EndRendering("end")
	submit(t, d, c)
	for k, b := range buffers {
		want := ones((stream[k]+1)*stride[k] + 1)
		for v := range stream[k] + 1 {
			want[v*stride[k]+offset[k]] = math.Float32bits(float32(100*stream[k] + v))
		}
		if got := words(b, len(want)); !slices.Equal(got, want) {
			t.Errorf("buffer %d, stream %d: %x, want %x", k, stream[k], got, want)
		}
	}
	made, put := must(generated.Results(ctx))(t), must(written.Results(ctx))(t)
	for s := range 16 {
		// What has no buffer is written, too, though nowhere.
		if n := uint64(s + 1); made[s] != n || put[2*s] != n || put[2*s+1] != n {
			t.Errorf("stream %d: %d primitives made, %d of %d written; want %d", s, made[s], put[2*s], put[2*s+1], n)
		}
	}
	for i, v := range texels(t, a, 0, 0) {
		if want := i < 16; (v != 9999) != want {
			t.Errorf("texel %d is drawn: %v, want %v", i, !want, want)
		}
	}

	c = d.NewCommandBuffer()
	c.BeginQueryIndexed(generated, 0, 16)
	if got := rule(c.Err()); got != "VUID-vkCmdBeginQueryIndexedEXT-queryType-06690" {
		t.Errorf("a query of stream 16: %v", c.Err())
	}
	c = d.NewCommandBuffer()
	if c.BindTransformFeedbackBuffers(1, list); c.Err() == nil {
		t.Error("buffers 1 to 8 are bound")
	}
}

// 512 components of a vertex reach the fragment shader, through a geometry shader and feedback buffers, too.
func TestLimits_ComponentsBetweenStages(t *testing.T) {
	d := open(t)
	if l := d.Limits(); l.MaxVertexOutputComponents != 512 || l.MaxGeometryInputComponents != 512 || l.MaxGeometryOutputComponents != 512 || l.MaxFragmentInputComponents != 512 {
		t.Errorf("%+v", l)
	}
	sum := uint32(0) // of the provoking vertex, number 0
	for c := range uint32(508) {
		sum = 31*sum + 8*c
	}
	for _, geometry := range []bool{false, true} {
		p := fullscreen(t, d, "wide.frag", numberFormats, func(i *GraphicsPipelineInfo) {
			i.Vertex = Stage{Code: shaderCode(t, "wide.vert")}
			if geometry {
				i.Geometry = Stage{Code: shaderCode(t, "wide.geom")}
			}
		})
		a, av := target(t, d, numbers, 1, 1)
		heads, rest := bufferOf(t, d, ones(13)...), bufferOf(t, d, ones(3*504+1)...)
		c := d.NewCommandBuffer()
		c.BindTransformFeedbackBuffers(7, []FeedbackBuffer{{Buffer: heads, Size: 48}})
		c.BindTransformFeedbackBuffers(1, []FeedbackBuffer{{Buffer: rest, Size: 3 * 2016}})
		c.BeginRendering(RenderingInfo{Color: []RenderingAttachment{{View: av}}})
		c.BindPipeline("bind", vk.PipelineBindPointGraphics, p)
		if geometry {
			c.BeginTransformFeedback(0, nil)
		}
		c.Draw("draw", 3, 1, 0, 0)
		if geometry {
			c.EndTransformFeedback(0, nil)
		}
		c.EndRendering("end")
		submit(t, d, c)
		for i, v := range texels(t, a, 0, 0) {
			if v != sum {
				t.Fatalf("geometry %v: texel %d is %d, want %d", geometry, i, v, sum)
			}
		}
		if !geometry {
			continue
		}
		wantHeads, wantRest := ones(13), ones(3*504+1)
		for v := range 3 {
			for k := range 4 {
				wantHeads[4*v+k] = math.Float32bits(float32(8*k + v))
			}
			for k := range 504 {
				wantRest[504*v+k] = math.Float32bits(float32(8 * (4 + k)))
			}
		}
		if got := words(heads, 13); !slices.Equal(got, wantHeads) {
			t.Errorf("%x, want %x", got, wantHeads)
		}
		if got := words(rest, 3*504+1); !slices.Equal(got, wantRest) {
			t.Errorf("%x, want %x", got, wantRest)
		}
	}
}
