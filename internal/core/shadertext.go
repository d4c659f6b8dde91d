package core

import (
	"bytes"
	"strings"
)

// textInstead says what a source that was handed in as SPIR-V is, and what to do about it; "" means
// that it looks like none.
func textInstead(code []byte) (detail, hint string) {
	const most = 1 << 20
	code = code[:min(len(code), most)]
	if bytes.IndexByte(code, 0) >= 0 { // as SPIR-V has them in its first words
		return "", ""
	}
	switch language := shaderLanguage(string(code)); language {
	case "":
		return "", ""
	case "SPIR-V assembly":
		return "this is SPIR-V as text, not as a binary", "assemble it with spirv-as"
	case "HLSL":
		return "this is HLSL text, not SPIR-V",
			"compile it with dxc -spirv; package shader takes GLSL and WGSL"
	default:
		return "this is " + language + " text, not SPIR-V",
			"compile it with package shader, or with pumice shader -o"
	}
}

// shaderLanguage is the language that a shader is written in, by words that stand in a source of it
// and in none of those before it; "" where there are none.
func shaderLanguage(text string) string {
	languages := [...]string{"SPIR-V assembly", "WGSL", "HLSL", "GLSL"}
	first := len(languages)
	for line := range strings.Lines(text) {
		words := wordsOf(line)
		for i := range words {
			if k := signOf(words[i:], i == 0); k >= 0 {
				first = min(first, k)
			}
		}
	}
	if first == len(languages) {
		return ""
	}
	return languages[first]
}

// signOf is the language that a list of words of a line begins a sign of, as shaderLanguage counts
// them, −1 for none; begins says that the line begins with them.
func signOf(words []string, begins bool) int {
	at := func(i int) string { return words[min(i, len(words)-1)] }
	word, next := words[0], at(1)
	switch word {
	case ";":
		if begins && next == "SPIR" {
			return 0
		}
	case "OpCapability":
		if begins {
			return 0
		}
	case "@":
		switch next {
		case "vertex", "fragment", "compute", "group", "binding", "location", "builtin":
			return 1
		}
	case "fn":
		if begins && at(2) == "(" {
			return 1
		}
	case "[":
		if strings.EqualFold(next, "numthreads") {
			return 2
		}
	case "#":
		if begins && next == "version" {
			return 3
		}
	case "void":
		if next == "main" && at(2) == "(" {
			return 3
		}
	}
	lower := strings.ToLower(word)
	switch {
	case lower == "cbuffer", lower == "register" && next == "(",
		strings.HasPrefix(lower, "sv_") && len(word) > 3:
		return 2
	case strings.HasPrefix(word, "gl_") && len(word) > 4 && word[3] >= 'A' && word[3] <= 'Z':
		return 3
	}
	return -1
}

// wordsOf are the names and numbers of a line, and each other character that is no space.
func wordsOf(line string) (words []string) {
	for len(line) > 0 {
		n := wordLength(line)
		if n == 0 {
			n = 1
		}
		if w := line[:n]; strings.TrimSpace(w) != "" {
			words = append(words, w)
		}
		line = line[n:]
	}
	return words
}

// wordLength is how many letters, digits and underscores a text begins with.
func wordLength(text string) int {
	n := strings.IndexFunc(text, func(r rune) bool {
		letter := r|0x20 >= 'a' && r|0x20 <= 'z'
		return !letter && (r < '0' || r > '9') && r != '_'
	})
	if n < 0 {
		return len(text)
	}
	return n
}
