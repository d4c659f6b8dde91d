package astc

import (
	"encoding/hex"
	"math"
	"math/bits"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/pumice-gpu/pumice/internal/fp"
	"github.com/pumice-gpu/pumice/internal/rules"
)

func bytesOf(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// IMG-881: components of texels (0,0), (2,1) and the last, fractions of 65536 or half floats.
func TestDecode_Vectors_IMG881(t *testing.T) {
	rules.Covers(t, "IMG-860", "IMG-861", "IMG-862", "IMG-864", "IMG-865", "IMG-866", "IMG-867", "IMG-868", "IMG-869", "IMG-870", "IMG-871", "IMG-874",
		"IMG-875", "IMG-877", "IMG-878", "IMG-881")
	for _, v := range []struct {
		w, h  int
		block string
		want  [3][4]uint32
		hdr   [3]bool
	}{
		{4, 4, "bfc9225247e746f9a4d4bfaebbff7edf", [3][4]uint32{{0xfa31, 0x726a, 0x133b, 0xffff}, {0xa9c1, 0x93fb, 0xad14, 0xffff}, {0xfd2c, 0x7a2a, 0x12a3, 0xffff}}, [3]bool{false, false, false}},
		{4, 4, "02cabcd07900b0ca298df7374e8bc8fa", [3][4]uint32{{0x5555, 0x5555, 0x5555, 0xffff}, {0x7915, 0x7915, 0x7915, 0xffff}, {0x2f65, 0x2f65, 0x2f65, 0x3c00}}, [3]bool{false, false, true}},
		{4, 4, "1f2d7079910deec148a858ae7124effb", [3][4]uint32{{0x0404, 0x0404, 0x0404, 0x5f6b}, {0x08e1, 0x08e1, 0x08e1, 0x6014}, {0x1ec3, 0x1ec3, 0x1ec3, 0x6165}}, [3]bool{false, false, false}},
		{6, 5, "f1a01f4083cf5b691c0ebba3e8189e6f", [3][4]uint32{{0x9797, 0xd3d3, 0x7070, 0x8a8a}, {0x9292, 0xd7e7, 0x6848, 0x8999}, {0x8f8f, 0xda5a, 0x6363, 0x8909}}, [3]bool{false, false, false}},
		{6, 5, "32d422915e22a027030db1d602226811", [3][4]uint32{{0xc9c9, 0xc504, 0xc9c9, 0x3636}, {0xc474, 0xc474, 0xc474, 0x9292}, {0xedad, 0xdb5b, 0xedad, 0x9292}}, [3]bool{false, false, false}},
		{8, 8, "22ab516eef2fc39ea3f1ea24a2d77c40", [3][4]uint32{{0x0234, 0x026c, 0x021c, 0x3c00}, {0x0733, 0x0803, 0x06d9, 0x3c00}, {0x08ab, 0x096f, 0x086a, 0x3c00}}, [3]bool{true, true, true}},
		{8, 8, "420cffc8277d507de8b5637a1ba802e9", [3][4]uint32{{0xcccc, 0xcccc, 0xcccc, 0xffff}, {0xb090, 0xb090, 0xb090, 0xffff}, {0xff52, 0xff52, 0xff52, 0xffff}}, [3]bool{false, false, false}},
		{8, 8, "9fef30b6357149a1d9a403125b9fa47d", [3][4]uint32{{0x14c3, 0x148b, 0x135f, 0x3c00}, {0x1331, 0x12d2, 0x13ce, 0x3c00}, {0x2460, 0x1f1f, 0x4638, 0x3c00}}, [3]bool{true, true, true}},
		{12, 12, "2417e5d88a56fe2fabc5a7b989da56e6", [3][4]uint32{{0x6161, 0x6161, 0x6161, 0xffff}, {0x9f0e, 0x0000, 0x7f5f, 0xffff}, {0xffff, 0xffff, 0xffff, 0xffff}}, [3]bool{false, false, false}},
		{12, 12, "01352a7022e57055a442e4262d8e7ef7", [3][4]uint32{{0x5555, 0x8888, 0x7777, 0xffff}, {0x85d5, 0x3b3b, 0x5555, 0xffff}, {0x4444, 0x8888, 0x9999, 0xffff}}, [3]bool{false, false, false}},
		{12, 12, "02552dfbd726ec0c151ab5608b08c7fe", [3][4]uint32{{0xcccc, 0x3333, 0xffff, 0xffff}, {0x2c77, 0x2e94, 0x65dc, 0x3c00}, {0xdd99, 0x2266, 0xffff, 0xffff}}, [3]bool{false, true, false}},
	} {
		var b block
		if !b.parse(newStream(bytesOf(t, v.block)), Footprint{v.w, v.h, 1}, ProfileFloat) || b.void {
			t.Errorf("%s: no legal block", v.block)
			continue
		}
		for i, at := range [3][2]int{{0, 0}, {2, 1}, {v.w - 1, v.h - 1}} {
			if c, hdr := b.color(at[1]*v.w + at[0]); c != v.want[i] || (hdr != 0) != v.hdr[i] {
				t.Errorf("%dx%d %s, texel %v: %04x (HDR %d), want %04x", v.w, v.h, v.block, at, c, hdr, v.want[i])
			}
		}
		var texels [maxTexels + 1]Texel
		Decode(texels[:], bytesOf(t, v.block), Footprint{v.w, v.h, 1}, ProfileFloat, ModeFloat16)
		for i, k := range [3]int{0, v.w + 2, v.w*v.h - 1} {
			for c, x := range v.want[i] {
				// Bits of half floats, or fractions cut off to eleven bits, of which 65535 is one.
				f := fp.HalfToFloat(uint16(x))
				switch n := max(bits.Len32(x)-11, 0); {
				case v.hdr[i]:
				case x == 65535:
					f = 1
				default:
					f = float32(x>>n<<n) / 65536
				}
				if got := math.Float32frombits(texels[k][c]); got != f {
					t.Errorf("%dx%d %s, texel %d, component %d: %v, want %v", v.w, v.h, v.block, k, c, got, f)
				}
			}
		}
		if texels[v.w*v.h] != (Texel{}) {
			t.Errorf("%dx%d: a texel behind the block", v.w, v.h)
		}
	}
}

func TestTables_Generated_IMG868_IMG869_IMG870(t *testing.T) {
	rules.Covers(t, "IMG-868", "IMG-869", "IMG-870")
	dir := t.TempDir()
	if out, err := exec.Command("go", "run", "./_gen", "-out", dir).CombinedOutput(); err != nil {
		t.Fatalf("generator: %v\n%s", err, out)
	}
	want, err := os.ReadFile(filepath.Join(dir, "tables_gen.go"))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile("tables_gen.go"); err != nil || string(got) != string(want) {
		t.Error("tables_gen.go is not what the generator writes", err)
	}
}
