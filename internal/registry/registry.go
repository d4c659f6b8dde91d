// Package registry holds Khronos' registries of Vulkan and SPIR-V, for generators
// and tests: what they read is in the repository, in one version. README.md tells
// which, from where and on which terms.
package registry

import (
	"bytes"
	"compress/gzip"
	"embed"
	"fmt"
	"io"
)

// The files.
const (
	Vulkan = "vk.xml"
	SPIRV  = "spirv.core.grammar.json"
	GLSL   = "extinst.glsl.std.450.grammar.json" // GLSL.std.450's instructions
)

//go:embed *.gz
var files embed.FS

// Read returns the text of one of the files.
func Read(name string) ([]byte, error) {
	packed, err := files.ReadFile(name + ".gz")
	if err != nil {
		return nil, fmt.Errorf("registry: %w", err)
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("registry: %s: %w", name, err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		return nil, fmt.Errorf("registry: %s: %w", name, err)
	}
	return text, nil
}
