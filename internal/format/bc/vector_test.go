package bc

import (
	"encoding/hex"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/pumice-gpu/pumice/internal/fp"
	"github.com/pumice-gpu/pumice/internal/rules"
)

func block(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func codes(t Texel) (c [4]uint8) {
	for i := range c {
		c[i] = fp.FloatToUnorm8(math.Float32frombits(t[i]))
	}
	return c
}

// IMG-825: texels 0, 6 and 15 of a block of each mode.
func TestBC7_Vectors_IMG825(t *testing.T) {
	rules.Covers(t, "IMG-810", "IMG-811", "IMG-812", "IMG-813", "IMG-814", "IMG-815", "IMG-816", "IMG-825")
	for m, v := range []struct {
		block string
		want  [3][4]uint8
	}{
		{"916e8c867d1e9b3f92cb3b2dbd5720ba", [3][4]uint8{{90, 215, 222, 255}, {90, 215, 222, 255}, {67, 161, 171, 255}}},
		{"4a06e8a997e2a670eab5987fde0b4d88", [3][4]uint8{{54, 77, 185, 255}, {68, 70, 181, 255}, {85, 62, 177, 255}}},
		{"8c372c183a2d096a2642e037a14e8040", [3][4]uint8{{222, 214, 140, 255}, {146, 55, 166, 255}, {41, 33, 0, 255}}},
		{"781d4bb4224d7df77118d89c839feae0", [3][4]uint8{{142, 104, 56, 255}, {105, 239, 177, 255}, {116, 202, 157, 255}}},
		{"d0ad77f77435569951ada9a581727387", [3][4]uint8{{107, 104, 123, 239}, {107, 85, 123, 239}, {183, 142, 176, 167}}},
		{"a03dbbbbf63e799c60fbc8627b7fc2f3", [3][4]uint8{{122, 33, 223, 221}, {237, 39, 78, 106}, {199, 39, 126, 144}}},
		{"40ce0b5757d7fc027630b6fe13105807", [3][4]uint8{{64, 137, 190, 202}, {92, 226, 113, 20}, {56, 112, 212, 252}}},
		{"807be763bac8e98837d0b1daa1c4d6aa", [3][4]uint8{{239, 117, 28, 166}, {234, 134, 105, 73}, {69, 208, 130, 97}}},
	} {
		var dst [16]Texel
		DecodeBC7(&dst, block(t, v.block), false)
		for i, k := range []int{0, 6, 15} {
			if got := codes(dst[k]); got != v.want[i] {
				t.Errorf("mode %d, texel %d: %v, want %v", m, k, got, v.want[i])
			}
		}
	}
}

func TestBC7_ReservedMode_TransparentBlack_IMG810(t *testing.T) {
	rules.Covers(t, "IMG-810")
	dst := [16]Texel{5: {1, 2, 3, 4}}
	DecodeBC7(&dst, make([]byte, 16), false)
	if dst != [16]Texel{} {
		t.Error(dst)
	}
}

// IMG-826: texels 0 and 15, unsigned and signed, as bits of half floats.
func TestBC6H_Vectors_IMG826(t *testing.T) {
	rules.Covers(t, "IMG-820", "IMG-821", "IMG-822", "IMG-823", "IMG-824", "IMG-826")
	for _, v := range []struct {
		block string
		want  [4][3]uint16
	}{
		{"dc86fe403c0cbebdf6ae8d37618df19b", [4][3]uint16{{0x06f5, 0x3ce1, 0x41ae}, {0x060f, 0x3d10, 0x40ab}, {0x0dea, 0x79c2, 0xf4e1}, {0x0c1f, 0x3450, 0xf6e6}}},
		{"cd9e2dd62b7841747b3a40f59c5e3070", [4][3]uint16{{0x72cc, 0x58a4, 0x6824}, {0x6eaa, 0x4b42, 0x6e2a}, {0x9458, 0xc8a8, 0xa9a8}, {0x9c9b, 0xe36b, 0x9d9b}}},
		{"c213d236f795032eb0137edfffb160cb", [4][3]uint16{{0x478b, 0x575b, 0x75d0}, {0x477f, 0x573f, 0x75bf}, {0xe907, 0xc967, 0x8c7e}, {0xe920, 0xc99f, 0x8ca0}}},
		{"c67cafc87004482043c9b8974efd0362", [4][3]uint16{{0x3c6c, 0x1538, 0x0615}, {0x3c86, 0x1492, 0x05c1}, {0x78d8, 0x2a71, 0x0c2b}, {0x790d, 0x2924, 0x0b82}}},
		{"8a0954bb189b6a13b7293957c424bfa1", [4][3]uint16{{0x04ae, 0x6745, 0x43c3}, {0x0477, 0x6705, 0x4313}, {0x095d, 0xa994, 0xf098}, {0x08ee, 0xaa14, 0xf1f8}}},
		{"2e6987906478881c30f3800645222e00", [4][3]uint16{{0x4fcd, 0x4183, 0x118f}, {0x4ddd, 0x446b, 0x0daf}, {0xd8e2, 0xf576, 0x231e}, {0xdcc2, 0xefa6, 0x1b5e}}},
		{"f2f5563f9a71367b27324b26b72be819", [4][3]uint16{{0x533c, 0x5244, 0x0de5}, {0x5502, 0x540a, 0x0f42}, {0xd27e, 0xd46e, 0x1bca}, {0xcef4, 0xd0e4, 0x1e84}}},
		{"56633018a29348ab533a7608282a663f", [4][3]uint16{{0x0c04, 0x2f03, 0x055f}, {0x0c04, 0x2f03, 0x055f}, {0x1809, 0x5e07, 0x0abf}, {0x1809, 0x5e07, 0x0abf}}},
		{"9a817521cb39fa5ac09a190091103ea9", [4][3]uint16{{0x0519, 0x7006, 0x447e}, {0x048e, 0x708a, 0x43f6}, {0x0a33, 0x98ea, 0xeffb}, {0x091c, 0x97e2, 0xab04}}},
		{"fea8477d73962342f5d96eb4e26aa261", [4][3]uint16{{0x1440, 0x28a8, 0x49af}, {0x1440, 0x28a8, 0x49af}, {0x2881, 0x5150, 0x01c1}, {0x2881, 0x5150, 0x01c1}}},
		{"43b489eedce16f9cef2567c141b50c78", [4][3]uint16{{0x1e4c, 0x448d, 0x576d}, {0x1e4c, 0x448d, 0x576d}, {0x3c99, 0x14be, 0xc963}, {0x3c99, 0x14be, 0xc963}}},
		{"c753894ed51b35d7ce447ff2550152b9", [4][3]uint16{{0x62cb, 0x0e1f, 0x26d0}, {0x60a3, 0x0cb5, 0x257e}, {0xb288, 0x1c3e, 0x4da0}, {0xb6d8, 0x196a, 0x4afd}}},
		{"8b0508a6b2b26a3db197a40697c512b8", [4][3]uint16{{0x2058, 0x5d7f, 0x2947}, {0x2242, 0x5f63, 0x2bfd}, {0x40b1, 0xbd0f, 0x528e}, {0x4485, 0xb947, 0x57fb}}},
		{"ef2ad22e9178a3238db2b7ce8fe93108", [4][3]uint16{{0x4476, 0x42aa, 0x11ba}, {0x4476, 0x42ab, 0x11b9}, {0xef12, 0xf2ab, 0x2375}, {0xef13, 0xf2a9, 0x2372}}},
	} {
		var dst [16]Texel
		for i, want := range v.want {
			DecodeBC6H(&dst, block(t, v.block), i >= 2)
			for c := range want {
				if got := dst[i%2*15][c]; got != math.Float32bits(fp.HalfToFloat(want[c])) {
					t.Errorf("%s, texel %d, component %d: %g, want %04x", v.block, i%2*15, c, math.Float32frombits(got), want[c])
				}
			}
		}
	}
}

// −0x8000 in a 16-bit endpoint becomes −Inf (IMG-823, IMG-824).
func TestBC6H_Signed_LowestEndpoint_NegativeInfinity_IMG824(t *testing.T) {
	rules.Covers(t, "IMG-824")
	var dst [16]Texel
	src := make([]byte, 16)
	src[0], src[4] = 15, 0x80 // mode 15; bit 39 is the top bit of red
	DecodeBC6H(&dst, src, true)
	if dst[11] != (Texel{0xff800000, 0, 0, one}) {
		t.Errorf("%x", dst[11])
	}
}

// IMG-824: signed values keep their sign, also that of what becomes −0.
func TestFinish6_IMG824_Ends(t *testing.T) {
	rules.Covers(t, "IMG-824")
	for _, c := range []struct {
		v      int32
		signed bool
		want   uint16
	}{
		{0, true, 0}, {1, true, 0}, {2, true, 1}, {-1, true, 0x8000}, {-2, true, 0x8001}, {0x7fff, true, 0x7bff}, {-0x7fff, true, 0xfbff}, {-0x8000, true, 0xfc00},
		{0, false, 0}, {2, false, 0}, {3, false, 1}, {0xffff, false, 0x7bff},
	} {
		if got := finish6(c.v, c.signed); got != c.want {
			t.Errorf("%d, signed %v: %#x, want %#x", c.v, c.signed, got, c.want)
		}
	}
}

func TestBC6H_ReservedModes_OpaqueBlack_IMG820(t *testing.T) {
	rules.Covers(t, "IMG-820")
	for _, m := range []byte{19, 23, 27, 31} {
		dst := [16]Texel{5: {1, 2, 3, 4}}
		DecodeBC6H(&dst, append([]byte{m}, make([]byte, 15)...), false)
		for _, x := range dst {
			if x != (Texel{3: one}) {
				t.Fatal(m, x)
			}
		}
	}
}

func TestSrgbTables_Generated(t *testing.T) {
	dir := t.TempDir()
	if out, err := exec.Command("go", "run", "./_gen", "-out", dir).CombinedOutput(); err != nil {
		t.Fatalf("generator: %v\n%s", err, out)
	}
	want, err := os.ReadFile(filepath.Join(dir, "srgb_gen.go"))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile("srgb_gen.go"); err != nil || string(got) != string(want) {
		t.Error("srgb_gen.go is not what the generator writes", err)
	}
	// Every 8-bit code that is a multiple of a unit must be what fp has: 255/3 = 85 is 186/3 = 62 and 378/3 = 126.
	for n := range 4 {
		w := math.Float32bits(fp.SrgbToLinear(uint8(85 * n)))
		if srgb5[62*n] != w || srgb6[126*n] != w {
			t.Error(n)
		}
	}
}
