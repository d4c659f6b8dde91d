package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The commands of docs/scale.md and of the files beside it have flags that exist.
func TestScale_CommandsHaveTheirFlags(t *testing.T) {
	known := map[string]bool{}
	for _, args := range [][]string{{"render"}, {"thumbnails"}, {"frames", "verify"}} {
		_, help, _ := command(t, append(args, "--help")...)
		for _, flag := range regexp.MustCompile(`--[a-z0-9-]+`).FindAllString(help, -1) {
			known[flag] = true
		}
	}
	docs := filepath.Join("..", "..", "docs")
	files, err := filepath.Glob(filepath.Join(docs, "scale", "*"))
	if err != nil || len(files) < 4 {
		t.Fatal(files, err)
	}
	checked := 0
	for _, file := range append(files, filepath.Join(docs, "scale.md")) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text = bytes.ReplaceAll(text, []byte("\\\n"), nil)
		for line := range strings.Lines(string(text)) {
			if !regexp.MustCompile(`\bpumice (render|thumbnails|frames)|args: \[|--shard, `).MatchString(line) {
				continue
			}
			for _, flag := range regexp.MustCompile(`(?:^|[ ,\[])(--[a-z0-9-]+)`).FindAllStringSubmatch(line, -1) {
				checked++
				if !known[flag[1]] {
					t.Errorf("%s: %s is no flag: %s", file, flag[1], line)
				}
			}
		}
	}
	if checked < 20 {
		t.Errorf("only %d flags were found: has the files' form changed?", checked)
	}
}
