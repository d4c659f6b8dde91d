package spirv_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/outside"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/internal/spirv"
	"github.com/pumice-gpu/pumice/internal/spirv/imagemodule"
)

// faulty says what is wrong with a module: it is refused, or a fault is found; "" where all is well.
func faulty(words []uint32) string {
	m, err := spirv.Parse(words)
	if err != nil {
		return err.Error()
	}
	for _, f := range m.ImageFaults(spirv.ImageRules{}) {
		return f.Rule + ": " + f.Detail
	}
	return ""
}

// The modules that rules of SPIR-V forbid are told of by their rules, and what differs from them in one thing is not.
func TestImageFaults_NamesRules(t *testing.T) {
	rules.Covers(t, "IMG-168", "IMG-169", "IMG-170", "IMG-171", "IMG-172", "IMG-173", "IMG-174", "IMG-177", "IMG-178", "IMG-179", "IMG-139")
	sample := imagemodule.Instruction{Op: spirv.OpImageSampleImplicitLod, Dim: spirv.Dim2D, Sampled: 1, Number: "float", Stage: spirv.ExecutionModelFragment}
	explicit, fetch, gather, read, write := sample, sample, sample, sample, sample
	explicit.Op, explicit.Mask = spirv.OpImageSampleExplicitLod, spirv.ImageOperandsLod
	fetch.Op, gather.Op = spirv.OpImageFetch, spirv.OpImageGather
	read.Op, read.Sampled, write.Op, write.Sampled = spirv.OpImageRead, 2, spirv.OpImageWrite, 2
	with := func(c imagemodule.Instruction, set func(c *imagemodule.Instruction)) imagemodule.Instruction {
		set(&c)
		return c
	}
	ms := func(c *imagemodule.Instruction) { c.MS = true }
	dim := func(d spirv.Dim) func(*imagemodule.Instruction) {
		return func(c *imagemodule.Instruction) { c.Dim = d }
	}
	mask := func(m spirv.ImageOperands) func(*imagemodule.Instruction) {
		return func(c *imagemodule.Instruction) { c.Mask = m }
	}
	twist := func(s string) func(*imagemodule.Instruction) {
		return func(c *imagemodule.Instruction) { c.Twist = s }
	}
	op := func(o spirv.Op) func(*imagemodule.Instruction) { return func(c *imagemodule.Instruction) { c.Op = o } }
	for _, x := range []struct {
		c    imagemodule.Instruction
		rule string // "" where nothing is wrong
	}{
		{sample, ""}, {explicit, ""}, {with(sample, func(c *imagemodule.Instruction) { c.Copied = true }), ""}, {fetch, ""}, {gather, ""}, {read, ""}, {write, ""},
		{with(gather, dim(spirv.Dim3D)), "IMG-174"}, {with(gather, dim(spirv.Dim1D)), "IMG-174"}, {with(gather, dim(spirv.DimCube)), ""},
		{with(fetch, dim(spirv.DimCube)), "IMG-174"}, {with(fetch, dim(spirv.DimBuffer)), ""},
		{with(sample, ms), "IMG-174"},
		{with(explicit, mask(spirv.ImageOperandsBias|spirv.ImageOperandsLod)), "IMG-172"}, {with(sample, mask(spirv.ImageOperandsBias)), ""},
		{with(sample, mask(spirv.ImageOperandsLod)), "IMG-172"}, {with(explicit, mask(spirv.ImageOperandsLod|spirv.ImageOperandsGrad)), "IMG-172"}, {with(explicit, mask(spirv.ImageOperandsGrad)), ""},
		{with(explicit, mask(spirv.ImageOperandsLod|spirv.ImageOperandsMinLod)), "IMG-172"}, {with(explicit, mask(spirv.ImageOperandsGrad|spirv.ImageOperandsMinLod)), ""}, {with(sample, mask(spirv.ImageOperandsMinLod)), ""},
		{with(fetch, ms), "IMG-173"}, {with(with(fetch, ms), mask(spirv.ImageOperandsSample)), ""}, {with(fetch, mask(spirv.ImageOperandsSample)), "IMG-173"}, {with(sample, mask(spirv.ImageOperandsSample)), "IMG-173"},
		{with(read, ms), "IMG-173"}, {with(write, ms), "IMG-173"},
		{with(sample, mask(spirv.ImageOperandsConstOffset|spirv.ImageOperandsOffset)), "IMG-170"}, {with(sample, mask(spirv.ImageOperandsConstOffsets)), "IMG-170"}, {with(gather, mask(spirv.ImageOperandsConstOffsets)), ""},
		{with(gather, mask(spirv.ImageOperandsConstOffset|spirv.ImageOperandsOffsets)), "IMG-170"}, {with(with(gather, dim(spirv.DimCube)), mask(spirv.ImageOperandsOffsets)), "IMG-170"}, {with(gather, mask(spirv.ImageOperandsOffsets)), ""},
		{with(with(explicit, mask(spirv.ImageOperandsGrad)), twist("gradient")), "IMG-168"}, {with(sample, op(spirv.OpImageSparseSampleImplicitLod)), ""}, {with(with(sample, op(spirv.OpImageSparseSampleImplicitLod)), twist("code")), "IMG-168"},
		{with(with(sample, dim(spirv.DimCube)), mask(spirv.ImageOperandsConstOffset)), "IMG-170"}, {with(sample, mask(spirv.ImageOperandsConstOffset)), ""},
		{with(sample, func(c *imagemodule.Instruction) { c.Stage = spirv.ExecutionModelGLCompute }), "IMG-177"}, {with(sample, func(c *imagemodule.Instruction) { c.Stage = spirv.ExecutionModelVertex }), "IMG-177"},
		{with(explicit, func(c *imagemodule.Instruction) { c.Stage = spirv.ExecutionModelGLCompute }), ""},
		{with(with(sample, op(spirv.OpImageQueryLod)), func(c *imagemodule.Instruction) { c.Stage = spirv.ExecutionModelVertex }), "IMG-177"},
		{with(sample, op(spirv.OpImageQuerySizeLod)), ""}, {with(with(sample, op(spirv.OpImageQuerySizeLod)), ms), "IMG-179"}, {with(read, op(spirv.OpImageQuerySizeLod)), "IMG-179"},
		{with(sample, op(spirv.OpImageQuerySize)), "IMG-179"}, {with(with(sample, op(spirv.OpImageQuerySize)), ms), ""}, {with(read, op(spirv.OpImageQuerySize)), ""}, {with(sample, op(spirv.OpImageQuerySamples)), "IMG-179"},
		{with(with(sample, op(spirv.OpImageQuerySamples)), ms), ""}, {with(read, op(spirv.OpImageQueryLevels)), "IMG-179"}, {with(sample, op(spirv.OpImageQueryLevels)), ""},
		{with(sample, func(c *imagemodule.Instruction) { c.Op, c.Dim = spirv.OpImageSampleProjImplicitLod, spirv.DimCube }), "IMG-171"}, {with(sample, func(c *imagemodule.Instruction) { c.Op, c.Arrayed = spirv.OpImageSampleProjImplicitLod, true }), "IMG-171"},
		{with(sample, op(spirv.OpImageSampleProjImplicitLod)), ""},
		{with(sample, func(c *imagemodule.Instruction) { c.Op, c.Dim = spirv.OpImageSampleDrefImplicitLod, spirv.Dim3D }), "IMG-139"}, {with(sample, op(spirv.OpImageSampleDrefImplicitLod)), ""},
		{with(read, func(c *imagemodule.Instruction) { c.Sampled = 1 }), "IMG-178"}, {with(sample, func(c *imagemodule.Instruction) { c.Twist = "short" }), "IMG-168"}, {with(sample, func(c *imagemodule.Instruction) { c.Twist = "kind" }), "IMG-168"},
		{with(sample, func(c *imagemodule.Instruction) { c.Twist = "result" }), "IMG-168"}, {with(fetch, func(c *imagemodule.Instruction) { c.Twist = "texel" }), "IMG-168"}, {with(write, func(c *imagemodule.Instruction) { c.Twist = "texel" }), "IMG-168"},
		{with(read, func(c *imagemodule.Instruction) { c.Format = spirv.ImageFormatR32ui }), "IMG-169"}, {with(read, func(c *imagemodule.Instruction) { c.Format = spirv.ImageFormatRgba8 }), ""},
		{with(read, func(c *imagemodule.Instruction) { c.Dim, c.Arrayed = spirv.DimSubpassData, true }), "IMG-169"}, {with(read, dim(spirv.DimSubpassData)), ""},
	} {
		m, err := spirv.Parse(x.c.Words())
		if err != nil {
			t.Errorf("%v: %v", x.c, err)
			continue
		}
		var told []string
		for _, f := range m.ImageFaults(spirv.ImageRules{}) {
			told = append(told, f.Rule)
		}
		switch {
		case x.rule == "" && len(told) > 0:
			t.Errorf("%v: told of %q", x.c, told)
		case x.rule != "" && !slices.Contains(told, x.rule):
			t.Errorf("%v: told of %q, want %s", x.c, told, x.rule)
		}
	}
}

