package conformance

import (
	"encoding/binary"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/explain"
	"github.com/pumice-gpu/pumice/vk"
)

// ruleDraw is a draw that shows a rule: shaders of testdata/rules, float
// attachments that tests read back sample by sample.
type ruleDraw struct {
	size                     [2]int
	samples, layers, colors  int         // 0 is 1
	formats                  []vk.Format // of colour attachments; nil: 32-bit floats
	vertex, geometry, pixels string
	mesh                     string // in the place of vertices
	depth                    vk.Format
	topology                 vk.PrimitiveTopology
	vertices                 []ruleVertex
	views                    uint32
	instances                int
	indices                  []uint16
	viewports                []vk.Viewport // nil: the framebuffer
	// pipeline changes its description, rendering what is drawn to; pass records before the draw.
	pipeline  func(*pumice.GraphicsPipelineDesc)
	rendering func(*pumice.Rendering)
	pass      func(*pumice.Pass)
	// fill is what colour attachments hold before the draw, nil: what they are cleared to.
	fill func(color int) []byte
	// fillTests is what depth and stencil attachments hold before the draw, nil: what they are cleared to.
	fillTests func() (depth, stencil []byte)
	// warm draws often before, so that shader and all that follows it have become one program.
	warm bool
	// counter is the first two words of the shaders' buffer, afterwards.
	counter [2]uint32
	queried uint64 // samples that passed
	// watch is a sample of the first colour attachment of which told says how it came to be, nil where nobody asks.
	watch *pumice.WatchPoint
	told  *explain.Explanation
}

// ruleVertex is a position in pixels, depth and w, and a value.
type ruleVertex struct {
	x, y, z, w float32
	value      [4]float32
}

// at is a vertex at a position in pixels.
func at(x, y float32, value ...float32) (v ruleVertex) {
	v = ruleVertex{x: x, y: y, w: 1}
	copy(v.value[:], value)
	return v
}

// deep gives a vertex depth and w.
func (v ruleVertex) deep(z, w float32) ruleVertex {
	v.z, v.w = z, w
	return v
}

// ruleImages are what a ruleDraw left behind.
type ruleImages struct {
	d     *ruleDraw
	color [][]byte
	z     []byte
	s     []byte // stencil
}

const ruleFormat = vk.FormatR32G32B32A32Sfloat

