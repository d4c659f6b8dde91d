package amd64

import (
	"golang.org/x/sys/cpu"

	"github.com/pumice-gpu/pumice/internal/processor"
)

// Vectors is the bits of the vectors that the processor has the instructions for that the
// encoder writes: 512, 256 or 0.
func Vectors() int { return processor.Vectors() }

// CountsBits says that bits can be counted: by VPOPCNTD, which not all have that know vectors of 512
// bits, or by steps on 256.
func CountsBits() bool { return processor.Vectors() != 512 || cpu.X86.HasAVX512VPOPCNTDQ }

// PermutesBytes says that the processor has VPERMT2B.
func PermutesBytes() bool { return cpu.X86.HasAVX512VBMI }
