package texel

import (
	"encoding/binary"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/lower/pack"
)

// # Columns
//
// A blit's coordinates are those of columns, rows and slices, each of which is looked up and
// wrapped once, exactly. So a routine with columns takes where texels are, not coordinates, and
// gives what memory holds of a row of the destination.

// PutRow sets what a routine with columns reads of the block of Params: see there.
func PutRow(to []byte, start uint32, next, weight [2]uint32) {
	put := func(word int, x uint32) { binary.LittleEndian.PutUint32(to[4*word:], x) }
	put(wordStart, start)
	for d := range next {
		put(wordNext+d, next[d])
		put(wordWeight+d, weight[d])
	}
}

// columnsFootprint is what a LINEAR routine with columns reads.
func (e *coordinates) columnsFootprint() footprint {
	p := footprint{start: e.lv.start, f: [3]ir.Value{e.rows[Weight]}}
	p.at[0] = [2]ir.Value{e.rows[First], e.rows[Second]}
	for d := range p.at {
		p.out[d], p.in[d] = [2]ir.Value{ir.NoValue, ir.NoValue}, [2]ir.Value{e.int(0), e.int(0)}
		if d > 0 {
			p.at[d] = [2]ir.Value{e.int(0), e.param(ir.I32, wordNext+d-1)}
			p.f[d] = e.param(ir.I32, wordWeight+d-1)
		}
	}
	return p
}

// columnsTexel is the texel of a NEAREST routine with columns.
func (e *coordinates) columnsTexel() location {
	return location{at: e.sum(e.lv.start, e.rows[First]), out: ir.NoValue, in: e.int(0)}
}

// loadTables begins the program's table as that of programs that convert to sRGB does.
func (e *encoder) loadTables() {
	if to, ok := format.Lookup(e.k.Into); ok && to.Numeric == format.NumericSrgb {
		e.srgbAt = pack.SrgbTable(e.b) + 1
	}
}

// converted is a texel in the words of the format Into.
func (e *encoder) converted(t [4]ir.Value) []ir.Value {
	to, _ := format.Lookup(e.k.Into)
	unit := map[ir.Value]bool{} // numbers of [0, 1]
	for c, x := range e.info.Components {
		if e.info.Class == format.ClassFloat && e.b.P.Insts[t[c]].Type != ir.F32 {
			t[c] = e.f(ir.OpBitcast, t[c])
		}
		unit[t[c]] = x.Kind == format.KindNone || x.Numeric == format.NumericUnorm ||
			x.Numeric == format.NumericSrgb
	}
	words := e.codesOf(to, t, func(v ir.Value) pack.Number {
		if unit[v] {
			return pack.Number{V: v, Lo: 0, Hi: 1}
		}
		return pack.Any(v)
	})
	for i, v := range words {
		words[i] = e.bits(v)
	}
	return words
}
