package texel

import (
	"encoding/binary"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/memory"
	"github.com/pumice-gpu/pumice/internal/resource"
	ref "github.com/pumice-gpu/pumice/internal/sampling"
	"github.com/pumice-gpu/pumice/vk"
)

// Columns is the reference's Source and the encoder of a format in one, as a routine of an engine:
// it writes rows of texels at the same coordinates u. Goroutines share it; each has a
// ColumnsThread.
type Columns struct {
	engine   Engine
	key      Key
	image    *resource.Image
	level    viewLevel
	volume   bool
	operands [3][]uint32
	bytes    int // of a texel that is written
}

// columnLanes is how many texels a routine takes at a time.
const columnLanes = 1024

// NewColumns prepares a view for texels of a format. It returns nil where there is no routine.
func NewColumns(e Engine, v *resource.ImageView, filter vk.Filter, volume bool, u []float64,
	into vk.Format) *Columns {
	op := &ir.ImageOp{Kind: ir.ImageSample, Dim: ir.Dim2D, Coords: 3, Arrayed: true, Lod: ir.LodZero,
		Results: 4}
	if volume {
		op.Dim, op.Arrayed = ir.Dim3D, false
	}
	const edge = vk.SamplerAddressModeClampToEdge
	var p access
	p.make(op, v, &resource.Sampler{MagFilter: filter, MinFilter: filter, AddressModeU: edge,
		AddressModeV: edge, AddressModeW: edge, UnnormalizedCoordinates: true})
	if len(p.levels) == 0 || p.key.Kind != Nearest && p.key.Kind != Linear {
		return nil
	}
	k := Key{Kind: p.key.Kind, Format: p.key.Format, Dims: p.key.Dims, Sum: p.key.Sum,
		Swizzle: p.key.Swizzle, Results: p.key.Results, Columns: true, Into: into}
	if !k.Lowered() {
		return nil
	}
	info, _ := format.Lookup(into)
	c := &Columns{engine: e, key: k, image: v.Image, level: p.levels[0], volume: volume,
		bytes: info.BlockBytes}
	for i := range k.Operands() {
		c.operands[i] = make([]uint32, len(u))
	}
	for i, x := range u {
		first, next, weight := c.taps(0, x)
		c.operands[0][i] = first
		if k.Kind == Linear {
			c.operands[1][i], c.operands[2][i] = first+next, weight
		}
	}
	return c
}

// taps is what the texel at x along dimension d adds to an offset, how far it is to the next one of
// a LINEAR filter, and the weight of that.
func (c *Columns) taps(d int, x float64) (first, next, weight uint32) {
	along := func(i int) uint32 {
		i = ref.Wrap(vk.SamplerAddressModeClampToEdge, i, int(c.level.size[d]))
		return uint32(c.level.along(d, int32(i)))
	}
	if c.key.Kind != Linear {
		return along(ref.NearestTexel(x)), 0, 0
	}
	i, weight := ref.LinearTexels(x)
	first = along(i)
	return first, along(i+1) - first, weight
}

// ColumnsThread writes rows for one goroutine.
type ColumnsThread struct {
	c      *Columns
	thread Thread
	params [4 * ParamWords]byte
	in     [3][]uint32
	out    [4][]uint32
	rows   [4][]uint32
}

// Thread returns a thread, nil where the engine has none.
func (c *Columns) Thread() *ColumnsThread {
	lanes := min((len(c.operands[0])+3)&^3, columnLanes)
	t := &ColumnsThread{c: c, thread: c.engine.Thread(&c.key, lanes)}
	if t.thread == nil {
		return nil
	}
	for i := range t.words() {
		t.rows[i] = make([]uint32, lanes)
	}
	return t
}

// words is how many words a texel has that is written.
func (t *ColumnsThread) words() int { return (t.c.bytes + 3) / 4 }

// Write fills dst with the texels of coordinates from number at on, and v, w, of a layer of the
// view. It returns false where the engine failed.
func (t *ColumnsThread) Write(dst []byte, at int, v, w float64, layer int) bool {
	c := t.c
	start := uint32(c.level.start) + uint32(layer)*uint32(c.level.layer)
	var next, weight [2]uint32
	for d, x := range []float64{v, w}[:c.key.Dims-1] {
		first, step, share := c.taps(d+1, x)
		start, next[d], weight[d] = start+first, step, share
	}
	PutRow(t.params[:], start, next, weight)
	data := c.image.Data[:c.image.Layout.Size]
	rows := len(c.key.Operands())
	for len(dst) > 0 {
		n := min(len(dst)/c.bytes, len(t.rows[0]))
		for i := range rows {
			t.in[i] = c.operands[i][at : at+n]
		}
		part := dst[:n*c.bytes]
		for i := range t.words() {
			t.out[i] = t.rows[i][:n]
		}
		inPlace := false
		if c.bytes == 4 {
			if words := memory.Words(part); words != nil {
				t.out[0], inPlace = words, true
			}
		}
		if !t.thread.Run(t.in[:rows], t.out[:t.words()], nil, t.params[:], data, n) {
			return false
		}
		if !inPlace {
			join(part, c.bytes, &t.out)
		}
		dst, at = dst[len(part):], at+n
	}
	return true
}

// join writes texels of so many bytes whose words are rows.
func join(dst []byte, bytes int, rows *[4][]uint32) {
	put := binary.LittleEndian
	switch bytes {
	case 1:
		for i, x := range rows[0][:len(dst)] {
			dst[i] = byte(x)
		}
	case 2:
		for i, x := range rows[0] {
			put.PutUint16(dst[2*i:], uint16(x))
		}
	case 4:
		for i, x := range rows[0] {
			put.PutUint32(dst[4*i:], x)
		}
	case 8:
		second := rows[1][:len(rows[0])]
		for i, x := range rows[0] {
			put.PutUint64(dst[8*i:], uint64(x)|uint64(second[i])<<32)
		}
	default: // 3, 6, 12 and 16
		for i := range rows[0] {
			to := dst[i*bytes:][:bytes]
			for k := 0; k < bytes; k++ {
				to[k] = byte(rows[k/4][i] >> (8 * (k % 4)))
			}
		}
	}
}
