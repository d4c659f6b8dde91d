package texel

import (
	"math"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/memory"
	"github.com/pumice-gpu/pumice/internal/resource"
)

// makeBuffer fills p for an instruction on a texel buffer: a row of texels without levels.
//
// IMG-302
func (p *access) makeBuffer(op *ir.ImageOp, b *resource.BufferView) {
	*p = access{op: op, levels: p.levels[:0], params: p.params[:0]}
	info, data, ok := b.Info, b.Data, false
	if data, ok = wholeWords(data); !ok || len(data) > math.MaxInt32 ||
		op.Wide || op.Residency || op.HasOffset || info.Compressed {
		return
	}
	p.key = Key{Format: info.Format, Dims: 1, Swizzle: [4]int8{0, 1, 2, 3}, Results: uint8(op.Results)}
	switch k := &p.key; op.Kind {
	case ir.ImageFetch, ir.ImageRead:
		k.Kind = Fetch
		p.ok = op.Results > 0
	case ir.ImageWrite:
		k.Kind, k.Swizzle, k.Results = Store, [4]int8{}, 4
		p.ok = !otherSign(op, info) && info.Numeric != format.NumericSrgb
	case ir.ImageAtomic:
		k.Kind, k.Swizzle, k.Op = Atomic, [4]int8{}, op.Atomic
		p.ok = op.Results < 2 && memory.Word(data) != nil
	}
	if p.ok = p.ok && p.key.Lowered(); !p.ok {
		return
	}
	n := uint32(len(b.Data) / info.BlockBytes)
	x := Params{Size: [3]uint32{n, 1, 1}, Pitch: [3]uint32{uint32(info.BlockBytes)}, Layers: 1}
	p.texels, p.params = data, append(p.params, params{})
	x.Put(p.params[0][:])
	p.prepareRun()
}

// wholeWords is data with all of its last word, which routines read; false where there is no such
// word.
func wholeWords(data []byte) ([]byte, bool) {
	n := (len(data) + 3) &^ 3
	if n > cap(data) {
		return nil, false
	}
	return data[:n], true
}
