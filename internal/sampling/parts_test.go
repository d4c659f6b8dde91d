package sampling

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// IMG-670: samplers of image processing are plain ones; each thing that they can't be, alone.
func TestProcess_IMG670_Samplers(t *testing.T) {
	rules.Covers(t, "IMG-670", "IMG-180")
	plain := resource.Sampler{ImageProcessing: true, AddressModeU: edge, AddressModeV: border, BorderColor: vk.BorderColorFloatTransparentBlack}
	for vuid, bad := range map[string][]func(*resource.Sampler){
		"":      {func(*resource.Sampler) {}, func(s *resource.Sampler) { s.AddressModeU, s.AddressModeV = border, edge }, func(s *resource.Sampler) { s.AddressModeW = repeat }},
		"06964": {func(s *resource.Sampler) { s.MinFilter = linear }, func(s *resource.Sampler) { s.MagFilter = linear }},
		"06965": {func(s *resource.Sampler) { s.MipmapMode = vk.SamplerMipmapModeLinear }},
		"06966": {func(s *resource.Sampler) { s.MaxLod = 1 }, func(s *resource.Sampler) { s.MinLod, s.MaxLod = -1, 0 }},
		"06967": {func(s *resource.Sampler) { s.AddressModeU = repeat }, func(s *resource.Sampler) { s.AddressModeV = mirrored }},
		"06968": {func(s *resource.Sampler) { s.BorderColor = vk.BorderColorFloatOpaqueWhite }, func(s *resource.Sampler) {
			s.AddressModeU, s.AddressModeV, s.BorderColor = border, edge, vk.BorderColorFloatOpaqueBlack
		}},
		"06969": {func(s *resource.Sampler) { s.AnisotropyEnable, s.MaxAnisotropy = true, 2 }},
		"06970": {func(s *resource.Sampler) { s.CompareEnable = true }},
	} {
		for i, change := range bad {
			s := plain
			change(&s)
			_, err := resource.NewSampler(s)
			if (err != nil) != (vuid != "") || err != nil && !strings.Contains(err.Error(), vuid) {
				t.Errorf("%s, %d: %v", vuid, i, err)
			}
		}
	}
	white := plain
	white.AddressModeV, white.BorderColor = edge, vk.BorderColorFloatOpaqueWhite // which nothing sees
	if _, err := resource.NewSampler(white); err != nil {
		t.Error(err)
	}
}

// IMG-673: target and reference each in their own format. IMG-651: each coordinate wraps by its own mode.
func TestProcess_FormatsAndModes(t *testing.T) {
	rules.Covers(t, "IMG-651", "IMG-673", "IMG-650", "IMG-072")
	target := newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR8Unorm, Extent: extent(2, 2, 1)})
	l := target.Level(0, 0, 0)
	for i, x := range []byte{0, 51, 102, 255} {
		l.Data[l.Offset(i%2, i/2, 0, 0)] = x
	}
	x := lane1{op: ir.ImageOp{Kind: ir.ImageBlockMatch, Dim: ir.Dim2D, SAD: true}, icoord: []int32{0, 0}}
	if got := x.process(floats2D(t, 2, 2, 1, 1, 1, 1), newView(t, target, resource.ViewDesc{}), processSampler(t, edge, true, average), []uint32{0, 0}, []uint32{2, 2})[0]; got != float32(1+.8+.6) {
		t.Errorf("differences of two formats: %v, want 2.4", got)
	}
	// Three taps of 1, around texel 1 of the first column: the one left of it is the edge's or the border's.
	v := floats2D(t, 2, 3, 1, 2, 4, 8, 16, 32)
	for _, row := range []bool{true, false} {
		info := resource.WeightImage{CenterX: 1, CenterY: 0, Width: 3, Height: 1, Phases: 1}
		at, w, h := []float32{0.5, 1.5}, uint32(3), uint32(1)
		if !row {
			info, at, w, h = resource.WeightImage{CenterX: 0, CenterY: 1, Width: 1, Height: 3, Phases: 1}, []float32{1.5, 0.5}, 1, 3
		}
		kernel := weightView(t, vk.ImageViewType2DArray, w, h, 1, info, func(x, y, _ int) float32 { return []float32{1, 10, 100}[x+y] })
		for u, modeU := range []vk.SamplerAddressMode{edge, border} {
			for v2, modeV := range []vk.SamplerAddressMode{edge, border} {
				s := newSampler(t, resource.Sampler{AddressModeU: modeU, AddressModeV: modeV, UnnormalizedCoordinates: true, ImageProcessing: true})
				// Row 1 is 4, 8; column 1 is 2, 8, 32.
				want, outside := float32(40+800), float32(4*(1-u))
				if !row {
					want, outside = 20+800, float32(2*(1-v2))
				}
				if got := (lane1{op: ir.ImageOp{Kind: ir.ImageWeighted, Dim: ir.Dim2D}, coord: at}).process(kernel, v, s, nil, nil)[0]; got != want+outside {
					t.Errorf("row %v, %v and %v: %v, want %v", row, modeU, modeV, got, want+outside)
				}
			}
		}
	}
}

