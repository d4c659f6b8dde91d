package main

import (
	"fmt"
	"image/color"
	"strconv"
	"strings"
)

// parseBackground reads "transparent", #rgb, #rrggbb or #rrggbbaa (sRGB).
func parseBackground(s string) (color.NRGBA, error) {
	if s == "transparent" {
		return color.NRGBA{}, nil
	}
	bad := usagef("--background %q: want transparent, #rgb, #rrggbb or #rrggbbaa", s)
	hex, ok := strings.CutPrefix(s, "#")
	if !ok {
		return color.NRGBA{}, bad
	}
	if len(hex) == 3 {
		hex = string([]byte{hex[0], hex[0], hex[1], hex[1], hex[2], hex[2]})
	}
	if len(hex) == 6 {
		hex += "ff"
	}
	v, err := strconv.ParseUint(hex, 16, 32)
	if err != nil || len(hex) != 8 {
		return color.NRGBA{}, bad
	}
	return color.NRGBA{uint8(v >> 24), uint8(v >> 16), uint8(v >> 8), uint8(v)}, nil
}

// shard is a share of the frames: those whose number leaves remainder index
// when divided by count.
type shard struct{ index, count int }

// parseShard reads "i/n" with 1 ≤ i ≤ n; empty is everything. 0/n is n/n, for those who
// count from 0.
func parseShard(s string) (shard, error) {
	if s == "" {
		return shard{0, 1}, nil
	}
	left, right, ok := strings.Cut(s, "/")
	i, err1 := strconv.Atoi(left)
	n, err2 := strconv.Atoi(right)
	if !ok || err1 != nil || err2 != nil || i < 0 || n < 1 || i > n {
		return shard{}, usagef("--shard %q: want i/n, i from 1 to n or from 0 to n-1", s)
	}
	return shard{(i + n - 1) % n, n}, nil
}

func (s shard) has(frame int) bool { return frame%s.count == s.index }

// checkEngine refuses engines that there are nowhere.
func checkEngine(name string) error {
	switch name {
	case "", "native", "vm", "check":
		return nil
	}
	return usagef("--engine %q: want native, vm or check", name)
}

// parseBytes reads a size such as 512MiB, 2GiB or 1000000.
func parseBytes(flag, s string) (int64, error) {
	units := []struct {
		suffix string
		shift  uint
	}{{"KiB", 10}, {"MiB", 20}, {"GiB", 30}, {"", 0}}
	for _, u := range units {
		digits, ok := strings.CutSuffix(s, u.suffix)
		if !ok {
			continue
		}
		v, err := strconv.ParseInt(strings.TrimSpace(digits), 10, 64)
		if err != nil || v <= 0 || v > (1<<62)>>u.shift {
			break
		}
		return v << u.shift, nil
	}
	return 0, usagef("%s %q: want a size such as 512MiB or 2GiB", flag, s)
}

// inRange is a usage error where v is outside [lo, hi].
func inRange[T int | float64](flag string, v, lo, hi T) error {
	if v >= lo && v <= hi {
		return nil
	}
	return usageError{fmt.Errorf("%s %v: want %v to %v", flag, v, lo, hi)}
}
