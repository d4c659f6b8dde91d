package house

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// allowedImports is the architecture: what each package may import from this
// module (paths relative to it) and from outside the standard library. Tests
// are free. ARCHITECTURE.md tells the tiers.
var allowedImports = map[string]struct{ inside, outside []string }{
	"vk":                       {},
	"internal/fp":              {inside: []string{"vk"}},
	"internal/version":         {},
	"internal/elevated":        {outside: []string{"golang.org/x/sys/windows"}},
	"internal/release":         {inside: []string{"internal/roots", "internal/version"}},
	"internal/roots":           {},
	"internal/roots/try":       {inside: []string{"internal/roots"}},
	"budget":                   {},
	"explain":                  {inside: []string{"internal/rules/catalogue"}},
	"golden":                   {inside: []string{"budget", "explain", "internal/pixels"}},
	"internal/pixels":          {inside: []string{"budget", "internal/input"}},
	"explain/page":             {inside: []string{"explain", "docs/rules"}},
	"docs/rules":               {},
	"internal/input":           {inside: []string{"budget"}, outside: []string{"golang.org/x/image/webp"}},
	"internal/input/bomb":      {},
	"internal/rules":           {inside: []string{"internal/rules/catalogue"}},
	"internal/assets":          {},
	"internal/outside":         {},
	"internal/platforms":       {outside: []string{"golang.org/x/sync/errgroup"}},
	"internal/registry":        {},
	"internal/rules/catalogue": {},
	"internal/ir/lane":         {inside: []string{"internal/fp"}},
	"internal/ir":              {inside: []string{"internal/ir/lane"}},
	"internal/format": {
		inside: []string{"vk", "internal/fp", "internal/format/astc", "internal/format/bc", "internal/format/etc2", "internal/rules/catalogue"},
	},
	"internal/format/astc":  {inside: []string{"internal/fp"}},
	"internal/format/bc":    {inside: []string{"internal/fp"}},
	"internal/format/etc2":  {inside: []string{"internal/fp"}},
	"internal/format/basis": {inside: []string{"internal/format/astc", "internal/format/bc"}},
	"internal/texture": {
		inside:  []string{"vk", "budget", "internal/format", "internal/format/basis", "internal/fp", "internal/input"},
		outside: []string{"github.com/klauspost/compress/zstd"},
	},
	"internal/futex": {
		outside: []string{"golang.org/x/sys/unix"},
	},
	"internal/memory": {
		outside: []string{"golang.org/x/sys/unix"},
	},
	"internal/house":       {inside: []string{"internal/processor", "internal/rules/proof"}},
	"internal/rules/proof": {inside: []string{"internal/rules"}},
	"internal/resource": {
		inside: []string{"vk", "internal/format", "internal/ir"},
	},
	"internal/spirv":             {inside: []string{"internal/fp", "internal/ir/lane"}},
	"internal/spirv/dis":         {inside: []string{"internal/fp"}},
	"internal/spirv/imagemodule": {inside: []string{"internal/spirv"}},
	"internal/sampling": {
		inside: []string{"vk", "internal/fp", "internal/format", "internal/ir", "internal/ir/lane", "internal/memory", "internal/resource", "internal/rules/catalogue"},
	},
	"internal/processor":  {outside: []string{"golang.org/x/sys/cpu"}},
	"internal/raster":     {inside: []string{"vk", "internal/ir", "internal/processor", "internal/rules/catalogue"}, outside: []string{"golang.org/x/sys/cpu"}},
	"internal/assembly":   {inside: []string{"vk", "internal/rules/catalogue"}},
	"internal/vertexpost": {inside: []string{"vk", "internal/raster"}},
	"internal/fragops": {
		inside:  []string{"vk", "internal/fp", "internal/format", "internal/ir", "internal/resource", "internal/rules/catalogue"},
		outside: []string{"golang.org/x/sys/cpu"},
	},
	"internal/transfer": {
		inside: []string{"vk", "internal/fp", "internal/format", "internal/fragops", "internal/lower/texel", "internal/memory", "internal/resource", "internal/sampling", "internal/spirv", "internal/rules/catalogue"},
	},
	"internal/lower": {
		inside: []string{"internal/fp", "internal/ir", "internal/spirv", "internal/spirv/dis"},
	},
	"internal/lower/pack": {
		inside: []string{"vk", "internal/format", "internal/fp", "internal/ir"},
	},
	"internal/lower/texel": {
		inside: []string{"vk", "internal/format", "internal/format/bc", "internal/fp", "internal/ir", "internal/lower/pack", "internal/memory", "internal/resource", "internal/sampling"},
	},
	"internal/lower/inputs": {
		inside: []string{"internal/ir", "internal/lower/fragops", "internal/raster"},
	},
	"internal/lower/positions": {
		inside: []string{"internal/ir", "internal/raster", "internal/vertexpost"},
	},
	"internal/lower/fragops": {
		inside: []string{"vk", "internal/format", "internal/fp", "internal/fragops", "internal/ir", "internal/raster", "internal/lower/pack"},
	},
	"internal/exec": {
		inside: []string{"internal/ir", "internal/lower/texel", "internal/memory", "internal/resource"},
	},
	"internal/exec/amd64": {
		inside: []string{"internal/exec/mir", "internal/processor"}, outside: []string{"golang.org/x/sys/cpu"},
	},
	"internal/exec/arm64": {inside: []string{"internal/exec/mir"}},
	"internal/exec/mir":   {},
	"internal/exec/code":  {outside: []string{"golang.org/x/sys/unix", "golang.org/x/sys/windows"}},
	"internal/exec/trace": {
		inside: []string{"explain", "internal/exec", "internal/format", "internal/ir", "internal/memory", "internal/resource", "internal/sampling"},
	},
	"internal/exec/check": {inside: []string{"internal/exec", "internal/ir"}},
	"internal/exec/native": {
		inside: []string{"internal/exec", "internal/exec/amd64", "internal/exec/arm64", "internal/exec/code", "internal/exec/mir", "internal/fp", "internal/ir"},
	},
	"internal/exec/vm": {
		inside:  []string{"vk", "internal/exec", "internal/exec/native", "internal/format", "internal/fp", "internal/ir", "internal/ir/lane", "internal/lower/texel", "internal/memory", "internal/resource", "internal/sampling"},
		outside: []string{"golang.org/x/sys/cpu"},
	},
	"internal/tess": {inside: []string{"internal/ir"}},
	"internal/render/geometry": {
		inside:  []string{"vk", "explain", "internal/assembly", "internal/exec", "internal/exec/trace", "internal/format", "internal/ir", "internal/tess"},
		outside: []string{"golang.org/x/sys/cpu"},
	},
	"internal/render/fragment": {
		inside: []string{"internal/exec", "internal/fragops", "internal/ir", "internal/lower/fragops", "internal/lower/inputs", "internal/raster",
			"internal/render/geometry", "internal/render/rates", "internal/render/threads", "internal/render/tile"},
	},
	"internal/render/threads": {
		inside: []string{"internal/exec", "internal/ir", "internal/memory", "internal/render/geometry"},
	},
	"internal/render/rates": {
		inside: []string{"internal/resource", "vk"},
	},
	"internal/render/tile": {
		inside: []string{"vk", "internal/exec", "internal/format", "internal/fragops", "internal/ir", "internal/lower/fragops",
			"internal/lower/inputs", "internal/memory", "internal/raster", "internal/render/threads"},
	},
	"internal/render/watch": {
		inside: []string{"explain", "vk", "internal/format", "internal/fp", "internal/fragops", "internal/ir",
			"internal/raster", "internal/render/tile", "internal/vertexpost"},
	},
	"internal/render": {
		inside: []string{
			"explain", "vk", "internal/assembly", "internal/render/fragment", "internal/render/geometry", "internal/render/rates", "internal/render/threads", "internal/render/tile", "internal/render/watch", "internal/exec/trace", "internal/exec", "internal/format", "internal/fp", "internal/fragops", "internal/futex",
			"internal/ir", "internal/lower/fragops", "internal/lower/inputs", "internal/lower/positions", "internal/lower/texel", "internal/memory", "internal/raster", "internal/resource", "internal/tess", "internal/vertexpost", "internal/rules/catalogue",
		},
	},
	"internal/core": {
		inside: []string{
			"explain", "vk", "budget", "internal/exec", "internal/exec/check", "internal/exec/trace", "internal/exec/vm", "internal/format", "internal/fragops", "internal/ir", "internal/lower",
			"internal/memory", "internal/raster", "internal/render", "internal/render/rates", "internal/render/watch", "internal/resource", "internal/sampling", "internal/spirv", "internal/spirv/dis", "internal/tess", "internal/transfer", "internal/version", "internal/rules/catalogue",
		},
	},
	"shader": {
		inside:  []string{"internal/exec", "internal/exec/vm", "internal/ir", "internal/lower", "internal/spirv"},
		outside: []string{"github.com/klauspost/compress/zstd", "github.com/tetratelabs/wazero", "github.com/tetratelabs/wazero/api"},
	},
	"":                      {inside: []string{"vk", "budget", "explain", "internal/core", "internal/memory", "internal/rules/catalogue"}},
	"scene":                 {inside: []string{"", "vk", "budget", "explain", "internal/input", "internal/raster", "internal/rules/catalogue"}},
	"imagefile":             {inside: []string{"", "vk", "budget", "imagefile/radiance", "internal/input", "internal/texture"}},
	"gltf/mat":              {},
	"gltf/internal/meshopt": {},
	"gltf/internal/draco": {
		inside:  []string{"budget"},
		outside: []string{"github.com/tetratelabs/wazero", "github.com/tetratelabs/wazero/api", "github.com/tetratelabs/wazero/experimental"},
	},
	"gltf/internal/meshfile": {inside: []string{"budget", "gltf/mat", "internal/fp"}},
	"imagefile/radiance":     {inside: []string{"budget", "internal/fp", "internal/input"}},
	"imagefile/encode":       {inside: []string{"internal/fp"}},
	"gltf":                   {inside: []string{"budget", "gltf/internal/draco", "gltf/internal/meshfile", "gltf/internal/meshopt", "gltf/mat", "internal/input", "internal/texture"}},
	"gltf/studio": {
		inside:  []string{"", "explain", "vk", "budget", "gltf", "gltf/mat", "internal/fp"},
		outside: []string{"golang.org/x/sync/errgroup"},
	},
	"driver":                  {inside: []string{"vk", "driver/internal/abi", "driver/internal/icd", "internal/elevated", "internal/memory"}, outside: []string{"golang.org/x/sys/windows"}},
	"driver/pumice-driver":    {inside: []string{"driver/internal/helper", "driver/internal/icd", "driver/internal/sandbox", "internal/memory"}, outside: []string{"golang.org/x/sys/unix"}},
	"driver/internal/helper":  {inside: []string{"vk", "driver/internal/abi", "driver/internal/icd", "driver/internal/wire", "internal/memory"}, outside: []string{"golang.org/x/sys/unix"}},
	"driver/internal/sandbox": {outside: []string{"golang.org/x/sys/unix"}},
	"driver/internal/wire":    {inside: []string{"driver/internal/abi"}},
	"driver/internal/abi":     {inside: []string{"vk"}},
	"driver/internal/icd":     {inside: []string{"vk", "driver/internal/abi", "driver/internal/wire", "explain", "internal/core", "internal/ir", "internal/memory", "internal/raster", "internal/resource", "internal/format", "internal/fp", "internal/version"}},
	"conformance":             {},
	"conformance/cts":         {},
	"conformance/faces":       {inside: []string{"", "explain", "vk"}},
	"conformance/programs":    {},
	"conformance/told":        {inside: []string{"", "internal/rules/catalogue", "internal/spirv", "internal/spirv/imagemodule", "vk"}},
	"internal/browser":        {inside: []string{"internal/outside"}, outside: []string{"github.com/chromedp/cdproto/log", "github.com/chromedp/cdproto/network", "github.com/chromedp/cdproto/runtime", "github.com/chromedp/chromedp"}},
	"docs/playground":         {inside: []string{"", "docs/playground/viewer", "gltf/studio"}},
	"docs/playground/viewer":  {inside: []string{"", "vk", "budget", "gltf", "gltf/mat", "gltf/studio", "imagefile", "scene"}},
	"docs/playground/wasm":    {}, // for js: viewer and the API
	"docs/playground/build":   {inside: []string{"docs/playground"}},
	"cmd/pumice": {
		inside: []string{"", "vk", "budget", "explain", "explain/page", "gltf", "gltf/mat", "gltf/studio", "imagefile", "imagefile/encode", "imagefile/radiance", "internal/elevated", "internal/input", "internal/pixels", "internal/version", "scene", "shader"},
		outside: []string{
			"github.com/modelcontextprotocol/go-sdk/jsonrpc", "github.com/modelcontextprotocol/go-sdk/mcp",
			"github.com/spf13/cobra", "github.com/spf13/pflag", "github.com/schollz/progressbar/v3", "golang.org/x/term", "golang.org/x/sys/unix", "golang.org/x/sys/windows", "golang.org/x/sys/windows/registry",
		},
	},
}

