package icd

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/core"
	"github.com/pumice-gpu/pumice/vk"
)

// binaryDevice opens a device whose pipelines may have binaries.
func binaryDevice(t *testing.T) *fixture {
	f := newTest(t)
	call(f, abi.OpDestroyDevice, &abi.DestroyDeviceArgs{Device: f.device})
	features, on := coreFeatures(), &abi.PhysicalDevicePipelineBinaryFeaturesKHR{PipelineBinaries: 1}
	features.SparseBinding, on.SType = 0, on.StructureType()
	f.device = f.openChain(&features, unsafe.Pointer(on))
	return f
}

// linked is a struct of a chain that leads on to next.
func linked[T any, P interface {
	*T
	StructureType() vk.StructureType
}](next unsafe.Pointer, s T) unsafe.Pointer {
	p := &s
	*(*abi.Structure)(unsafe.Pointer(p)) = abi.Structure{SType: P(p).StructureType(), PNext: next}
	return unsafe.Pointer(p)
}

func captures(next unsafe.Pointer) unsafe.Pointer {
	return linked(next, abi.PipelineCreateFlags2CreateInfo{Flags: vk.PipelineCreate2CaptureDataBitKHR})
}

// binaries is vkCreatePipelineBinariesKHR, with room for n.
func (f *fixture) binaries(i abi.PipelineBinaryCreateInfoKHR, n uint32) ([]abi.PipelineBinaryKHR, uint32, vk.Result) {
	f.t.Helper()
	out := slices.Repeat([]abi.PipelineBinaryKHR{77}, int(n))
	to := &abi.PipelineBinaryHandlesInfoKHR{PipelineBinaryCount: n, PPipelineBinaries: unsafe.SliceData(out)}
	if n == 0 {
		to.PPipelineBinaries = nil
	}
	a := abi.CreatePipelineBinariesKHRArgs{Device: f.device, PCreateInfo: &i, PBinaries: to}
	call(f, abi.OpCreatePipelineBinariesKHR, &a)
	return out, to.PipelineBinaryCount, a.Ret
}

// binaryData is vkGetPipelineBinaryDataKHR.
func (f *fixture) binaryData(h abi.PipelineBinaryKHR) (key abi.PipelineBinaryKeyKHR, data []byte) {
	f.t.Helper()
	size := uint64(0)
	a := abi.GetPipelineBinaryDataKHRArgs{Device: f.device, PInfo: &abi.PipelineBinaryDataInfoKHR{PipelineBinary: h}, PPipelineBinaryKey: &key, PPipelineBinaryDataSize: &size}
	call(f, abi.OpGetPipelineBinaryDataKHR, &a)
	want(f.t, "the size of a binary", a.Ret, vk.Success)
	data = make([]byte, size)
	size--
	a.PPipelineBinaryData = unsafe.Pointer(&data[0])
	call(f, abi.OpGetPipelineBinaryDataKHR, &a)
	want(f.t, "a binary in too little space", a.Ret, vk.ErrorNotEnoughSpaceKHR)
	if size != uint64(len(data)) || !slices.Equal(data, make([]byte, size)) {
		f.t.Error("what does not fit is written, or its size is not told")
	}
	call(f, abi.OpGetPipelineBinaryDataKHR, &a)
	want(f.t, "a binary", a.Ret, vk.Success)
	return key, data
}

func (f *fixture) pipelineKey(next unsafe.Pointer) (key abi.PipelineBinaryKeyKHR, r vk.Result) {
	a := abi.GetPipelineKeyKHRArgs{Device: f.device, PPipelineKey: &key}
	if next != nil {
		a.PPipelineCreateInfo = &abi.PipelineCreateInfoKHR{PNext: next}
	}
	call(f, abi.OpGetPipelineKeyKHR, &a)
	return key, a.Ret
}