// One texel a lane, by NEAREST filters: its group of 2×2, in a window of 8×8 groups, is the mask's only bit.
func TestFootprint_Batches(t *testing.T) {
	rules.Covers(t, "IMG-630", "IMG-631", "IMG-632", "IMG-633", "IMG-634", "IMG-636", "IMG-639")
	im := newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR8Unorm, Extent: extent(64, 64, 1), MipLevels: 2})
	v, s := newView(t, im, resource.ViewDesc{}), newSampler(t, resource.Sampler{})
	at := func(lane int) (x, y int) { return lane * 5 % 64, lane * 11 % 64 }
	for part, want := range map[ir.FootprintPart]func(x, y int) [4]uint32{
		ir.FootprintAnchor: func(x, y int) [4]uint32 { return [4]uint32{uint32(x / 16), uint32(y / 16), 0, 1} },
		ir.FootprintOffset: func(x, y int) [4]uint32 { return [4]uint32{} },
		ir.FootprintMask: func(x, y int) (w [4]uint32) {
			bit := x/2%8 + y/2%8*8
			w[bit/32] = 1 << (bit % 32)
			return w
		},
	} {
		for results := 1; results <= 4; results++ {
			a := &Args{Op: &ir.ImageOp{Kind: ir.ImageFootprint, Dim: ir.Dim2D, Lod: ir.LodExplicit, Granularity: 1, Part: part, Results: results}}
			for lane := range batch {
				x, y := at(lane)
				a.Coord[0] = append(a.Coord[0], one((float32(x) + .5) / 64)[0])
				a.Coord[1] = append(a.Coord[1], one((float32(y) + .5) / 64)[0])
				a.Mask, a.Lod = append(a.Mask, uint32(btoi(most(lane)))), append(a.Lod, 0)
			}
			for c := range results {
				a.Out[c] = make([]uint32, batch)
				for lane := range a.Out[c] {
					a.Out[c][lane] = untouched
				}
			}
			both(a, v, s, batch)
			for c := range results {
				for lane, got := range a.Out[c] {
					w := uint32(untouched)
					if most(lane) {
						x, y := at(lane)
						w = want(x, y)[c]
					}
					if got != w {
						t.Fatalf("part %d, component %d of lane %d: %#x, want %#x", part, c, lane, got, w)
					}
				}
			}
		}
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// IMG-605: sizes of views of blocks as texels, and of slices as layers.
func TestQueries_IMG605_BlocksAndSlices(t *testing.T) {
	rules.Covers(t, "IMG-605", "IMG-888")
	blocks := newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatBc1RgbUnormBlock, Extent: extent(30, 13, 1), MipLevels: 2,
		Flags: vk.ImageCreateMutableFormatBit | vk.ImageCreateBlockTexelViewCompatibleBit})
	volume := newImage(t, resource.ImageDesc{Type: vk.ImageType3D, Format: vk.FormatR32Sfloat, Extent: extent(8, 4, 6), Flags: vk.ImageCreate2DArrayCompatibleBit | vk.ImageCreate2DViewCompatibleBitEXT})
	l := volume.Level(0, 0, 0)
	for z := range 6 {
		binary.LittleEndian.PutUint32(l.Data[l.Offset(1, 2, z, 0):], one(float32(z + 1))[0])
	}
	level := func(n uint32) vk.ImageSubresourceRange {
		return vk.ImageSubresourceRange{BaseMipLevel: n, LevelCount: 1}
	}
	slices := newView(t, volume, resource.ViewDesc{Type: viewType(vk.ImageViewType2DArray), Range: vk.ImageSubresourceRange{BaseArrayLayer: 1, LayerCount: 4}})
	for _, c := range []struct {
		name string
		op   ir.ImageOp
		v    *resource.ImageView
		want [3]uint32
	}{
		{"blocks", ir.ImageOp{Dim: ir.Dim2D}, newView(t, blocks, resource.ViewDesc{Format: vk.FormatR32G32Uint, Range: level(0)}), [3]uint32{8, 4, 0}},
		{"blocks of level 1", ir.ImageOp{Dim: ir.Dim2D}, newView(t, blocks, resource.ViewDesc{Format: vk.FormatR32G32Uint, Range: level(1)}), [3]uint32{4, 2, 0}},
		{"slices", ir.ImageOp{Dim: ir.Dim2D, Arrayed: true}, slices, [3]uint32{8, 4, 4}},
	} {
		c.op.Kind = ir.ImageQuerySize
		if got := (lane1{op: c.op}).run(c.v, nil); [3]uint32(got[:3]) != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	for layer := range 4 {
		x := lane1{op: ir.ImageOp{Kind: ir.ImageFetch, Dim: ir.Dim2D, Arrayed: true}, icoord: []int32{1, 2, int32(layer)}}
		if got := x.red(slices, nil); got != float32(layer+2) {
			t.Errorf("layer %d of slices: %v", layer, got)
		}
	}
}
