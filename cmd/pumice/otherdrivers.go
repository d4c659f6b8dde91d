package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// lookAfter are the times, from the start of a program, at which run looks at what it has loaded.
// Most programs have their driver within a second; some show a launcher first.
var lookAfter = []time.Duration{
	100 * time.Millisecond, 300 * time.Millisecond, time.Second, 3 * time.Second, 10 * time.Second, 30 * time.Second,
}

// otherDriver matches the libraries of drivers of Vulkan and OpenGL that are not Pumice's. Mesa's
// OpenGL is one library for all its drivers in newer versions, zink among them, so that it says
// nothing.
var otherDriver = regexp.MustCompile(`^(libvk_swiftshader|libvulkan_[a-z0-9]+|libGLX_nvidia|libEGL_nvidia|swrast_dri)\.so`)

// otherDrivers returns the names of the libraries of other drivers that maps, the text of a file
// /proc/PID/maps, has.
func otherDrivers(maps string) (list []string) {
	for line := range strings.Lines(maps) {
		_, path, found := strings.Cut(line, "/")
		name := filepath.Base(strings.TrimSuffix(strings.TrimSpace(path), " (deleted)"))
		if found && otherDriver.MatchString(name) && name != libraryName && !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

// watchDrivers looks, at the times of lookAfter until done is closed, at the libraries of a process
// and of all that it has started. It returns the names of other drivers' once done is closed. Where
// there is no /proc it finds none.
func watchDrivers(pid int, done <-chan struct{}) (list []string) {
	start := time.Now()
	for _, after := range lookAfter {
		select {
		case <-done:
			return list
		case <-time.After(time.Until(start.Add(after))):
		}
		for _, p := range descendants(pid) {
			text, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", p))
			if err != nil {
				continue // it has ended, or is somebody else's
			}
			for _, name := range otherDrivers(string(text)) {
				if !slices.Contains(list, name) {
					list = append(list, name)
				}
			}
		}
	}
	<-done
	return list
}

// descendants returns a process and all that descend from it.
func descendants(pid int) []int {
	children := map[int][]int{}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	for _, e := range entries {
		var id, parent int
		if _, err := fmt.Sscan(e.Name(), &id); err != nil {
			continue
		}
		stat, err := os.ReadFile("/proc/" + e.Name() + "/stat")
		if err != nil {
			continue
		}
		// The name, in parentheses, may have anything in it; the state and the parent are behind it.
		if _, err := fmt.Sscanf(string(stat[strings.LastIndexByte(string(stat), ')')+1:]), " %c %d", new(rune), &parent); err == nil {
			children[parent] = append(children[parent], id)
		}
	}
	list := []int{pid}
	for i := 0; i < len(list); i++ {
		list = append(list, children[list[i]]...)
	}
	return list
}
