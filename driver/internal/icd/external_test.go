package icd

import (
	"testing"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
)

// TestMethods_HaveAllOfTheVersion: Vulkan has no optional entry points in a core
// version, only optional features.
func TestMethods_HaveAllOfTheVersion(t *testing.T) {
	for op := abi.Op(1); op < abi.OpCount; op++ {
		if e := abi.FindEntryPoint(op.String()); e != nil && e.Version != 0 && e.Version <= apiVersion && !has(op) {
			t.Errorf("%v is missing", op)
		}
	}
}
