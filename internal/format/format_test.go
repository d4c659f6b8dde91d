package format

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

func mustLookup(t *testing.T, f vk.Format) *Info {
	t.Helper()
	i, ok := Lookup(f)
	if !ok {
		t.Fatalf("%v is not in the table", f)
	}
	return i
}

func TestGenerate_SameRegistry_SameBytes(t *testing.T) {
	dir := t.TempDir()
	if out, err := exec.Command("go", "run", "./_gen", "-out", dir).CombinedOutput(); err != nil {
		t.Fatalf("generator: %v\n%s", err, out)
	}
	want, err := os.ReadFile(filepath.Join(dir, "table_gen.go"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("table_gen.go")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("table_gen.go is not what the generator writes")
	}
}

func TestLookup_EveryFormat(t *testing.T) {
	rules.Covers(t, "IMG-765")
	all := All()
	if len(all) != 297 {
		t.Errorf("%d rows, the catalogue counts 297", len(all))
	}
	optional := 0
	for k, f := range all {
		i := mustLookup(t, f)
		if i.Optional {
			optional++
		}
		if i.Format != f || i.Name != f.String() {
			t.Errorf("%v: row of %v, %s", f, i.Format, i.Name)
		}
		if k > 0 && all[k-1] >= f {
			t.Errorf("%v is out of order", f)
		}
		if i.BlockBytes == 0 || i.BlockWidth*i.BlockHeight*i.BlockDepth == 0 || len(i.Planes) == 0 || i.ComponentCount == 0 || i.Compatibility == "" {
			t.Errorf("%v: incomplete row %+v", f, *i)
		}
		for _, p := range i.Planes {
			if mustLookup(t, p.Format).BlockBytes != p.BlockBytes || p.WidthDivisor == 0 || p.HeightDivisor == 0 {
				t.Errorf("%v: plane %+v", f, p)
			}
		}
	}
	if optional != 57 {
		t.Errorf("%d optional formats, the catalogue counts 57 (IMG-765)", optional)
	}
	for _, f := range []vk.Format{vk.FormatUndefined, -1, 185, 1000156999, 1 << 30} {
		if _, ok := Lookup(f); ok {
			t.Errorf("%v has a row", f)
		}
	}
}

// No two components of a supported format share a bit, and all lie inside the block.
func TestComponents_DisjointAndInside(t *testing.T) {
	for _, f := range All() {
		i := mustLookup(t, f)
		if i.Compressed {
			continue
		}
		used := map[[2]int]bool{}
		n := 0
		for _, c := range i.Components {
			if c.Kind == KindNone {
				continue
			}
			n++
			for b := c.Shift; b < c.Shift+c.Bits; b++ {
				if used[[2]int{c.Plane, b}] || i.Chroma == "" && b >= i.BlockBytes*8 {
					t.Errorf("%v: bit %d of component %d", f, b, c.Kind)
				}
				used[[2]int{c.Plane, b}] = true
			}
		}
		if n != i.ComponentCount {
			t.Errorf("%v: %d components, ComponentCount %d", f, n, i.ComponentCount)
		}
	}
}

// Annex A.2, written out by hand: hi:lo of each field.
func TestComponents_BitPositions_AnnexA2(t *testing.T) {
	rules.Covers(t, "IMG-050")
	type fields map[Kind][2]int // shift, bits
	for f, want := range map[vk.Format]fields{
		vk.FormatR4G4UnormPack8:                           {KindR: {4, 4}, KindG: {0, 4}},
		vk.FormatR4G4B4A4UnormPack16:                      {KindR: {12, 4}, KindG: {8, 4}, KindB: {4, 4}, KindA: {0, 4}},
		vk.FormatB4G4R4A4UnormPack16:                      {KindB: {12, 4}, KindG: {8, 4}, KindR: {4, 4}, KindA: {0, 4}},
		vk.FormatA4R4G4B4UnormPack16:                      {KindA: {12, 4}, KindR: {8, 4}, KindG: {4, 4}, KindB: {0, 4}},
		vk.FormatA4B4G4R4UnormPack16:                      {KindA: {12, 4}, KindB: {8, 4}, KindG: {4, 4}, KindR: {0, 4}},
		vk.FormatR5G6B5UnormPack16:                        {KindR: {11, 5}, KindG: {5, 6}, KindB: {0, 5}},
		vk.FormatB5G6R5UnormPack16:                        {KindB: {11, 5}, KindG: {5, 6}, KindR: {0, 5}},
		vk.FormatR5G5B5A1UnormPack16:                      {KindR: {11, 5}, KindG: {6, 5}, KindB: {1, 5}, KindA: {0, 1}},
		vk.FormatB5G5R5A1UnormPack16:                      {KindB: {11, 5}, KindG: {6, 5}, KindR: {1, 5}, KindA: {0, 1}},
		vk.FormatA1R5G5B5UnormPack16:                      {KindA: {15, 1}, KindR: {10, 5}, KindG: {5, 5}, KindB: {0, 5}},
		vk.FormatA1B5G5R5UnormPack16:                      {KindA: {15, 1}, KindB: {10, 5}, KindG: {5, 5}, KindR: {0, 5}},
		vk.FormatA8B8G8R8SrgbPack32:                       {KindA: {24, 8}, KindB: {16, 8}, KindG: {8, 8}, KindR: {0, 8}},
		vk.FormatA2R10G10B10SnormPack32:                   {KindA: {30, 2}, KindR: {20, 10}, KindG: {10, 10}, KindB: {0, 10}},
		vk.FormatA2B10G10R10UintPack32:                    {KindA: {30, 2}, KindB: {20, 10}, KindG: {10, 10}, KindR: {0, 10}},
		vk.FormatB10G11R11UfloatPack32:                    {KindB: {22, 10}, KindG: {11, 11}, KindR: {0, 11}},
		vk.FormatE5B9G9R9UfloatPack32:                     {KindB: {18, 9}, KindG: {9, 9}, KindR: {0, 9}},
		vk.FormatX8D24UnormPack32:                         {KindD: {0, 24}},
		vk.FormatR10X6UnormPack16:                         {KindR: {6, 10}},
		vk.FormatR12X4G12X4B12X4A12X4Unorm4Pack16:         {KindR: {4, 12}, KindG: {20, 12}, KindB: {36, 12}, KindA: {52, 12}},
		vk.FormatB8G8R8A8Unorm:                            {KindB: {0, 8}, KindG: {8, 8}, KindR: {16, 8}, KindA: {24, 8}},
		vk.FormatR16G16B16Sfloat:                          {KindR: {0, 16}, KindG: {16, 16}, KindB: {32, 16}},
		vk.FormatR64G64B64A64Uint:                         {KindR: {0, 64}, KindG: {64, 64}, KindB: {128, 64}, KindA: {192, 64}},
		vk.FormatG8B8G8R8_422Unorm:                        {KindG: {0, 8}, KindB: {8, 8}, KindR: {24, 8}},
		vk.FormatB16G16R16G16_422Unorm:                    {KindB: {0, 16}, KindG: {16, 16}, KindR: {32, 16}},
		vk.FormatG10X6B10X6R10X6_2Plane420Unorm3Pack16:    {KindG: {6, 10}, KindB: {6, 10}, KindR: {22, 10}},
		vk.FormatG12X4B12X4R12X4_3Plane444Unorm3Pack16KHR: {KindG: {4, 12}, KindB: {4, 12}, KindR: {4, 12}},
	} {
		i := mustLookup(t, f)
		for _, c := range i.Components {
			if c.Kind == KindNone {
				continue
			}
			if w, ok := want[c.Kind]; !ok || w != [2]int{c.Shift, c.Bits} {
				t.Errorf("%v: component %d at %d, %d bits; want %v", f, c.Kind, c.Shift, c.Bits, w)
			}
		}
		if i.ComponentCount != len(want) {
			t.Errorf("%v: %d components, want %d", f, i.ComponentCount, len(want))
		}
	}
}

func TestForAspect_DepthStencilAndPlanes(t *testing.T) {
	rules.Covers(t, "IMG-048", "IMG-256", "IMG-322", "IMG-758")
	for _, c := range []struct {
		f, want vk.Format
		aspect  vk.ImageAspectFlags
	}{
		{vk.FormatD24UnormS8Uint, vk.FormatX8D24UnormPack32, vk.ImageAspectDepthBit},
		{vk.FormatD24UnormS8Uint, vk.FormatS8Uint, vk.ImageAspectStencilBit},
		{vk.FormatD16UnormS8Uint, vk.FormatD16Unorm, vk.ImageAspectDepthBit},
		{vk.FormatD16UnormS8Uint, vk.FormatS8Uint, vk.ImageAspectStencilBit},
		{vk.FormatD32SfloatS8Uint, vk.FormatS8Uint, vk.ImageAspectStencilBit},
		{vk.FormatD16Unorm, vk.FormatD16Unorm, vk.ImageAspectDepthBit},
		{vk.FormatX8D24UnormPack32, vk.FormatX8D24UnormPack32, vk.ImageAspectDepthBit},
		{vk.FormatS8Uint, vk.FormatS8Uint, vk.ImageAspectStencilBit},
		{vk.FormatD32SfloatS8Uint, vk.FormatD32Sfloat, vk.ImageAspectDepthBit},
		{vk.FormatD32Sfloat, vk.FormatD32Sfloat, vk.ImageAspectDepthBit},
		{vk.FormatR8Unorm, vk.FormatR8Unorm, vk.ImageAspectColorBit},
		{vk.FormatG8B8R8_2Plane420Unorm, vk.FormatR8G8Unorm, vk.ImageAspectPlane1Bit},
		{vk.FormatG8B8R8_2Plane420Unorm, vk.FormatG8B8R8_2Plane420Unorm, vk.ImageAspectColorBit},
	} {
		if got, ok := mustLookup(t, c.f).ForAspect(c.aspect); !ok || got.Format != c.want {
			t.Errorf("%v, %v: got %v", c.f, c.aspect, got)
		}
	}
	for f, aspect := range map[vk.Format]vk.ImageAspectFlags{vk.FormatR8Unorm: vk.ImageAspectDepthBit, vk.FormatD32Sfloat: vk.ImageAspectStencilBit, vk.FormatS8Uint: vk.ImageAspectDepthBit,
		vk.FormatD16Unorm: vk.ImageAspectColorBit, vk.FormatD24UnormS8Uint: vk.ImageAspectColorBit} {
		if got, ok := mustLookup(t, f).ForAspect(aspect); ok {
			t.Errorf("%v has %v: %v", f, aspect, got)
		}
	}
}

func TestSupported_WhatIsMissingIsNamed(t *testing.T) {
	rules.Covers(t, "IMG-258", "IMG-759", "IMG-760", "IMG-761", "IMG-765")
	supported := 0
	for _, f := range All() {
		i := mustLookup(t, f)
		err := i.Supported()
		if err == nil {
			supported++
		}
		if want := i.Compressed && i.Scheme == "PVRTC" || !i.Compressed && i.Optional; (err != nil) != want {
			t.Errorf("%v: %v", f, err)
		}
		if err != nil {
			if _, ok := err.(*UnsupportedError); !ok || !bytes.Contains([]byte(err.Error()), []byte(i.Name)) || !bytes.Contains([]byte(err.Error()), []byte("(IMG-258 Formats that can be sampled)")) {
				t.Errorf("%v: %v", f, err)
			}
		}
	}
	// Annex A.1: 240 mandatory formats, and the 30 of ASTC with depth.
	if want := 240 + 30; supported != want {
		t.Errorf("%d formats are supported, want %d", supported, want)
	}
}

// Each aspect of each kind of format is read as the format that the registry names, and no other aspect is.
func TestForAspect_EveryAspect(t *testing.T) {
	rules.Covers(t, "IMG-256", "IMG-322", "IMG-758")
	const color, depth, stencil = vk.ImageAspectColorBit, vk.ImageAspectDepthBit, vk.ImageAspectStencilBit
	const first, second, third = vk.ImageAspectPlane0Bit, vk.ImageAspectPlane1Bit, vk.ImageAspectPlane2Bit
	for f, want := range map[vk.Format]map[vk.ImageAspectFlags]vk.Format{
		vk.FormatD16Unorm: {depth: vk.FormatD16Unorm}, vk.FormatX8D24UnormPack32: {depth: vk.FormatX8D24UnormPack32}, vk.FormatD32Sfloat: {depth: vk.FormatD32Sfloat},
		vk.FormatS8Uint:          {stencil: vk.FormatS8Uint},
		vk.FormatD16UnormS8Uint:  {depth: vk.FormatD16Unorm, stencil: vk.FormatS8Uint, depth | stencil: vk.FormatD16UnormS8Uint},
		vk.FormatD24UnormS8Uint:  {depth: vk.FormatX8D24UnormPack32, stencil: vk.FormatS8Uint, depth | stencil: vk.FormatD24UnormS8Uint},
		vk.FormatD32SfloatS8Uint: {depth: vk.FormatD32Sfloat, stencil: vk.FormatS8Uint, depth | stencil: vk.FormatD32SfloatS8Uint},
		vk.FormatR8G8B8A8Unorm:   {color: vk.FormatR8G8B8A8Unorm}, vk.FormatR32Sfloat: {color: vk.FormatR32Sfloat}, vk.FormatBc1RgbUnormBlock: {color: vk.FormatBc1RgbUnormBlock},
		vk.FormatG8B8R8_2Plane420Unorm:    {color: vk.FormatG8B8R8_2Plane420Unorm, first: vk.FormatR8Unorm, second: vk.FormatR8G8Unorm},
		vk.FormatG16B16R16_3Plane444Unorm: {color: vk.FormatG16B16R16_3Plane444Unorm, first: vk.FormatR16Unorm, second: vk.FormatR16Unorm, third: vk.FormatR16Unorm},
		vk.FormatG8B8G8R8_422Unorm:        {color: vk.FormatG8B8G8R8_422Unorm},
	} {
		for _, a := range []vk.ImageAspectFlags{color, depth, stencil, depth | stencil, color | depth, first, second, third} {
			wanted, some := want[a]
			if got, ok := mustLookup(t, f).ForAspect(a); ok != some || ok && got.Format != wanted {
				t.Errorf("%v of %v: %v %v, want %v %v", a, f, got, ok, wanted, some)
			}
		}
	}
}
