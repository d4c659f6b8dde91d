package shader_test

import (
	"testing"

	"github.com/pumice-gpu/pumice/shader"
)

// BenchmarkCompile is a source more in a process that has compiled one of its kind before.
func BenchmarkCompile(b *testing.B) {
	for _, name := range []string{"one.frag", "all.wgsl"} {
		b.Run(name, func(b *testing.B) {
			mustCompile(b, fresh(sources[name]), shader.Options{Name: name})
			for b.Loop() {
				mustCompile(b, fresh(sources[name]), shader.Options{Name: name})
			}
		})
	}
}
