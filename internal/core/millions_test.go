package core

import (
	"runtime"
	"testing"
	"time"

	"github.com/pumice-gpu/pumice/vk"
)

// TestDescriptors_Millions: a set of as many descriptors as there may be takes 160 bytes of memory
// for each at most. Its contents are copied by the first write after a submission, which takes 40 to
// 160 ms for a million descriptors, and by no other write: for each of the 2,000 below it would be
// minutes.
func TestDescriptors_Millions(t *testing.T) {
	d := open(t)
	const late = vk.DescriptorBindingUpdateAfterBindBit | vk.DescriptorBindingPartiallyBoundBit
	if maxDescriptors < 1<<20 {
		t.Errorf("%d descriptors in a set", maxDescriptors)
	}
	if _, err := d.NewDescriptorSetLayout([]Binding{
		{Binding: 0, Type: vk.DescriptorTypeStorageBuffer, Count: maxDescriptors, Flags: late},
		{Binding: 1, Type: vk.DescriptorTypeStorageBuffer, Flags: late},
	}); err == nil {
		t.Error("a layout with one more")
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	layout := must(d.NewDescriptorSetLayout([]Binding{
		{Binding: 0, Type: vk.DescriptorTypeStorageBuffer, Count: maxDescriptors, Flags: late},
	}))(t)
	set := must(d.NewDescriptorSet(layout, ""))(t)
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 160*maxDescriptors {
		t.Errorf("%d bytes for %d descriptors", n, maxDescriptors)
	}
	b := bufferOf(t, d, 1)
	t.Logf("%d bytes", after.TotalAlloc-before.TotalAlloc)
	start := time.Now()
	for i := range uint32(2000) {
		if err := set.Write(0, i, []Descriptor{{Buffer: b}}); err != nil {
			t.Fatal(err)
		}
		if i%100 == 0 {
			set.resolve() // as a submission does, after which the contents are shared
		}
	}
	took := time.Since(start)
	t.Logf("2,000 writes and 20 submissions took %v", took)
	if took > 30*time.Second {
		t.Errorf("2,000 writes and 20 submissions took %v", took)
	}
	all := &set.resolve().slots[0]
	if all.used() != 2000 || !all.owners[1999].written || all.owners[2000].written {
		t.Errorf("%d elements are used", all.used())
	}

	// What is behind the elements is found, at the end, too.
	if err := set.Write(0, maxDescriptors-1, []Descriptor{{Buffer: b}}); err != nil {
		t.Fatal(err)
	}
	_ = b.Close()
	all = &set.resolve().slots[0]
	for _, k := range []int{0, 1999, maxDescriptors - 1} {
		if o := all.owners[k]; o.buffer != nil || !o.written || all.descriptors[k].Data != nil {
			t.Errorf("element %d is %+v after its buffer is gone", k, o)
		}
	}
	if c := all.clone(); c.used() != maxDescriptors || len(c.descriptors) != maxDescriptors {
		t.Errorf("a copy has %d elements", c.used())
	}
}
