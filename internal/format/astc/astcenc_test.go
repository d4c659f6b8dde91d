package astc

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/pumice-gpu/pumice/internal/fp"
)

// TestDecode_AgainstAstcenc decodes random blocks of every footprint with Arm's codec, where it is installed, and compares every
// component bit by bit: half floats in the HDR profile, 8-bit codes in the sRGB one. Illegal blocks may be NaN there in HDR.
func TestDecode_AgainstAstcenc(t *testing.T) {
	tool, err := exec.LookPath("astcenc")
	if err != nil {
		t.Skip("astcenc is not installed")
	}
	r := rand.New(rand.NewPCG(7, 8))
	for _, f := range footprints {
		g := grid{f: f, n: 12, nz: 1}
		if f.Depth > 1 {
			g.nz = 4
		}
		g.blocks = make([]byte, 16*g.n*g.n*g.nz)
		for i := 0; i < len(g.blocks); i += 8 {
			binary.LittleEndian.PutUint64(g.blocks[i:], r.Uint64())
		}
		for i := 0; i < len(g.blocks); i += 16 { // most of them legal
			for try := 0; try < 20 && !new(block).parse(newStream(g.blocks[i:]), f, ProfileFloat); try++ {
				binary.LittleEndian.PutUint64(g.blocks[i:], r.Uint64())
			}
		}
		g.compare(t, tool, "-dh", ProfileFloat, 8)
		g.compare(t, tool, "-ds", ProfileSrgb, 4)
	}
}

// grid is an image of n×n×nz blocks.
type grid struct {
	f      Footprint
	n, nz  int
	blocks []byte
}

// compare decodes the image with the tool, and each block with us.
func (g *grid) compare(t *testing.T, tool, flag string, p Profile, texel int) {
	t.Helper()
	f, w, h, d := g.f, g.n*g.f.Width, g.n*g.f.Height, g.nz*g.f.Depth
	file := []byte{0x13, 0xab, 0xa1, 0x5c, byte(f.Width), byte(f.Height), byte(f.Depth)}
	for _, x := range []int{w, h, d} {
		file = append(file, byte(x), byte(x>>8), byte(x>>16))
	}
	in, out := filepath.Join(t.TempDir(), "in.astc"), filepath.Join(t.TempDir(), "out.ktx")
	if err := os.WriteFile(in, append(file, g.blocks...), 0o644); err != nil {
		t.Fatal(err)
	}
	if msg, err := exec.Command(tool, flag, in, out).CombinedOutput(); err != nil {
		t.Fatalf("astcenc: %v\n%s", err, msg)
	}
	ktx, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	data := ktx[68+binary.LittleEndian.Uint32(ktx[60:]):]
	if len(data) != texel*w*h*d {
		t.Fatalf("%v: %d bytes", f, len(data))
	}
	bad := 0
	for i := range g.n * g.n * g.nz {
		src := g.blocks[16*i : 16*i+16]
		legal := new(block).parse(newStream(src), f, p)
		var dst [maxTexels]Texel
		Decode(dst[:], src, f, p, ModeFloat16)
		for k := range f.Width * f.Height * f.Depth {
			x, y, z := k%f.Width, k/f.Width%f.Height, k/f.Width/f.Height
			at := texel * (((i/g.n/g.n*f.Depth+z)*h+i/g.n%g.n*f.Height+y)*w + i%g.n*f.Width + x)
			for c := range 4 {
				v, o := math.Float32frombits(dst[k][c]), data[at:at+texel]
				same := false
				switch {
				case p == ProfileFloat:
					want := binary.LittleEndian.Uint16(o[2*c:])
					same = fp.FloatToHalf(v) == want || (v != v || !legal) && want&0x7fff > 0x7c00
				case c < 3:
					same = fp.LinearToSrgb(v) == o[c]
				default:
					same = fp.FloatToUnorm8(v) == o[c]
				}
				if !same {
					if bad++; bad < 4 {
						t.Errorf("%s %v %x, texel (%d, %d, %d), component %d: %08x, want %x", flag, f, src, x, y, z, c, dst[k][c], o)
					}
				}
			}
		}
	}
}
