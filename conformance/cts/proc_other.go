//go:build !linux

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
)

func ownGroup(*exec.Cmd) {}

func killGroup(p *os.Process) { _ = p.Kill() }

func residentBytes(int) int64 { return 0 }

func lockFile(string) (unlock func(), err error) {
	return nil, fmt.Errorf("rolling runs need Linux's locks of files: %w", errors.ErrUnsupported)
}
