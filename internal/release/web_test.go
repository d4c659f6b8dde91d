package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// What the page tells of Chromium's arguments is what npm's module gives, and npm's page shows the
// same configuration.
func TestWeb_PagesAndModuleAgree(t *testing.T) {
	read := func(path string) string {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	page, module, readme := read("../../docs/web.md"), read("npm/index.js"), read("npm/README.md")
	flags := regexp.MustCompile(`--[a-z][a-zA-Z0-9=,-]*`)
	_, list, _ := strings.Cut(module, "chromiumArgs = ")
	list, _, _ = strings.Cut(list, "]")
	_, table, _ := strings.Cut(page, "| argument | why |")
	table, _, _ = strings.Cut(table, "\n## ")
	args, told := flags.FindAllString(list, -1), flags.FindAllString(table, -1)
	if len(args) < 5 || len(args) != len(told) {
		t.Errorf("the module has %q, the page %q", args, told)
	}
	for _, arg := range args {
		if !strings.Contains(table, arg) {
			t.Errorf("the page does not tell of %s", arg)
		}
	}
	code := regexp.MustCompile("(?s)```js\n(.*?)```")
	config := code.FindStringSubmatch(page)
	if config == nil || !strings.Contains(readme, config[0]) {
		t.Errorf("npm's page shows another configuration than %q", config)
	}
	for _, name := range []string{"VK_DRIVER_FILES", "VK_ICD_FILENAMES", "PUMICE_DEVICE_TYPE"} {
		if !strings.Contains(page, "| `"+name+"` |") || !strings.Contains(module, name+": ") {
			t.Errorf("%s is not in both the page and the module", name)
		}
	}
}