// TestPipelineBinary_GoesToAnotherDevice: with its code, its entry point and the size of its subgroups; the
// pipeline is made without a module.
func TestPipelineBinary_GoesToAnotherDevice(t *testing.T) {
	f := binaryDevice(t)
	b, _ := f.storage(64)
	sized := linked(nil, abi.PipelineShaderStageRequiredSubgroupSizeCreateInfo{RequiredSubgroupSize: 16})
	p, r := f.program(subgroupShader, 0, sized, captures(nil), b)
	want(t, "vkCreateComputePipelines", r, vk.Success)
	list, n, r := f.binaries(abi.PipelineBinaryCreateInfoKHR{Pipeline: p.pipeline}, 4)
	if want(t, "vkCreatePipelineBinariesKHR", r, vk.Success); n != 1 || list[0] == 0 || list[1] != 0 {
		t.Fatalf("%d binaries, %v", n, list)
	}
	key, data := f.binaryData(list[0])
	if key.KeySize != 32 {
		t.Errorf("a key of %d bytes", key.KeySize)
	}
	release := abi.ReleaseCapturedPipelineDataKHRArgs{Device: f.device, PInfo: &abi.ReleaseCapturedPipelineDataInfoKHR{Pipeline: p.pipeline}}
	call(f, abi.OpReleaseCapturedPipelineDataKHR, &release)
	want(t, "vkReleaseCapturedPipelineDataKHR", release.Ret, vk.Success)
	_, _, r = f.binaries(abi.PipelineBinaryCreateInfoKHR{Pipeline: p.pipeline}, 1)
	want(t, "of a pipeline whose data is released", r, vk.ErrorValidationFailed)
	p, r = f.program(subgroupShader, 0, sized, nil, b)
	want(t, "vkCreateComputePipelines", r, vk.Success)
	_, _, r = f.binaries(abi.PipelineBinaryCreateInfoKHR{Pipeline: p.pipeline}, 1)
	want(t, "of a pipeline that captures nothing", r, vk.ErrorValidationFailed)

	f = binaryDevice(t)
	b, seen := f.storage(64)
	from := func(key abi.PipelineBinaryKeyKHR, data []byte) abi.PipelineBinaryCreateInfoKHR {
		return abi.PipelineBinaryCreateInfoKHR{PKeysAndDataInfo: &abi.PipelineBinaryKeysAndDataKHR{BinaryCount: 1, PPipelineBinaryKeys: &key,
			PPipelineBinaryData: &abi.PipelineBinaryDataKHR{DataSize: uint64(len(data)), PData: unsafe.Pointer(unsafe.SliceData(data))}}}
	}
	for n := range data {
		broken := slices.Clone(data)
		if broken[n] ^= 1 << (n % 8); n%37 == 0 || n < binaryHeadBytes+binaryPartBytes+8 {
			list, _, r := f.binaries(from(key, broken), 1)
			if r != vk.PipelineBinaryMissingKHR || list[0] != 0 {
				t.Errorf("byte %d changed: %v", n, r)
			}
		}
	}
	other := key
	other.Key[3]++
	for what, i := range map[string]abi.PipelineBinaryCreateInfoKHR{"another key": from(other, data), "less": from(key, data[:len(data)-4]), "more": from(key, append(slices.Clone(data), 0, 0, 0, 0)), "nothing": from(key, nil)} {
		_, _, r = f.binaries(i, 1)
		want(t, what, r, vk.PipelineBinaryMissingKHR)
	}
	_, _, r = f.binaries(abi.PipelineBinaryCreateInfoKHR{}, 1)
	want(t, "of nothing", r, vk.ErrorValidationFailed)

	list, _, r = f.binaries(from(key, data), 1)
	want(t, "of data", r, vk.Success)
	again, same := f.binaryData(list[0])
	if again.Key != key.Key || !slices.Equal(same, data) {
		t.Error("a binary made of data has other data")
	}
	p, r = f.program(nil, 0, nil, linked(nil, abi.PipelineBinaryInfoKHR{BinaryCount: 1, PPipelineBinaries: &list[0]}), b)
	want(t, "a pipeline of binaries", r, vk.Success)
	call(f, abi.OpDestroyPipelineBinaryKHR, &abi.DestroyPipelineBinaryKHRArgs{Device: f.device, PipelineBinary: list[0]})
	f.dispatch(p)
	for i, v := range seen {
		if v != uint32(16<<16|4<<8|i/16) {
			t.Fatalf("invocation %d: %x", i, v)
		}
	}
	_, r = f.program(nil, 0, nil, linked(nil, abi.PipelineBinaryInfoKHR{BinaryCount: 1, PPipelineBinaries: &list[0]}), b)
	want(t, "a pipeline of a binary that is gone", r, vk.ErrorValidationFailed)
}