// TestImports_OnlyWhatTheTableAllows holds the layering of ARCHITECTURE.md.
func TestImports_OnlyWhatTheTableAllows(t *testing.T) {
	t.Chdir(root)
	out, err := exec.Command("go", "list", "-buildvcs=false", "-tags", "outside", "-f", `{{.ImportPath}}:{{join .Imports " "}}`, "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for line := range strings.Lines(string(out)) {
		path, imports, _ := strings.Cut(strings.TrimSpace(line), ":")
		path = strings.TrimPrefix(strings.TrimPrefix(path, module), "/")
		rule, known := allowedImports[path]
		if !known {
			t.Errorf("package %q is not in the table of allowed imports", path)
			continue
		}
		for _, imp := range strings.Fields(imports) {
			inside, ours := strings.CutPrefix(imp, module)
			inside = strings.TrimPrefix(inside, "/")
			switch {
			case ours && !slices.Contains(rule.inside, inside):
				t.Errorf("%s may not import %s", path, inside)
			case !ours && strings.Contains(strings.Split(imp, "/")[0], ".") && !slices.Contains(rule.outside, imp):
				t.Errorf("%s may not import %s", path, imp)
			}
		}
	}
}

// TestImports_ConformanceStandsOutside: the tests of the whole see only what
// programs see, what is known of the rules, and models of others.
func TestImports_ConformanceStandsOutside(t *testing.T) {
	t.Chdir(root)
	out, err := exec.Command("go", "list", "-buildvcs=false", "-f", `{{join .TestImports " "}} {{join .XTestImports " "}}`, "./conformance").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for _, imp := range strings.Fields(string(out)) {
		if strings.HasPrefix(imp, module+"/internal/") && imp != module+"/internal/rules" && imp != module+"/internal/rules/proof" && imp != module+"/internal/assets" {
			t.Errorf("the tests of conformance may not import %s", imp)
		}
	}
}

