package icd

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/vk"
)

// registration is a version or an extension as the registry has it.
type registration struct {
	name, number string
	spec         uint32
	promoted     string
	depends      string
	mandatory    []mandatory
	commands     []brings
}

// brings names a command of a version or an extension, where the dependency holds.
type brings struct{ name, depends string }

// mandatory names features one of which must be on, where the dependency holds.
type mandatory struct{ features, depends string }

// version is what a version's name says; 0 for extensions.
func (r *registration) version() uint32 {
	if _, of, ok := strings.Cut(r.name, "_VERSION_"); ok {
		return versionOf(of)
	}
	return 0
}

func findRegistration(name string) *registration {
	for i := range registered {
		if registered[i].name == name {
			return &registered[i]
		}
	}
	return nil
}

// core is the version that took an extension in, maybe by way of another; 0: none.
func (r *registration) core() uint32 {
	for r != nil && r.version() == 0 {
		if _, of, ok := strings.Cut(r.promoted, "_VERSION_"); ok {
			return versionOf(of)
		}
		r = findRegistration(r.promoted)
	}
	return 0
}

// versionOf reads what follows "VERSION_".
func versionOf(s string) uint32 {
	var major, minor uint32
	if _, err := fmt.Sscanf(s, "%d_%d", &major, &minor); err != nil {
		return 0
	}
	return vk.MakeApiVersion(major, minor, 0)
}

// holds evaluates an expression of the registry: names, "+" (and), "," (or) and
// parentheses, from left to right.
func holds(expression string, name func(string) bool) bool {
	value, rest := evaluate(expression, name)
	return value && rest == ""
}

func evaluate(s string, name func(string) bool) (value bool, rest string) {
	value, op := true, byte('+')
	for s != "" {
		var v bool
		if s[0] == '(' {
			v, s = evaluate(s[1:], name)
		} else {
			n := strings.IndexAny(s, "+,()")
			if n < 0 {
				n = len(s)
			}
			v, s = name(s[:n]), s[n:]
		}
		if op == '+' {
			value = value && v
		} else {
			value = value || v
		}
		if s == "" {
			break
		}
		op, s = s[0], s[1:]
		if op == ')' {
			return value, s
		}
	}
	return value, ""
}

// offered says whether a version, an extension or a feature ("Struct::feature") is there.
func offered(name string) bool {
	if _, of, ok := strings.Cut(name, "_VERSION_"); ok {
		return versionOf(of) <= apiVersion
	}
	if _, f, ok := strings.Cut(name, "::"); ok {
		return isOn(f)
	}
	return here(name) && (findExtension(deviceExtensions[:], name) != nil || findExtension(instanceExtensions[:], name) != nil)
}

// isOn says whether a feature is on, of Vulkan 1.0 too.
func isOn(feature string) bool { return supported(feature) || coreFeature(feature) }

// missing are the features that a version or extension makes mandatory and that
// are off.
func (r *registration) missing() (out []string) {
	for _, m := range r.mandatory {
		if m.depends != "" && !holds(m.depends, offered) {
			continue
		}
		one := false
		for f := range strings.SplitSeq(m.features, ",") {
			one = one || isOn(f)
		}
		if !one && !slices.Contains(out, m.features) {
			out = append(out, m.features)
		}
	}
	return out
}

// TestHolds_Expressions: the rest here stands on it.
func TestHolds_Expressions(t *testing.T) {
	name := func(s string) bool { return s == "a" || s == "b" }
	for expression, want := range map[string]bool{
		"": true, "a": true, "c": false, "a+b": true, "a+c": false, "c,b": true, "(c+a),b": true,
		"a+(c,b)": true, "c+(a,b)": false, "((a+b),c)+b": true, "(a+c)": false,
	} {
		if got := holds(expression, name); got != want {
			t.Errorf("%q: %v", expression, got)
		}
	}
}

// TestFeatures_MandatoryOfTheVersion: features-requirements, of the version and of
// every extension.
func TestFeatures_MandatoryOfTheVersion(t *testing.T) {
	newTest(t)
	for i := range registered {
		r := &registered[i]
		v := r.version()
		if v == 0 && !offered(r.name) || v > apiVersion {
			continue
		}
		for _, f := range r.missing() {
			t.Errorf("%s needs %s", r.name, f)
		}
	}
}

// TestExtensions_AsRegistered: the versions of the tables are those of the
// registry, no extension is offered without those that it builds on, and those
// that version 1.2 and later hold are all there under their old names.
func TestExtensions_AsRegistered(t *testing.T) {
	for _, table := range [][]extension{instanceExtensions[:], deviceExtensions[:]} {
		for _, x := range table {
			r := findRegistration(x.name)
			if r == nil {
				t.Errorf("%s is not in the registry", x.name)
				continue
			}
			if r.spec != x.spec {
				t.Errorf("%s has version %d, the registry %d", x.name, x.spec, r.spec)
			}
			if promoted := r.core(); promoted != x.promoted {
				t.Errorf("%s was promoted to %q, the table says %#x", x.name, r.promoted, x.promoted)
			}
			if r.depends != "" && here(x.name) && !holds(r.depends, offered) {
				t.Errorf("%s needs %s", x.name, r.depends)
			}
		}
	}
}
