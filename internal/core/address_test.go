package core

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/vk"
)

// follow runs address.comp on a list of addresses and returns what it saw: four
// words an address.
func follow(t *testing.T, d *Device, list []uint64) []uint32 {
	t.Helper()
	data := make([]uint32, 0, 2*len(list))
	for _, a := range list {
		data = append(data, uint32(a), uint32(a>>32))
	}
	out := bufferOf(t, d, make([]uint32, 4*len(list))...)
	pipeline := must(d.NewComputePipeline(&ComputePipelineInfo{Stage: Stage{Code: shaderCode(t, "address.comp")}}))(t)
	set := must(d.NewDescriptorSet(pipeline.Layout().Set(0), ""))(t)
	if err := set.Update(DescriptorWrite{Descriptors: []Descriptor{{Buffer: bufferOf(t, d, data...)}}},
		DescriptorWrite{Binding: 1, Descriptors: []Descriptor{{Buffer: out}}}); err != nil {
		t.Fatal(err)
	}
	c := d.NewCommandBuffer()
	c.BindPipeline("bind", vk.PipelineBindPointCompute, pipeline)
	c.BindDescriptorSet("bind", vk.PipelineBindPointCompute, 0, set, nil)
	c.Dispatch("dispatch", [3]uint32{}, [3]uint32{uint32(len(list)), 1, 1})
	submit(t, d, c)
	return words(out, 4*len(list))
}

func addressOf(t *testing.T, b *Buffer) uint64 {
	t.Helper()
	return must(b.DeviceAddress())(t)
}

func TestDeviceAddress_ReadsWritesAtomics(t *testing.T) {
	d := open(t)
	cell := func(i uint32) []uint32 { return []uint32{0xFFFFFFFF, i, 100 + i, 0x00050000 + i} }
	a, b := bufferOf(t, d, slices.Concat(cell(1), cell(2))...), bufferOf(t, d, cell(3)...)
	got := follow(t, d, []uint64{addressOf(t, b), addressOf(t, a), addressOf(t, a) + 16})
	want := []uint32{103, 3<<16 | 5, 3, 103, 101, 1<<16 | 5, 1, 101, 102, 2<<16 | 5, 2, 102}
	if !slices.Equal(got, want) {
		t.Errorf("the shader saw %v, want %v", got, want)
	}
	// 2^32·i + 2^32-1, plus 2^32 + 1.
	if got, want := words(a, 8), []uint32{0, 3, 77, 1 | 9<<16, 0, 4, 77, 2 | 9<<16}; !slices.Equal(got, want) {
		t.Errorf("it left %#x, want %#x", got, want)
	}
}

// Outside of buffers, reads give zero and writes are lost: at the end of a buffer,
// beside it, where one was closed, and at addresses that nobody had.
func TestDeviceAddress_Outside(t *testing.T) {
	d := open(t)
	a, gone := bufferOf(t, d, 0, 0, 5, 6), bufferOf(t, d, 1, 2, 3, 4)
	at, was := addressOf(t, a), addressOf(t, gone)
	if err := gone.Close(); err != nil {
		t.Fatal(err)
	}
	got := follow(t, d, []uint64{at + 16, at - 16, was, 0, 8, ^uint64(0) - 7, 1 << 63, at + 8})
	if want := make([]uint32, 28); !slices.Equal(got[:28], want) {
		t.Errorf("outside, the shader saw %v", got[:28])
	}
	if want := []uint32{0, 0, 6, 0}; !slices.Equal(got[28:], want) { // word and bytes lie behind the end
		t.Errorf("across the end, the shader saw %v, want %v", got[28:], want)
	}
	if got, want := words(a, 4), []uint32{0, 0, 6, 7}; !slices.Equal(got, want) {
		t.Errorf("the buffer holds %v, want %v", got, want)
	}
}

// What a buffer takes of its memory is rounded up (VkMemoryRequirements), and addresses
// reach all of it, but neither what comes then nor more than the memory has.
func TestDeviceAddress_UpToWhatIsBound(t *testing.T) {
	d := open(t)
	m := must(d.NewMemory(2*BindAlignment + 24))(t)
	for i := range m.Bytes() {
		m.Bytes()[i] = 1
	}
	at := func(offset uint64, early bool) uint64 {
		b := must(d.NewUnboundBuffer(vk.BufferCreateInfo{Size: 16, Flags: vk.BufferCreateDeviceAddressCaptureReplayBit}, ""))(t)
		if early {
			must(b.CaptureAddress())(t)
		}
		if err := b.Bind(m, offset); err != nil {
			t.Fatal(err)
		}
		return addressOf(t, b)
	}
	first, last := at(0, true), at(2*BindAlignment, false)
	const ones = 0x01010101
	for _, c := range []struct {
		where uint64
		want  uint32
	}{{first + 60, ones}, {first + BindAlignment - 16, ones}, {first + BindAlignment, 0}, {last + 8, ones}, {last + 16, 0}} {
		if got := follow(t, d, []uint64{c.where}); got[0] != c.want { // the third word
			t.Errorf("at %#x of %#x and %#x: %#x, want %#x", c.where, first, last, got[0], c.want)
		}
	}
}

