package fragops

import "github.com/pumice-gpu/pumice/internal/ir"

// pixel is what a place's pixels have of an attachment: samples of whole words, or several that share one.
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
	loaded, changed bool
	value           ir.Value
	stored          ir.Value // where any of its samples is, of one that changes
}

func newPixel(b *ir.Builder, surface uint8, bytes, samples int) *pixel {
	return &pixel{Builder: b, texel: ir.Texel{Surface: surface, Bytes: uint8(bytes * samples)}, bytes: bytes, samples: samples}
}

// shared says that samples are no words of their own.
func (p *pixel) shared() bool { return p.samples > 1 && p.bytes < 4 }

// mask has the bits of a sample that shares a word.
func (p *pixel) mask() uint32 { return 1<<(8*p.bytes) - 1 }

// at loads a word where a sample is covered, 0 elsewhere.
func (p *pixel) at(word, sample int) ir.Value {
	x := p.texel
	x.Word, x.Sample = uint8(word), uint8(sample)
	return p.OpImm(ir.OpLoadTexel, ir.I32, x.Imm())
}

// of is the word that a sample shares, as memory has it where any of its samples is covered, and where in it the sample
// begins.
func (p *pixel) of(sample int) (word *sharedWord, shift uint32) {
	w := sample * p.bytes / 4
	if word = &p.words[w]; !word.loaded {
		word.loaded, word.value = true, p.I32(0)
		for s := range p.samples {
			if s*p.bytes/4 == w {
				word.value = p.Op(ir.OpOr, ir.I32, word.value, p.at(w, s))
			}
		}
	}
	return word, uint32(sample * p.bytes % 4 * 8)
}

// load is what memory holds of a word of a sample.
func (p *pixel) load(sample, w int) ir.Value {
	if !p.shared() {
		return p.at(sample*p.bytes/4+w, sample)
	}
	word, shift := p.of(sample)
	return p.Op(ir.OpAnd, ir.I32, p.Op(ir.OpShrU, ir.I32, word.value, p.I32(shift)), p.I32(p.mask()))
}

// store puts the next word of a sample, one after the other, where on says so: a value without other bits.
func (p *pixel) store(sample int, on, value ir.Value) {
	if !p.shared() {
		p.stores = append(p.stores, on, value)
		return
	}
	word, shift := p.of(sample)
	others := p.Op(ir.OpAnd, ir.I32, word.value, p.I32(^(p.mask() << shift)))
	own := p.Op(ir.OpShl, ir.I32, value, p.I32(shift))
	word.value = p.Op(ir.OpSelect, ir.I32, on, p.Op(ir.OpOr, ir.I32, others, own), word.value)
	if word.changed {
		on = p.Op(ir.OpOr, ir.Bool, word.stored, on)
	}
	word.changed, word.stored = true, on
}

// finish stores.
func (p *pixel) finish() {
	for w := range p.words {
		if word := &p.words[w]; word.changed {
			p.stores = append(p.stores, word.stored, word.value)
		}
	}
	if len(p.stores) > 0 {
		p.OpMore(ir.OpStoreTexel, ir.Void, p.texel.Imm(), p.stores)
	}
}
