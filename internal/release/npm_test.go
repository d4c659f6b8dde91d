package main

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

func TestNPMVersion(t *testing.T) {
	for v, want := range map[semver]string{
		"v1.2.3": "1.2.3", "v1.2.3-rc.1": "1.2.3-rc.1", "v1.2.3-5-g0123abc": "1.2.3-5-g0123abc", "v1.2.3+dirty": "1.2.3-dirty",
		"v1.2.3-5-g0123abc+dirty": "1.2.3-5-g0123abc.dirty",
	} {
		if got := npmVersion(v); got != want {
			t.Errorf("%s is %s, want %s", v, got, want)
		}
	}
}

// The main package names the packages of all systems, in its own version, and those say which
// system they are for: npm takes what fits. A registry gives them out.
func TestNPM_PackagesOfAllSystems(t *testing.T) {
	b := &builder{version: "v1.2.3", time: epoch, license: []byte("terms")}
	m := made{files: map[string][]byte{}}
	for _, system := range targets {
		var driver []byte
		if system.os == "linux" {
			driver = []byte("driver")
		}
		if err := b.npmTarget(system, m, []byte("command"), driver); err != nil {
			t.Fatal(err)
		}
		if driver != nil {
			i := isolated{[]byte("front"), []byte("helper")}
			if err := b.npmMusl(system, m, i); err != nil {
				t.Fatal(err)
			}
		}
	}
	main, err := npmMain(b.version, b.time, b.license)
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := npmManifestIn(main)
	if err != nil {
		t.Fatal(err)
	}
	if scripts := manifest["scripts"]; scripts != nil {
		t.Errorf("scripts run: %v", scripts)
	}
	optional := manifest["optionalDependencies"].(map[string]any)
	if len(optional) != len(m.files) || len(optional) != 13 {
		t.Errorf("%d packages, %d are named", len(m.files), len(optional))
	}
	url, stop, err := serveNPM(m.files)
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	for name, version := range optional {
		data, ok := m.files[npmFile(name, b.version)]
		of, err := npmManifestIn(data)
		if !ok || err != nil || of["name"] != name || of["version"] != version ||
			of["scripts"] != nil {
			t.Errorf("%s %s: %v, %v", name, version, of, err)
			continue
		}
		if got := fmt.Sprintf("%s-%v-%v", what(name), of["os"].([]any)[0], of["cpu"].([]any)[0]); npmScope+got != strings.TrimSuffix(name, "-musl") {
			t.Errorf("%s is for %s", name, got)
		}
		if driver := strings.Contains(name, "/driver-"); driver != (of["libc"] != nil) {
			t.Errorf("%s: a C library is wanted: %v", name, of["libc"])
		}
		answer, err := http.Get(url + name)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(answer.Body)
		if _ = answer.Body.Close(); err != nil ||
			!strings.Contains(
				string(text),
				`"tarball":"`+url+npmFile(name, b.version),
			) {
			t.Errorf("%s: %s, %v", name, text, err)
		}
	}
	files := untarred(t, main)
	for _, name := range []string{"index.js", "index.d.ts", "bin/pumice.js", "README.md", "LICENSE"} {
		if files["package/"+name] == "" {
			t.Errorf("no %s", name)
		}
	}
	musl := untarred(t, m.files[npmFile(npmScope+"driver-linux-x64-musl", b.version)])
	if musl["package/"+helperName] != "helper" ||
		!strings.Contains(musl["package/pumice_icd.json"], `"./`+frontName+`"`) ||
		!strings.Contains(musl["package/package.json"], `"musl"`) {
		t.Errorf("%q", musl)
	}
	driver := untarred(t, m.files[npmFile(npmScope+"driver-linux-riscv64", b.version)])
	if driver["package/"+libraryName] != "driver" ||
		!strings.Contains(driver["package/pumice_icd.json"], `"./`+libraryName+`"`) {
		t.Errorf("%q", driver)
	}
}

// what a package of a system has: the word before it.
func what(name string) string {
	word, _, _ := strings.Cut(strings.TrimPrefix(name, npmScope), "-")
	return word
}

func TestSamePages(t *testing.T) {
	page := func(driver, sum string) string {
		sum = strings.Repeat(sum, 64)
		return fmt.Sprintf(
			`{"names":{"webgl":"ANGLE (Pumice (CPU))","webgpu":%q},"sums":{"webgl":%q,"webgpu":%[2]q,"texels":%[2]q,"screenshot":%[2]q}}`+"\n",
			driver,
			sum,
		)
	}
	same := page("Pumice (CPU)", "a")
	for out, says := range map[string]string{
		same + same: "", same: "1 runs of 2", same + page("Pumice (CPU)", "b"): "of run 2",
		same + page("SwiftShader", "a"): `drawn by "SwiftShader"`,
		same + "{}\n":                   "drawn by", same + "x\n": "invalid character", page("Pumice (CPU)", "") + same: "of run 1",
	} {
		if err := samePages(out, 2); (err == nil) != (says == "") ||
			err != nil && !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v", says, err)
		}
	}
}
