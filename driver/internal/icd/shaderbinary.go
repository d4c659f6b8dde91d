package icd

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/core"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/vk"
)

// shaderBinaryVersion is that of the header and what follows it.
const shaderBinaryVersion = 2

// shaderBinaryHeader begins the binary form of a shader: what made it, the stage,
// and a checksum of the rest.
func shaderBinaryHeader(bit vk.ShaderStageFlags, rest []byte) []byte {
	b := slices.Clone(uuid[:])
	b = binary.LittleEndian.AppendUint32(b, shaderBinaryVersion)
	b = binary.LittleEndian.AppendUint32(b, uint32(bit))
	b = binary.LittleEndian.AppendUint64(b, uint64(len(rest)))
	sum := sha256.Sum256(rest)
	return append(b, sum[:]...)
}

const shaderBinaryHeaderBytes = len(uuid) + 16 + sha256.Size

// shaderCode is the SPIR-V of a VkShaderCreateInfoEXT, or what follows the header of a binary. Binaries of other drivers
// and broken ones are VK_INCOMPATIBLE_SHADER_BINARY_EXT.
func shaderCode(i *abi.ShaderCreateInfoEXT) ([]byte, error) {
	if i.PCode == nil || i.CodeSize > maxShaderBytes {
		return nil, vk.ErrorValidationFailed
	}
	data := unsafe.Slice((*byte)(i.PCode), i.CodeSize)
	if i.CodeType == vk.ShaderCodeTypeSpirvEXT {
		return data, nil
	}
	if len(data) < shaderBinaryHeaderBytes {
		return nil, vk.IncompatibleShaderBinaryEXT
	}
	rest := data[shaderBinaryHeaderBytes:]
	if !slices.Equal(data[:shaderBinaryHeaderBytes], shaderBinaryHeader(i.Stage, rest)) {
		return nil, vk.IncompatibleShaderBinaryEXT
	}
	return rest, nil
}

// The binary of a shader that uses heaps holds the mappings that count, with their embedded samplers: those of the call
// that makes a shader of it are ignored.

// mappingRecord is a mapping as binaries hold it.
type mappingRecord struct {
	Set, First, Count uint32
	Types             vk.SpirvResourceTypeFlagsEXT
	Source            vk.DescriptorMappingSourceEXT
	Resource, Sampler core.HeapPlace
	Packed, Embeds    bool
	Embedded          samplerRecord
}

// samplerRecord is a sampler as binaries hold it.
type samplerRecord struct {
	Info                    vk.SamplerCreateInfo
	Reduction               vk.SamplerReductionMode
	Border                  vk.ClearColorValue
	BorderFormat            vk.Format
	HasBorder               bool
	Cubic                   vk.CubicFilterWeightsQCOM
	Width, Height           uint32
	Max, HasYcbcr, Swizzles bool
	Ycbcr                   resource.YcbcrConversion
	Swizzle                 resource.BorderMapping
}

// embeddedSampler is a sampler of a mapping with what it was made of.
type embeddedSampler struct {
	info  vk.SamplerCreateInfo
	extra core.SamplerExtra
}

func (s *embeddedSampler) record() samplerRecord {
	x := &s.extra
	r := samplerRecord{Info: s.info, Reduction: x.Reduction, Border: x.Border, BorderFormat: x.BorderFormat, HasBorder: x.HasBorder, Cubic: x.Cubic,
		Width: uint32(x.Window.Width), Height: uint32(x.Window.Height), Max: x.Window.Max}
	if x.Ycbcr != nil {
		r.HasYcbcr, r.Ycbcr = true, *x.Ycbcr
	}
	if x.BorderMapping != nil {
		r.Swizzles, r.Swizzle = true, *x.BorderMapping
	}
	return r
}

// recordedSampler makes the sampler of a record.
func (d *Device) recordedSampler(r *samplerRecord) (*core.Sampler, *embeddedSampler, error) {
	s := &embeddedSampler{info: r.Info, extra: core.SamplerExtra{Reduction: r.Reduction, Border: r.Border, BorderFormat: r.BorderFormat, HasBorder: r.HasBorder, Cubic: r.Cubic,
		Window: resource.BlockMatchWindow{Width: int(min(r.Width, resource.MaxBlock)), Height: int(min(r.Height, resource.MaxBlock)), Max: r.Max}}}
	if r.HasYcbcr {
		y, err := d.core.NewYcbcrConversion(r.Ycbcr)
		if err != nil {
			return nil, nil, err
		}
		s.extra.Ycbcr = y
	}
	if r.Swizzles {
		s.extra.BorderMapping = &r.Swizzle
	}
	made, err := d.core.NewSamplerWith(s.info, s.extra)
	return made, s, err
}

// shaderBinary is what follows the header: how many mappings, those, and SPIR-V.
func shaderBinary(mappings []core.HeapMapping, embedded map[*core.Sampler]*embeddedSampler, code []byte) ([]byte, error) {
	out, err := binary.LittleEndian.AppendUint32(nil, uint32(len(mappings))), error(nil)
	for i := range mappings {
		m := &mappings[i]
		r := mappingRecord{Set: m.Set, First: m.First, Count: m.Count, Types: m.Types, Source: m.Source, Resource: m.Resource, Sampler: m.Sampler, Packed: m.Packed}
		if s := embedded[m.Embedded]; s != nil {
			r.Embeds, r.Embedded = true, s.record()
		}
		if out, err = binary.Append(out, binary.LittleEndian, &r); err != nil {
			return nil, err
		}
	}
	return append(out, code...), nil
}

// parseShaderBinary reads what shaderBinary made.
func (d *Device) parseShaderBinary(data []byte) (mappings []core.HeapMapping, embedded map[*core.Sampler]*embeddedSampler, code []byte, err error) {
	var r mappingRecord
	if len(data) < 4 {
		return nil, nil, nil, vk.IncompatibleShaderBinaryEXT
	}
	n, size := uint64(binary.LittleEndian.Uint32(data)), uint64(binary.Size(&r))
	if data = data[4:]; n > uint64(len(data))/size {
		return nil, nil, nil, vk.IncompatibleShaderBinaryEXT
	}
	embedded = map[*core.Sampler]*embeddedSampler{}
	for range n {
		if _, err := binary.Decode(data, binary.LittleEndian, &r); err != nil {
			return nil, nil, nil, vk.IncompatibleShaderBinaryEXT
		}
		data = data[size:]
		m := core.HeapMapping{Set: r.Set, First: r.First, Count: r.Count, Types: r.Types, Source: r.Source, Resource: r.Resource, Sampler: r.Sampler, Packed: r.Packed}
		if r.Embeds {
			s, of, err := d.recordedSampler(&r.Embedded)
			if err != nil {
				return nil, nil, nil, err
			}
			m.Embedded, embedded[s] = s, of
		}
		mappings = append(mappings, m)
	}
	return mappings, embedded, data, nil
}
