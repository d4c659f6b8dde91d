package proof

import "strings"

// Side says whose results a piece of code decides.
type Side uint8

const (
	// Path is what users' pixels come from.
	Path Side = iota
	// Reference is the plain form of a rule that the engines are compared with.
	Reference
)

func (s Side) String() string {
	if s == Reference {
		return "reference"
	}
	return "path"
}

// sides are the folders and files that hold rules, the longest name that fits first.
// What stands once is on the users' path.
var sides = []struct {
	prefix string
	side   Side
}{
	{"internal/sampling/atomic.go", Path},    // no program does atomics,
	{"internal/sampling/buffer.go", Path},    // texel buffers,
	{"internal/sampling/explicit.go", Path},  // explicit reconstruction of chroma,
	{"internal/sampling/footprint.go", Path}, // footprints,
	{"internal/sampling/gatherlod.go", Path}, // gathers of a chosen level,
	{"internal/sampling/load.go", Path},      // samples of images that have several,
	{"internal/sampling/operand.go", Path},   // writes of integers of the other sign,
	{"internal/sampling/process.go", Path},   // weighted samples, boxes and block matching,
	{"internal/sampling/query.go", Path},     // queries,
	{"internal/sampling/run.go", Path},       // null descriptors, what lacks memory,
	{"internal/sampling/seams.go", Path},     // or corners of cubes
	{"internal/sampling/state.go", Path},     // plans of lowered instructions are made from it,
	{"internal/sampling/unit.go", Path},      // which is made here
	{"internal/sampling/validate", Path},
	{"internal/sampling/weights.go", Path}, // of CUBIC filters: plans make tables of them
	{"internal/sampling/", Reference},
	{"internal/fragops/advanced.go", Path}, // no program blends so
	{"internal/fragops/resolve.go", Path},  // resolves by command, and those but AVERAGE
	{"internal/fragops/", Reference},
	{"internal/", Path},
	{"driver/", Path},
}

// SideOf is the side of a file, named below the module's root; false where no rule is
// looked for: what reads citations has some as examples.
func SideOf(file string) (Side, bool) {
	if strings.HasPrefix(file, "internal/rules/") {
		return 0, false
	}
	for _, s := range sides {
		if strings.HasPrefix(file, s.prefix) {
			return s.side, true
		}
	}
	return 0, false
}
