package texel

import (
	"encoding/binary"
	"math"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
)

// Params are the numbers of one level of a view, and of a sampler, that a routine
// reads: the block that its program's OpLoadPush sees, in this order.
type Params struct {
	Size    [3]uint32 // texels
	Pitch   [3]uint32 // bytes between texels, rows and slices
	Start   uint32    // of texel (0,0,0) of the first layer, bytes
	Layer   uint32    // bytes between layers
	Layers  uint32    // how many can be selected
	Samples uint32
	Border  [4]uint32
	// Of keys with levels: the sampler's bias, and 256 times as much as an integer and a rest,
	// the bounds that Key.Bounds gives, and where levels start, the last one twice.
	Shift     float32
	Whole     int32
	Bias      float32
	Low, High int32
	Aniso     float32 // the largest anisotropy
	Starts    [resource.MaxLevels + 1]uint32
	// Of keys with columns, where Start is that of the first row in the first slice: bytes to the
	// second row and to the second slice, and their weights in 1/256.
	Next   [2]uint32
	Weight [2]uint32
}

// ParamWords is the size of Params in words.
const ParamWords = wordGroup + 1

// PutGroup writes to a block which of its Site's Keys it is for, from 1 on.
func PutGroup(block []byte, key int) {
	binary.LittleEndian.PutUint32(block[4*wordGroup:], uint32(key))
}

// Put writes the block.
func (p *Params) Put(to []byte) {
	at := 0
	put := func(words ...uint32) {
		for _, x := range words {
			binary.LittleEndian.PutUint32(to[at:], x)
			at += 4
		}
	}
	put(p.Size[:]...)
	put(p.Pitch[:]...)
	put(p.Start, p.Layer, p.Layers, p.Samples)
	put(p.Border[:]...)
	put(math.Float32bits(p.Shift), uint32(p.Whole), math.Float32bits(p.Bias), uint32(p.Low),
		uint32(p.High), math.Float32bits(p.Aniso))
	put(p.Starts[:]...)
	put(p.Next[:]...)
	put(p.Weight[:]...)
}

// Words of Params.
const (
	wordSize  = iota
	wordPitch = iota + 2
	wordStart = iota + 4
	wordLayer
	wordLayers
	wordSamples
	wordBorder
	wordShift = iota + 7
	wordWhole
	wordBias
	wordLow
	wordHigh
	wordAniso
	wordStarts
	wordNext   = wordStarts + resource.MaxLevels + 1
	wordWeight = wordNext + 2
	wordGroup  = wordWeight + 2
)

// inputs are what a routine reads: its operands, its parameters and its image's memory, as its key
// says. Lanes that it leaves to the reference are here, too.
type inputs struct {
	builder
	k     *Key
	info  *format.Info // of the key's format
	rows  map[Operand]ir.Value
	image ir.Value // the image's descriptor element
	// memory is the resource that is the image's memory, params the one with the
	// parameters; 0: push constants.
	memory  uint64
	params  int
	block   ir.Value  // of keys with Each: where a lane's parameters begin there
	left    ir.Value  // lanes for the reference; may be NoValue
	leaving *ir.VarID // where a loop keeps them
}

// param is a word of the parameter block.
func (e *inputs) param(t ir.Type, word int) ir.Value {
	return e.paramAt(t, e.b.I32(uint32(4*word)))
}

// paramAt is the word at a byte offset of the parameter block.
func (e *inputs) paramAt(t ir.Type, at ir.Value) ir.Value {
	if e.k.Each {
		at = e.sum(e.block, at)
	}
	if e.params > 0 {
		return e.b.OpImm(ir.OpLoadBuffer, t, uint64(e.params), e.b.I32(0), at)
	}
	return e.b.Op(ir.OpLoadPush, t, at)
}
