package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// clients writes what the C programs in the driver's testdata need besides the types of vk_gen.h, so that a C compiler
// is enough to build them: vulkan_gen.h has the values and commands that their sources name, and loader_gen.h the
// functions through which commands reach the driver.
func (g *generator) clients(testdata string) error {
	named, err := identifiers(testdata)
	if err != nil {
		return err
	}
	h := g.file("testdata/include/vulkan/vulkan_gen.h", "#pragma once\n\n#include \"../../../vk_gen.h\"\n\n")
	if err := g.values(h, named); err != nil {
		return err
	}
	var commands, prototypes []string
	for _, n := range g.r.names {
		// fuzz.c puts names together: it has CreateDevice, not vkCreateDevice.
		if named[n] || named["PFN_"+n] || named[short(n)] {
			c := g.r.target(n)
			fmt.Fprintf(h, "typedef %s (*PFN_%s)(%s);\n", c.ret, n, c.parameters())
			prototypes = append(prototypes, fmt.Sprintf("%s %s(%s);\n", c.ret, n, c.parameters()))
			commands = append(commands, n)
		}
	}
	fmt.Fprintf(h, "\n#ifndef VK_NO_PROTOTYPES\n%s#endif\n", strings.Join(prototypes, ""))

	l := g.file("testdata/loader_gen.h", "/* The commands that clients call: DISPATCHED goes to the table of the first argument, OWN is a function of loader.c. */\n")
	for _, n := range commands {
		c := g.r.target(n)
		var args []string
		for _, p := range c.params {
			args = append(args, p.name)
		}
		kind := "DISPATCHED"
		if c.level() == "Global" || slices.Contains(loaders, n) {
			kind = "OWN"
		}
		fmt.Fprintf(l, "%s(%s, %s, (%s), (%s))\n", kind, c.ret, n, c.parameters(), strings.Join(args, ", "))
	}
	return nil
}

// loaders are the commands with a loader's part: they make or end what is dispatched on, or look for others.
var loaders = strings.Fields(`
	vkCreateInstance vkDestroyInstance vkEnumeratePhysicalDevices vkEnumeratePhysicalDeviceGroups vkCreateDevice vkDestroyDevice
	vkGetDeviceQueue vkGetDeviceQueue2 vkAllocateCommandBuffers vkGetInstanceProcAddr vkGetDeviceProcAddr
`)

// parameters is prototype in a definition: C wants void where there are none.
func (c *command) parameters() string {
	if len(c.params) == 0 {
		return "void"
	}
	return c.prototype()
}

// values writes the enumerators and names of extensions that clients name and vk_gen.h lacks.
func (g *generator) values(b writer, named map[string]bool) error {
	present := map[string]bool{}
	for _, n := range mentioned {
		for _, v := range g.r.enums[n] {
			present[v] = true
		}
	}
	for _, n := range sortedKeys(named) {
		if text, ok := g.r.texts[n]; ok {
			_, _ = b.WriteString(fmt.Sprintf("#define %s %s\n", n, text))
		}
		if present[n] {
			continue
		}
		to := n
		for g.r.other[to] != "" {
			to = g.r.other[to]
		}
		v, ok := g.r.values[to]
		if !ok {
			continue
		}
		suffix := ""
		if v > math.MaxInt32 {
			suffix = "u"
		}
		if v > math.MaxUint32 || v < math.MinInt32 {
			suffix = "ull"
		}
		_, _ = b.WriteString(fmt.Sprintf("#define %s %d%s\n", n, v, suffix))
	}
	_, err := b.WriteString("\n")
	return err
}

var word = regexp.MustCompile(`\w+`)

// identifiers are the words of the sources in a folder that are not generated.
func identifiers(dir string) (map[string]bool, error) {
	named := map[string]bool{}
	files, err := filepath.Glob(filepath.Join(dir, "*.[ch]"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("%s: no clients there (%v)", dir, err)
	}
	for _, f := range files {
		if strings.HasSuffix(f, "_gen.h") {
			continue
		}
		src, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		for _, w := range word.FindAllString(string(src), -1) {
			named[w] = true
		}
	}
	return named, nil
}
