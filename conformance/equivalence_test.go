package conformance

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/vk"
)

// drawing is what the ways of TestEquivalence_WaysToDraw draw: a list of
// primitives of size vertices each, in several instances.
type drawing struct {
	*stream
	size, primitives, first, inst uint32
	pipeline                      *pumice.GraphicsPipeline
	set                           *pumice.DescriptorSet
	seed                          uint64 // of the dynamic state
	identity                      *pumice.Buffer
	commands                      *pumice.Buffer
}

// pass records a render pass with the drawing's state.
func (d *drawing) pass(area vk.Rect2D, record func(*pumice.Pass)) {
	r := d.rendering(vk.AttachmentLoadOpLoad)
	r.Area = area
	p := d.cmd.BeginRendering(r)
	p.BindPipeline(d.pipeline)
	if d.set != nil {
		p.BindDescriptorSet(0, d.set)
	}
	saved := d.Rand
	d.Rand = rand.New(rand.NewPCG(d.seed, 1))
	d.dynamicState(p)
	d.Rand = saved
	p.SetScissor(d.all())
	p.BindVertexBuffer(0, d.vertices, 0)
	p.BindVertexBuffer(1, d.instance, 0)
	p.BindIndexBuffer(d.identity, 0, vk.IndexTypeUint32)
	record(p)
	p.End()
}

func (d *drawing) all() vk.Rect2D {
	return vk.Rect2D{Extent: vk.Extent2D{Width: uint32(d.width), Height: uint32(d.height)}}
}

// half is the left or right part of the attachments.
func (d *drawing) half(right bool) vk.Rect2D {
	r := d.all()
	middle := r.Extent.Width/2 + 1
	if right {
		r.Offset.X, r.Extent.Width = int32(middle), r.Extent.Width-middle
	} else {
		r.Extent.Width = middle
	}
	return r
}

// ways draw the same. The first is the plain one. Order among the primitives
// that meet in a sample is the same in all of them.
var ways = []struct {
	name   string
	record func(*drawing)
}{
	{"one draw", func(d *drawing) {
		d.pass(d.all(), func(p *pumice.Pass) { p.DrawRange(d.size*d.primitives, d.inst, d.first, 1) })
	}},
	{"indexed", func(d *drawing) {
		d.pass(d.all(), func(p *pumice.Pass) { p.DrawIndexed(d.size*d.primitives, d.inst, d.first, 0, 1) })
	}},
	{"indexed with an offset", func(d *drawing) {
		d.pass(d.all(), func(p *pumice.Pass) { p.DrawIndexed(d.size*d.primitives, d.inst, 0, int32(d.first), 1) })
	}},
	{"indirect", func(d *drawing) {
		d.pass(d.all(), func(p *pumice.Pass) { p.DrawIndirect(d.commands, 0, 1, 16) })
	}},
	{"one draw an instance", func(d *drawing) {
		d.pass(d.all(), func(p *pumice.Pass) {
			for i := range d.inst {
				p.DrawRange(d.size*d.primitives, 1, d.first, 1+i)
			}
		})
	}},
	{"one draw a primitive", func(d *drawing) {
		d.pass(d.all(), func(p *pumice.Pass) {
			for i := range d.inst {
				for j := range d.primitives {
					p.DrawRange(d.size, 1, d.first+d.size*j, 1+i)
				}
			}
		})
	}},
	{"one pass an instance", func(d *drawing) {
		for i := range d.inst {
			d.pass(d.all(), func(p *pumice.Pass) { p.DrawRange(d.size*d.primitives, 1, d.first, 1+i) })
		}
	}},
	{"halves by render area", func(d *drawing) {
		for _, right := range []bool{true, false} {
			d.pass(d.half(right), func(p *pumice.Pass) { p.DrawRange(d.size*d.primitives, d.inst, d.first, 1) })
		}
	}},
	{"halves by scissor", func(d *drawing) {
		d.pass(d.all(), func(p *pumice.Pass) {
			for _, right := range []bool{true, false} {
				p.SetScissor(d.half(right))
				p.DrawRange(d.size*d.primitives, d.inst, d.first, 1)
			}
		})
	}},
}

// TestEquivalence_WaysToDraw records the same primitives in different ways and
// wants the same bytes. The state is random as in the streams.
func TestEquivalence_WaysToDraw(t *testing.T) {
	cfg := config{}
	dev := open(t, cfg)
	lists := []vk.PrimitiveTopology{
		vk.PrimitiveTopologyPointList, vk.PrimitiveTopologyLineList, vk.PrimitiveTopologyTriangleList,
		vk.PrimitiveTopologyLineListWithAdjacency, vk.PrimitiveTopologyTriangleListWithAdjacency,
	}
	sizes := []uint32{1, 2, 3, 4, 6}
	for seed := range uint64(40) {
		var want []result
		for i, way := range ways {
			s := &stream{Rand: rand.New(rand.NewPCG(seed, 11)), t: t, dev: dev, cfg: cfg, seed: seed, cmd: dev.NewCommandBuffer()}
			s.makeResources()
			d := &drawing{stream: s, seed: seed, primitives: 12, first: uint32(s.IntN(100)), inst: 1 + uint32(s.IntN(3))}
			kind := int(seed) % len(lists)
			d.size = sizes[kind]
			d.pipeline, d.set = s.pipeline(func(desc *pumice.GraphicsPipelineDesc) {
				desc.InputAssembly = &vk.PipelineInputAssemblyStateCreateInfo{Topology: lists[kind]}
				desc.VertexDivisors = nil // their quotients begin at each draw's first instance
				if desc.Fragment.Constants[0] == int32(7) {
					desc.Fragment.Constants[0] = int32(1) // 7 shows the primitive's number in the draw
				}
			})
			var identity []byte
			for v := range uint32(soupVertices) {
				identity = binary.LittleEndian.AppendUint32(identity, v)
			}
			buffer, err := dev.NewBufferFrom(identity)
			d.identity = check(s, buffer, err)
			buffer, err = dev.NewBufferFrom([]uint32{d.size * d.primitives, d.inst, d.first, 1})
			d.commands = check(s, buffer, err)

			s.cmd.ClearColorImage(s.colors[0], vk.ClearColorValue{Float32: [4]float32{0.25, 0.5, 0.75, 1}, Uint32: [4]uint32{12345}})
			if s.depth != nil {
				s.cmd.ClearDepthStencilImage(s.depth, vk.ClearDepthStencilValue{Depth: 0.75, Stencil: 1})
			}
			way.record(d)
			s.submit()
			got := s.results()
			for _, c := range s.close {
				if err := c.Close(); err != nil {
					t.Error(err)
				}
			}
			if i == 0 {
				want = got
				continue
			}
			for j := range want {
				if !same(t, way.name, want[j], got[j]) {
					return
				}
			}
		}
	}
}
