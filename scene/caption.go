package scene

import (
	"strings"
	"unicode"

	"github.com/pumice-gpu/pumice/internal/rules/catalogue"
)

// Caption is what the file says of the scene: its title, its text, and a line for each of
// its rules, by number and title. It holds no control characters but line ends.
func (s *Scene) Caption() string {
	if s == nil {
		return ""
	}
	var b strings.Builder
	line := func(text string) {
		b.WriteString(strings.Map(func(r rune) rune {
			if unicode.IsPrint(r) {
				return r
			}
			return ' '
		}, text))
		b.WriteByte('\n')
	}
	line(s.Title)
	line(s.Text)
	for _, id := range s.Rules {
		line("  " + catalogue.Name(id))
	}
	return b.String()
}
