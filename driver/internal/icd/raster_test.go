package icd

import (
	"testing"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// Rates come by width, then height, descending; a short list is incomplete.
func TestFragmentShadingRates_RAS137_Order(t *testing.T) {
	rules.Covers(t, "RAS-137", "RAS-138")
	f := newTest(t)
	n := uint32(0)
	a := abi.GetPhysicalDeviceFragmentShadingRatesKHRArgs{PhysicalDevice: f.physical, PFragmentShadingRateCount: &n}
	if call(f, abi.OpGetPhysicalDeviceFragmentShadingRatesKHR, &a); a.Ret != vk.Success || n != 9 {
		t.Fatalf("%v, %d rates", a.Ret, n)
	}
	list := make([]abi.PhysicalDeviceFragmentShadingRateKHR, n)
	a.PFragmentShadingRates = &list[0]
	call(f, abi.OpGetPhysicalDeviceFragmentShadingRatesKHR, &a)
	for i, want := range [9][2]uint32{{4, 4}, {4, 2}, {4, 1}, {2, 4}, {2, 2}, {2, 1}, {1, 4}, {1, 2}, {1, 1}} {
		samples := vk.SampleCountFlags(1 | 2 | 4 | 8 | 16)
		if i == 8 {
			samples = ^vk.SampleCountFlags(0)
		}
		if r := list[i]; r.FragmentSize != (vk.Extent2D{Width: want[0], Height: want[1]}) || r.SampleCounts != samples {
			t.Errorf("rate %d is %+v, want %v", i, r, want)
		}
	}
	n = 3
	if call(f, abi.OpGetPhysicalDeviceFragmentShadingRatesKHR, &a); a.Ret != vk.Incomplete || n != 3 {
		t.Errorf("a list of 3: %v, %d rates", a.Ret, n)
	}
}

// The grid of sample locations, none for numbers of samples that do not exist.
func TestMultisampleProperties_RAS122(t *testing.T) {
	rules.Covers(t, "RAS-122")
	f := newTest(t)
	for n, want := range map[vk.SampleCountFlags]uint32{1: 4, 2: 4, 4: 4, 8: 4, 16: 4, 32: 0, 64: 0} {
		p := abi.MultisamplePropertiesEXT{MaxSampleLocationGridSize: vk.Extent2D{Width: 9, Height: 9}}
		call(f, abi.OpGetPhysicalDeviceMultisamplePropertiesEXT, &abi.GetPhysicalDeviceMultisamplePropertiesEXTArgs{PhysicalDevice: f.physical, Samples: n, PMultisampleProperties: &p})
		if p.MaxSampleLocationGridSize != (vk.Extent2D{Width: want, Height: want}) {
			t.Errorf("%v: grid %v, want %d×%d", n, p.MaxSampleLocationGridSize, want, want)
		}
	}
}
