package format

import (
	"regexp"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// Annex A.1: the members of each family and the bytes of their texels or blocks.
func TestFamilies_AnnexA1(t *testing.T) {
	rules.Covers(t, "IMG-750", "IMG-751", "IMG-752", "IMG-753", "IMG-754", "IMG-755", "IMG-756", "IMG-757", "IMG-758", "IMG-759", "IMG-760", "IMG-761", "IMG-762",
		"IMG-763", "IMG-764", "IMG-765")
	seen := map[string]bool{}
	for _, c := range []struct {
		rule, names string // a pattern behind VK_FORMAT_
		count       int
		bytes       map[string]int // by a part of the name; "" is all others
	}{
		{"IMG-750", `(R8|R8G8|R8G8B8|B8G8R8|R8G8B8A8|B8G8R8A8|A8B8G8R8)_(UNORM|SNORM|USCALED|SSCALED|UINT|SINT|SRGB)(_PACK32)?`, 49,
			map[string]int{"R8_": 1, "R8G8_": 2, "R8G8B8_": 3, "B8G8R8_": 3, "R8G8B8A8_": 4, "B8G8R8A8_": 4, "A8B8G8R8_": 4}},
		{"IMG-751", `(A2R10G10B10|A2B10G10R10)_(UNORM|SNORM|USCALED|SSCALED|UINT|SINT)_PACK32`, 12, map[string]int{"": 4}},
		{"IMG-752", `(R16|R16G16|R16G16B16|R16G16B16A16)_(UNORM|SNORM|USCALED|SSCALED|UINT|SINT|SFLOAT)`, 28, map[string]int{"R16_": 2, "R16G16_": 4, "R16G16B16_": 6, "R16G16B16A16_": 8}},
		{"IMG-753", `(R32|R32G32|R32G32B32|R32G32B32A32)_(UINT|SINT|SFLOAT)`, 12, map[string]int{"R32_": 4, "R32G32_": 8, "R32G32B32_": 12, "R32G32B32A32_": 16}},
		{"IMG-754", `(R64|R64G64|R64G64B64|R64G64B64A64)_(UINT|SINT|SFLOAT)`, 12, map[string]int{"R64_": 8, "R64G64_": 16, "R64G64B64_": 24, "R64G64B64A64_": 32}},
		{"IMG-755", `(R4G4_UNORM_PACK8|(R4G4B4A4|B4G4R4A4|A4R4G4B4|A4B4G4R4|R5G6B5|B5G6R5|R5G5B5A1|B5G5R5A1|A1R5G5B5|A1B5G5R5)_UNORM_PACK16)`, 11, map[string]int{"R4G4_": 1, "": 2}},
		{"IMG-756", `A8_UNORM`, 1, map[string]int{"": 1}},
		{"IMG-757", `(B10G11R11|E5B9G9R9)_UFLOAT_PACK32`, 2, map[string]int{"": 4}},
		{"IMG-758", `(D16_UNORM|X8_D24_UNORM_PACK32|D32_SFLOAT|S8_UINT|D16_UNORM_S8_UINT|D24_UNORM_S8_UINT|D32_SFLOAT_S8_UINT)`, 7, nil},
		{"IMG-759", `BC(1_RGB|1_RGBA|2|3|4|5|6H|7)_(UNORM|SNORM|SRGB|UFLOAT|SFLOAT)_BLOCK`, 16, map[string]int{"BC1_": 8, "BC4_": 8, "": 16}},
		{"IMG-760", `(ETC2|EAC)_.*_BLOCK`, 10, map[string]int{"ETC2_R8G8B8A8_": 16, "EAC_R11G11_": 16, "": 8}},
		{"IMG-761", `ASTC_(4x4|5x4|5x5|6x5|6x6|8x5|8x6|8x8|10x5|10x6|10x8|10x10|12x10|12x12)_(UNORM|SRGB|SFLOAT)_BLOCK`, 42, map[string]int{"": 16}},
		{"IMG-762", `(R10X6|R12X4)_UNORM_PACK16|(R10X6G10X6|R12X4G12X4)_UNORM_2PACK16|(R10X6G10X6B10X6A10X6|R12X4G12X4B12X4A12X4)_UNORM_4PACK16`, 6,
			map[string]int{"R10X6_": 2, "R12X4_": 2, "R10X6G10X6_": 4, "R12X4G12X4_": 4, "": 8}},
		{"IMG-763", `(G8B8G8R8|B8G8R8G8|G10X6B10X6G10X6R10X6|B10X6G10X6R10X6G10X6|G12X4B12X4G12X4R12X4|B12X4G12X4R12X4G12X4|G16B16G16R16|B16G16R16G16)_422_UNORM(_4PACK16)?`, 8,
			map[string]int{"G8B8G8R8_": 4, "B8G8R8G8_": 4, "": 8}},
		{"IMG-764", `G(8|10X6|12X4|16)_B(8|10X6|12X4|16)_?R(8|10X6|12X4|16)_[23]PLANE_4(20|22|44)_UNORM(_3PACK16)?`, 24, nil},
		{"IMG-765", `.*`, 57, nil}, // what is left
	} {
		pattern := regexp.MustCompile(`^VK_FORMAT_(` + c.names + `)$`)
		n := 0
		for _, f := range All() {
			i := mustLookup(t, f)
			if !pattern.MatchString(i.Name) || seen[i.Name] {
				continue
			}
			n, seen[i.Name] = n+1, true
			if i.Optional != (c.rule == "IMG-765") {
				t.Errorf("%s: %s, optional %v", c.rule, i.Name, i.Optional)
			}
			want, name := c.bytes[""], strings.TrimPrefix(i.Name, "VK_FORMAT_")
			longest := 0
			for part, b := range c.bytes {
				if strings.HasPrefix(name, part) && len(part) > longest {
					want, longest = b, len(part)
				}
			}
			if want != 0 && i.BlockBytes != want {
				t.Errorf("%s: %s has %d bytes, want %d", c.rule, i.Name, i.BlockBytes, want)
			}
			if planes := map[bool]int{true: 3, false: 2}[strings.Contains(name, "3PLANE")]; c.rule == "IMG-764" && len(i.Planes) != planes {
				t.Errorf("%s has %d planes", i.Name, len(i.Planes))
			}
			if planar := strings.Contains(name, "PLANE_"); i.MultiPlanar() != planar {
				t.Errorf("%s: %s, multi-planar %v", c.rule, i.Name, !planar)
			}
		}
		if n != c.count {
			t.Errorf("%s: %d members, want %d", c.rule, n, c.count)
		}
	}
}

// The integers that a scaled format reads as floats have a format of the same name.
func TestUnscaled_SameName(t *testing.T) {
	n := 0
	for _, f := range All() {
		i := mustLookup(t, f)
		want := strings.NewReplacer("USCALED", "UINT", "SSCALED", "SINT").Replace(i.Name)
		switch got := i.Unscaled(); {
		case want == i.Name:
			if got != nil {
				t.Errorf("%s: %s", i.Name, got.Name)
			}
		case got == nil || got.Name != want:
			t.Errorf("%s: %v, want %s", i.Name, got, want)
		default:
			n++
		}
	}
	if n != 26 {
		t.Errorf("%d scaled formats", n)
	}
}

// IMG-323: what blocks do not hold is one in alpha, zero elsewhere.
func TestBlocks_MissingComponents(t *testing.T) {
	rules.Covers(t, "IMG-323")
	block := []byte{0x12, 0x34, 0x56, 0x78, 0x9A, 0xBC, 0xDE, 0xF0, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88}
	for f, has := range map[vk.Format]int{vk.FormatBc1RgbUnormBlock: 3, vk.FormatBc4UnormBlock: 1, vk.FormatBc4SnormBlock: 1, vk.FormatBc5UnormBlock: 2, vk.FormatBc6hUfloatBlock: 3,
		vk.FormatEtc2R8G8B8UnormBlock: 3, vk.FormatEacR11UnormBlock: 1, vk.FormatEacR11G11SnormBlock: 2} {
		var texels [MaxBlockTexels]Texel
		mustLookup(t, f).DecodeBlock(texels[:], block)
		for k, x := range texels[:16] {
			for c := has; c < 3; c++ {
				if x[c] != 0 {
					t.Errorf("%v, texel %d: component %d is %x", f, k, c, x[c])
				}
			}
			if x[3] != oneFloat {
				t.Errorf("%v, texel %d: alpha %x", f, k, x[3])
			}
		}
	}
}

// IMG-769: each explicit image format has one VkFormat.
func TestImageFormats_OneToOne(t *testing.T) {
	rules.Covers(t, "IMG-769")
	want := map[string]vk.Format{
		"Rgba32f": vk.FormatR32G32B32A32Sfloat, "Rgba16f": vk.FormatR16G16B16A16Sfloat, "R32f": vk.FormatR32Sfloat, "Rgba8": vk.FormatR8G8B8A8Unorm, "Rgba8Snorm": vk.FormatR8G8B8A8Snorm,
		"Rg32f": vk.FormatR32G32Sfloat, "Rg16f": vk.FormatR16G16Sfloat, "R11fG11fB10f": vk.FormatB10G11R11UfloatPack32, "R16f": vk.FormatR16Sfloat, "Rgba16": vk.FormatR16G16B16A16Unorm,
		"Rgb10A2": vk.FormatA2B10G10R10UnormPack32, "Rg16": vk.FormatR16G16Unorm, "Rg8": vk.FormatR8G8Unorm, "R16": vk.FormatR16Unorm, "R8": vk.FormatR8Unorm,
		"Rgba16Snorm": vk.FormatR16G16B16A16Snorm, "Rg16Snorm": vk.FormatR16G16Snorm, "Rg8Snorm": vk.FormatR8G8Snorm, "R16Snorm": vk.FormatR16Snorm, "R8Snorm": vk.FormatR8Snorm,
		"Rgba32i": vk.FormatR32G32B32A32Sint, "Rgba16i": vk.FormatR16G16B16A16Sint, "Rgba8i": vk.FormatR8G8B8A8Sint, "R32i": vk.FormatR32Sint, "Rg32i": vk.FormatR32G32Sint,
		"Rg16i": vk.FormatR16G16Sint, "Rg8i": vk.FormatR8G8Sint, "R16i": vk.FormatR16Sint, "R8i": vk.FormatR8Sint, "Rgba32ui": vk.FormatR32G32B32A32Uint, "Rgba16ui": vk.FormatR16G16B16A16Uint,
		"Rgba8ui": vk.FormatR8G8B8A8Uint, "R32ui": vk.FormatR32Uint, "Rgb10a2ui": vk.FormatA2B10G10R10UintPack32, "Rg32ui": vk.FormatR32G32Uint, "Rg16ui": vk.FormatR16G16Uint,
		"Rg8ui": vk.FormatR8G8Uint, "R16ui": vk.FormatR16Uint, "R8ui": vk.FormatR8Uint, "R64ui": vk.FormatR64Uint, "R64i": vk.FormatR64Sint,
	}
	for _, f := range All() {
		if name := mustLookup(t, f).ImageFormat; name != "" {
			if want[name] != f {
				t.Errorf("%v is %s", f, name)
			}
			delete(want, name)
		}
	}
	for name := range want {
		t.Errorf("no format is %s", name)
	}
}
