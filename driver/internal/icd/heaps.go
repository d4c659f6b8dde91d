package icd

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/pumice-gpu/pumice/internal/core"
	"github.com/pumice-gpu/pumice/internal/memory"
)

const (
	// heapShare is which part of the memory that the process may have is device memory, in
	// percent: see RATIONALE.md.
	heapShare = 50
	// leastLimit bounds the limit from below: what is smaller holds no picture.
	leastLimit = 16 << 20
	// leastAllocation is what Vulkan wants of maxMemoryAllocationSize at least. It may be more
	// than there is memory for.
	leastAllocation = 1 << 30
)

// MemoryLimitOf is the limit of device memory that PUMICE_MEMORY asks for, in bytes: a size, such
// as 512M or 2G, or a part of the memory that the process may have, such as 75%. It may be more
// than that. With "" it is half of it. The error says why a text is neither; then the limit is
// that of "".
func MemoryLimitOf(setting string, host *memory.Host) (int64, error) {
	limit := int64(core.DefaultMemoryLimit)
	if host != nil {
		limit = share(host, heapShare)
	}
	if room, confined := memory.Room(); confined { // what is beyond is refused anyhow
		limit = max(min(limit, room), leastLimit)
	}
	if setting == "" {
		return limit, nil
	}
	n, percent, err := parseMemory(setting)
	if err == nil && percent && host == nil {
		err = fmt.Errorf("PUMICE_MEMORY=%s: the system does not tell how much memory there is; "+
			"give a size, such as 2G", setting)
	}
	switch {
	case err != nil:
		return limit, fmt.Errorf("%w; %d MiB are taken", err, limit>>20)
	case percent:
		return share(host, n), nil
	}
	return int64(n), nil
}

// share is a part of the host's memory in percent, in whole MiB.
func share(h *memory.Host, percent float64) int64 {
	return max(int64(float64(h.Total())/100*percent)&^(1<<20-1), leastLimit)
}

// parseMemory reads a size in bytes, or a number of percent.
func parseMemory(s string) (n float64, percent bool, err error) {
	wrong := fmt.Errorf("PUMICE_MEMORY=%s is no size from %dM on, such as 2G, "+
		"and no part of the memory, such as 50%%", s, leastLimit>>20)
	text, percent := strings.CutSuffix(s, "%")
	unit := 1.0
	if i := strings.IndexAny(text, "kKmMgGtT"); i >= 0 && !percent {
		switch rest := strings.ToLower(text[i+1:]); rest {
		case "", "b", "ib":
		default:
			return 0, false, wrong
		}
		unit = float64(uint64(1) << (10 * (1 + strings.IndexByte("kmgt", text[i]|0x20))))
		text = text[:i]
	}
	n, err = strconv.ParseFloat(text, 64)
	n *= unit
	if err != nil || !(n > 0) || percent && n > 1000 || !percent && (n < leastLimit || n > 1<<50) {
		return 0, false, wrong
	}
	return n, percent, nil
}

// maxAllocation is maxMemoryAllocationSize: a heap may be one allocation.
func (d *Driver) maxAllocation() uint64 {
	return uint64(max(d.cfg.MemoryLimit, leastAllocation))
}