// TestPipelineBinary_OfGraphicsPipelines: a binary a shader, in parts or all, once the device has compiled them.
func TestPipelineBinary_OfGraphicsPipelines(t *testing.T) {
	f := binaryDevice(t)
	vertex, fragment := f.stage(vk.ShaderStageVertexBit, maskShader), f.stage(vk.ShaderStageFragmentBit, whiteShader)
	var described []abi.GraphicsPipelineCreateInfo
	create := func(stages ...abi.PipelineShaderStageCreateInfo) (abi.Pipeline, vk.Result) {
		return f.graphics(func(i *abi.GraphicsPipelineCreateInfo) {
			i.PNext = captures(i.PNext)
			i.SType = i.StructureType()
			described = append(described, *i)
		}, stages...)
	}
	stages := []abi.PipelineShaderStageCreateInfo{vertex, fragment}
	info := abi.GraphicsPipelineCreateInfo{StageCount: 2, PStages: &stages[0]}
	info.SType = info.StructureType()
	of := abi.PipelineBinaryCreateInfoKHR{PPipelineCreateInfo: &abi.PipelineCreateInfoKHR{PNext: unsafe.Pointer(&info)}}
	_, _, r := f.binaries(of, 2)
	want(t, "of shaders that are not compiled", r, vk.PipelineBinaryMissingKHR)
	p, r := create(vertex, fragment)
	want(t, "vkCreateGraphicsPipelines", r, vk.Success)
	_, n, r := f.binaries(of, 0)
	if want(t, "how many", r, vk.Success); n != 2 {
		t.Errorf("%d binaries", n)
	}
	list, n, r := f.binaries(abi.PipelineBinaryCreateInfoKHR{Pipeline: p}, 1)
	if want(t, "one of two", r, vk.Incomplete); n != 1 || list[0] == 0 {
		t.Errorf("%d binaries, %v", n, list)
	}
	first, _, r := f.binaries(abi.PipelineBinaryCreateInfoKHR{Pipeline: p}, 2)
	want(t, "of the pipeline", r, vk.Success)
	second, _, r := f.binaries(of, 2)
	want(t, "of what is compiled", r, vk.Success)
	for n := range first {
		k1, d1 := f.binaryData(first[n])
		k2, d2 := f.binaryData(second[n])
		if k1.Key != k2.Key || !slices.Equal(d1, d2) {
			t.Errorf("binary %d of the pipeline is not that of the device", n)
		}
	}
	shaders := []abi.PipelineShaderStageCreateInfo{{Stage: vk.ShaderStageVertexBit}, {Stage: vk.ShaderStageFragmentBit}}
	_, r = f.graphics(func(i *abi.GraphicsPipelineCreateInfo) {
		i.PNext = linked(i.PNext, abi.PipelineBinaryInfoKHR{BinaryCount: 2, PPipelineBinaries: &second[0]})
	}, shaders...)
	want(t, "a pipeline of binaries", r, vk.Success)
	_, r = f.graphics(func(i *abi.GraphicsPipelineCreateInfo) {
		i.PNext = linked(i.PNext, abi.PipelineBinaryInfoKHR{BinaryCount: 1, PPipelineBinaries: &second[0]})
	}, shaders...)
	want(t, "a pipeline that lacks a binary", r, vk.ErrorValidationFailed)

	key, r := f.pipelineKey(unsafe.Pointer(&info))
	want(t, "vkGetPipelineKeyKHR", r, vk.Success)
	same, r := f.pipelineKey(unsafe.Pointer(&described[0]))
	want(t, "vkGetPipelineKeyKHR", r, vk.Success)
	info.StageCount = 1
	fewer, _ := f.pipelineKey(unsafe.Pointer(&info))
	all, _ := f.pipelineKey(nil)
	if key.KeySize != 32 || key.Key != same.Key || key.Key == fewer.Key || all.Key == key.Key || all.Key == fewer.Key || all.Key == [32]uint8{} {
		t.Errorf("keys %x, %x, %x and %x", key.Key, same.Key, fewer.Key, all.Key)
	}
	_, r = f.pipelineKey(linked(nil, abi.PipelineBinaryInfoKHR{}))
	want(t, "the key of no pipeline", r, vk.ErrorValidationFailed)
}