// run draws onto attachments of zeros, depth 1.
func (d *ruleDraw) run(t testing.TB, dev *pumice.Device) *ruleImages {
	t.Helper()
	d.samples, d.layers, d.colors, d.instances = max(d.samples, 1), max(d.layers, 1), max(d.colors, 1), max(d.instances, 1)
	var made []interface{ Close() error }
	defer func() {
		for _, c := range made {
			c.Close()
		}
	}()
	must := func(c interface{ Close() error }, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		made = append(made, c)
	}
	shader := func(name string) []byte {
		if name == "" {
			return nil
		}
		code, err := os.ReadFile("testdata/rules/" + name + ".spv")
		if err != nil {
			t.Fatal(err)
		}
		return code
	}
	desc := pumice.GraphicsPipelineDesc{
		Vertex: pumice.Shader{Code: shader(d.vertex)}, Fragment: pumice.Shader{Code: shader(d.pixels)}, Geometry: pumice.Shader{Code: shader(d.geometry)}, Mesh: pumice.Shader{Code: shader(d.mesh)},
		VertexBindings:   []vk.VertexInputBindingDescription{{Stride: 32}},
		VertexAttributes: []vk.VertexInputAttributeDescription{{Format: ruleFormat}, {Location: 1, Format: ruleFormat, Offset: 16}},
		InputAssembly:    &vk.PipelineInputAssemblyStateCreateInfo{Topology: d.topology},
		Rasterization:    &vk.PipelineRasterizationStateCreateInfo{LineWidth: 1},
		Samples:          d.samples, DepthFormat: d.depth, ViewMask: d.views,
	}
	r := pumice.Rendering{ViewMask: d.views}
	if d.views == 0 {
		r.Layers = d.layers
	}
	if d.formats == nil {
		d.formats = slices.Repeat([]vk.Format{ruleFormat}, d.colors)
	}
	image := func(f vk.Format) *pumice.Image {
		im, err := dev.NewImage(pumice.ImageDesc{Format: f, Width: d.size[0], Height: d.size[1], Samples: d.samples, Layers: d.layers})
		must(im, err)
		return im
	}
	var targets []*pumice.Image
	desc.ColorFormats = d.formats
	for _, f := range d.formats {
		im := image(f)
		targets = append(targets, im)
		r.Color = append(r.Color, pumice.Attachment{Target: im, Load: vk.AttachmentLoadOpClear})
	}
	var depth *pumice.Image
	if d.depth != 0 {
		depth = image(d.depth)
		a := &pumice.Attachment{Target: depth, Load: vk.AttachmentLoadOpClear}
		a.Clear.DepthStencil.Depth = 1
		r.Depth = a
		if strings.Contains(d.depth.String(), "S8") {
			r.Stencil, desc.StencilFormat = a, d.depth
		}
		if d.depth == vk.FormatS8Uint {
			r.Depth, desc.DepthFormat = nil, 0
		}
	}
	if len(d.viewports) > 0 {
		v := &vk.PipelineViewportStateCreateInfo{Viewports: d.viewports}
		for range d.viewports {
			v.Scissors = append(v.Scissors, vk.Rect2D{Extent: vk.Extent2D{Width: uint32(d.size[0]), Height: uint32(d.size[1])}})
		}
		desc.Viewport = v
	}
	if d.pipeline != nil {
		d.pipeline(&desc)
	}
	pipe, err := dev.NewGraphicsPipeline(desc)
	must(pipe, err)
	var words []float32
	for _, v := range d.vertices {
		words = append(words, (2*v.x/float32(d.size[0])-1)*v.w, (2*v.y/float32(d.size[1])-1)*v.w, v.z, v.w)
		words = append(words, v.value[:]...)
	}
	if d.mesh != "" {
		words = make([]float32, 8)
	}
	vertices, err := dev.NewBufferFrom(words)
	must(vertices, err)
	counter, err := dev.NewBufferFrom(make([]uint32, 4))
	must(counter, err)
	queries, err := dev.NewQueryPool(vk.QueryTypeOcclusion, 1)
	must(queries, err)

	if d.rendering != nil {
		d.rendering(&r)
	}
	rounds := []int{d.instances}
	if d.warm { // render.fuseAfter
		rounds = []int{(1<<14)/d.size[0]/d.size[1] + 1, d.instances}
	}
	for _, instances := range rounds {
		for i, im := range targets {
			if d.fill == nil {
				break
			}
			if err := im.Write(ctx, pumice.Subresource{}, d.fill(i)); err != nil {
				t.Fatal(err)
			}
			r.Color[i].Load = vk.AttachmentLoadOpLoad
		}
		if d.fillTests != nil {
			z, s := d.fillTests()
			for _, plane := range []struct {
				a    *pumice.Attachment
				of   vk.ImageAspectFlags
				data []byte
			}{{r.Depth, vk.ImageAspectDepthBit, z}, {r.Stencil, vk.ImageAspectStencilBit, s}} {
				if plane.a == nil {
					continue
				}
				plane.a.Load = vk.AttachmentLoadOpLoad
				if err := depth.Write(ctx, pumice.Subresource{Aspect: plane.of}, plane.data); err != nil {
					t.Fatal(err)
				}
			}
		}
		cmd := dev.NewCommandBuffer()
		pass := cmd.BeginRendering(r)
		pass.BindPipeline(pipe)
		if set, err := pipe.NewDescriptorSet(0); err == nil {
			made = append(made, set)
			if err := set.Bind(0, counter); err != nil {
				t.Fatal(err)
			}
			pass.BindDescriptorSet(0, set)
		}
		pass.BindVertexBuffer(0, vertices, 0)
		if d.pass != nil {
			d.pass(pass)
		}
		pass.BeginQuery(queries, 0)
		switch {
		case d.mesh != "":
			pass.DrawMeshTasks(1, 1, 1)
		case d.indices != nil:
			indices, err := dev.NewBufferFrom(d.indices)
			must(indices, err)
			pass.BindIndexBuffer(indices, 0, vk.IndexTypeUint16)
			pass.DrawIndexed(uint32(len(d.indices)), uint32(instances), 0, 0, 0)
		default:
			pass.Draw(uint32(len(d.vertices)), uint32(instances))
		}
		pass.EndQuery(queries, 0)
		pass.End()
		if d.watch != nil {
			d.watch.Image = targets[0]
			list, err := dev.Explain(ctx, []pumice.WatchPoint{*d.watch}, cmd)
			if err != nil {
				t.Fatal(err)
			}
			d.told = list[0]
			continue
		}
		if err := dev.Submit(ctx, cmd); err != nil {
			t.Fatal(err)
		}
	}
	out := &ruleImages{d: d}
	read := func(im *pumice.Image, layer int, s pumice.Subresource) (all []byte) {
		for l := range layer {
			s.Layer = l
			b, err := im.Read(ctx, s)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, b...)
		}
		return all
	}
	for _, im := range targets {
		out.color = append(out.color, read(im, d.layers, pumice.Subresource{}))
	}
	if depth != nil {
		if r.Depth != nil {
			out.z = read(depth, d.layers, pumice.Subresource{Aspect: vk.ImageAspectDepthBit})
		}
		if r.Stencil != nil {
			out.s = read(depth, d.layers, pumice.Subresource{Aspect: vk.ImageAspectStencilBit})
		}
	}
	got := make([]byte, 16)
	if err := counter.Read(ctx, 0, got); err != nil {
		t.Fatal(err)
	}
	d.counter = [2]uint32{binary.LittleEndian.Uint32(got), binary.LittleEndian.Uint32(got[4:])}
	if list, err := queries.Results(ctx); err == nil && len(list) > 0 {
		d.queried = list[0]
	}
	return out
}

