package vm

import (
	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/lower/texel"
	"github.com/pumice-gpu/pumice/vk"
)

// texelWanted says for which image instructions a routine is no slower on this machine
// than the Go code and assembly of package lower/sampling, whose benchmark
// BenchmarkRoutines sets both side by side: the one place that chooses. Engines that
// compile want all of them.
func texelWanted(k *texel.Key) bool {
	if k.Each { // Go code would take such lanes one image at a time
		return true
	}
	info, _ := format.Lookup(k.Format)
	if k.Wide() || info.Compressed || k.Columns {
		return false
	}
	if k.Levels || k.Kind != texel.Linear {
		return !k.Levels
	}
	if c := info.Components[0]; info.BlockBytes != 4 || c.Bits != 8 || c.Numeric != format.NumericUnorm {
		return true // there is no assembly for it, or not for all of it
	}
	return k.Dims == 2 && !(kernelWraps(k, 0) && kernelWraps(k, 1))
}

// kernelWraps says that the assembly of lower/sampling wraps a dimension.
func kernelWraps(k *texel.Key, d int) bool {
	m := k.Modes[d]
	return m == vk.SamplerAddressModeClampToEdge || m == vk.SamplerAddressModeRepeat && k.PowerOfTwo[d]
}
