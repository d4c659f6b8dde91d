package icd

import (
	"crypto/sha256"
	"encoding/binary"
	"maps"
	"slices"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/core"
	"github.com/pumice-gpu/pumice/internal/memory"
	"github.com/pumice-gpu/pumice/vk"
)

// PipelineBinary is a VkPipelineBinaryKHR: a shader of a pipeline with its constants. What is
// compiled stays in the device.
type PipelineBinary struct {
	of   core.Stage
	as   vk.ShaderStageFlags
	code []byte
	key  shaderKey
}

// The data of a binary is what made it, a checksum of the rest, and the rest: stage, size of
// subgroups, flags, lengths of the entry point's name, of the constants and of the code in bytes, and
// then these. A constant is its number and its length before its bytes.

const (
	binaryVersion   = 2
	binaryHeadBytes = len(uuid) + 4 + sha256.Size
	binaryPartBytes = 6 * 4
	// Of the third word: core.Stage's flags.
	binaryDeviceViews, binaryIndices64 = 1, 2
	// maxBinaryBytes bounds the data: there is more to it than code.
	maxBinaryBytes = maxShaderBytes + 1<<20
)

func binaryHead(rest []byte) []byte {
	sum := sha256.Sum256(rest)
	return append(binary.LittleEndian.AppendUint32(slices.Clone(uuid[:]), binaryVersion), sum[:]...)
}

func binaryFlags(of *core.Stage) (flags uint32) {
	if of.DeviceViews {
		flags |= binaryDeviceViews
	}
	if of.Indices64 {
		flags |= binaryIndices64
	}
	return flags
}

// data is the binary as a program keeps it.
func (b *PipelineBinary) data() []byte {
	var constants []byte
	for _, id := range slices.Sorted(maps.Keys(b.of.Constants)) {
		c := b.of.Constants[id]
		constants = binary.LittleEndian.AppendUint32(constants, id)
		constants = append(binary.LittleEndian.AppendUint32(constants, uint32(len(c))), c...)
	}
	var rest []byte
	for _, v := range []uint32{uint32(b.as), b.of.SubgroupSize, binaryFlags(&b.of), uint32(len(b.of.Entry)), uint32(len(constants)), uint32(len(b.code))} {
		rest = binary.LittleEndian.AppendUint32(rest, v)
	}
	rest = slices.Concat(rest, []byte(b.of.Entry), constants, b.code)
	return append(binaryHead(rest), rest...)
}

// parseBinary reads data; false if it is not a driver's like this one, or broken.
func parseBinary(data []byte) (*PipelineBinary, bool) {
	if len(data) < binaryHeadBytes+binaryPartBytes || !slices.Equal(data[:binaryHeadBytes], binaryHead(data[binaryHeadBytes:])) {
		return nil, false
	}
	data = data[binaryHeadBytes:]
	word := func(i int) uint32 { return binary.LittleEndian.Uint32(data[4*i:]) }
	b := &PipelineBinary{as: vk.ShaderStageFlags(word(0)), of: core.Stage{SubgroupSize: word(1), DeviceViews: word(2)&binaryDeviceViews != 0, Indices64: word(2)&binaryIndices64 != 0}}
	entry, constants, code := uint64(word(3)), uint64(word(4)), uint64(word(5))
	if data = data[binaryPartBytes:]; uint64(len(data)) != entry+constants+code {
		return nil, false
	}
	b.of.Entry, b.code = string(data[:entry]), slices.Clone(data[entry+constants:])
	for data = data[entry : entry+constants]; len(data) > 0; {
		if len(data) < 8 {
			return nil, false
		}
		id, n := word(0), word(1)
		if data = data[8:]; uint64(n) > uint64(len(data)) {
			return nil, false
		}
		if b.of.Constants == nil {
			b.of.Constants = map[uint32][]byte{}
		}
		b.of.Constants[id] = slices.Clone(data[:n])
		data = data[n:]
	}
	return b, true
}

