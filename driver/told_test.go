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
	rules.Covers(t, "IMG-100", "IMG-101", "IMG-102", "IMG-103", "IMG-104", "IMG-105", "IMG-106", "IMG-107", "IMG-108", "IMG-109", "IMG-110", "IMG-111", "IMG-112", "IMG-113",
		"IMG-114", "IMG-115", "IMG-116", "IMG-117", "IMG-120", "IMG-121", "IMG-122", "IMG-123", "IMG-124", "IMG-125", "IMG-126", "IMG-127", "IMG-130", "IMG-131",
		"IMG-132", "IMG-133", "IMG-135", "IMG-136", "IMG-137", "IMG-138", "IMG-139", "IMG-140", "IMG-141", "IMG-142", "IMG-143", "IMG-144", "IMG-145", "IMG-146",
		"IMG-147", "IMG-148", "IMG-149", "IMG-150", "IMG-151", "IMG-152", "IMG-153", "IMG-154", "IMG-155", "IMG-156", "IMG-157", "IMG-158", "IMG-160", "IMG-161",
		"IMG-162", "IMG-163", "IMG-164", "IMG-165", "IMG-167", "IMG-168", "IMG-169", "IMG-170", "IMG-171", "IMG-172", "IMG-173", "IMG-174", "IMG-175", "IMG-176",
		"IMG-177", "IMG-178", "IMG-179", "IMG-180", "IMG-181", "IMG-182", "IMG-183", "IMG-184", "IMG-185", "IMG-186", "IMG-187", "IMG-188", "IMG-189", "IMG-190")
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
	commands := map[string]string{
		"NewSampler": "vkCreateSampler", "NewView": "vkCreateImageView", "NewYcbcrConversion": "vkCreateSamplerYcbcrConversion",
	}
	for i, c := range cases {
		if command, ok := commands[c.Where]; ok { // C programs are told by their own names
			c.Where = command
		}
		t.Run(c.Rule+"/"+strings.ReplaceAll(c.What, " ", "_"), func(t *testing.T) {
			if err := c.Heard(heard[i], ""); err != nil {
				t.Error(err)
			}
		})
	}
}