// TestImports_TheNetworkStaysWhereItIsNamed: nothing of this module opens connections but the
// page of explanations, when it is asked to, and what tries a release with npm, on the machine.
func TestImports_TheNetworkStaysWhereItIsNamed(t *testing.T) {
	t.Chdir(root)
	out, err := exec.Command("go", "list", "-buildvcs=false", "-f", `{{.ImportPath}}:{{join .Imports " "}}`, "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for line := range strings.Lines(string(out)) {
		path, imports, _ := strings.Cut(strings.TrimSpace(line), ":")
		opens := slices.Contains(strings.Fields(imports), "net")
		named := strings.HasSuffix(path, "/explain/page") || strings.HasSuffix(path, "/internal/release")
		if opens != named {
			t.Errorf("%s imports net: %v, want %v", path, opens, named)
		}
	}
}

// TestImports_HeavyPackagesAreNotLinked: nothing in the command and the driver needs HTTP, TLS or
// templates (whose reflection keeps the linker from dropping methods); each is megabytes.
func TestImports_HeavyPackagesAreNotLinked(t *testing.T) {
	t.Chdir(root)
	heavy := []string{"net/http", "crypto/tls", "crypto/x509", "html/template", "database/sql", "plugin"}
	// Whose packages may bring them along, and why.
	allowed := map[string]string{
		"github.com/schollz/progressbar/v3":              "offers its state over HTTP; a bar of our own would save 3 MB",
		"github.com/modelcontextprotocol/go-sdk/mcp":     "speaks over HTTP, too: 3.5 MB",
		"github.com/modelcontextprotocol/go-sdk/auth":    "of go-sdk/mcp",
		"github.com/modelcontextprotocol/go-sdk/oauthex": "of go-sdk/mcp",
		"golang.org/x/oauth2":                            "of go-sdk/mcp",
		"golang.org/x/oauth2/internal":                   "of go-sdk/mcp",
	}
	list := exec.Command("go", "list", "-buildvcs=false", "-deps", "-f", `{{if not .Standard}}{{.ImportPath}}:{{join .Imports " "}}{{end}}`, "./cmd/pumice", "./driver")
	out, err := list.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	seen := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		path, imports, _ := strings.Cut(strings.TrimSpace(line), ":")
		for _, imp := range strings.Fields(imports) {
			if slices.Contains(heavy, imp) {
				if seen[path] = true; allowed[path] == "" {
					t.Errorf("%s imports %s", path, imp)
				}
			}
		}
	}
	for path := range allowed {
		if !seen[path] {
			t.Errorf("%s brings nothing heavy any more; it need not be allowed", path)
		}
	}
}

