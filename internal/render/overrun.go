package render

import (
	"math"

	"github.com/pumice-gpu/pumice/internal/assembly"
)

// Overrun is what a draw fetches from beyond a buffer: a vertex attribute or, where Indices is set,
// indices. Need and Have are bytes from where the buffer is bound: up to the end of the farthest fetch, and
// what there is.
type Overrun struct {
	Indices           bool
	Location, Binding uint32
	// Instanced elements are those of instances, others are vertices. Element is the number of the farthest;
	// At is the place of its index among those that the draw reads, -1 in draws without indices.
	Instanced  bool
	Element    uint64
	At         int64
	Need, Have uint64
}

// overrunIndices bounds the indices that Overruns looks at, of all records of a draw.
const overrunIndices = 1 << 26

// Overruns lists what the draw fetches from beyond its buffers, once an attribute: robust accesses read zeros
// there, and programs rarely mean that. Null buffers, which have no bytes, are left out. It reads indices and
// indirect parameters as they are now, and looks at no more than overrunIndices of them.
//
// fxvertex-input-extraction
func (d *Draw) Overruns() []Overrun {
	if d.Pipeline == nil || d.Clear != nil || d.Event != nil || d.Mesh != nil {
		return nil
	}
	var list []Overrun
	budget := overrunIndices
	for record := range d.records() {
		c := d.command(record)
		if c.count == 0 || c.instances == 0 || budget <= 0 {
			continue
		}
		farthest, at := uint64(c.first)+uint64(c.count)-1, int64(-1)
		if d.Index != nil {
			var beyond *Overrun
			farthest, at, beyond = d.farthest(&c, &budget)
			if beyond != nil {
				list = merge(list, beyond)
			}
			if at < 0 {
				continue // all of them restart
			}
		}
		for i := range d.Pipeline.link.Fetch {
			a := &d.Pipeline.link.Fetch[i]
			buf, stride := a.BufferOf(d.VertexBuffers)
			if buf.Data == nil {
				continue
			}
			o := Overrun{Location: a.Location, Binding: uint32(a.Binding), Instanced: a.Instanced, Element: min(farthest, math.MaxUint32), At: at, Have: uint64(len(buf.Data))}
			if a.Instanced {
				o.Element, o.At = uint64(c.firstInstance), -1
				if a.Divisor > 0 {
					o.Element = min(o.Element+uint64((c.instances-1)/a.Divisor), math.MaxUint32)
				}
			}
			if o.Need = a.Offset + o.Element*stride + uint64(a.Size); o.Need > o.Have {
				list = merge(list, &o)
			}
		}
	}
	return list
}

// merge adds o to a list, in which each attribute stands once, with what reaches farthest.
func merge(list []Overrun, o *Overrun) []Overrun {
	for i := range list {
		if l := &list[i]; l.Indices == o.Indices && l.Location == o.Location {
			if o.Need > l.Need {
				*l = *o
			}
			return list
		}
	}
	return append(list, *o)
}

// farthest is the largest vertex that a record's indices name, and which of them does; at is -1 if none does.
// beyond tells of indices beyond the buffer, which read as 0.
func (d *Draw) farthest(c *command, budget *int) (vertex uint64, at int64, beyond *Overrun) {
	ix, size := d.Index, uint64(indexSize(d.Index.Type))
	need, have := (uint64(c.first)+uint64(c.count))*size, uint64(len(ix.Data))
	n := uint64(c.count)
	if at = -1; need > have {
		if ix.Data != nil {
			beyond = &Overrun{Indices: true, Element: uint64(c.first) + uint64(c.count) - 1, At: -1, Need: need, Have: have}
		}
		vertex, at, n = uint64(uint32(c.vertexOffset)), int64(n-1), have/size-min(have/size, uint64(c.first))
	}
	restart := uint32(1<<(8*size) - 1)
	if ix.CustomRestart {
		restart = ix.RestartIndex
	}
	restarts := d.State.PrimitiveRestart
	n = min(n, uint64(max(*budget, 0)))
	*budget -= int(n)
	for i := range n {
		index := assembly.Index(ix.Data, int(size), uint64(c.first)+i)
		if restarts && index == restart {
			continue
		}
		if v := uint64(index + uint32(c.vertexOffset)); at < 0 || v > vertex {
			vertex, at = v, int64(i)
		}
	}
	return vertex, at, beyond
}