// at is a sample of an attachment: layer 0.
func (r *ruleImages) at(color, x, y, sample int) [4]float32 { return r.layer(color, 0, x, y, sample) }

// layer is a sample of a layer of an attachment.
func (r *ruleImages) layer(color, layer, x, y, sample int) (v [4]float32) {
	b := r.color[color][16*r.index(layer, x, y, sample):]
	for k := range v {
		v[k] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*k:]))
	}
	return v
}

func (r *ruleImages) index(layer, x, y, sample int) int {
	d := r.d
	return ((layer*d.size[1]+y)*d.size[0]+x)*d.samples + sample
}

// depth is a sample of a depth attachment of 32 bits.
func (r *ruleImages) depth(x, y, sample int) float32 {
	return math.Float32frombits(binary.LittleEndian.Uint32(r.z[4*r.index(0, x, y, sample):]))
}

// code is a sample of a depth attachment of 16 bits.
func (r *ruleImages) code(x, y, sample int) uint16 {
	return binary.LittleEndian.Uint16(r.z[2*r.index(0, x, y, sample):])
}

// everywhere is three vertices whose triangle covers a framebuffer, with values.
func everywhere(size float32, values ...[4]float32) []ruleVertex {
	list := []ruleVertex{at(0, 0), at(2*size, 0), at(0, 2*size)}
	for i := range values {
		list[i].value = values[i]
	}
	return list
}

// withDepth is D32 test and write, LESS.
func withDepth(p *pumice.GraphicsPipelineDesc) {
	p.DepthStencil = &vk.PipelineDepthStencilStateCreateInfo{DepthTestEnable: true, DepthWriteEnable: true, DepthCompareOp: vk.CompareOpLess}
}
