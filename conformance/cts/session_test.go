package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// fakeTimeout is enough for a process to go on with on a busy machine, under the
// race detector too: what is slow must not be taken for what hangs.
const fakeTimeout = 10 * time.Second

// fakeProgram is this test program as deqp-vk.
func fakeProgram(t *testing.T, mode string) (p *program, launches func() []string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	counter := filepath.Join(t.TempDir(), "launches")
	p = &program{
		path: self, icd: "some.json", timeout: fakeTimeout, whole: 3 * fakeTimeout / 2, memory: 64 << 20,
		env: []string{"FAKE_DEQP=" + mode, "FAKE_COUNTER=" + counter},
	}
	return p, func() []string {
		text, _ := os.ReadFile(counter)
		return slices.Collect(strings.Lines(string(text)))
	}
}

func runSession(t *testing.T, p *program, chunk int, cases []string) (map[string]Result, []string, error) {
	t.Helper()
	results := map[string]Result{}
	var notes []string
	s := session{
		program: p, jobs: 2, chunk: chunk, dir: t.TempDir(),
		note: func(text string) { notes = append(notes, text) },
		record: func(r Result) {
			if _, twice := results[r.Case]; twice {
				t.Errorf("%s has two results", r.Case)
			}
			results[r.Case] = r
		},
	}
	err := s.run(t.Context(), cases)
	return results, notes, err
}

var wantStatus = map[string]Status{
	"dEQP-VK.one.pass": Pass, "dEQP-VK.one.fail": Fail, "dEQP-VK.one.nosup": NotSupported,
	"dEQP-VK.one.warn": QualityWarning, "dEQP-VK.one.pass_too": Pass,
	"dEQP-VK.two.crash": Crash, "dEQP-VK.two.pass_after": Pass, "dEQP-VK.two.exit": Crash, "dEQP-VK.two.hang": Timeout,
	"dEQP-VK.two.pass_last": Pass, "dEQP-VK.three.garble": Garbled, "dEQP-VK.three.torn": Garbled,
	"dEQP-VK.three.pass": Pass, "dEQP-VK.three.silent": Crash, "dEQP-VK.three.pass_end": Pass,
	"dEQP-VK.three.lost": DeviceLost, "dEQP-VK.three.unclosed": Crash, "dEQP-VK.four.eat": Crash,
	"dEQP-VK.four.chatty": Timeout, "dEQP-VK.four.pass": Pass, "dEQP-VK.five.unknown": Missing,
}

func TestSession_EveryCaseHasItsResult_WhateverTheProgramDoes(t *testing.T) {
	cases := append(slices.Clone(fakeCases), "dEQP-VK.five.unknown")
	for _, chunk := range []int{100, 1} {
		t.Run(fmt.Sprintf("chunks of %d", chunk), func(t *testing.T) {
			t.Parallel()
			testEveryCase(t, chunk, cases)
		})
	}
}

func testEveryCase(t *testing.T, chunk int, cases []string) {
	p, launches := fakeProgram(t, "normal")
	results, _, err := runSession(t, p, chunk, cases)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range cases {
		if got := results[name].Status; got != wantStatus[name] {
			t.Errorf("%s is %q (%s), want %q", name, got, results[name].Message, wantStatus[name])
		}
	}
	if line := launches()[0]; line != "launch some.json some.json\n" {
		t.Errorf("the environment names the driver as %q", line)
	}
	for name, message := range map[string]string{
		"dEQP-VK.one.fail":     "a < b\nis wrong",
		"dEQP-VK.two.crash":    "signal: killed",
		"dEQP-VK.two.exit":     "exit status 3",
		"dEQP-VK.two.hang":     "no progress for 10s",
		"dEQP-VK.three.silent": "before its first line: signal: killed",
		"dEQP-VK.four.eat":     "killed: took more than 64 MiB of memory",
	} {
		if got := results[name].Message; got != message {
			t.Errorf("%s says %q, want %q", name, got, message)
		}
	}
	if got := results["dEQP-VK.one.fail"]; got.Detail != "first\ngot 3,\nwant 4" || got.Seconds != 1.5 {
		t.Errorf("the failed case has detail %q and took %v s", got.Detail, got.Seconds)
	}
	if got := results["dEQP-VK.two.crash"].Detail; got != "panic: deep inside\ngoroutine 1" {
		t.Errorf("the crashed case has detail %q", got)
	}
}

func TestSession_OneLaunch_WhereNothingGoesWrong(t *testing.T) {
	t.Parallel()
	p, launches := fakeProgram(t, "normal")
	if _, _, err := runSession(t, p, 100, fakeCases[:5]); err != nil || len(launches()) != 1 {
		t.Errorf("error %v, %d launches", err, len(launches()))
	}
}

func TestSession_DriverThatNeverStarts_EndsTheRun(t *testing.T) {
	t.Parallel()
	p, _ := fakeProgram(t, "dead")
	_, _, err := runSession(t, p, 5, fakeCases)
	if err == nil || !strings.Contains(err.Error(), "FATAL: no Vulkan") {
		t.Errorf("error %v", err)
	}
	p.path = "no/such/program"
	if _, _, err = runSession(t, p, 5, fakeCases); err == nil {
		t.Error("a program that does not exist ran")
	}
}

