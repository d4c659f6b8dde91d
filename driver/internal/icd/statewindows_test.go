package icd

import (
	"fmt"
	"testing"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/core"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// attachedRate is a rate attachment of one texel that holds a code, for 8×8 pixels or, where the code
// is of 4 pixels in a direction, for 32×32: more than the driver's limit says, and drawn.
func (s *stateScene) attachedRate(code uint32) unsafe.Pointer {
	f := s.f
	im, v := s.image(vk.FormatR8Uint, vk.ImageAspectColorBit, vk.ImageUsageFragmentShadingRateAttachmentBitKHR|vk.ImageUsageTransferDstBit)
	cb := f.begin()
	var value abi.ClearColorValue
	value.Uint32()[0] = code
	record(f, cb, abi.OpCmdClearColorImage, &abi.CmdClearColorImage{Image: im, PColor: &value, RangeCount: 1,
		PRanges: &vk.ImageSubresourceRange{AspectMask: vk.ImageAspectColorBit, LevelCount: 1, LayerCount: 1}})
	f.run(cb)
	size := uint32(8)
	if code&0b1010 != 0 {
		size = core.MaxRateTexel
	}
	info := &abi.RenderingFragmentShadingRateAttachmentInfoKHR{ImageView: v, ShadingRateAttachmentTexelSize: vk.Extent2D{Width: size, Height: size}}
	info.SType = info.StructureType()
	return unsafe.Pointer(info)
}

// combined is a combiner on one axis, of sizes; results are clamped to 4.
func combined(op vk.FragmentShadingRateCombinerOpKHR, a, b uint32) uint32 {
	return [5]uint32{vk.FragmentShadingRateCombinerOpKeepKHR: a, vk.FragmentShadingRateCombinerOpReplaceKHR: b, vk.FragmentShadingRateCombinerOpMinKHR: min(a, b),
		vk.FragmentShadingRateCombinerOpMaxKHR: max(a, b), vk.FragmentShadingRateCombinerOpMulKHR: min(a*b, 4)}[op]
}

// Rates of a pipeline, a primitive and an attachment: each pair of combiners, by the pipeline and by a command.
func TestStates_RAS144_Combiners(t *testing.T) {
	rules.Covers(t, "RAS-139", "RAS-144", "RAS-145", "RAS-147", "RAS-149")
	f := newTest(t)
	code := func(size [2]uint32) uint32 { return size[0]/2<<2 | size[1]/2 } // of 1, 2 and 4
	for i, sizes := range [][3][2]uint32{{{2, 1}, {1, 4}, {2, 2}}, {{1, 2}, {4, 2}, {2, 1}}, {{4, 4}, {2, 1}, {1, 2}}, {{2, 2}, {2, 2}, {4, 1}}} {
		rates := newStates(f).attachedRate(code(sizes[2]))
		for first := range vk.FragmentShadingRateCombinerOpKHR(5) {
			for second := range vk.FragmentShadingRateCombinerOpKHR(5) {
				if testing.Short() && (int(first)+int(second)+i)%3 != 0 {
					continue
				}
				var want [2]uint32
				for axis := range want {
					want[axis] = combined(second, combined(first, sizes[0][axis], sizes[1][axis]), sizes[2][axis])
				}
				ops := [2]vk.FragmentShadingRateCombinerOpKHR{first, second}
				size := vk.Extent2D{Width: sizes[0][0], Height: sizes[0][1]}
				for _, dynamic := range []bool{false, true} {
					s := newStates(f)
					s.shaders, s.rates = [2][]byte{ratesVertex, ratesFragment}, rates
					rate := abi.PipelineFragmentShadingRateStateCreateInfoKHR{FragmentSize: size, CombinerOps: ops}
					var set func(abi.CommandBuffer)
					if dynamic {
						rate.FragmentSize, rate.CombinerOps = vk.Extent2D{Width: 1, Height: 1}, [2]vk.FragmentShadingRateCombinerOpKHR{}
						s.dynamic = []vk.DynamicState{vk.DynamicStateFragmentShadingRateKHR}
						set = func(cb abi.CommandBuffer) {
							record(f, cb, abi.OpCmdSetFragmentShadingRateKHR, &abi.CmdSetFragmentShadingRateKHR{PFragmentSize: &size, CombinerOps: ops})
						}
					}
					rate.SType = rate.StructureType()
					s.next = unsafe.Pointer(&rate)
					got := s.run(set, [2]uint32{0, code(sizes[1])})
					centre := [4]float32{float32(want[0]) / 2, float32(want[1]) / 2, 0, 1}
					if seen := got.color[0][0][0]; seen != float32([5]uint32{1: 0, 2: 1, 4: 2}[want[0]]<<2|[5]uint32{1: 0, 2: 1, 4: 2}[want[1]]) || got.color[1][0] != centre {
						t.Errorf("%v, combined by %v, by a command %v: code %v, centre %v; want %v", sizes, ops, dynamic, seen, got.color[1][0], want)
					}
				}
			}
		}
	}
}

// With enums, codes from 11 on are no sizes: several invocations of a fragment of one pixel, which has one sample here, and none.
func TestStates_RAS155_Enums(t *testing.T) {
	rules.Covers(t, "RAS-153", "RAS-155")
	f := newTest(t)
	enums := &abi.PhysicalDeviceFragmentShadingRateEnumsFeaturesNV{FragmentShadingRateEnums: 1, SupersampleFragmentShadingRates: 1, NoInvocationFragmentShadingRates: 1}
	enums.SType = enums.StructureType()
	features := coreFeatures()
	features.SparseBinding = 0
	first, second := f.device, f.openChain(&features, unsafe.Pointer(enums))
	f.device = second
	defer func() {
		call(f, abi.OpDestroyDevice, &abi.DestroyDeviceArgs{Device: second})
		f.device = first
	}()
	for code, size := range [16][2]float32{{1, 1}, {1, 2}, {1, 4}, {1, 4}, {2, 1}, {2, 2}, {2, 4}, {2, 4}, {4, 1}, {4, 2}, {4, 4}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, {}} {
		for _, attached := range []bool{false, true} {
			s := newStates(f)
			s.shaders = [2][]byte{ratesVertex, ratesFragment}
			rate := abi.PipelineFragmentShadingRateStateCreateInfoKHR{FragmentSize: vk.Extent2D{Width: 1, Height: 1}}
			rate.SType = rate.StructureType()
			s.next = unsafe.Pointer(&rate)
			draw := [2]uint32{0, uint32(code)}
			rate.CombinerOps[0] = vk.FragmentShadingRateCombinerOpReplaceKHR
			if attached {
				draw[1] = 0
				rate.CombinerOps = [2]vk.FragmentShadingRateCombinerOpKHR{vk.FragmentShadingRateCombinerOpKeepKHR, vk.FragmentShadingRateCombinerOpReplaceKHR}
				s.rates = s.attachedRate(uint32(code))
			}
			want := [4]float32{size[0] / 2, size[1] / 2, 0, 1}
			if size[0] == 0 {
				want = [4]float32{}
			}
			if got := s.run(nil, draw); got.color[1][0] != want {
				t.Errorf("code %d, of an attachment %v: %v, want %v", code, attached, got.color[1][0], want)
			}
		}
	}
}

// What viewports have of their own besides: exclusive scissors, and swizzles, of pipelines and by commands that begin with any.
func TestStates_RAS308_OfEachViewport(t *testing.T) {
	rules.Covers(t, "RAS-073", "RAS-306", "RAS-308")
	f := newTest(t)
	all := vk.Viewport{Width: stateWidth, Height: stateHeight, MaxDepth: 1}
	viewports, scissors := [3]vk.Viewport{all, all, all}, [3]vk.Rect2D{stateArea, stateArea, stateArea}
	rect := func(x, y int32, w, h uint32) vk.Rect2D {
		return vk.Rect2D{Offset: vk.Offset2D{X: x, Y: y}, Extent: vk.Extent2D{Width: w, Height: h}}
	}
	exclusive := [3]vk.Rect2D{rect(0, 0, 3, 2), rect(5, 1, 2, 3), rect(2, 3, 6, 1)}
	in := func(r vk.Rect2D, i int) bool {
		x, y := int32(i%stateWidth), int32(i/stateWidth)
		return x >= r.Offset.X && x < r.Offset.X+int32(r.Extent.Width) && y >= r.Offset.Y && y < r.Offset.Y+int32(r.Extent.Height)
	}
	check := func(what string, got *drawn, inside func(i int) bool) {
		t.Helper()
		for i := range statePixels {
			if drawn := got.color[1][i][3] == 1; drawn != inside(i) {
				t.Errorf("%s: pixel (%d, %d) is drawn: %v", what, i%stateWidth, i/stateWidth, drawn)
				return
			}
		}
	}
	scene := func() *stateScene {
		s := newStates(f)
		s.viewport = abi.PipelineViewportStateCreateInfo{ViewportCount: 3, PViewports: &viewports[0], ScissorCount: 3, PScissors: &scissors[0]}
		return s
	}
	for instance := range 3 {
		draw := [2]uint32{0, uint32(instance)}
		outside := func(i int) bool { return !in(exclusive[instance], i) }
		s := scene()
		state := abi.PipelineViewportExclusiveScissorStateCreateInfoNV{ExclusiveScissorCount: 3, PExclusiveScissors: &exclusive[0]}
		state.SType = state.StructureType()
		s.viewport.PNext = unsafe.Pointer(&state)
		check(fmt.Sprintf("exclusive scissor %d", instance), s.run(nil, draw), outside)
		s = scene()
		s.dynamic = []vk.DynamicState{vk.DynamicStateExclusiveScissorNV, vk.DynamicStateExclusiveScissorEnableNV}
		on, off := abi.Bool32(1), [2]abi.Bool32{}
		set := func(cb abi.CommandBuffer) {
			record(f, cb, abi.OpCmdSetExclusiveScissorNV, &abi.CmdSetExclusiveScissorNV{FirstExclusiveScissor: 1, ExclusiveScissorCount: 2, PExclusiveScissors: &exclusive[1]})
			record(f, cb, abi.OpCmdSetExclusiveScissorNV, &abi.CmdSetExclusiveScissorNV{ExclusiveScissorCount: 1, PExclusiveScissors: &exclusive[0]})
			record(f, cb, abi.OpCmdSetExclusiveScissorEnableNV, &abi.CmdSetExclusiveScissorEnableNV{ExclusiveScissorCount: 2, PExclusiveScissorEnables: &off[0]})
			record(f, cb, abi.OpCmdSetExclusiveScissorEnableNV, &abi.CmdSetExclusiveScissorEnableNV{FirstExclusiveScissor: 2, ExclusiveScissorCount: 1, PExclusiveScissorEnables: &on})
		}
		check(fmt.Sprintf("exclusive scissor %d by commands, of which the last is on", instance), s.run(set, draw), func(i int) bool { return instance < 2 || outside(i) })

		// A mirrored triangle has its other face in front.
		swizzles := [3]vk.ViewportSwizzleNV{{X: 0, Y: 2, Z: 4, W: 6}, {X: 0, Y: 3, Z: 4, W: 6}, {X: 1, Y: 3, Z: 4, W: 6}}
		turned := instance == 1
		s = scene()
		s.raster.CullMode = vk.CullModeBackBit
		swizzle := abi.PipelineViewportSwizzleStateCreateInfoNV{ViewportCount: 3, PViewportSwizzles: &swizzles[0]}
		swizzle.SType = swizzle.StructureType()
		s.viewport.PNext = unsafe.Pointer(&swizzle)
		check(fmt.Sprintf("swizzle %d", instance), s.run(nil, draw), func(int) bool { return !turned })
		s.viewport.PNext = nil
		s.dynamic = []vk.DynamicState{vk.DynamicStateViewportSwizzleNV}
		check(fmt.Sprintf("swizzle %d by commands", instance), s.run(func(cb abi.CommandBuffer) {
			record(f, cb, abi.OpCmdSetViewportSwizzleNV, &abi.CmdSetViewportSwizzleNV{ViewportCount: 1, PViewportSwizzles: &swizzles[0]})
			record(f, cb, abi.OpCmdSetViewportSwizzleNV, &abi.CmdSetViewportSwizzleNV{FirstViewport: 1, ViewportCount: 2, PViewportSwizzles: &swizzles[1]})
		}, draw), func(int) bool { return !turned })
	}
	// Discard rectangles are those of the draw, whatever its viewport: as many as there may be, of which the first and the last have pixels.
	const last = 15
	rectangles := [last + 1]vk.Rect2D{0: rect(1, 1, 2, 2), last: rect(4, 0, 3, 4)}
	for _, mode := range []vk.DiscardRectangleModeEXT{vk.DiscardRectangleModeInclusiveEXT, vk.DiscardRectangleModeExclusiveEXT} {
		s := newStates(f)
		state := abi.PipelineDiscardRectangleStateCreateInfoEXT{DiscardRectangleMode: mode, DiscardRectangleCount: last + 1, PDiscardRectangles: &rectangles[0]}
		state.SType = state.StructureType()
		s.next = unsafe.Pointer(&state)
		inside := func(i int) bool {
			return (in(rectangles[0], i) || in(rectangles[last], i)) == (mode == vk.DiscardRectangleModeInclusiveEXT)
		}
		check(fmt.Sprint(mode), s.run(nil, [2]uint32{}), inside)
		state.PDiscardRectangles = nil
		s.dynamic = []vk.DynamicState{vk.DynamicStateDiscardRectangleEXT}
		check(fmt.Sprint(mode, " by commands"), s.run(func(cb abi.CommandBuffer) {
			record(f, cb, abi.OpCmdSetDiscardRectangleEXT, &abi.CmdSetDiscardRectangleEXT{FirstDiscardRectangle: 1, DiscardRectangleCount: last, PDiscardRectangles: &rectangles[1]})
			record(f, cb, abi.OpCmdSetDiscardRectangleEXT, &abi.CmdSetDiscardRectangleEXT{DiscardRectangleCount: 1, PDiscardRectangles: &rectangles[0]})
		}, [2]uint32{}), inside)
	}
}
