package ir

import (
	"fmt"
	"slices"
)

// pass is one step of Optimize.
type pass struct {
	name string
	run  func(p *Program, w *workspace)
}

// passes is the list that Optimize runs. Order:
//
//   - promote before fold and share: values reach their uses without a detour
//     through registers only after it, and both look at operands.
//   - fold before share: folding makes equal constants, sharing merges them.
//   - promote, fold and share a second time: removing constant branches joins
//     blocks, and what promote could not see through then lies in a straight
//     line.
//   - flatten after promote, which forwards a branch's sets to its gets (it
//     leaves a branch alone where one is left), and before promote, which turns
//     the Vars that it sets into values. Twice, for nested conditionals.
//   - unroll after fold, which knows what counts turns. It runs promote, fold, share and flatten again where it has changed
//     something.
//   - hoist after share, so that it moves one operation and not its copies;
//     after flatten, which brings operations out of branches.
//   - sweep after them: they leave unused instructions behind. It renumbers,
//     so it runs before anything that keeps values outside the program.
//   - unloop after sweep: what nothing uses keeps no loop; after hoist, which moves
//     what all turns do alike. It sweeps again where it has changed something.
//   - diverge last: it marks instructions, and a pass that rewrites or merges
//     them afterwards would leave stale marks.
var passes = []pass{
	{"promote", promote},
	{"fold", fold},
	{"share", share},
	{"flatten", flatten},
	{"promote", promote},
	{"flatten", flatten},
	{"promote", promote},
	{"fold", fold},
	{"share", share},
	{"unroll", unroll},
	{"hoist", hoist},
	{"sweep", sweep},
	{"unloop", unloop},
	{"diverge", diverge},
}

// Optimize runs the standard passes over a verified program, in place. Results
// keep their bits, except for the payload of NaNs that arithmetic made. p.Insts is
// another array afterwards, and the room of the old one is used again.
func Optimize(p *Program) { OptimizeSeen(p, func(string) {}) }

// OptimizeSeen is Optimize that tells after each pass which it was.
func OptimizeSeen(p *Program, after func(pass string)) {
	inWorkspace(func(w *workspace) {
		for _, s := range passes {
			s.run(p, w)
			after(s.name)
		}
	})
}

// OptimizeWithout is Optimize without the passes of one name, for tests that
// compare; it returns false where there is none of that name.
func OptimizeWithout(p *Program, name string) (known bool) {
	inWorkspace(func(w *workspace) {
		for _, s := range passes {
			if s.name == name {
				known = true
				continue
			}
			s.run(p, w)
		}
	})
	return known
}

// Passes lists the names of Optimize's passes.
func Passes() []string {
	var names []string
	for _, s := range passes {
		if !slices.Contains(names, s.name) {
			names = append(names, s.name)
		}
	}
	return names
}

// OptimizeChecked is Optimize with the verifier after each pass, for tests: the
// error names the pass that broke the program.
func OptimizeChecked(p *Program) error {
	var err error
	inWorkspace(func(w *workspace) {
		for _, s := range passes {
			if s.run(p, w); err == nil {
				if err = Verify(p); err != nil {
					err = fmt.Errorf("after pass %s: %w", s.name, err)
				}
			}
		}
	})
	return err
}
