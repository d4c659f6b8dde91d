package conformance

import (
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/conformance/told"
	"github.com/pumice-gpu/pumice/internal/rules"
)

// Each rule of image instructions that a program on the Go API can break is told to Debug, once, with the rule and the place.
func TestTold_GoAPI(t *testing.T) {
	for _, c := range append([]told.Case{told.Plain()}, told.Cases()...) {
		t.Run(c.Rule+"/"+strings.ReplaceAll(c.What, " ", "_"), func(t *testing.T) {
			if c.Rule != "" && c.NoGo == "" {
				rules.Covers(t, c.Rule)
			}
			messages, err := c.RunGo()
			if err != nil {
				t.Fatal(err)
			}
			var texts []string
			for _, m := range messages {
				texts = append(texts, m.Rule+" "+m.Text)
			}
			if err := c.Heard(texts, c.NoGo); err != nil {
				t.Error(err)
			}
		})
	}
}