// binaryOf makes a binary of data that a program has kept, by the key that it had.
func (d *Device) binaryOf(key *abi.PipelineBinaryKeyKHR, data *abi.PipelineBinaryDataKHR) (*PipelineBinary, error) {
	if data.PData == nil || data.DataSize > maxBinaryBytes {
		return nil, vk.PipelineBinaryMissingKHR
	}
	if memory.HeapShort(callHeap + int64(data.DataSize)*codeHeap) {
		return nil, vk.ErrorOutOfHostMemory
	}
	b, ok := parseBinary(slices.Clone(unsafe.Slice((*byte)(data.PData), data.DataSize))) // which the program may change meanwhile
	if !ok {
		return nil, vk.PipelineBinaryMissingKHR
	}
	var err error
	if b.of.Module, err = d.core.NewShaderModule(b.code, ""); err != nil {
		return nil, err
	}
	if b.key = shaderKey(b.of.Key(b.as)); key.KeySize != uint32(len(b.key)) || b.key != shaderKey(key.Key) {
		return nil, vk.PipelineBinaryMissingKHR
	}
	return b, nil
}

// binariesOf are the binaries of shaders, whose code is kept.
func binariesOf(s *stages) ([]*PipelineBinary, error) {
	var out []*PipelineBinary
	for n := range s.of {
		if s.code[n] == nil {
			return nil, vk.ErrorValidationFailed // made without the feature
		}
		out = append(out, &PipelineBinary{s.of[n], s.as[n], s.code[n], s.keys[n]})
	}
	return out, nil
}

// newBinaries makes the binaries that a VkPipelineBinaryCreateInfoKHR asks for: of data, of a
// pipeline, or of what the device has compiled for a VkPipelineCreateInfoKHR.
func (d *Device) newBinaries(i *abi.PipelineBinaryCreateInfoKHR) ([]*PipelineBinary, error) {
	switch {
	case i.PKeysAndDataInfo != nil:
		k := i.PKeysAndDataInfo
		keys, data := abi.Slice(k.PPipelineBinaryKeys, k.BinaryCount), abi.Slice(k.PPipelineBinaryData, k.BinaryCount)
		var out []*PipelineBinary
		for n := range min(len(keys), len(data)) {
			b, err := d.binaryOf(&keys[n], &data[n])
			if err != nil {
				return nil, err
			}
			out = append(out, b)
		}
		return out, nil
	case i.Pipeline != 0:
		if p := lookup(&d.pipelines, i.Pipeline); p != nil && p.kept != nil {
			return binariesOf(p.kept)
		}
		return nil, vk.ErrorValidationFailed
	case i.PPipelineCreateInfo != nil:
		s, err := d.describedStages(i.PPipelineCreateInfo)
		if err != nil {
			return nil, err
		}
		if !s.compiled(d) {
			return nil, vk.PipelineBinaryMissingKHR
		}
		return binariesOf(s)
	}
	return nil, vk.ErrorValidationFailed
}

// describedStages are the shaders of the pipeline that would be made.
func (d *Device) describedStages(i *abi.PipelineCreateInfoKHR) (*stages, error) {
	var q request
	if g := abi.Find[abi.GraphicsPipelineCreateInfo](i.PNext); g != nil {
		q = d.graphicsRequest(g)
	} else if c := abi.Find[abi.ComputePipelineCreateInfo](i.PNext); c != nil {
		q = d.computeRequest(c)
	} else {
		return nil, vk.ErrorValidationFailed
	}
	return d.allStages(&q)
}

