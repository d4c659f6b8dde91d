package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"time"
)

// bom is a bill of materials, CycloneDX 1.5 in JSON.
type bom struct {
	Format       string      `json:"bomFormat"`
	Spec         string      `json:"specVersion"`
	SerialNumber string      `json:"serialNumber"`
	Version      int         `json:"version"`
	Metadata     bomMetadata `json:"metadata"`
	Components   []component `json:"components"`
}

type bomMetadata struct {
	Timestamp string    `json:"timestamp"`
	Component component `json:"component"`
}

type component struct {
	Type     string    `json:"type"`
	Ref      string    `json:"bom-ref"`
	Name     string    `json:"name"`
	Version  string    `json:"version,omitempty"`
	PURL     string    `json:"purl,omitempty"`
	Hashes   []hash    `json:"hashes,omitempty"`
	Licenses []license `json:"licenses,omitempty"`
}

type hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

type license struct {
	License licenseTerms `json:"license"`
}

type licenseTerms struct {
	ID   string       `json:"id,omitempty"`
	Name string       `json:"name,omitempty"`
	Text *licenseText `json:"text,omitempty"`
}

type licenseText struct {
	ContentType string `json:"contentType"`
	Content     string `json:"content"`
}

// billOfMaterials lists files of the release, with their sums, and what the binaries hold: the modules that the go command says it linked, and
// what else `pumice licenses`, whose text is given, has the terms of. A module without terms is
// an error.
func billOfMaterials(
	v semver,
	at time.Time,
	licenses string,
	linked map[string]string,
	files map[string][]byte,
) ([]byte, error) {
	b := bom{Format: "CycloneDX", Spec: "1.5", Version: 1}
	b.Metadata.Timestamp = at.Format(time.RFC3339)
	b.Metadata.Component = component{
		Type:     "application",
		Ref:      "pumice",
		Name:     "pumice",
		Version:  string(v),
		PURL:     "pkg:golang/" + modulePath + "@" + string(v),
		Licenses: []license{{licenseTerms{ID: "Apache-2.0"}}},
	}
	terms := sections(licenses)
	for _, module := range slices.Sorted(maps.Keys(linked)) {
		name := module + " " + linked[module]
		text, ok := terms[name]
		if !ok {
			return nil, fmt.Errorf(
				"%s is linked, and `pumice licenses` does not have its terms: go generate ./cmd/pumice",
				name,
			)
		}
		delete(terms, name)
		purl := "pkg:golang/" + module + "@" + linked[module]
		b.Components = append(
			b.Components,
			component{
				Type:     "library",
				Ref:      purl,
				Name:     module,
				Version:  linked[module],
				PURL:     purl,
				Licenses: termsOf(module, text),
			},
		)
	}
	for _, name := range slices.Sorted(maps.Keys(terms)) {
		c := component{
			Type:     "library",
			Ref:      name,
			Name:     name,
			Licenses: termsOf(name, terms[name]),
		}
		if path, version, ok := strings.Cut(name, " "); ok &&
			strings.HasPrefix(version, "v") &&
			strings.Contains(path, "/") {
			continue // linked on systems that were not built for
		}
		if strings.HasPrefix(name, "the Go standard library") {
			version := strings.TrimPrefix(runtime.Version(), "go")
			c.Name, c.Version, c.PURL = "std", version, "pkg:golang/std@"+version
		}
		b.Components = append(b.Components, c)
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		sum := hash{"SHA-256", fmt.Sprintf("%x", sha256.Sum256(files[name]))}
		b.Components = append(
			b.Components,
			component{
				Type:   "file",
				Ref:    "file:" + name,
				Name:   name,
				Hashes: []hash{sum},
			},
		)
	}
	text, err := json.Marshal(b)
	if err != nil {
		return nil, err
	}
	// The number is of the contents, so that the same release has the same.
	id := sha256.Sum256(text)
	id[6], id[8] = id[6]&0x0f|0x80, id[8]&0x3f|0x80
	b.SerialNumber = fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10],
		id[10:16])
	text, err = json.MarshalIndent(b, "", " ")
	return append(text, '\n'), err
}

func termsOf(name, text string) []license {
	return []license{
		{licenseTerms{Name: "terms of " + name, Text: &licenseText{"text/plain", text}}},
	}
}

// sections are the parts of the text of `pumice licenses`, by their titles.
func sections(licenses string) map[string]string {
	out := map[string]string{}
	for _, s := range strings.Split(licenses, "\n==== ")[1:] {
		title, text, _ := strings.Cut(s, "\n")
		out[title] = strings.TrimSpace(text)
	}
	return out
}
