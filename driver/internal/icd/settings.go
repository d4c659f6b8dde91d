package icd

import (
	"fmt"
	"io"
	"runtime"
	"strconv"
	"strings"

	"github.com/pumice-gpu/pumice/internal/memory"
	"github.com/pumice-gpu/pumice/internal/version"
	"github.com/pumice-gpu/pumice/vk"
)

// Settings is the Config that variables of the environment ask for (docs/driver.md), which get
// returns: "" for those that are not set. log is Config.Log, and told of what cannot be meant. What a
// process has to add stays zero.
func Settings(get func(name string) string, log io.Writer) Config {
	host := memory.SystemHost()
	limit, err := MemoryLimitOf(get("PUMICE_MEMORY"), host)
	if err != nil {
		_, _ = fmt.Fprintf(log, "pumice: %v\n", err)
	}
	return Config{
		Host: host, MemoryLimit: limit, Log: log,
		Threads: threads(get("PUMICE_THREADS")), LoopBudget: loopBudget(get("PUMICE_LOOP_BUDGET")),
		SubmitTimeout: SubmitTimeoutOf(get("PUMICE_SUBMIT_TIMEOUT")), Verbose: get("PUMICE_VERBOSE") != "",
		APIVersion: newest(get("PUMICE_API_VERSION")), Without: strings.Split(get("PUMICE_WITHOUT"), ","),
		Offer: strings.Split(get("PUMICE_OFFER"), ","), CoverageSamples: rateSamples(get("PUMICE_RATE_SAMPLES")),
		DeviceType: DeviceTypeNamed(get("PUMICE_DEVICE_TYPE")), Conformance: ConformanceNamed(get("PUMICE_CONFORMANCE_VERSION")),
		Dump: get("PUMICE_DUMP"), Engine: get("PUMICE_ENGINE"),
	}
}

// newest is the version that PUMICE_API_VERSION names, such as 1.3: for programs that
// know no later one. 0 if it names none.
func newest(s string) uint32 {
	var minor uint32
	if n, err := fmt.Sscanf(s, "1.%d", &minor); n != 1 || err != nil || minor > 1023 {
		return 0
	}
	return vk.MakeApiVersion(1, minor, version.Patch)
}

// threads is the number of workers that PUMICE_THREADS asks for: 1 to 256. Any
// other text means as many as there are CPUs.
func threads(setting string) int {
	if n, err := strconv.Atoi(setting); err == nil && n >= 1 && n <= 256 {
		return n
	}
	return runtime.NumCPU()
}

// loopBudget is what PUMICE_LOOP_BUDGET asks for, instructions that a batch may run in
// loops; 0, the default, for any other text.
func loopBudget(setting string) int64 {
	n, err := strconv.ParseInt(setting, 10, 64)
	if err != nil || n < 1 {
		return 0
	}
	return n
}

// rateSamples is what PUMICE_RATE_SAMPLES asks for: how many samples all pixels of a
// fragment may have together, a power of two from 16; 0, the default, for any other
// text.
//
// RAS-138: the switch that restricts the set of shading rates.
func rateSamples(setting string) uint32 {
	n, err := strconv.ParseUint(setting, 10, 16)
	if err != nil || n&(n-1) != 0 {
		return 0
	}
	return uint32(n)
}
