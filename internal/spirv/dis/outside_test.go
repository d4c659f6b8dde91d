//go:build outside

package dis_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pumice-gpu/pumice/internal/outside"
	"github.com/pumice-gpu/pumice/internal/spirv/dis"
)

// Every module of this repository is printed as spirv-dis prints it.
func TestOutside_SpirvDis_PrintsTheSame(t *testing.T) {
	tool := outside.Tool{Name: "spirv-dis", Debian: "spirv-tools", Why: "the text of modules"}
	path := tool.Path(t)
	r := tool.NewRecord(path)
	version := regexp.MustCompile(`\d{4}\.\d+`).FindString(r.Tool)
	run := func(module []byte, args ...string) (text, failed string) {
		cmd := exec.Command(path, append(args, "--no-header", "--no-indent", "-")...)
		var out, errs bytes.Buffer
		cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(module), &out, &errs
		if err := cmd.Run(); err != nil {
			return "", err.Error() + ": " + errs.String()
		}
		return plain(out.String()), ""
	}
	n, old := 0, outside.ReadRecord(t, recorded)
	modules(t, func(file string, module []byte) {
		numbers, failed := run(module, "--raw-id")
		names, failedToo := run(module)
		if failed += failedToo; strings.Contains(failed, "Invalid ") {
			t.Logf("not compared: this spirv-dis does not know what %s holds: %s", file, failed)
			return
		}
		if failed != "" {
			t.Errorf("%s: %s", file, failed)
			return
		}
		n++
		ourNumbers, ourNames := ours(module)
		for _, c := range [][2]string{{numbers, ourNumbers}, {names, ourNames}} {
			if diff := cmp.Diff(strings.Split(c[0], "\n"), strings.Split(c[1], "\n")); diff != "" {
				t.Errorf("%s (-spirv-dis +ours):\n%s", file, diff)
			}
		}
		r.Values[file] = said{digest(module), version, digest([]byte(numbers)), digest([]byte(names))}.String()
	})
	if n < 200 {
		t.Errorf("only %d modules were compared", n)
	}
	if !outside.Recording() || t.Failed() {
		return
	}
	// What is recorded of a module that is as it was stays: it may be of a version that knows more.
	modules(t, func(file string, module []byte) {
		if parseSaid(old.Values[file]).module == digest(module) {
			r.Values[file] = old.Values[file]
		} else if r.Values[file] == "" {
			t.Errorf("%s needs another version of spirv-dis", file)
		}
	})
	r.Tool = "spirv-dis: the module's digest, the version, the digests of the texts with numbers and with names; without this file all are recorded anew"
	r.Write(t, recorded)
}

// The text assembles to the words that it was made of.
func TestOutside_SpirvAs_MakesTheSameWords(t *testing.T) {
	tool := outside.Tool{Name: "spirv-as", Debian: "spirv-tools", Why: "that texts mean their modules"}.Path(t)
	out := filepath.Join(t.TempDir(), "a.spv")
	cmd := exec.Command(tool, "--preserve-numeric-ids", "--target-env", "spv1.0", "-o", out, "-")
	cmd.Stdin = strings.NewReader(dis.Text(literals()))
	if msg, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("spirv-as: %v: %s", err, msg)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(literals()[5:], words(data)[5:]); diff != "" {
		t.Errorf("the text assembles to other words (-module +assembled):\n%s", diff)
	}
}