// TestParseBinary_BrokenBehindItsChecksum: programs can make checksums, too.
func TestParseBinary_BrokenBehindItsChecksum(t *testing.T) {
	b := &PipelineBinary{as: vk.ShaderStageComputeBit, code: []byte{1, 2, 3, 4}, of: core.Stage{Entry: "main", SubgroupSize: 8, DeviceViews: true, Indices64: true, Constants: map[uint32][]byte{7: {1, 0, 0, 0}, 3: {2}}}}
	data := b.data()
	got, ok := parseBinary(data)
	if !ok || got.as != b.as || got.of.Entry != "main" || got.of.SubgroupSize != 8 || !got.of.DeviceViews || !got.of.Indices64 || len(got.of.Constants) != 2 ||
		!slices.Equal(got.of.Constants[7], []byte{1, 0, 0, 0}) || !slices.Equal(got.of.Constants[3], []byte{2}) || !slices.Equal(got.code, b.code) {
		t.Fatalf("%v, %+v", ok, got)
	}
	rest := data[binaryHeadBytes:]
	forge := func(change func(rest []byte) []byte) bool {
		r := change(slices.Clone(rest))
		_, ok := parseBinary(append(binaryHead(r), r...))
		return ok
	}
	for what, change := range map[string]func(rest []byte) []byte{
		"a byte more":                       func(r []byte) []byte { return append(r, 0) },
		"a byte less":                       func(r []byte) []byte { return r[:len(r)-1] },
		"a longer name":                     func(r []byte) []byte { r[12]++; return r },
		"a name of 4 GiB":                   func(r []byte) []byte { binary.LittleEndian.PutUint32(r[12:], ^uint32(0)); return r },
		"code of 4 GiB":                     func(r []byte) []byte { binary.LittleEndian.PutUint32(r[20:], ^uint32(0)); return r },
		"constants that end in their head":  func(r []byte) []byte { r[16] -= 6; r[20] += 6; return r },
		"a constant longer than all others": func(r []byte) []byte { binary.LittleEndian.PutUint32(r[binaryPartBytes+4+4:], 1000); return r },
		"no constants, half of them":        func(r []byte) []byte { r[16] = 5; return r },
		"nothing":                           func(r []byte) []byte { return nil },
	} {
		if forge(change) {
			t.Errorf("%s is taken", what)
		}
	}
	r := rand.New(rand.NewPCG(4, 8))
	for range 2000 {
		forge(func(rest []byte) []byte {
			for range 1 + r.IntN(4) {
				rest[r.IntN(min(len(rest), binaryPartBytes+24))] = byte(r.Uint32() >> r.IntN(9))
			}
			return rest
		})
	}
}
