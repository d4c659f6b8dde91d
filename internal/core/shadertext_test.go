package core

import (
	"os"
	"strings"
	"testing"
)

// Sources handed in as SPIR-V are told from broken SPIR-V, and by what to do with them.
func TestNewShaderModule_TellsTextByItsLanguage(t *testing.T) {
	d := open(t)
	for _, c := range []struct{ text, want string }{
		{"#version 450\nvoid main() {}", "this is GLSL text, not SPIR-V; compile it with package shader"},
		{"// no version\nvoid  main ( ) { gl_Position = vec4(0); }", "this is GLSL text"},
		{"@fragment fn main() -> @location(0) vec4f { return vec4f(1.0); }", "this is WGSL text, not SPIR-V; compile it with package shader"},
		{"  fn helper(x: f32) -> f32 { return x; }", "this is WGSL text"},
		{"float4 main(float4 p : SV_Position) : SV_Target { return p; }", "this is HLSL text"},
		{"cbuffer C { float4 x; };", "this is HLSL text"},
		{"; SPIR-V\n; Version: 1.0\nOpCapability Shader", "assemble it with spirv-as"},
	} {
		_, err := d.NewShaderModule([]byte(c.text), "")
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.text, err, c.want)
		}
	}
	for _, text := range []string{"", "abcd", "hello, world", strings.Repeat("x", 4096)} {
		if _, err := d.NewShaderModule([]byte(text), ""); err == nil || strings.Contains(err.Error(), "text") {
			t.Errorf("%.20q: %v, which is no shader's text", text, err)
		}
	}
	list, _ := os.ReadDir("../../conformance/testdata")
	for _, f := range list { // no module is taken for text
		if strings.HasSuffix(f.Name(), ".spv") {
			code, err := os.ReadFile("../../conformance/testdata/" + f.Name())
			if detail, _ := textInstead(code); err != nil || detail != "" {
				t.Errorf("%s: %v, %s", f.Name(), err, detail)
			}
		}
	}
}
