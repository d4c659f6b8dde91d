package fragops

import "github.com/pumice-gpu/pumice/internal/ir"

// Window is which samples of pixels places have: Count of them, from number First on, of Of that lie side by side in
// memory. ir.OpCovered counts from the first.
type Window struct{ First, Count, Of int }

// All is the window of all samples.
func All(samples int) Window { return Window{Count: samples, Of: samples} }

// pixel is what a place's pixels have of an attachment: samples of whole words, or several that share one.
// Samples are those of the window.
type pixel struct {
	*ir.Builder
	Window
	texel  ir.Texel
	bytes  int     // of a sample
	groups [][]int // those of places that each has, one after the other
	words  [ir.PlaceSamples]sharedWord
	stores []ir.Value // where, and what, for each word from texel.Word on
}

// sharedWord is a word with several samples.
type sharedWord struct {
	loaded, changed bool
	value           ir.Value
	stored          ir.Value // where any of its samples is, of one that changes
}

func newPixel(b *ir.Builder, surface uint8, bytes int, of Window, groups [][]int) *pixel {
	texel := ir.Texel{Surface: surface, Bytes: uint16(bytes * of.Of)}
	texel.Word = uint8(of.First * bytes / 4)
	return &pixel{Builder: b, Window: of, texel: texel, bytes: bytes, groups: groups}
}

// shared says that samples are no words of their own.
func (p *pixel) shared() bool { return p.Of > 1 && p.bytes < 4 && !p.exact() }

// exact says that words have the bytes of samples alone, of which there is no power of two.
func (p *pixel) exact() bool { return p.bytes&(p.bytes-1) != 0 }

// word is one of a sample's.
func (p *pixel) word(sample, w int) ir.Texel {
	x, at := p.texel, p.begins(sample)+4*w
	if x.Word = uint8(at / 4); p.exact() {
		x.Shift, x.Size = uint8(at%4), uint8(min(4, p.bytes-4*w))
	}
	return x
}

// begins is where in its pixel a sample is, in bytes.
func (p *pixel) begins(sample int) int { return (p.First + sample) * p.bytes }

// mask has the bits of a sample that shares a word.
func (p *pixel) mask() uint32 { return 1<<(8*p.bytes) - 1 }

// at loads a word where one of some samples, which follow each other, is covered, 0 elsewhere.
func (p *pixel) at(x ir.Texel, first, last int) (v ir.Value) {
	from, end := p.groups[first][0], p.groups[last][len(p.groups[last])-1]+1
	for k := from; k < end; k += ir.MaxMore + 1 {
		x.Sample, x.More = uint8(k), uint8(min(end-k-1, ir.MaxMore))
		if more := p.OpImm(ir.OpLoadTexel, ir.I32, x.Imm()); k == from {
			v = more
		} else {
			v = p.Op(ir.OpOr, ir.I32, v, more)
		}
	}
	return v
}

// of is the word that a sample shares, as memory has it where any of its samples is covered, and where in it the sample
// begins.
func (p *pixel) of(sample int) (word *sharedWord, shift uint32) {
	w := p.begins(sample) / 4
	if word = &p.words[w]; !word.loaded {
		first, last := sample, sample // the window's own of those that share it
		for first > 0 && p.begins(first-1)/4 == w {
			first--
		}
		for last+1 < p.Count && p.begins(last+1)/4 == w {
			last++
		}
		word.loaded, word.value = true, p.at(p.word(first, 0), first, last)
	}
	return word, uint32(p.begins(sample) % 4 * 8)
}

// load is what memory holds of a word of a sample.
func (p *pixel) load(sample, w int) ir.Value {
	if !p.shared() {
		return p.at(p.word(sample, w), sample, sample)
	}
	word, shift := p.of(sample)
	return p.Op(ir.OpAnd, ir.I32, p.Op(ir.OpShrU, ir.I32, word.value, p.I32(shift)), p.I32(p.mask()))
}

// store puts word w of a sample, one after the other, where on says so: a value without other bits.
func (p *pixel) store(sample, w int, on, value ir.Value) {
	switch {
	case p.exact():
		p.OpMore(ir.OpStoreTexel, ir.Void, p.word(sample, w).Imm(), []ir.Value{on, value})
		return
	case !p.shared():
		p.put(on, value)
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
			p.put(word.stored, word.value)
		}
	}
	p.flush()
}

// put stores the next word of the window.
func (p *pixel) put(on, value ir.Value) {
	if p.stores = append(p.stores, on, value); len(p.stores) == 2*ir.MaxStoreWords {
		p.flush()
	}
}

// flush stores what was put.
func (p *pixel) flush() {
	if n := len(p.stores) / 2; n > 0 {
		p.OpMore(ir.OpStoreTexel, ir.Void, p.texel.Imm(), p.stores)
		p.texel.Word += uint8(n)
		p.stores = nil
	}
}
