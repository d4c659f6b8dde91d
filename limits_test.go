package pumice_test

import (
	"errors"
	"testing"

	"github.com/pumice-gpu/pumice"
)

// More buffers than MaxMemoryAllocationCount are an error of its own kind.
func TestLimits_TooManyObjects(t *testing.T) {
	dev := open(t, nil)
	n := uint32(0)
	var err error
	for ; err == nil; n++ {
		_, err = dev.NewBuffer(pumice.BufferDesc{Size: 4})
	}
	if most := dev.Limits().MaxMemoryAllocationCount; n != most+1 || !errors.Is(err, pumice.ErrTooManyObjects) {
		t.Errorf("buffer %d of %d: %v", n, most, err)
	}
}