// recordedImageVerdicts is what spirv-val says of imagemodule.Instructions: by instruction, a digit for each, in their order.
const recordedImageVerdicts = "testdata/image-verdicts.txt"

// onlyWeRefuse is what spirv-val lets pass, and SPIR-V or Vulkan does not.
var onlyWeRefuse = []string{
	"IMG-168: SignExtend or ZeroExtend of float32", // of writes; an operand for integers only
	"IMG-172: ",                      // an ExplicitLod instruction with a mask of no operands: one has to set the level
	"IMG-170: an offset on ",         // VUID-StandaloneSpirv-Offset-04865
	"IMG-168: the coordinate is int", // coordinates of samples: integers are for kernels
}

// agreesOnImage compares verdicts on a module; theirs is '1' where it is valid, '0' where not, and else none.
func agreesOnImage(t *testing.T, c imagemodule.Instruction, ours string, theirs byte) {
	t.Helper()
	switch {
	case ours == "" && theirs == '0':
		t.Errorf("%v: nothing is found, and spirv-val refuses it", c)
	case ours != "" && theirs == '1' && !slices.ContainsFunc(onlyWeRefuse, func(s string) bool { return strings.HasPrefix(ours, s) }):
		t.Errorf("%v: %s, and spirv-val takes it", c, ours)
	}
}

// Every image instruction with every dimension, layers, samples and operands: what spirv-val refuses is refused or told of.
func TestImageFaults_AgreeWithRecord(t *testing.T) {
	rules.Covers(t, "IMG-168", "IMG-169", "IMG-170", "IMG-172", "IMG-173", "IMG-174", "IMG-177", "IMG-179")
	r := outside.ReadRecord(t, recordedImageVerdicts)
	at, n := map[spirv.Op]int{}, 0
	for c := range imagemodule.All() {
		said, k := r.Values[c.Op.String()], at[c.Op]
		if at[c.Op]++; k >= len(said) {
			t.Fatalf("%v is not recorded; %s", c, outside.Anew)
		}
		if n++; testing.Short() && n%5 != 0 {
			continue
		}
		agreesOnImage(t, c, faulty(c.Words()), said[k])
	}
}