// TestImports_OnlyTheCommandSpeaksMCP: what programs link, library and driver, holds nothing of it.
func TestImports_OnlyTheCommandSpeaksMCP(t *testing.T) {
	t.Chdir(root)
	list := exec.Command("go", "list", "-buildvcs=false", "-f", `{{.ImportPath}} {{join .Deps " "}}`, "./...")
	out, err := list.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for line := range strings.Lines(string(out)) {
		path, deps, _ := strings.Cut(strings.TrimSpace(line), " ")
		speaks := strings.Contains(deps, "github.com/modelcontextprotocol/")
		if speaks != strings.HasSuffix(path, "/cmd/pumice") {
			t.Errorf("%s speaks MCP: %v", path, speaks)
		}
	}
}

// unsafeAllowed lists the packages that may use package unsafe, and why.
var unsafeAllowed = map[string]string{
	"internal/memory":         "off-heap memory seen as slices",
	"internal/exec/code":      "where machine code lies",
	"internal/exec/native":    "the frame in which machine code finds its memory",
	"internal/exec/vm":        "lanes seen as float32 and uint32; atomics on memory words",
	"driver":                  "arguments of C",
	"driver/internal/abi":     "structs of C",
	"driver/internal/helper":  "memory shared with another process",
	"driver/internal/sandbox": "arguments of system calls",
	"driver/internal/wire":    "messages, and what their pointers lead to",
	"driver/pumice-driver":    "memory shared with another process",
	"driver/internal/icd":     "pointers of applications, memory shared with C",
	"internal/futex":          "words that the system waits on",
	"internal/render":         "sizes of records, for the bins' budget",
}

// TestImports_UnsafeStaysWhereItIsNamed keeps unsafe out of everything else.
func TestImports_UnsafeStaysWhereItIsNamed(t *testing.T) {
	t.Chdir(root)
	out, err := exec.Command("go", "list", "-buildvcs=false", "-f", `{{.ImportPath}}:{{join .Imports " "}}`, "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for line := range strings.Lines(string(out)) {
		path, imports, _ := strings.Cut(strings.TrimSpace(line), ":")
		path = strings.TrimPrefix(strings.TrimPrefix(path, module), "/")
		if slices.Contains(strings.Fields(imports), "unsafe") && unsafeAllowed[path] == "" {
			t.Errorf("%s may not import unsafe", path)
		}
	}
}
