// Package processor says how wide the vectors are that code may use: as the processor has
// them, or narrower where PUMICE_VECTORS says so, for tests and for comparisons.
package processor

import (
	"os"

	"golang.org/x/sys/cpu"
)

// Vectors is 512 where the processor has AVX-512 (F, BW, DQ, VL, CD), 256 where it has AVX2, FMA,
// BMI and F16C, else 0; not more than the variable PUMICE_VECTORS of the environment says,
// which changes no result.
func Vectors() int { return vectors }

var vectors = limited(able(), os.Getenv("PUMICE_VECTORS"))

func limited(bits int, setting string) int {
	if setting == "256" {
		return min(bits, 256)
	}
	return bits
}

func able() int {
	x := &cpu.X86
	switch {
	case x.HasAVX512F && x.HasAVX512BW && x.HasAVX512DQ && x.HasAVX512VL && x.HasAVX512CD:
		return 512
	case x.HasAVX2 && x.HasFMA && x.HasBMI1 && x.HasBMI2 && x.HasF16C:
		return 256
	}
	return 0
}
