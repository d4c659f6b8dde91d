package proof

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pumice-gpu/pumice/internal/rules"
)

// AddCases adds the places of corner cases to those of rules: a case has no code of its own, so its
// places are those of all rules that its text names. A case that names none is an error.
func AddCases(root string, places map[string][]Place) error {
	pages, err := rules.Read(filepath.Join(root, "docs", "rules"))
	if err != nil {
		return err
	}
	for _, page := range pages {
		for _, c := range page.Rules {
			if !strings.HasPrefix(c.ID, "TC-") && !strings.HasPrefix(c.ID, "RC-") {
				continue
			}
			ids := IDs(c.Text)
			if len(ids) == 0 {
				return fmt.Errorf("%s:%d: %s names no rule", page.File, c.Line, c.ID)
			}
			for _, id := range ids {
				for _, p := range places[id] {
					if !slices.Contains(places[c.ID], p) {
						places[c.ID] = append(places[c.ID], p)
					}
				}
			}
		}
	}
	return nil
}
