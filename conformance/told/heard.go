package told

import (
	"fmt"
	"strings"
)

// Heard says what is wrong with the messages that a program was told, each a rule and a text: they are to be one, of the case's
// rule and place, or none where a reason says that the rule cannot be broken.
func (c *Case) Heard(messages []string, reason string) error {
	names := c.Rule
	if c.Names != "" {
		names = c.Names
	}
	n := 0
	for _, m := range messages {
		if strings.HasPrefix(m, "shader compilation ") { // what is told of is not compiled either
			continue
		}
		if names == "" || reason != "" && !strings.Contains(m, names) {
			continue
		}
		if !strings.Contains(m, names) {
			return fmt.Errorf("told %q, which does not name %s", m, names)
		}
		if !strings.Contains(m, c.Where) {
			return fmt.Errorf("told %q, which does not say %q", m, c.Where)
		}
		n++
	}
	want := 1
	if reason != "" || names == "" {
		want = 0
	}
	if n != want || names == "" && len(messages) > 0 {
		return fmt.Errorf("told %d times of %s, want %d: %q", n, names, want, messages)
	}
	return nil
}
