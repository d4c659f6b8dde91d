package wire

import "sync"

// chained returns the type of a struct that may stand in a chain, by its sType; nil for others.
func chained(sType int32) *Type { return byStructureType()[sType] }

var byStructureType = sync.OnceValue(func() map[int32]*Type {
	out := make(map[int32]*Type, len(types))
	for i := range types {
		if t := &types[i]; t.SType >= 0 {
			out[t.SType] = t
		}
	}
	return out
})
