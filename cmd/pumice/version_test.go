package main

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/version"
)

func TestVersion_OfEachWayToBuild(t *testing.T) {
	settings := func(kv ...string) (s []debug.BuildSetting) {
		for i := 0; i < len(kv); i += 2 {
			s = append(s, debug.BuildSetting{Key: kv[i], Value: kv[i+1]})
		}
		return s
	}
	for want, c := range map[string]struct {
		stamped string
		info    *debug.BuildInfo
	}{
		"v1.2.3":                   {"v1.2.3", &debug.BuildInfo{Main: debug.Module{Version: "(devel)"}}},
		"v1.2.4":                   {"", &debug.BuildInfo{Main: debug.Module{Version: "v1.2.4"}}},
		"devel":                    {"", &debug.BuildInfo{Main: debug.Module{Version: "(devel)"}}},
		"devel-0123456789ab":       {"", &debug.BuildInfo{Settings: settings("vcs.revision", "0123456789abcdef", "vcs.modified", "false")}},
		"devel-0123456789ab+dirty": {"", &debug.BuildInfo{Main: debug.Module{Version: "(devel)"}, Settings: settings("vcs.modified", "true", "vcs.revision", "0123456789abcdef")}},
	} {
		if got := versionOf(c.info, c.stamped); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestVersion_CommandAndFlagSayTheSame(t *testing.T) {
	code, out, errs := command(t, "version")
	if code != 0 || !strings.HasPrefix(out, "pumice version ") || !strings.Contains(out, version.Text()) || !strings.Contains(out, runtime.GOARCH) {
		t.Errorf("%d %q %q", code, out, errs)
	}
	if code, flag, _ := command(t, "--version"); code != 0 || flag != out {
		t.Errorf("--version: %d %q, not %q", code, flag, out)
	}
}

// manual writes the pages of all commands, and returns their names.
func manual(t *testing.T) (pages []string) {
	t.Helper()
	dir := t.TempDir()
	if code, _, errs := command(t, "man", dir); code != 0 {
		t.Fatal(errs)
	}
	pages, err := filepath.Glob(filepath.Join(dir, "*.1"))
	if err != nil || len(pages) < 12 {
		t.Fatalf("%q, %v", pages, err)
	}
	return pages
}

// Each command has a page, whose text and flags are the command's, in the requests and escapes of man(7): lines start with
// no other request, examples and fonts end, and .TP has a tag and a text.
func TestMan_PagesOfAllCommands(t *testing.T) {
	pages := manual(t)
	for page, want := range map[string]string{
		"pumice.1": `\fBrender\fR`, "pumice-run.1": `PUMICE_DRIVER names; libvulkan_pumice.so`, "pumice-driver-path.1": `pumice\-driver\-path \- Print`,
		"pumice-render.1": "\\fB\\-o\\fR, \\fB\\-\\-output\\fR \\fIstring\\fR\n",
	} {
		text, err := os.ReadFile(filepath.Join(filepath.Dir(pages[0]), page))
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s does not hold %q: %v", page, want, err)
		}
	}
	request := regexp.MustCompile(`^\.(TH "[^"]+" "1" "" "[^"]+" "Pumice"|nh|ad l|SH [A-Z ]+|TP|PP|nf|fi|B .+|BR \S+ \(1\),?)$`)
	escape := regexp.MustCompile(`\\(?:f[BIR]|[-e&])`)
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		example, tag := false, 0
		for n, line := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
			wrong := func(what string) { t.Errorf("%s:%d: %s: %q", filepath.Base(page), n+1, what, line) }
			switch begins := strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'"); {
			case begins && !request.MatchString(line):
				wrong("no request of man(7)")
			case strings.Contains(escape.ReplaceAllString(line, ""), `\`):
				wrong("no escape of man(7)")
			case line == ".nf" && example || line == ".fi" && !example || begins && tag > 0:
				wrong("out of place")
			case strings.Count(line, `\fB`)+strings.Count(line, `\fI`) != strings.Count(line, `\fR`):
				wrong("a font does not end")
			}
			switch {
			case line == ".nf" || line == ".fi":
				example = line == ".nf"
			case line == ".TP":
				tag = 2
			case tag > 0:
				tag--
			}
		}
		if example || tag > 0 {
			t.Errorf("%s ends in the middle of something", page)
		}
	}
}

func TestMan_TextThatLooksLikeRequests(t *testing.T) {
	got := manualText("A line.\n.hidden \\ 'x'\n\n  pumice -o x\n  .y\n'z")
	want := "A line.\n\\&.hidden \\e 'x'\n.PP\n.PP\n.nf\n  pumice \\-o x\n  .y\n.fi\n.PP\n\\&'z"
	if got != want {
		t.Errorf("%q", got)
	}
}
