package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The first page is read on a phone, too: what is longer stands in docs.
func TestPages_ReadmeIsShort(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(strings.Fields(string(text))); n > 800 {
		t.Errorf("README.md has %d words, 800 at most", n)
	}
}

// Commands of the pages run as they stand there, from the folder of the repository; what they write comes elsewhere.
// Words in capitals stand for files of the reader's, and what starts programs is tested with the driver.
func TestPages_CommandsRun(t *testing.T) {
	if testing.Short() {
		t.Skip("draws pictures of usual sizes")
	}
	readers := regexp.MustCompile(`\b(MODEL|DIR|A|B)\b`)
	for page, want := range map[string]int{"README.md": 1, "docs/cli.md": 4} {
		text, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(page)))
		if err != nil {
			t.Fatal(err)
		}
		ran := 0
		for _, block := range regexp.MustCompile("(?s)\n```\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
			for line := range strings.Lines(block[1]) {
				line, _, _ = strings.Cut(line, "#")
				rest, ours := strings.CutPrefix(strings.TrimSpace(line), "go run ./cmd/pumice ")
				if !ours || readers.MatchString(rest) {
					continue
				}
				ran++
				t.Run(rest, func(t *testing.T) {
					out := t.TempDir()
					t.Chdir(filepath.Join("..", ".."))
					args := strings.Fields(rest)
					for i := range args {
						if i > 0 && slices.Contains([]string{"-o", "--html"}, args[i-1]) {
							args[i] = filepath.Join(out, args[i])
						}
					}
					if code, _, stderr := command(t, args...); code != 0 {
						t.Errorf("exit code %d: %s", code, stderr)
					}
				})
			}
		}
		if ran != want {
			t.Errorf("%s: %d commands ran, want %d", page, ran, want)
		}
	}
}
