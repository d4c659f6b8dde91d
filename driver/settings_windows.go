//go:build cgo

package main

import (
	"os"

	"github.com/pumice-gpu/pumice/internal/elevated"
)

// setting is a variable of the environment as it is now: Go asks the system each time.
func setting(name string) string { return os.Getenv(name) }

// writing is setting for variables that name files to write: none in elevated processes, whose
// environment is that of a user with fewer rights. Vulkan's loader leaves its own variables aside
// there, too.
func writing(name string) string {
	if elevated.Process() {
		return ""
	}
	return os.Getenv(name)
}
