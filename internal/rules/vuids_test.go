package rules

import (
	"encoding/xml"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/registry"
)

var (
	// vuidName finds whole names of valid usage: those that people number, and those that follow
	// from the registry. A command and a struct have their own in front.
	vuidName = regexp.MustCompile(`\b((?:Vk|vk|RuntimeSpirv|StandaloneSpirv)[A-Za-z0-9]*-(?:[A-Za-z0-9_:]+-` +
		`(?:\d{5}|parameter|arraylength|parent|zerobitmask|requiredbitmask|recording|cmdpool)|commonparent))\b`)
	// vuidEnd finds the ends of names whose command is put in front: "-None-08606".
	vuidEnd = regexp.MustCompile(`"-?([A-Za-z][A-Za-z0-9]*-\d{5})"`)
	// Of the specification's sources.
	adocAttribute = regexp.MustCompile(`^:(\w+):\s*(.*?)\s*$`)
	adocInclude   = regexp.MustCompile(`^include::\{chapters\}/(commonvalidity/.*?)\[`)
	adocUse       = regexp.MustCompile(`\{(\w+)\}`)
	adocVUID      = regexp.MustCompile(`\[\[VUID-([^\]]*)\]\]`)
)

// named are the names of valid usage in code, tests and pages; of ends, "*-" is in front.
func named(t *testing.T) map[string][]string {
	found := map[string][]string{}
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && strings.HasPrefix(d.Name(), ".") && path != root {
			return filepath.SkipDir
		}
		ext := filepath.Ext(path)
		if d.IsDir() || ext != ".go" && ext != ".md" || strings.HasSuffix(path, "_gen.go") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		add := func(name string) {
			if !slices.Contains(found[name], path) {
				found[name] = append(found[name], path)
			}
		}
		for _, m := range vuidName.FindAllSubmatch(text, -1) {
			add(string(m[1]))
		}
		if ext == ".go" {
			for _, m := range vuidEnd.FindAllSubmatch(text, -1) {
				add("*-" + string(m[1]))
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

const vuidHead = `# Names of valid usage that code, tests and pages speak of, all of which the specification has; with
# "*" in place of the command or struct, what is put behind several. Written, from a specification's
# sources, by: PUMICE_RECORD=1 PUMICE_SPEC=folder go test -run VUIDs ./internal/rules
`

// Each name of valid usage in the tree is one that the specification was seen to have. Where
// PUMICE_SPEC names its sources, the list is held against them.
func TestVUIDs_AreTheSpecifications(t *testing.T) {
	path := filepath.Join("testdata", "vuids.txt")
	tree := named(t)
	if dir := os.Getenv("PUMICE_SPEC"); dir != "" {
		spec := specVUIDs(t, dir)
		var list []string
		for name, files := range tree {
			if !spec.has(name) {
				t.Errorf("%v: the specification has no %s", files, name)
				continue
			}
			list = append(list, name)
		}
		slices.Sort(list)
		if os.Getenv("PUMICE_RECORD") == "1" {
			text := vuidHead + strings.Join(list, "\n") + "\n"
			if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		if known[line] = true; tree[line] == nil {
			t.Errorf("nothing names %s any more; record the list (%s)", line, path)
		}
	}
	for name, files := range tree {
		if !known[name] {
			t.Errorf("%v: %s is in no specification that was seen; record the list (%s)", files, name, path)
		}
	}
	if len(known) < 800 {
		t.Errorf("%d names: fewer than there were", len(known))
	}
}

// specification is what a version of it has.
type specification struct {
	names, ends map[string]bool
	members     map[string]map[string]bool // of structs, parameters of commands
}

// has says that the specification has a name, or one that ends so.
func (s *specification) has(name string) bool {
	if end, ok := strings.CutPrefix(name, "*-"); ok {
		return s.ends[end]
	}
	if s.names[name] {
		return true
	}
	of, rest, _ := strings.Cut(name, "-")
	member, kind, ok := strings.Cut(rest, "-")
	if !ok { // commonparent
		return s.members[of] != nil
	}
	if kind == "recording" || kind == "cmdpool" {
		return s.members[of]["commandBuffer"] && member == "commandBuffer"
	}
	return strings.TrimLeft(kind, "0123456789") != "" && s.members[of][member]
}

// specVUIDs reads the sources of a specification. Common statements stand in files of their own, with
// attributes for what differs. Other names follow from the registry.
func specVUIDs(t *testing.T, dir string) *specification {
	s := &specification{names: map[string]bool{}, ends: map[string]bool{}, members: registryMembers(t)}
	var read func(path string, attributes map[string]string)
	read = func(path string, attributes map[string]string) {
		text, err := os.ReadFile(path)
		if err != nil {
			return // of an extension that is not public
		}
		for _, line := range strings.Split(string(text), "\n") {
			if m := adocAttribute.FindStringSubmatch(line); m != nil {
				attributes[m[1]] = m[2]
			}
			if m := adocInclude.FindStringSubmatch(line); m != nil {
				read(filepath.Join(dir, "chapters", m[1]), attributes)
			}
			for _, m := range adocVUID.FindAllStringSubmatch(line, -1) {
				name := adocUse.ReplaceAllStringFunc(m[1], func(a string) string { return attributes[a[1:len(a)-1]] })
				s.names[name] = true
				for _, end, ok := strings.Cut(name, "-"); ok; _, end, ok = strings.Cut(end, "-") {
					s.ends[end] = true
				}
			}
		}
	}
	for _, folder := range []string{"chapters", "appendices"} {
		err := filepath.WalkDir(filepath.Join(dir, folder), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.Name() == "commonvalidity" {
				return fs.SkipDir
			}
			if filepath.Ext(path) == ".adoc" {
				read(path, map[string]string{})
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(s.names) < 10000 {
		t.Fatalf("%s has %d names of valid usage", dir, len(s.names))
	}
	return s
}

// registryMembers are the members of structs and the parameters of commands.
func registryMembers(t *testing.T) map[string]map[string]bool {
	data, err := registry.Read("vk.xml")
	if err != nil {
		t.Fatal(err)
	}
	type field struct {
		Name string `xml:"name"`
	}
	var r struct {
		Types []struct {
			Name    string  `xml:"name,attr"`
			Members []field `xml:"member"`
		} `xml:"types>type"`
		Commands []struct {
			Name   string  `xml:"proto>name"`
			Alias  string  `xml:"alias,attr"`
			As     string  `xml:"name,attr"`
			Params []field `xml:"param"`
		} `xml:"commands>command"`
	}
	if err := xml.Unmarshal(data, &r); err != nil {
		t.Fatal(err)
	}
	out := map[string]map[string]bool{}
	set := func(name string, fields []field) {
		out[name] = map[string]bool{}
		for _, f := range fields {
			out[name][f.Name] = true
		}
	}
	for _, x := range r.Types {
		set(x.Name, x.Members)
	}
	for _, c := range r.Commands {
		if c.Alias == "" {
			set(c.Name, c.Params)
		}
	}
	for _, c := range r.Commands {
		if c.Alias != "" {
			out[c.As] = out[c.Alias]
		}
	}
	return out
}
