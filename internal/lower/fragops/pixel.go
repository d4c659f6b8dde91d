package fragops

import "github.com/pumice-gpu/pumice/internal/ir"

// pixel is what a place's pixels have of an attachment: samples that are words, or of which several share one.
type pixel struct {
	*ir.Builder
	texel   ir.Texel
	bytes   int // of a sample
	samples int
	words   [ir.PlaceSamples]sharedWord
	stores  []ir.Value // where, and what, for each word
}

// sharedWord is a word with several samples.
type sharedWord struct {
	value, stored ir.Value // stored: where any of its samples is
	loaded, new   bool
}

func newPixel(b *ir.Builder, surface uint8, bytes, samples int) *pixel {
	return &pixel{Builder: b, texel: ir.Texel{Surface: surface, Bytes: uint8(bytes * samples)}, bytes: bytes, samples: samples}
}

// shared says that samples are no words of their own.
func (p *pixel) shared() bool { return p.samples > 1 && p.bytes < 4 }

// word is the word that a sample is in, and where it begins there.
func (p *pixel) word(sample int) (w int, shift uint32) {
	at := sample * p.bytes
	return at / 4, uint32(at % 4 * 8)
}

// load is what memory holds of a sample, 0 where the pixel is not covered.
func (p *pixel) load(sample int) ir.Value {
	w, shift := p.word(sample)
	at := p.texel
	at.Word, at.Sample = uint8(w), uint8(sample)
	if !p.shared() {
		return p.OpImm(ir.OpLoadTexel, ir.I32, at.Imm())
	}
	word := &p.words[w]
	if !word.loaded { // of pixels that any of its samples covers
		word.loaded, word.value = true, p.I32(0)
		for s := range p.samples {
			if in, _ := p.word(s); in == w {
				at.Sample = uint8(s)
				word.value = p.Op(ir.OpOr, ir.I32, word.value, p.OpImm(ir.OpLoadTexel, ir.I32, at.Imm()))
			}
		}
	}
	return p.Op(ir.OpAnd, ir.I32, p.Op(ir.OpShrU, ir.I32, word.value, p.I32(shift)), p.I32(p.mask()))
}

func (p *pixel) mask() uint32 { return 1<<(8*p.bytes) - 1 }

// store puts a value, which has been loaded before, into a sample where on says so.
func (p *pixel) store(sample int, on, value ir.Value) {
	if !p.shared() {
		p.stores = append(p.stores, on, value)
		return
	}
	w, shift := p.word(sample)
	word := &p.words[w]
	others := p.Op(ir.OpAnd, ir.I32, word.value, p.I32(^(p.mask() << shift)))
	value = p.Op(ir.OpOr, ir.I32, others, p.Op(ir.OpShl, ir.I32, value, p.I32(shift)))
	word.value = p.Op(ir.OpSelect, ir.I32, on, value, word.value)
	if word.new {
		on = p.Op(ir.OpOr, ir.Bool, word.stored, on)
	}
	word.new, word.stored = true, on
}

// finish stores.
func (p *pixel) finish() {
	for w := range p.words {
		if word := &p.words[w]; word.new {
			p.stores = append(p.stores, word.stored, word.value)
		}
	}
	if len(p.stores) > 0 {
		p.OpMore(ir.OpStoreTexel, ir.Void, p.texel.Imm(), p.stores)
	}
}
