package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// playwright is what drives Chromium in the test of web pages.
const playwright = "playwright-core@1.65.1"

// mostPacked is how large npm's package of a driver may be, in bytes. gzip, which npm takes, makes 5.6
// MB of it; xz would make 4.2.
const mostPacked = 5_800_000

// checkNPM installs npm's packages of this machine's system into an empty folder, and uses them:
// the command, the driver's manifest, and a web page in Chromium, so many times, whose pictures
// must be equal. What cannot be tried here it says.
func checkNPM(ctx context.Context, b *builder, files map[string][]byte, runs int) error {
	if _, err := exec.LookPath("npm"); err != nil {
		log.Print("npm's packages are not checked: there is no npm")
		return nil
	}
	dir := filepath.Join(b.tmp, "npm")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	main, err := npmMain(b.version, b.time, b.license)
	if err != nil {
		return err
	}
	name := npmFile(npmScope+"pumice", b.version)
	if err := os.WriteFile(filepath.Join(b.tmp, name), main, 0o644); err != nil {
		return err
	}
	driver := npmFile(npmName("driver", host()), b.version)
	if n := len(files[driver]); n == 0 || n > mostPacked {
		return fmt.Errorf("%s has %d bytes, and may have %d", driver, n, mostPacked)
	}
	registry, stop, err := serveNPM(files)
	if err != nil {
		return err
	}
	defer stop()
	run := func(args ...string) (string, error) {
		cmd := exec.CommandContext(ctx, args[0], args[1:]...)
		cmd.Dir = dir
		start := time.Now()
		var errs bytes.Buffer
		cmd.Stderr = &errs
		out, err := cmd.Output()
		took(start, "in an empty folder: %s", strings.Join(args, " "))
		if err != nil {
			err = fmt.Errorf("%s: %w\n%s%s", strings.Join(args, " "), err, out, errs.String())
		}
		return strings.TrimSpace(string(out)), err
	}
	install := []string{
		"npm", "install", "--no-audit", "--no-fund", "--ignore-scripts",
		"--" + strings.TrimSuffix(npmScope, "/") + ":registry=" + registry,
		filepath.Join(b.tmp, name), playwright,
	}
	for range 3 { // a server that does not answer at once is no failure
		if _, err = run(install...); err == nil {
			break
		}
	}
	if err != nil {
		return err
	}
	library := filepath.Join(dir, "node_modules", npmName("driver", host()), libraryName)
	for _, step := range []struct {
		want string
		args []string
	}{
		{"", []string{"npx", "--no", "pumice", "render", "-o", "teapot.png", "--width", "640", "--height", "640"}},
		{library, []string{"npx", "--no", "pumice", "driver", "path"}},
		{filepath.Join(filepath.Dir(library), "pumice_icd.json"), []string{"node", "-p", "require('" + npmScope + "pumice').env().VK_DRIVER_FILES"}},
	} {
		out, err := run(step.args...)
		if err != nil {
			return err
		}
		if step.want != "" && out != step.want {
			return fmt.Errorf("%s says %q, not %q", strings.Join(step.args, " "), out, step.want)
		}
	}
	if err := samePicture(filepath.Join(dir, "teapot.png"), filepath.Join(b.root, "docs", "images", "teapot.png")); err != nil {
		return err
	}
	return checkPages(b, dir, run, runs)
}

// checkPages opens a page so many times, with one to eight threads in turn, and compares what it
// shows.
func checkPages(b *builder, dir string, run func(...string) (string, error), runs int) error {
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		log.Print("web pages are not checked: there is no chromium")
		return nil
	}
	// The lines of the page that people read.
	text, err := os.ReadFile(filepath.Join(b.root, "docs", "web.md"))
	if err != nil {
		return err
	}
	_, config, ok := strings.Cut(string(text), "```js\n")
	config, _, closed := strings.Cut(config, "```")
	if !ok || !closed {
		return fmt.Errorf("docs/web.md shows no configuration for Playwright")
	}
	config = strings.TrimSpace(config) + "\n"
	if err := os.WriteFile(filepath.Join(dir, "playwright.config.js"), []byte(config), 0o644); err != nil {
		return err
	}
	web := filepath.Join(b.root, "internal", "release", "web")
	args := []string{
		"node",
		filepath.Join(web, "pictures.js"),
		chromium,
		filepath.Join(web, "page.html"),
	}
	for i := range runs {
		args = append(args, fmt.Sprint(1+i*7/max(runs-1, 1)%8))
	}
	out, err := run(args...)
	if err != nil {
		return err
	}
	return samePages(out, runs)
}

// samePages reads what pictures.js prints: all runs drew with Pumice, and the same.
func samePages(out string, runs int) error {
	type page struct {
		Names, Sums map[string]string
	}
	var first page
	n := 0
	for line := range strings.Lines(out) {
		var p page
		if err := json.Unmarshal([]byte(line), &p); err != nil {
			return fmt.Errorf("%w: %s", err, line)
		}
		for _, what := range []string{"webgl", "webgpu"} {
			if !strings.Contains(p.Names[what], "Pumice (CPU)") {
				return fmt.Errorf("%s is drawn by %q", what, p.Names[what])
			}
		}
		if n++; n == 1 {
			first = p
		}
		for _, what := range []string{"webgl", "webgpu", "texels", "screenshot"} {
			if sum := p.Sums[what]; len(sum) != 64 || sum != first.Sums[what] {
				return fmt.Errorf("%s of run %d has the sum %q, that of the first %q", what, n, sum,
					first.Sums[what])
			}
		}
	}
	if n != runs {
		return fmt.Errorf("%d runs of %d", n, runs)
	}
	log.Printf("a page with WebGL and WebGPU, %d runs with 1 to 8 threads: the same bytes", n)
	return nil
}

// serveNPM serves packages as a registry, on this machine alone. Others it does not have.
func serveNPM(files map[string][]byte) (url string, stop func(), err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	url = "http://" + l.Addr().String() + "/"
	answers := map[string][]byte{}
	for name, data := range files {
		if !strings.HasSuffix(name, ".tgz") {
			continue
		}
		m, err := npmManifestIn(data)
		if err != nil {
			return "", nil, fmt.Errorf("%s: %w", name, err)
		}
		version, of := m["version"].(string), m["name"].(string)
		m["dist"] = map[string]string{"tarball": url + name}
		text, err := json.Marshal(
			map[string]any{
				"name":      of,
				"dist-tags": map[string]string{"latest": version},
				"versions":  map[string]any{version: m},
			},
		)
		if err != nil {
			return "", nil, err
		}
		answers["/"+of], answers["/"+name] = text, data
	}
	server := &http.Server{
		ReadHeaderTimeout: time.Minute,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if data, ok := answers[r.URL.Path]; ok {
				_, _ = w.Write(data)
			} else {
				http.NotFound(w, r)
			}
		}),
	}
	go func() { _ = server.Serve(l) }()
	return url, func() { _ = server.Close() }, nil
}

// npmManifestIn is the package.json of a package.
func npmManifestIn(data []byte) (map[string]any, error) {
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			return nil, fmt.Errorf("no package.json")
		}
		if err != nil {
			return nil, err
		}
		if h.Name == "package/package.json" {
			m := map[string]any{}
			return m, json.NewDecoder(r).Decode(&m)
		}
	}
}
