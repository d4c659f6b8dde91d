package main

import (
	"bufio"
	"fmt"
	"os"
	"path"
	"strings"
	"testing"
	"time"
)

// TestMain turns the test program into the test program under test, where
// the environment asks for it: a deqp-vk that behaves as each case's name says.
func TestMain(m *testing.M) {
	if mode := os.Getenv("FAKE_DEQP"); mode != "" {
		os.Exit(fakeDeqp(mode, os.Args[1:]))
	}
	os.Exit(m.Run())
}

// fakeCases is what the fake lists; it runs these and only these.
var fakeCases = []string{
	"dEQP-VK.one.pass", "dEQP-VK.one.fail", "dEQP-VK.one.nosup", "dEQP-VK.one.warn", "dEQP-VK.one.pass_too",
	"dEQP-VK.two.crash", "dEQP-VK.two.pass_after", "dEQP-VK.two.exit", "dEQP-VK.two.hang", "dEQP-VK.two.pass_last",
	"dEQP-VK.three.garble", "dEQP-VK.three.torn", "dEQP-VK.three.pass", "dEQP-VK.three.silent", "dEQP-VK.three.pass_end",
	"dEQP-VK.three.lost", "dEQP-VK.three.unclosed", "dEQP-VK.four.eat", "dEQP-VK.four.chatty", "dEQP-VK.four.pass",
}

// fakeWorse is what becomes of cases that pass otherwise, in the mode "worse".
var fakeWorse = map[string]string{
	"dEQP-VK.one.pass_too": "nosup", "dEQP-VK.two.pass_after": "crash", "dEQP-VK.three.pass_end": "fail", "dEQP-VK.two.pass_last": "warn",
}

func fakeDeqp(mode string, args []string) int {
	flags := map[string]string{}
	for _, a := range args {
		k, v, _ := strings.Cut(strings.TrimPrefix(a, "--deqp-"), "=")
		flags[k] = v
	}
	if flags["runmode"] == "stdout-caselist" {
		for _, name := range fakeCases {
			if ok, _ := path.Match(flags["case"], name); ok {
				fmt.Println("TEST: " + name)
			}
		}
		return 0
	}
	if mode == "dead" {
		fmt.Fprintln(os.Stderr, "FATAL: no Vulkan")
		return 1
	}
	if counter := os.Getenv("FAKE_COUNTER"); counter != "" {
		f, err := os.OpenFile(counter, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			return 9
		}
		fmt.Fprintln(f, "launch", os.Getenv("VK_DRIVER_FILES"), os.Getenv("VK_ICD_FILENAMES"))
		f.Close()
	}
	text, err := os.ReadFile(flags["caselist-file"])
	if err != nil {
		return 9
	}
	wanted := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		wanted[strings.TrimSpace(line)] = true
	}
	file, err := os.Create(flags["log-filename"])
	if err != nil {
		return 9
	}
	log := bufio.NewWriter(file)
	defer log.Flush()
	fmt.Fprint(log, "#sessionInfo releaseName fake\n#beginSession\n")
	failed := 0
	for _, name := range fakeCases {
		if wanted[name] && !fakeCase(log, name, &failed) {
			return failed
		}
	}
	fmt.Fprint(log, "\nRun took 0.1 seconds\n\n#endSession\n")
	log.Flush()
	if mode == "teardown" {
		die()
	}
	return failed
}

// fakeCase runs one case; false ends the program in order.
func fakeCase(log *bufio.Writer, name string, failed *int) bool {
	_, word, _ := strings.Cut(name, "dEQP-VK.")
	_, word, _ = strings.Cut(word, ".")
	if worse := fakeWorse[name]; worse != "" && os.Getenv("FAKE_DEQP") == "worse" {
		word = worse
	}
	word, _, _ = strings.Cut(word, "_")
	if word == "silent" {
		log.Flush()
		die()
	}
	fmt.Fprintf(log, "\n#beginTestCaseResult %s\n<?xml version=\"1.0\"?>\n<TestCaseResult CasePath=\"%s\">\n", name, name)
	log.Flush()
	status, message := "Pass", "fine"
	switch word {
	case "fail":
		status, message = "Fail", "a &lt; b\nis wrong"
		fmt.Fprint(log, " <Text>first</Text>\n <Text>got 3,\nwant 4</Text>\n")
		*failed = 1
	case "nosup":
		status, message = "NotSupported", "no such feature"
	case "warn":
		status, message = "QualityWarning", "ugly"
	case "lost":
		status, message = "DeviceLost", "gone"
	case "crash":
		fmt.Fprintln(os.Stderr, "chatter\npanic: deep inside\ngoroutine 1")
		die()
	case "exit":
		os.Exit(3)
	case "hang":
		time.Sleep(time.Hour)
	case "eat":
		eaten := make([]byte, 96<<20)
		for i := range eaten {
			eaten[i] = 1
		}
		time.Sleep(time.Hour)
	case "chatty":
		for {
			fmt.Fprintln(log, "<Text>still here</Text>")
			log.Flush()
			time.Sleep(5 * time.Millisecond)
		}
	case "garble":
		for i := range 3 * maxLogLine {
			log.WriteByte(byte(i*7) | 1)
		}
		fmt.Fprint(log, "\n<Result StatusCode=\n<Result nonsense\n#nonsense\n\n#endTestCaseResult\n")
		return true
	case "torn":
		fmt.Fprint(log, " <Result StatusCode=\"Pa")
		return true
	case "unclosed":
		return false
	}
	fmt.Fprintf(log, " <Number Name=\"TestDuration\" Tag=\"Time\" Unit=\"us\">1500000</Number>\n"+
		" <Result StatusCode=\"%s\">%s</Result>\n</TestCaseResult>\n\n#endTestCaseResult\n", status, message)
	log.Flush()
	return status != "DeviceLost"
}

// die ends the process as a wild pointer would.
func die() {
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		_ = self.Kill()
	}
	select {}
}
