package vm

import (
	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/vk"
)

// blockInst compiles OpBlock.
func (c *compiler) blockInst(v ir.Value, in *ir.Inst) {
	info, ok := format.Lookup(vk.Format(in.Imm))
	if !ok || !info.Compressed || 4*(len(in.More)-1) != info.BlockBytes {
		c.fail(v, "a block of a format that has none, or others")
		return
	}
	c.listed(kindBlock, v, in)
}

// blocks executes kindBlock. Places outside a block are those of its first texel.
func (t *thread) blocks(in *instr) {
	if t.images.blocks == nil {
		t.images.blocks = new(format.BlockCache)
	}
	x := &t.r.aux[in.c]
	info, _ := format.Lookup(vk.Format(in.imm))
	n := len(x.args) - 1
	w0, w1, at := t.v[x.args[0]], t.v[x.args[1]], t.v[x.args[n]]
	w2, w3 := t.zeros[:t.n], t.zeros[:t.n]
	if n > 2 {
		w2, w3 = t.v[x.args[2]], t.v[x.args[3]]
	}
	r, g, b, a := t.v[x.results[0]], t.v[x.results[1]], t.v[x.results[2]], t.v[x.results[3]]
	w1, w2, w3, at, g, b, a = w1[:len(w0)], w2[:len(w0)], w3[:len(w0)], at[:len(w0)], g[:len(w0)], b[:len(w0)], a[:len(w0)]
	r = r[:len(w0)]
	var texels []format.Texel
	var lo, hi uint64
	for i := range w0 {
		if l, h := pair(w0[i], w1[i]), pair(w2[i], w3[i]); texels == nil || l != lo || h != hi {
			lo, hi = l, h
			texels = t.images.blocks.Block(info, lo, hi)
		}
		k := at[i]
		if k >= uint32(len(texels)) {
			k = 0
		}
		x := &texels[k]
		r[i], g[i], b[i], a[i] = x[0], x[1], x[2], x[3]
	}
}
