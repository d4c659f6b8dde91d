package basis

import (
	"errors"

	"github.com/pumice-gpu/pumice/internal/format/astc"
)

// Codes of blocks in the arithmetic syntaxes. From xuLike on, they are like a neighbor: to the left, above, above that one.
const (
	xuSolidBlock = iota
	xuCoded
	xuLike
	xuRun   = xuLike + 3
	xuCodes = xuRun + 1
)

// xuModels are the models of the arithmetic syntaxes.
type xuModels struct {
	code, source                    *symbolModel
	solid                           [4]*symbolModel
	numbers, deltas                 [21]*symbolModel // by range
	withOffset, delta               bitModel
	transform, contract, known      [4]bitModel
	reuse                           [4]*symbolModel
	cem                             [8]*symbolModel
	subsets                         [xuastcSubsets]*symbolModel
	planes                          [xuastcPlanes]*symbolModel
	grid                            [xuastcGrids]*symbolModel
	aniso                           [xuastcAnisos]*symbolModel
	modes                           map[xuastcKind]*symbolModel
	patterns                        [2]*symbolModel
	length                          *gammaModel
	zeros, coefficient, mean, finer *symbolModel // weights; nil where they are in parts of their own
	weights                         [12]*symbolModel
}

func newXUModels(weights bool) *xuModels {
	m := &xuModels{
		code: newSymbolModel(xuCodes, false), source: newSymbolModel(len(nearby), false), withOffset: newBitModel(), delta: newBitModel(),
		modes: map[xuastcKind]*symbolModel{}, length: newGammaModel(),
	}
	fill := func(list []*symbolModel, n int, quick bool) {
		for i := range list {
			list[i] = newSymbolModel(n, quick)
		}
	}
	fill(m.solid[:], 256, true)
	for r := uint8(4); r <= 20; r++ {
		fill(m.numbers[r:r+1], astc.ColorScale(r).Levels(), false)
		fill(m.deltas[r:r+1], astc.ColorScale(r).Levels(), false)
	}
	for i := range 4 {
		m.transform[i], m.contract[i], m.known[i] = newBitModel(), newBitModel(), newBitModel()
	}
	fill(m.reuse[:], 4, false)
	fill(m.cem[:], xuastcCems, false)
	fill(m.subsets[:], xuastcSubsets, false)
	fill(m.planes[:], xuastcPlanes, false)
	fill(m.grid[:], xuastcGrids, false)
	fill(m.aniso[:], xuastcAnisos, false)
	fill(m.patterns[:], 64, true)
	if weights {
		m.zeros, m.coefficient = newSymbolModel(dctRunEnd+1, false), newSymbolModel(255, false)
		m.mean, m.finer = newSymbolModel(dctMeans, false), newSymbolModel(dctMeansFine, false)
		for r := range m.weights {
			m.weights[r] = newSymbolModel(astc.WeightScale(uint8(r)).Levels(), false)
		}
	}
	return m
}

// cemContexts are the contexts that color endpoint modes make.
var cemContexts = map[int]int{
	cemLuminance: 0, cemLuminanceAlpha: 1, cemBaseScale: 2, cemRGB: 3, cemRGBOffset: 4, cemBaseScaleAlpha: 5, cemRGBA: 6, cemRGBAOffset: 7,
}

// around is a number of two bits: whether the blocks to the left and above have a property, which those outside the picture have.
func around(near [3]*xuBlock, has func(b *xuBlock) bool) int {
	n := 0
	for i, b := range near[:2] {
		if b == nil || has(b) {
			n |= 1 << i
		}
	}
	return n
}

// nextArith decodes the next blocks in an arithmetic syntax.
func (x *xuastc) nextArith() error {
	near := x.neighbors()
	var b xuBlock
	var err error
	switch code := x.d.symbol(x.m.code); code {
	case xuSolidBlock:
		x.solid(func(c int) int { return x.d.symbol(x.m.solid[c]) })
		return nil
	case xuRun:
		return x.run(x.d.gamma(x.m.length))
	case xuCoded:
		b, err = x.arithConfig(near)
		if err == nil {
			err = x.arithColors(&b, near)
		}
	default:
		b, err = like(near[code-xuLike])
	}
	if err != nil {
		return err
	}
	if hasContraction(b.cem) {
		var v [8]uint8
		values(&v, b.values[:astc.ModeNumbers(b.cem)], x.modes.list[b.mode].colors)
		b.contracts = contracts(b.cem, &v)
	}
	if x.quality > 0 {
		b.transformed = x.d.bit(&x.m.transform[around(near, func(b *xuBlock) bool { return b.transformed })])
	}
	if err := x.arithWeights(&b); err != nil {
		return err
	}
	return x.finish(b)
}

