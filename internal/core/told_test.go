package core

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

// What faces call otherwise is found wherever it stands in a text, and nothing else is: words that
// begin otherwise, or go on. The same as an expression of it, in texts of such pieces.
func TestTold_FindsWhatFacesCallOtherwise(t *testing.T) {
	spoken := regexp.MustCompile(
		`\b(vk[A-Z]\w*|Vk\w+(::\w+)?|PUMICE_LOOP_BUDGET|the limit of device memory)\b`)
	pieces := []string{
		"vkCmdDraw", "vkCreateImage", "vk", "vkcube", "VkImageCreateInfo", "VkSamplerCreateInfo::maxLod",
		"::", "VkX::", "Vk", "PUMICE_LOOP_BUDGET", "PUMICE_LOOP_BUDGETS", "the limit of device memory",
		"the limit of device memoryless", "the limit",
		" ", " ", ", ", "(", ")", "x", "_", "7", "λ", "é", ".",
	}
	r := rand.New(rand.NewPCG(1, 2))
	d := &Device{}
	for range 20_000 {
		var text strings.Builder
		for range 1 + r.IntN(8) {
			text.WriteString(pieces[r.IntN(len(pieces))])
		}
		want := spoken.ReplaceAllStringFunc(text.String(),
			func(s string) string { return Op(s).pumice() })
		if got := d.told(text.String()); got != want {
			t.Fatalf("%q is told as %q, want %q", text.String(), got, want)
		}
	}
}
