package lower_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/lower"
)

func TestControlFlow_AssembledOddities(t *testing.T) {
	in := make([]uint32, lanes)
	for i := range in {
		in[i] = uint32(i * 11 % 17)
	}
	names := []string{"one-block loop", "merge is continue target", "default falls", "arm returns", "array length"}
	got := runCompute(t, "oddflow.spvasm", lower.Options{}, in, lanes*5)
	check(t, got, 5, names, func(lane uint32) []uint32 {
		x := in[lane]
		if x%5 == 0 {
			return []uint32{7, 0, 0, 0, 0}
		}
		k, s := uint32(0), uint32(1)
		for k+1 < x {
			k, s = k+1, k
		}
		r1 := k + 1 + s
		s = 0
		k = 0
		for ; k <= x && k <= 10; k++ {
			if k&1 == 0 {
				s += k
			}
		}
		r2 := s + 3*k
		r3 := map[uint32]uint32{1: 7 + x, 2: 3, 3: 10, 4: 100 + x}[x%5]
		return []uint32{r1, r2, r3, x + 100, lanes*5 + x}
	})
}

func TestCompile_UnsupportedErrors(t *testing.T) {
	for _, c := range []struct {
		module, want string
		line         uint32
	}{
		{"unsupported.spvasm", "2 scalars for a result", 42},
		{"hostile_calls.vert", "larger than", 0},
	} {
		_, err := lower.Compile(module(t, c.module), "main", lower.Options{})
		var u *lower.UnsupportedError
		if !errors.As(err, &u) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v; want one that says %q", c.module, err, c.want)
			continue
		}
		if u.WordOffset == 0 || u.Line != c.line {
			t.Errorf("%s: word %d, line %d: %v", c.module, u.WordOffset, u.Line, err)
		}
	}
	if _, err := lower.Compile(module(t, "basic.frag"), "nothing", lower.Options{}); err == nil {
		t.Error("an entry point that does not exist compiles")
	}
}

// An input attachment is read at the fragment's own pixel and layer.
func TestCompile_InputAttachment(t *testing.T) {
	p, err := lower.Compile(module(t, "subpass.frag"), "main", lower.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Resources) != 1 || p.Resources[0].Kind != ir.InputAttachment || len(p.ImageOps) == 0 {
		t.Fatalf("resources %+v, %d image operations", p.Resources, len(p.ImageOps))
	}
	if op := p.ImageOps[0]; op.Kind != ir.ImageFetch || op.Dim != ir.Dim2D || !op.Arrayed || op.Coords != 3 {
		t.Errorf("the read is %+v", op)
	}
	seen := map[ir.Builtin]int{}
	for _, io := range p.Inputs {
		seen[io.Builtin]++
	}
	if seen[ir.BuiltinFragCoord] != 2 || seen[ir.BuiltinLayer] != 1 {
		t.Errorf("inputs %+v", p.Inputs)
	}
}
