package trace_test

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/explain"
	"github.com/pumice-gpu/pumice/internal/exec/trace"
)

// checkArithmetic computes instructions from the values that were told of their operands: what is told
// of each <id> is its value at that time. It counts what it has computed.
func checkArithmetic(t *testing.T, name string, c *trace.Collector, checked map[string]int) {
	t.Helper()
	known := map[string][]uint32{}
	s := c.Shader()
	for i := range s.Steps {
		in := &s.Steps[i]
		result, rest, ok := strings.Cut(in.Text, " = ")
		if !ok || in.Value.Bits == "" {
			continue
		}
		var value []uint32
		for w := range strings.FieldsSeq(in.Value.Bits) {
			x, err := strconv.ParseUint(w, 16, 32)
			if err != nil {
				t.Fatalf("%s: bits %q", name, in.Value.Bits)
			}
			value = append(value, uint32(x))
		}
		f := strings.Fields(rest)
		known[result] = value
		if len(f) < 3 || !word.MatchString(f[1]) || strings.Contains(in.Value.Text, "pointer") {
			delete(known, result)
			continue
		}
		want, ok := computed(f[0], f[2:], known, len(value))
		if !ok {
			continue
		}
		checked[f[0]]++
		for k := range want {
			if want[k] != value[k] && !(nan(want[k]) && nan(value[k])) {
				t.Errorf("%s: %s is %08x, its operands give %08x", name, in.Text, value, want)
				break
			}
		}
	}
}

// word is the name of a type of words of 32 bits, or of vectors of such.
var word = regexp.MustCompile(`^%(v\d)?(float|int|uint)$`)

func nan(w uint32) bool { f := math.Float32frombits(w); return f != f }

// computed is the value of an instruction whose operands are words of 32 bits.
func computed(op string, ids []string, known map[string][]uint32, n int) ([]uint32, bool) {
	if op == "OpCompositeExtract" {
		from, k := known[ids[0]], 0
		if len(ids) != 2 || n != 1 {
			return nil, false
		}
		k, _ = strconv.Atoi(ids[1])
		if k >= len(from) || len(from) > 4 {
			return nil, false
		}
		return from[k : k+1], true
	}
	var x [3][]uint32
	for i, id := range ids[:min(len(ids), 3)] {
		if x[i] = known[id]; x[i] == nil {
			return nil, false
		}
	}
	f := func(i, k int) float32 { return math.Float32frombits(x[i][k]) }
	one := func(k int) (uint32, bool) {
		switch op {
		case "OpFAdd":
			return math.Float32bits(f(0, k) + f(1, k)), true
		case "OpFSub":
			return math.Float32bits(f(0, k) - f(1, k)), true
		case "OpFMul":
			return math.Float32bits(f(0, k) * f(1, k)), true
		case "OpVectorTimesScalar":
			return math.Float32bits(f(0, k) * f(1, 0)), true
		case "OpIAdd":
			return x[0][k] + x[1][k], true
		case "OpISub":
			return x[0][k] - x[1][k], true
		case "OpIMul":
			return x[0][k] * x[1][k], true
		case "OpBitwiseXor":
			return x[0][k] ^ x[1][k], true
		}
		return 0, false
	}
	var out []uint32
	for k := range n {
		if len(x[0]) != n || op != "OpVectorTimesScalar" && len(x[1]) != n {
			return nil, false
		}
		w, ok := one(k)
		if !ok {
			return nil, false
		}
		out = append(out, w)
	}
	return out, true
}

// checkWeights sums the texels of a sample by their weights, which is the result, up to its rounding; comparisons are
// sums of other values.
func checkWeights(t *testing.T, name string, im *explain.Image) {
	t.Helper()
	kind, _, _ := strings.Cut(im.Instruction, "(")
	if kind != "texture" && kind != "textureLod" && kind != "textureGrad" || len(im.Texels) == 0 {
		return
	}
	result, sum, weights, largest := floats(im.Result), [4]float64{}, 0.0, 0.0
	for _, x := range im.Texels {
		weights += x.Weight
		for c, f := range floats(x.Value) {
			sum[c] += x.Weight * f
			largest = max(largest, math.Abs(f))
		}
	}
	if math.Abs(weights-1) > 1e-9 {
		t.Errorf("%s: %s: the weights are %g together", name, im.Instruction, weights)
	}
	if len(result) != 4 || len(im.Texels) == 1 { // which may be an integer
		return
	}
	for c := range result {
		if d := math.Abs(result[c] - sum[c]); d > 1e-6*largest {
			t.Errorf("%s: %s: component %d is %g, its texels give %g", name, im.Instruction, c, result[c], sum[c])
		}
	}
}

// floats reads the bits of a value.
func floats(v explain.Value) (list []float64) {
	for w := range strings.FieldsSeq(v.Bits) {
		x, _ := strconv.ParseUint(w, 16, 32)
		list = append(list, float64(math.Float32frombits(uint32(x))))
	}
	return list
}
