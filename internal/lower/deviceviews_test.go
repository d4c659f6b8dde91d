package lower_test

import (
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/lower"
)

// ViewIndex has the values of DeviceIndex where the pipeline says so, and is no input then.
func TestCompile_DeviceViews(t *testing.T) {
	for _, devices := range []bool{false, true} {
		p := compile(t, "caps.frag", lower.Options{DeviceViews: devices})
		views := slices.ContainsFunc(p.Inputs, func(io ir.IO) bool { return io.Builtin == ir.BuiltinViewIndex })
		if views == devices {
			t.Errorf("DeviceViews %v: ViewIndex is an input: %v", devices, views)
		}
	}
}
