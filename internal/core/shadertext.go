package core

import (
	"bytes"
	"regexp"
)

// The languages that shaders are written in, by what stands in a source of each and in none of
// those before it.
var shaderTexts = []struct {
	language string
	sign     *regexp.Regexp
}{
	{"SPIR-V assembly", regexp.MustCompile(`(?m)^\s*(; SPIR-V|OpCapability\s)`)},
	{"WGSL", regexp.MustCompile(`@(vertex|fragment|compute|group|binding|location|builtin)\b|(?m)^\s*fn\s+\w+\s*\(`)},
	{"HLSL", regexp.MustCompile(`(?i)\bSV_[a-z]+|\bcbuffer\b|\[numthreads|\bregister\s*\(`)},
	{"GLSL", regexp.MustCompile(`(?m)^\s*#\s*version\b|\bvoid\s+main\s*\(|\bgl_[A-Z]\w+`)},
}

// textInstead says what a source that was handed in as SPIR-V is, and what to do about it; "" means that it
// looks like none.
func textInstead(code []byte) (detail, hint string) {
	const most = 1 << 20
	code = code[:min(len(code), most)]
	if bytes.IndexByte(code, 0) >= 0 { // as SPIR-V has them in its first words
		return "", ""
	}
	for _, t := range shaderTexts {
		if !t.sign.Match(code) {
			continue
		}
		switch t.language {
		case "SPIR-V assembly":
			return "this is SPIR-V as text, not as a binary", "assemble it with spirv-as"
		case "HLSL":
			return "this is HLSL text, not SPIR-V", "compile it with dxc -spirv; package shader takes GLSL and WGSL"
		default:
			return "this is " + t.language + " text, not SPIR-V", "compile it with package shader, or with pumice shader -o"
		}
	}
	return "", ""
}
