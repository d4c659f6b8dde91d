package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What pages show of commands that explain is what the commands print.
func TestDocs_OutputsAreTrue(t *testing.T) {
	t.Chdir("../..")
	shown := 0
	for _, page := range []string{"sampling.md", "rasterization.md"} {
		data, err := os.ReadFile(filepath.Join("docs", page))
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range strings.Split(string(data), "```\n")[1:] {
			line, want, _ := strings.Cut(block, "\n")
			args, ok := strings.CutPrefix(line, "$ pumice ")
			if !ok {
				continue
			}
			shown++
			if code, stdout, stderr := command(t, strings.Fields(args)...); code != 0 || stdout != want {
				t.Errorf("%s: %s: exit code %d, %s\nprints\n%s\nnot\n%s", page, line, code, stderr, stdout, want)
			}
		}
	}
	if shown != 2 {
		t.Errorf("%d outputs are shown", shown)
	}
}
