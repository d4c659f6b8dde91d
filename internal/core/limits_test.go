package core

import (
	"testing"

	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/rules"
)

// IMG-012 and the amendment of IMG-011: what devices say about sampling.
func TestLimits_OfSampling(t *testing.T) {
	rules.Covers(t, "IMG-012", "IMG-703")
	l := open(t).Limits()
	if l.MaxSamplerLodBias != 16 || l.MaxSamplerAnisotropy != 16 || l.MinTexelOffset != -8 || l.MaxTexelOffset != 7 || l.MinTexelGatherOffset != -32 || l.MaxTexelGatherOffset != 31 {
		t.Errorf("%+v", l)
	}
	if l.SubTexelPrecisionBits != 8 || l.MipmapPrecisionBits != 8 {
		t.Errorf("%d and %d fraction bits", l.SubTexelPrecisionBits, l.MipmapPrecisionBits)
	}
	if resource.MaxWeightPhases != 1024 || resource.MaxBlock != 64 {
		t.Errorf("%d phases, blocks of %d", resource.MaxWeightPhases, resource.MaxBlock)
	}
}
