package registry

import (
	"crypto/sha256"
	"fmt"
	"os"
	"strings"
	"testing"
)

// The files are those whose sums README.md names, one line a file.
func TestRead_WhatTheReadmeNames(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{Vulkan, SPIRV, GLSL} {
		text, err := Read(name)
		if err != nil {
			t.Fatal(err)
		}
		_, line, _ := strings.Cut(string(readme), "| `"+name+"` |")
		line, _, _ = strings.Cut(line, "\n")
		if sum := fmt.Sprintf("%x", sha256.Sum256(text)); !strings.Contains(line, sum) {
			t.Errorf("%s has the sum %s, README.md says %q", name, sum, line)
		}
	}
	if _, err := Read("other.xml"); err == nil {
		t.Error("other.xml is there")
	}
}
