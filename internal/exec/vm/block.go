package vm

import (
	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/vk"
)

// blockInst compiles OpBlock.
func (c *compiler) blockInst(v ir.Value, in *ir.Inst) {
	info, ok := blockInfo(in.Imm)
	if !ok || !info.Compressed || 4*(len(in.More)-1) != info.BlockBytes ||
		in.Imm&ir.BlockCodes != 0 && !info.CodeBlocks() {
		c.fail(v, "a block of a format that has none, or others")
		return
	}
	c.listed(kindBlock, v, in)
}

// blockInfo is the format that the immediate of OpBlock names.
func blockInfo(imm uint64) (*format.Info, bool) {
	info, ok := format.Lookup(vk.Format(uint32(imm)))
	switch {
	case !ok:
	case imm&ir.BlockUnorm8 != 0:
		info, ok = info.DecodingTo(vk.FormatR8G8B8A8Unorm)
	case imm&ir.BlockSharedExponent != 0:
		info, ok = info.DecodingTo(vk.FormatE5B9G9R9UfloatPack32)
	}
	return info, ok
}

// blocks executes kindBlock.
func (t *thread) blocks(in *instr) {
	x := &t.r.aux[in.c]
	info, _ := blockInfo(uint64(in.imm))
	n := len(x.args) - 1
	words, out := [4][]uint32{2: t.zeros[:t.n], 3: t.zeros[:t.n]}, [4][]uint32{}
	for i, v := range x.args[:n] {
		words[i] = t.v[v]
	}
	if at := t.v[x.args[n]]; in.imm&ir.BlockCodes != 0 {
		if t.images.codes == nil {
			t.images.codes = new(format.CodeCache)
		}
		t.images.codes.Codes(info, &words, at, t.v[x.results[0]])
		return
	}
	if t.images.blocks == nil {
		t.images.blocks = new(format.BlockCache)
	}
	for c, v := range x.results {
		out[c] = t.v[v]
	}
	t.images.blocks.Texels(info, &words, t.v[x.args[n]], &out)
}
