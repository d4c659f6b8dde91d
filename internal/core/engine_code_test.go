//go:build amd64 || arm64

package core

import (
	"errors"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec/code"
	"github.com/pumice-gpu/pumice/internal/exec/vm"
)

// Who wants machine code is told once why there is none, and gets the portable engine; who wants that one is told nothing.
func TestOpen_MachineCodeRefused(t *testing.T) {
	if vm.New(vm.Options{Native: true}).Name() != "native" {
		t.Skip("no machine code here")
	}
	before := code.Refused
	defer func() { code.Refused = before }()
	code.Refused = func() error { return errors.New("a policy of this test") }
	for engine, want := range map[string]int{"": 1, "native": 1, "check": 1, "vm": 0} {
		var told []Message
		d, err := Open(Config{Engine: engine, Debug: func(m Message) { told = append(told, m) }})
		if err != nil {
			t.Fatal(err)
		}
		d.Close()
		if len(told) != want || want > 0 && (told[0].Severity != SeverityInfo || !strings.Contains(told[0].Text, "a policy of this test")) {
			t.Errorf("engine %q: told %v", engine, told)
		}
	}
}