// Work that reaches memory by address keeps it, though it does not name it.
func TestDeviceAddress_MemoryFreedMeanwhile(t *testing.T) {
	d := open(t)
	b := bufferOf(t, d, 1, 2, 3, 4)
	addressOf(t, b)
	m, freed := b.mem, 0
	free := m.free
	m.free = func() error { freed++; return free() }
	r := &runner{dev: d, spares: &spares{}, bindings: newBindings(nil)}
	r.bindings.points[1].pipeline = must(d.NewComputePipeline(&ComputePipelineInfo{Stage: Stage{Code: shaderCode(t, "address.comp")}}))(t)
	p := r.points[1].pipeline.programs[0]
	r.addresses(p)
	_ = b.Close()
	if freed != 0 {
		t.Error("memory went while work with addresses ran")
	}
	if err := r.submit(context.Background(), nil); err != nil || freed != 1 {
		t.Errorf("freed %d times after the work (%v), want once", freed, err)
	}
}

func TestDeviceAddress_Replay(t *testing.T) {
	make2 := func(d *Device, flags vk.BufferCreateFlags) *Buffer {
		return must(d.NewUnboundBuffer(vk.BufferCreateInfo{Size: 5000, Flags: flags}, ""))(t)
	}
	const capture = vk.BufferCreateDeviceAddressCaptureReplayBit
	d := open(t)
	var at [2]uint64
	for i := range at {
		b := make2(d, capture)
		early := must(b.CaptureAddress())(t)
		if err := b.Bind(must(d.NewMemory(8192))(t), 0); err != nil {
			t.Fatal(err)
		}
		if at[i] = addressOf(t, b); at[i] != early {
			t.Errorf("address %#x after binding, %#x before", at[i], early)
		}
	}
	again := open(t)
	for i := range at { // other buffers have come before
		plain := must(again.NewBuffer(vk.BufferCreateInfo{Size: 1 << 20}, nil, 0, ""))(t)
		addressOf(t, plain)
		b := make2(again, capture)
		if err := b.ReplayAddress(at[1-i]); err != nil {
			t.Fatal(err)
		}
		m := must(again.NewMemory(8192))(t)
		binary.LittleEndian.PutUint32(m.Bytes()[8:], 11)
		if err := b.Bind(m, 0); err != nil {
			t.Fatal(err)
		}
		if got := addressOf(t, b); got != at[1-i] {
			t.Errorf("address %#x, want %#x", got, at[1-i])
		}
		if got := follow(t, again, []uint64{at[1-i]}); got[0] != 11 {
			t.Errorf("behind a replayed address: %v", got)
		}
	}
	for name, taken := range map[string]uint64{"taken": at[0], "inside": at[0] + addressUnit, "odd": at[0] + 1<<30 + 1, "not of captures": 1 << 33, "high": 1 << 60} {
		if err := make2(again, capture).ReplayAddress(taken); !errors.Is(err, ErrAddressTaken) {
			t.Errorf("%s: %v, want ErrAddressTaken", name, err)
		}
	}
	if err := make2(again, 0).ReplayAddress(at[0] + 1<<30); err == nil || errors.Is(err, ErrAddressTaken) {
		t.Errorf("without the flag: %v", err)
	}
}

// Addresses come back when the area has been gone through.
func TestAddressSpace_Room(t *testing.T) {
	var s addressSpace
	a := s.add(0, 5000, nil, false, nil)
	b := s.add(0, 1, nil, false, nil)
	if a != firstAddress || b != a+3*addressUnit {
		t.Errorf("addresses %#x, %#x", a, b)
	}
	big := s.add(0, firstCaptured-b-4*addressUnit, nil, false, nil)
	if big == 0 {
		t.Fatal("no room for a large buffer")
	}
	if c := s.add(0, 1<<20, nil, false, nil); c != 0 {
		t.Errorf("%#x where nothing is free", c)
	}
	s.remove(a)
	if c := s.add(0, 4096, nil, false, nil); c != a {
		t.Errorf("%#x, want the room that was given up, %#x", c, a)
	}
}
