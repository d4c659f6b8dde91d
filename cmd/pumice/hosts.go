package main

import (
	"fmt"
	"runtime"
)

// needsDriver is the error of what takes the Vulkan driver, on systems without it.
func needsDriver(what string) error {
	if runtime.GOOS == "linux" || runtime.GOOS == "windows" {
		return nil
	}
	return fmt.Errorf("%s needs the Vulkan driver, which is for Linux and Windows, not %s", what, runtime.GOOS)
}

// linuxOnly is the error of what takes gfxreconstruct as Linux has it.
func linuxOnly(what string) error {
	if runtime.GOOS == "linux" {
		return nil
	}
	return fmt.Errorf("%s is for Linux, not %s", what, runtime.GOOS)
}
