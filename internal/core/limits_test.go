package core

import (
	"errors"
	"testing"

	"github.com/pumice-gpu/pumice/internal/memory"
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

// maxMemoryAllocationCount holds for allocations that are a mapping each, and past it
// comes an error that says so; one that is freed makes room.
func TestLimits_AllocationCount(t *testing.T) {
	if MaxAllocations < 4096 || memory.MaxMappings-MaxAllocations < 16000 {
		t.Errorf("%d allocations, %d mappings", MaxAllocations, memory.MaxMappings)
	}
	d := must(Open(Config{}))(t)
	defer d.Close()
	most := int(d.Limits().MaxMemoryAllocationCount)
	all := make([]*Memory, most)
	for i := range all {
		all[i] = must(d.NewMemory(100000))(t)
	}
	for _, f := range []func(uint64) (*Memory, error){d.NewMemory, d.NewPagedMemory, d.NewSharedMemory} {
		if _, err := f(1); !errors.Is(err, ErrTooManyObjects) || rule(err) != "VK_ERROR_TOO_MANY_OBJECTS" {
			t.Errorf("one more: %v", err)
		}
	}
	if err := all[7].Close(); err != nil {
		t.Fatal(err)
	}
	all[7] = must(d.NewMemory(1))(t)
}
