package main

import "path/filepath"

// What the driver is built as, and the list of its exports.
const (
	libraryName = "pumice_vulkan.dll"
	exportsName = "exports.def"
)

// exportsFlag hands the list of exports to the linker. It is quoted for the go command and for its
// linker: root may have spaces.
func exportsFlag(root string) string {
	return `-ldflags=-extldflags "'` + filepath.Join(root, "driver", exportsName) + `'"`
}
