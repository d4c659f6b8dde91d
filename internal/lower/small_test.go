package lower_test

import (
	"math"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/exec/vm"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/lower"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

func TestIntegerDot_PackedVectorAccSat_RotateExpect(t *testing.T) {
	in := make([]uint32, lanes)
	for i := range in {
		in[i] = uint32(i)*0x9E3779B9 ^ 0x80FF7F01
	}
	in[2], in[3] = 0x80808080, 0x80808080 // accumulators reach both limits
	in[4], in[5] = 0x7FFFFFFF, 0x000000FF
	names := []string{"sdot", "udot", "sudot", "sdot sat", "udot sat", "sudot sat", "vector", "rotate", "rotate cluster"}
	got := runCompute(t, "dot.spvasm", lower.Options{}, in, lanes*9)
	check(t, got, 9, names, func(lane uint32) []uint32 {
		x, y := in[lane], in[lane^1]
		var s, u, su int64
		for k := range 4 {
			a, b := x>>(8*k), y>>(8*k)
			s += int64(int8(a)) * int64(int8(b))
			u += int64(uint8(a)) * int64(uint8(b))
			su += int64(int8(a)) * int64(uint8(b))
		}
		acc := x ^ y
		sat := func(v int64) uint32 {
			return uint32(int32(min(max(v+int64(int32(acc)), math.MinInt32), math.MaxInt32)))
		}
		base := lane &^ 7
		return []uint32{uint32(s), uint32(u), uint32(su), sat(s), uint32(min(uint64(u)+uint64(acc), math.MaxUint32)), sat(su),
			x*y + y*3, in[base|(lane+1)&7], in[lane&^1|(lane+3)&1]}
	})
}

func TestSharedMemory_ExplicitLayoutAliases_DescriptorArraysOfArrays(t *testing.T) {
	in := make([]uint32, lanes)
	var grid [][]byte
	for i := range in {
		in[i] = uint32(i*i + 3)
	}
	for i := range uint32(6) {
		grid = append(grid, word(10+i))
	}
	for _, form := range forms {
		got := runCompute(t, "small.comp"+form, lower.Options{}, in, lanes*4, grid...)
		check(t, got, 4, []string{"aliased block", "grid", "end", "lengths"}, func(lane uint32) []uint32 {
			x := in[lane]
			return []uint32{in[32+lane&31] + 7, 15*100 + 10 + 3*(x&1) + lane%3, in[63], 23}
		})
		got = runCompute(t, "zero.comp"+form, lower.Options{}, in, lanes)
		check(t, got, 1, nil, func(uint32) []uint32 { return []uint32{9} })
	}
}

// Float controls, the Vulkan memory model, bytes in workgroup and uniform
// blocks, and a product of byte vectors.
func TestModes_FloatControlsMemoryModelBytes(t *testing.T) {
	in := make([]uint32, lanes)
	in[0] = 0xFB000000 // -5 at offset 3
	got := runCompute(t, "modes.spvasm", lower.Options{}, in, lanes)
	check(t, got, 1, nil, func(lane uint32) []uint32 {
		dot := lane*(lane^1) + 9 + 4 + 25
		return []uint32{uint32(float32(float32(dot)*1.5)+1.5) + 5}
	})
}

type offsets struct{}

func (offsets) InterpolateAt(slot, lane int, dx, dy float32) uint32 {
	return math.Float32bits(float32(slot*1000+lane) + dx*10 + dy)
}
func (offsets) SampleOffset(int, uint32) (dx, dy float32) { return 0.5, 0.5 }
func (offsets) CentroidOffset(int) (dx, dy float32)       { return 0.125, 0 }

func TestFragment_InterpolateDynamic_BlockArrays_SparseDemoteTerminate(t *testing.T) {
	p := compile(t, "small.frag", lower.Options{})
	if !p.Demotes {
		t.Error("the program does not demote")
	}
	for _, optimize := range []bool{false, true} {
		if optimize {
			ir.Optimize(p)
		}
		r, err := vm.New(vm.Options{}).Compile(p)
		if err != nil {
			t.Fatal(err)
		}
		const n = 16
		b := &exec.Batch{N: n, Interp: offsets{}, Live: make([]uint32, n)}
		slot := map[uint32]int{}
		for s, io := range p.Inputs {
			lane := make([]uint32, n)
			slot[io.Location*4+io.Component] = s
			for i := range lane {
				b.Live[i] = ^uint32(0)
				lane[i] = math.Float32bits(float32(io.Location) + float32(i)*0.5)
				if io.Type == ir.I32 {
					lane[i] = uint32(i)
					if io.Interp != ir.Flat {
						t.Errorf("slot %d is not flat", s)
					}
				}
			}
			b.In = append(b.In, lane)
		}
		for range p.Outputs {
			b.Out = append(b.Out, make([]uint32, n))
		}
		if err := r.NewThread(n).Run(&exec.Context{Resources: make([][]exec.Descriptor, 1)}, b); err != nil {
			t.Fatal(err)
		}
		for i := range n {
			gone := i >= 7 && i <= 9
			if gone != (b.Live[i] == 0) {
				t.Errorf("lane %d: live %#x", i, b.Live[i])
			}
			if gone && i != 9 { // terminated: what it writes does not matter
				continue
			}
			at := float32(slot[uint32(i%3)*4]*1000 + i)
			v := func(location int) float32 { return float32(location) + float32(i)*0.5 }
			helper := float32(0)
			if gone {
				helper = 1
			}
			want := []float32{at + 1.25, at + 2.5 - 0.5, v(7) + v(5+2*(i&1)), float32(i), 0, 0, 1, helper}
			for k, w := range want {
				if got := math.Float32frombits(b.Out[k][i]); got != w {
					t.Errorf("optimized %v, lane %d, output %d: %g, want %g", optimize, i, k, got, w)
				}
			}
		}
	}
}

// The rule's error names the rule: the origin is always the upper left.
func TestOriginLowerLeft_IsRefused(t *testing.T) {
	m := module(t, "basic.frag")
	for i, w := range m.Words {
		if w == uint32(spirv.ExecutionModeOriginUpperLeft) && m.Words[i-2]&0xFFFF == uint32(spirv.OpExecutionMode) {
			m.Words[i] = uint32(spirv.ExecutionModeOriginLowerLeft)
		}
	}
	changed, err := spirv.Parse(m.Words)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := lower.Compile(changed, "main", lower.Options{}); err == nil || !strings.Contains(err.Error(), "VUID-StandaloneSpirv-OriginLowerLeft-04653") {
		t.Errorf("error %v", err)
	}
}
