package main

import (
	"fmt"
	"runtime"
)

// linuxOnly is the error of what takes the Vulkan driver, on systems without it.
func linuxOnly(what string) error {
	if runtime.GOOS == "linux" {
		return nil
	}
	return fmt.Errorf("%s needs the Vulkan driver, which is for Linux, not %s", what, runtime.GOOS)
}
