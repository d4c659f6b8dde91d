package shader_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/pumice-gpu/pumice/shader"
)

// FuzzCompile: any text is compiled or refused with an *Error, in bounded time, and what is
// compiled is a module that Reflect reads.
func FuzzCompile(f *testing.F) {
	for name, source := range sources {
		if strings.HasPrefix(source, "#version 310") {
			continue // few versions, so that an instance that is warm waits for most inputs
		}
		stage, _ := shader.ParseStage(name[len(name)-4:])
		f.Add(strings.Replace(source, "#version 460", "#version 450", 1), uint8(stage)) // 0 for WGSL
	}
	f.Add("#version 450\n#if 1 +\n#else\nvoid main() {", uint8(shader.Compute))
	f.Add("override x: array<f32, x>;", uint8(0))
	f.Add("@id(2) override x = 1; override y: u32 = u32(x) + 1; var<workgroup> w: array<u32, y>;\n@compute @workgroup_size(x, 2) fn main() { w[1] = y; }", uint8(252)) // a multiple of the stages: WGSL
	c := shader.NewCompiler(shader.Config{CacheDir: common.folder, MaxMemory: 128 << 20})
	f.Fuzz(func(t *testing.T, source string, stage uint8) {
		o := shader.Options{Name: "fuzz", Language: shader.WGSL}
		if s := shader.Stage(stage % (uint8(shader.Mesh) + 1)); s != 0 {
			o.Language, o.Stage = shader.GLSL, s
		}
		if o.Language == shader.WGSL && stage > 200 {
			o.Constants = map[string]float64{"x": 2}
		}
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		code, err := c.Compile(ctx, source, o)
		if err != nil {
			var e *shader.Error
			if !errors.As(err, &e) || len(e.Diagnostics) == 0 {
				t.Fatalf("%v is no *shader.Error", err)
			}
			_ = e.Detail()
			return
		}
		if _, err := shader.Reflect(code); err != nil {
			t.Logf("not taken: %v", err) // compilers write what devices refuse, but nothing panics
		}
	})
}
