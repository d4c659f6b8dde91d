//go:build amd64 || arm64

package native

import "github.com/pumice-gpu/pumice/internal/exec/amd64"

// Sums of pairs whose words live apart, as addresses do, carry from one word to the other: that takes
// less than to put pairs together and apart again.

// addsWords says that none of the pairs of a sum lives as numbers of 64 bits.
func addsWords(e *layout, x *Operands) bool {
	for _, v := range append(x.Results[:2:2], x.Args...) {
		if e.wide.partner[v] > 0 || e.places[v].kind == placeRecord {
			return false
		}
	}
	return true
}

// addWords writes such a sum.
func addWords(e *emitter, x *Operands) {
	word := func(v int32, to amd64.Z) amd64.Z {
		if e.wide.pooled[v] {
			return e.in(e.words(e.wide.value[v]), to)
		}
		return e.in(e.arg(v), to)
	}
	low := word(x.Args[0], scratch0)
	e.V(amd64.VPADDD, scratch1, low, amd64.R(word(x.Args[2], scratch2)))
	e.ToMask(amd64.VPCMPUD, maskStep2, scratch1, amd64.R(low), 1, 0)
	e.V(amd64.VPADDD, scratch2, word(x.Args[1], scratch0), amd64.R(word(x.Args[3], scratch2)))
	e.VK(amd64.VPSUBD, scratch2, scratch2, e.constant(constOnes), maskStep2)
	e.put(x.Results[0], scratch1)
	e.put(x.Results[1], scratch2)
}
