package house

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/pumice-gpu/pumice/internal/rules/proof"
)

// references and stages are the folders below internal of the two hands that may carry out a rule:
// the plain form, and programs made from keys.
var (
	references = []string{"assembly", "fragops", "raster", "ref", "sampling", "tess", "vertexpost"}
	stages     = []string{
		"lower/fragops", "lower/inputs", "lower/pack", "lower/positions", "lower/sampling",
		"lower/texel", "stage",
	}
)

// shared are rules on numbers that every stage reads and writes: they stand where the number does.
var shared = proof.IDs("RAS-001…006, arithmetic, snapping and codes; IMG-060…065, shared exponents; " +
	"IMG-240…249, decoding of components; IMG-375…383, encoding of components")

// citedRules counts rules that code cites in more places than they need.
func citedRules(root string) ([]Figure, error) {
	places, err := proof.Places(root, proof.SideOf)
	if err != nil {
		return nil, err
	}
	figures := []Figure{{
		Name: "rules twice in the reference", Step: 1,
		What: "cited by more than one package of it (`" + strings.Join(references, "`, `") + "`)",
	}, {
		Name: "rules twice among stages", Step: 1,
		What: "cited by more than one package of them (`" + strings.Join(stages, "`, `") + "`)",
	}, {
		Name: "rules in three packages", Step: 1,
		What: "or in more, of all that hold rules",
	}}
	for _, rule := range slices.Sorted(maps.Keys(places)) {
		if slices.Contains(shared, rule) {
			continue
		}
		var in [3][]string
		for _, p := range places[rule] {
			dir := path.Dir(strings.TrimPrefix(p.File, "internal/"))
			for i, hand := range [][]string{references, stages, {dir}} {
				if under(dir, hand) && !slices.Contains(in[i], dir) {
					in[i] = append(in[i], dir)
				}
			}
		}
		for i, most := range []int{1, 1, 2} {
			if len(in[i]) > most {
				figures[i].Value++
				figures[i].Detail = append(figures[i].Detail, fmt.Sprintf("%s in %s", rule, strings.Join(in[i], ", ")))
			}
		}
	}
	return figures, nil
}

// under says whether a folder is one of those or below one.
func under(dir string, of []string) bool {
	return slices.ContainsFunc(of, func(o string) bool { return dir == o || strings.HasPrefix(dir, o+"/") })
}
