package icd

import (
	"slices"
	"testing"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/vk"
)

// Binaries of the same driver, stage and version are taken, whole ones only.
func TestShaderCode_Binaries(t *testing.T) {
	code := []byte("some SPIR-V words")
	good := append(shaderBinaryHeader(vk.ShaderStageVertexBit, code), code...)
	changed := func(at int) []byte {
		b := slices.Clone(good)
		b[at] ^= 1
		return b
	}
	for name, c := range map[string]struct {
		data []byte
		want error
	}{
		"good":           {good, nil},
		"other driver":   {changed(0), vk.IncompatibleShaderBinaryEXT},
		"other version":  {changed(len(uuid)), vk.IncompatibleShaderBinaryEXT},
		"other stage":    {changed(len(uuid) + 4), vk.IncompatibleShaderBinaryEXT},
		"other size":     {changed(len(uuid) + 8), vk.IncompatibleShaderBinaryEXT},
		"other code":     {changed(len(good) - 1), vk.IncompatibleShaderBinaryEXT},
		"cut in code":    {good[:len(good)-1], vk.IncompatibleShaderBinaryEXT},
		"cut in header":  {good[:40], vk.IncompatibleShaderBinaryEXT},
		"more than code": {append(slices.Clone(good), 0), vk.IncompatibleShaderBinaryEXT},
	} {
		got, err := shaderCode(&abi.ShaderCreateInfoEXT{
			Stage: vk.ShaderStageVertexBit, CodeType: vk.ShaderCodeTypeBinaryEXT, CodeSize: uint64(len(c.data)), PCode: unsafe.Pointer(unsafe.SliceData(c.data)),
		})
		if err != c.want || err == nil && !slices.Equal(got, code) {
			t.Errorf("%s: %v, %q", name, err, got)
		}
	}
}
