package basis

import (
	"sync"

	"github.com/pumice-gpu/pumice/internal/format/astc"
)

// xuastcSizes are the extents of blocks by the number that a slice names.
var xuastcSizes = [14][2]uint8{
	{4, 4}, {5, 4}, {5, 5}, {6, 5}, {6, 6}, {8, 5}, {8, 6}, {10, 5}, {10, 6}, {8, 8}, {10, 8}, {10, 10}, {12, 10}, {12, 12},
}

// Color endpoint modes of ASTC that XUASTC has: all of LDR but luminance with an offset.
const (
	cemLuminance      = 0
	cemLuminanceAlpha = 4
	cemBaseScale      = 6
	cemRGB            = 8
	cemRGBOffset      = 9
	cemBaseScaleAlpha = 10
	cemRGBA           = 12
	cemRGBAOffset     = 13
)

// xuastcMode is a configuration of a block. Those with offsets stand under the direct ones, 8 and 12.
type xuastcMode struct {
	width, height, cem, subsets uint8
	second                      int8 // component of the second plane, -1: there is none
	weights, colors             uint8
}

// parts returns what a block of this mode is packed of, without its numbers.
func (m *xuastcMode) parts() astc.Parts {
	return astc.Parts{
		Width: m.width, Height: m.height, Dual: m.second >= 0, Component: uint8(max(m.second, 0)), WeightRange: m.weights,
		ColorRange: m.colors, Partitions: m.subsets, Mode: m.cem,
	}
}

// Kinds of modes, as they are told in the arithmetic profiles.
const (
	xuastcCems    = 14
	xuastcSubsets = 3
	xuastcPlanes  = 5 // none, or the component
	xuastcGrids   = 2 // whether the grid is all but as wide and as high as the block
	xuastcAnisos  = 3 // as narrow as the block, wider, higher
)

// xuastcKind is where a mode stands among all.
type xuastcKind struct{ cem, subsets, planes, grid, aniso int }

func (m *xuastcMode) kind(width, height uint8) xuastcKind {
	k := xuastcKind{cem: int(m.cem), subsets: int(m.subsets) - 1, planes: int(m.second) + 1}
	if m.width >= width-1 && m.height >= height-1 {
		k.grid = 1
	}
	switch x, y := int(m.width)*int(height), int(m.height)*int(width); {
	case x > y:
		k.aniso = 1
	case x < y:
		k.aniso = 2
	}
	return k
}

// xuastcModes are the modes of a block size.
type xuastcModes struct {
	list  []xuastcMode
	kinds map[xuastcKind][]uint16
	once  sync.Once
}

var xuastcModesOf [14]xuastcModes

// modesOf returns the modes of a block size: all configurations that ASTC has with grids of up to 64 weights, one to three subsets of
// one color endpoint mode, and a second plane for one subset alone, of a component that the mode tells apart. They are ordered by the
// grid's width and height, mode, subsets, planes and weights.
func modesOf(size int) *xuastcModes {
	s := &xuastcModesOf[size]
	s.once.Do(func() {
		width, height := xuastcSizes[size][0], xuastcSizes[size][1]
		s.kinds = map[xuastcKind][]uint16{}
		for w := uint8(2); w <= width; w++ {
			for h := uint8(2); h <= height; h++ {
				for _, cem := range []uint8{cemLuminance, cemLuminanceAlpha, cemBaseScale, cemRGB, cemBaseScaleAlpha, cemRGBA} {
					s.add(w, h, cem, width, height)
				}
			}
		}
	})
	return s
}

func (s *xuastcModes) add(w, h, cem, width, height uint8) {
	for subsets := uint8(1); subsets <= 3; subsets++ {
		for second := int8(-1); second < 4; second++ {
			if second >= 0 && (subsets > 1 || !tellsApart(cem, second)) {
				continue
			}
			for weights := range uint8(12) {
				m := xuastcMode{w, h, cem, subsets, second, weights, 0}
				p := m.parts()
				if colors := p.Fit(); colors >= 4 {
					m.colors = uint8(colors)
					kind := m.kind(width, height)
					s.kinds[kind] = append(s.kinds[kind], uint16(len(s.list)))
					s.list = append(s.list, m)
				}
			}
		}
	}
}

// tellsApart says whether a plane of its own makes sense for a component.
func tellsApart(cem uint8, component int8) bool {
	switch cem {
	case cemLuminance:
		return false
	case cemLuminanceAlpha:
		return component == 3
	case cemBaseScale, cemRGB:
		return component < 3
	}
	return true
}