// CreatePipelineBinariesKHR is vkCreatePipelineBinariesKHR. Without an array it tells how many there are.
func (d *Device) CreatePipelineBinariesKHR(a *abi.CreatePipelineBinariesKHRArgs) vk.Result {
	to := a.PBinaries
	out := abi.Slice(to.PPipelineBinaries, to.PipelineBinaryCount)
	clear(out)
	list, err := d.newBinaries(a.PCreateInfo)
	if err != nil {
		return result(err)
	}
	if to.PPipelineBinaries == nil {
		to.PipelineBinaryCount = uint32(len(list))
		return vk.Success
	}
	to.PipelineBinaryCount = uint32(min(len(out), len(list)))
	for n := range to.PipelineBinaryCount {
		if r := created(&d.pipelineBinaries, &out[n], list[n], nil); r != vk.Success {
			for _, h := range out {
				d.pipelineBinaries.Take(uint64(h))
			}
			clear(out)
			return r
		}
	}
	if len(out) < len(list) {
		return vk.Incomplete
	}
	return vk.Success
}

// DestroyPipelineBinaryKHR is vkDestroyPipelineBinaryKHR. Pipelines made of it live on.
func (d *Device) DestroyPipelineBinaryKHR(a *abi.DestroyPipelineBinaryKHRArgs) {
	d.pipelineBinaries.Take(uint64(a.PipelineBinary))
}

// GetPipelineKeyKHR is vkGetPipelineKeyKHR: binaries depend on shaders, and so does the key. That of no
// pipeline is the driver's.
func (d *Device) GetPipelineKeyKHR(a *abi.GetPipelineKeyKHRArgs) vk.Result {
	h := sha256.New()
	h.Write(binaryHead(nil))
	if a.PPipelineCreateInfo != nil {
		s, err := d.describedStages(a.PPipelineCreateInfo)
		if err != nil {
			return result(err)
		}
		for _, k := range s.keys {
			h.Write(k[:])
		}
	}
	putKey(a.PPipelineKey, shaderKey(h.Sum(nil)))
	return vk.Success
}

func putKey(to *abi.PipelineBinaryKeyKHR, key shaderKey) {
	to.KeySize, to.Key = uint32(len(key)), key
}

// GetPipelineBinaryDataKHR is vkGetPipelineBinaryDataKHR. Data is written as a whole or not at all.
func (d *Device) GetPipelineBinaryDataKHR(a *abi.GetPipelineBinaryDataKHRArgs) vk.Result {
	b := lookup(&d.pipelineBinaries, a.PInfo.PipelineBinary)
	if b == nil {
		*a.PPipelineBinaryDataSize = 0
		return vk.ErrorValidationFailed
	}
	putKey(a.PPipelineBinaryKey, b.key)
	data, room := b.data(), *a.PPipelineBinaryDataSize
	*a.PPipelineBinaryDataSize = uint64(len(data))
	if a.PPipelineBinaryData == nil {
		return vk.Success
	}
	if room < uint64(len(data)) {
		return vk.ErrorNotEnoughSpaceKHR
	}
	copy(unsafe.Slice((*byte)(a.PPipelineBinaryData), len(data)), data)
	return vk.Success
}

// ReleaseCapturedPipelineDataKHR is vkReleaseCapturedPipelineDataKHR.
func (d *Device) ReleaseCapturedPipelineDataKHR(a *abi.ReleaseCapturedPipelineDataKHRArgs) vk.Result {
	p := lookup(&d.pipelines, a.PInfo.Pipeline)
	if p == nil {
		return vk.ErrorValidationFailed
	}
	p.kept = nil
	return vk.Success
}

// binaryStages takes the shaders of a pipeline from binaries, one for each of its stages.
func (d *Device) binaryStages(infos []abi.PipelineShaderStageCreateInfo, flags vk.PipelineCreateFlags2, handles []abi.PipelineBinaryKHR) (*stages, error) {
	by := map[vk.ShaderStageFlags]*PipelineBinary{}
	for _, h := range handles {
		if b := lookup(&d.pipelineBinaries, h); b != nil {
			by[b.as] = b
		}
	}
	s := &stages{}
	for n := range infos {
		b := by[infos[n].Stage]
		if b == nil {
			return nil, vk.ErrorValidationFailed
		}
		of := b.of
		if err := d.mapStage(&of, &infos[n], flags); err != nil {
			return nil, err
		}
		s.add(of, b.as, b.code)
	}
	return s, nil
}