func (x *xuastc) arithConfig(near [3]*xuBlock) (xuBlock, error) {
	if which := x.d.symbol(x.m.reuse[around(near, func(b *xuBlock) bool { return b.reused })]); which < 3 {
		return like(near[which])
	}
	last := xuastcKind{cem: cemRGB}
	if near[0] != nil {
		last = near[0].kind
	} else if near[1] != nil {
		last = near[1].kind
	}
	b := xuBlock{known: true}
	b.kind = xuastcKind{
		cem:     x.d.symbol(x.m.cem[cemContexts[last.cem]]),
		subsets: x.d.symbol(x.m.subsets[last.subsets]),
		planes:  x.d.symbol(x.m.planes[last.planes]),
		grid:    x.d.symbol(x.m.grid[last.grid]),
		aniso:   x.d.symbol(x.m.aniso[last.aniso]),
	}
	modes := x.modes.kinds[b.kind]
	which := 0
	switch len(modes) {
	case 0:
		return b, errNoMode
	case 1:
	default:
		m := x.m.modes[b.kind]
		if m == nil {
			m = newSymbolModel(len(modes), true)
			x.m.modes[b.kind] = m
		}
		which = x.d.symbol(m)
	}
	b.mode = int16(modes[which])
	mode := &x.modes.list[b.mode]
	b.cem = mode.cem
	if withOffset(b.cem) != b.cem && x.d.bit(&x.m.withOffset) {
		b.cem = withOffset(b.cem)
	}
	if mode.subsets > 1 {
		seeds, patterns := x.seeds[mode.subsets-2], &x.patterns[mode.subsets-2]
		var n int16
		if b.known = x.d.bit(&x.m.known[around(near, func(b *xuBlock) bool { return b.known })]); b.known {
			n = patterns[x.d.symbol(x.m.patterns[mode.subsets-2])]
		} else {
			n = int16(min(x.d.truncated(uint32(len(seeds))), 1<<15-1))
			patterns[hash(uint32(n), 63)] = n
		}
		if n < 0 || int(n) >= len(seeds) {
			return b, errNoPattern
		}
		b.seed = seeds[n]
	}
	return b, nil
}

func (x *xuastc) arithColors(b *xuBlock, near [3]*xuBlock) error {
	mode := &x.modes.list[b.mode]
	scale := astc.ColorScale(mode.colors)
	numbers := b.values[:int(mode.subsets)*astc.ModeNumbers(b.cem)]
	if !x.d.bit(&x.m.delta) {
		for i := range numbers {
			numbers[i] = uint8(x.d.symbol(x.m.numbers[mode.colors]))
		}
		return nil
	}
	index := x.d.symbol(x.m.source)
	model := &x.m.contract[around(near, func(b *xuBlock) bool { return b.contracts })]
	ranks, err := x.predicted(b, index, func() bool { return x.d.bit(model) })
	if err != nil {
		return err
	}
	for i := range numbers {
		numbers[i] = scale.Ranked[(ranks[i]+x.d.symbol(x.m.deltas[mode.colors]))%scale.Levels()]
	}
	return nil
}

func (x *xuastc) arithWeights(b *xuBlock) error {
	if x.m.zeros == nil {
		return x.fastWeights(b)
	}
	if b.transformed {
		return x.transformed(b, func(fine bool) int {
			if fine {
				return x.d.symbol(x.m.finer)
			}
			return x.d.symbol(x.m.mean)
		}, func() int { return x.d.symbol(x.m.zeros) }, func() int { return x.d.symbol(x.m.coefficient) }, func() bool { return x.d.bits(1) != 0 })
	}
	mode := &x.modes.list[b.mode]
	x.plain(mode, func() int { return x.d.symbol(x.m.weights[mode.weights]) })
	return nil
}

func (x *xuastc) endArith() error {
	if x.d.bits(8) != xuastcEnd || x.d.over > arithSlack {
		return errors.New("the blocks do not end where they should")
	}
	return nil
}
