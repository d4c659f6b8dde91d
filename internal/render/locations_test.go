package render

import (
	"encoding/binary"
	"errors"
	"testing"

	"github.com/pumice-gpu/pumice/internal/assembly"
	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/render/geometry"
	"github.com/pumice-gpu/pumice/vk"
)

// fetched are the four components of an attribute of vertices 0 and 1, of instances 0 and 1, as the
// vertex shader is given them.
func fetched(t *testing.T, a *geometry.Attribute, data []byte) [][]uint32 {
	in := geometry.Rows(4, 4)
	st := geometry.State{
		Key: geometry.Key{Vertices: 1}, Link: &geometry.Link{Fetch: []geometry.Attribute{*a}},
		Control: none, Evaluation: none, Geometry: none, Task: none, Mesh: none,
	}
	d := geometry.Draw{State: &st, Buffers: []geometry.VertexBuffer{{Data: data}}}
	shader := &geometry.Runner{In: in, Run: func(*exec.Context, *exec.Batch) error { return nil }}
	w := geometry.Worker{Lanes: 4, Programs: []*geometry.Runner{shader}}
	points := []assembly.Primitive{{N: 1}, {N: 1, V: [3]uint32{1, 1, 1}}}
	w.Feed = geometry.Feed{Draw: &d, Params: new(geometry.Params), Primitives: points, Inst: []uint32{0, 1}}
	if err := w.Begin(); err != nil {
		t.Fatal(err)
	}
	return in
}

// Three and four components of 64 bits go on in the next location. An attribute that reaches beyond its buffer is zero in both.
//
// fxvertex-input-extraction
func TestFetch_WideGoesOnInNextLocation(t *testing.T) {
	data := make([]byte, 4+2*40)
	for i := range data {
		data[i] = byte(i + 1)
	}
	for f, words := range map[vk.Format][2]int{
		vk.FormatR64Sint: {2}, vk.FormatR64G64Sfloat: {4}, vk.FormatR64G64B64Uint: {4, 2}, vk.FormatR64G64B64A64Sfloat: {4, 4},
	} {
		d := &PipelineDesc{Bindings: []vk.VertexInputBindingDescription{{Stride: 40}}, Attributes: []vk.VertexInputAttributeDescription{{Location: 3, Format: f, Offset: 4}}}
		size := 4 * (words[0] + words[1])
		for part, n := range words {
			a, err := newAttribute(d, uint32(3+part))
			if n == 0 {
				var e *PipelineError
				if !errors.As(err, &e) || e.Rule != "VUID-VkGraphicsPipelineCreateInfo-Input-07904" {
					t.Errorf("%v has a second location: %v", f, err)
				}
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			for c := range n {
				a.Slots[c] = c
			}
			for _, end := range []int{len(data), 44 + size, 44 + size - 1} {
				for _, instanced := range []bool{false, true} {
					a.Instanced, a.Divisor = instanced, 1
					in := fetched(t, &a, data[:end])
					for lane := range 2 {
						for w := range n {
							want := binary.LittleEndian.Uint32(data[4+40*lane+16*part+4*w:])
							if lane == 1 && end < 44+size {
								want = 0
							}
							if in[w][lane] != want {
								t.Errorf("%v of %d bytes, instanced %v, location %d, vertex %d: word %d is %#x, want %#x", f, end, instanced, 3+part, lane, w, in[w][lane], want)
							}
						}
					}
				}
			}
		}
	}
	// An attribute of its own at the next location wins.
	d := &PipelineDesc{Bindings: []vk.VertexInputBindingDescription{{Stride: 40}}, Attributes: []vk.VertexInputAttributeDescription{
		{Location: 4, Format: vk.FormatR32Uint}, {Location: 3, Format: vk.FormatR64G64B64A64Sfloat}, {Location: 7, Format: vk.FormatR64G64B64A64Sfloat}, {Location: 8, Format: vk.FormatR32Uint}}}
	for _, location := range []uint32{4, 8} {
		if a, err := newAttribute(d, location); err != nil || a.Skip != 0 || a.Words != 1 {
			t.Errorf("location %d: %+v, %v", location, a, err)
		}
	}
}
