// Package version says which version of Vulkan this is: one number for the
// driver, its manifests, the Go API and the documents.
package version

import "fmt"

// The parts of the version: the highest one all of whose mandatory features are
// on in the driver's tables, and the patch of the specification followed.
const (
	Major = 1
	Minor = 4
	Patch = 309
)

// Vulkan is the version as VK_MAKE_API_VERSION packs it, variant 0.
const Vulkan uint32 = Major<<22 | Minor<<12 | Patch

// Text is the version as manifests of drivers spell it.
func Text() string { return fmt.Sprintf("%d.%d.%d", Major, Minor, Patch) }
