package main

import (
	"os/exec"
	"strings"
	"testing"
)

// Each module that the command and the driver link stands in what `pumice licenses`
// prints, with its version, and none that they do not link on any system.
func TestLicenses_OfAllThatIsLinked(t *testing.T) {
	code, text, errs := command(t, "licenses")
	if code != 0 {
		t.Fatal(errs)
	}
	list := exec.Command("go", "list", "-buildvcs=false", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}{{end}}{{end}}", "../../cmd/pumice", "../../driver")
	linked, err := list.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	known := map[string]bool{"github.com/inconshreveable/mousetrap v1.1.0": true} // on Windows
	for _, module := range strings.Split(strings.TrimSpace(string(linked)), "\n") {
		if module == "" || known[module] {
			continue
		}
		if known[module] = true; !strings.Contains(text, "==== "+module+"\n\n") {
			t.Errorf("%s is linked and not named: go generate ./cmd/pumice", module)
		}
	}
	sections := strings.Split(text, "\n==== ")
	if len(known) < 5 || len(sections) < len(known) {
		t.Errorf("%d modules, %d sections", len(known), len(sections))
	}
	for _, s := range sections[1:] {
		name, terms, _ := strings.Cut(s, "\n")
		if len(terms) < 400 {
			t.Errorf("%s: no terms, but %q", name, terms)
		}
		if words := strings.Fields(name); len(words) == 2 && !known[name] { // a module and its version
			t.Errorf("%s is named and not linked: go generate ./cmd/pumice", name)
		}
	}
	for _, want := range []string{"The Go Authors", "The Khronos Group", "The Draco Authors"} {
		if !strings.Contains(text, want) {
			t.Errorf("%s has no notice", want)
		}
	}
}
