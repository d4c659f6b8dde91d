package fp

import "github.com/pumice-gpu/pumice/vk"

// Compare evaluates reference op test, as depth and stencil tests and comparing samplers do. A NaN
// makes all comparisons false but NOT_EQUAL and ALWAYS; so is what is no comparison, which those who
// make states refuse.
//
// RAS-325 VkCompareOp
func Compare[T uint8 | uint32 | float32](op vk.CompareOp, reference, test T) bool {
	switch op {
	case vk.CompareOpLess:
		return reference < test
	case vk.CompareOpEqual:
		return reference == test
	case vk.CompareOpLessOrEqual:
		return reference <= test
	case vk.CompareOpGreater:
		return reference > test
	case vk.CompareOpNotEqual:
		return reference != test
	case vk.CompareOpGreaterOrEqual:
		return reference >= test
	}
	return op == vk.CompareOpAlways
}
