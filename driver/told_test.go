//go:build linux

package main_test

import (
	"bytes"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pumice-gpu/pumice/conformance/told"
	"github.com/pumice-gpu/pumice/internal/rules"
)

// Each rule of image instructions is told to a messenger of VK_EXT_debug_utils, once, with the rule and the place, and a program
// that breaks none hears nothing.
func TestTold_Messengers(t *testing.T) {
	cases := append([]told.Case{told.Plain()}, told.Cases()...)
	var words []byte
	for i := range cases {
		words = append(words, cases[i].Words()...)
	}
	cmd := driverCommand(t, []string{"DISPLAY="}, compiled(t, "told"))
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(words), &out, &errs
	kill := time.AfterFunc(programTimeout, func() { _ = cmd.Process.Kill() })
	defer kill.Stop()
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s%s", err, out.String(), errs.String())
	}
	heard := make([][]string, len(cases))
	for line := range strings.Lines(out.String()) {
		number, message, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if n, err := strconv.Atoi(number); err == nil && n < len(cases) {
			heard[n] = append(heard[n], strings.Replace(message, "\t", " ", 1))
		}
	}
	for i, c := range cases {
		t.Run(c.Rule+"/"+strings.ReplaceAll(c.What, " ", "_"), func(t *testing.T) {
			if c.Rule != "" {
				rules.Covers(t, c.Rule)
			}
			if err := c.Heard(heard[i], ""); err != nil {
				t.Error(err)
			}
		})
	}
}