func TestSession_DeathAfterTheLastCase_IsNoted(t *testing.T) {
	t.Parallel()
	p, _ := fakeProgram(t, "teardown")
	results, notes, err := runSession(t, p, 100, fakeCases[:3])
	if err != nil || len(results) != 3 || len(notes) != 1 || !strings.Contains(notes[0], "signal: killed") {
		t.Errorf("error %v, %d results, notes %q", err, len(results), notes)
	}
}

func TestSession_Cancelled_StopsTheProgram(t *testing.T) {
	t.Parallel()
	p, _ := fakeProgram(t, "normal")
	p.timeout, p.whole = time.Hour, time.Hour
	ctx, stop := context.WithCancel(t.Context())
	time.AfterFunc(200*time.Millisecond, stop)
	s := session{program: p, jobs: 1, chunk: 10, dir: t.TempDir(), note: func(string) {}, record: func(r Result) {
		t.Errorf("the interrupted case has the result %v", r)
	}}
	if err := s.run(ctx, []string{"dEQP-VK.two.hang"}); err == nil { // or it takes an hour
		t.Error("no error")
	}
}

// command runs the whole command on the fake.
func command(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	return commandOn(t, "normal", args...)
}

// commandOn runs it on the fake in a mode.
func commandOn(t *testing.T, mode string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	args = append([]string{"-deqp", self, "-timeout", fakeTimeout.String(), "-memory", "64"}, args...)
	code = run(t.Context(), args, &out, &errs, []string{"FAKE_DEQP=" + mode})
	return code, out.String(), errs.String()
}

func TestCommand_TablePageAndExitCode(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	expected := filepath.Join(dir, "expected")
	writeFile(t, filepath.Join(expected, "a.txt"), "# why\n\ndEQP-VK.one.fail  the fake fails it\ndEQP-VK.two.*  dies\n")
	page := filepath.Join(dir, "docs")
	writeFile(t, filepath.Join(page, "results.md"), tableHead+"| dEQP-VK.zero | kept |\n| dEQP-VK.one | old |\n")
	flags := []string{"-expected", expected, "-results", filepath.Join(dir, "r.jsonl"), "-out", page}

	code, stdout, stderr := command(t, append(flags, "-unsupported", "5", "-cases", "dEQP-VK.one.*,dEQP-VK.two.*")...)
	if code != 0 || !strings.Contains(stdout, "     1  NotSupported: no such feature\n        e.g. dEQP-VK.one.nosup\n") {
		t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
	}
	text, err := os.ReadFile(filepath.Join(page, "results.md"))
	if err != nil {
		t.Fatal(err)
	}
	want := pageHead + tableHead +
		"| dEQP-VK.one | 5 | 5 | 100.0 % | 2 | 1 | 1 | 0 | 0 | 1 | 75.0 % | 1 | 8 |  |\n" +
		"| dEQP-VK.two | 5 | 5 | 100.0 % | 2 | 0 | 0 | 2 | 1 | 0 | 40.0 % | 3 | 3 |  |\n" +
		"| dEQP-VK.zero | kept |\n"
	if string(text) != want {
		t.Errorf("page:\n%s\nwant:\n%s", text, want)
	}

	code, stdout, _ = command(t, append(flags, "-cases", "dEQP-VK.*", "-stride", "6")...) // the first of each, and three.unclosed
	if code != exitUnexpected || !strings.Contains(stdout, "| dEQP-VK.three | 7 | 2 | 28.5 % | 0 | 1 | 0 | 1 | 0 | 0 | 0.0 % | 0 | 0 | 1 case in 6 |") {
		t.Errorf("exit code %d\n%s", code, stdout)
	}

	writeFile(t, filepath.Join(expected, "b.txt"), "dEQP-VK.one.pass  was broken once\n")
	code, stdout, _ = command(t, append(flags, "-cases", "dEQP-VK.one.*")...)
	if code != exitUnexpected || !strings.Contains(stdout, "b.txt:1: dEQP-VK.one.pass is expected to fail and didn't") {
		t.Errorf("exit code %d\n%s", code, stdout)
	}
	writeFile(t, filepath.Join(expected, "b.txt"), "dEQP-VK.one.pass\n")
	if code, _, stderr = command(t, append(flags, "-cases", "dEQP-VK.one.*")...); code != exitBroken || !strings.Contains(stderr, "b.txt:1") {
		t.Errorf("a line without a reason: exit code %d\n%s", code, stderr)
	}
}

func TestCommand_Resume_RunsOnlyWhatIsLeft(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "r.jsonl")
	flags := []string{"-cases", "dEQP-VK.one.*", "-results", file, "-expected", dir}
	if code, _, stderr := command(t, flags...); code != exitUnexpected {
		t.Fatalf("exit code %d\n%s", code, stderr)
	}
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := slices.Collect(strings.Lines(string(whole)))
	forged := strings.ReplaceAll(lines[1], `"status":"Pass"`, `"status":"Waiver"`) // to see that it isn't run again
	writeFile(t, file, lines[0]+forged+lines[2]+lines[3][:10])
	code, stdout, stderr := command(t, append(flags, "-resume")...)
	if code != exitUnexpected || !strings.Contains(stdout, "| dEQP-VK.one | 5 | 5 | 100.0 % | 1 | 1 | 1 | 0 | 0 | 2 |") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
	if code, _, stderr = command(t, append(flags, "-resume", "-stride", "2")...); code != exitBroken || !strings.Contains(stderr, "another run") {
		t.Errorf("resuming another run: exit code %d\n%s", code, stderr)
	}
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
