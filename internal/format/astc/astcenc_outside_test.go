//go:build outside

package astc

import (
	"encoding/binary"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/pumice-gpu/pumice/internal/outside"
)

// Every component of every texel is the one that Arm's codec decodes.
func TestOutside_AstcencDecodes(t *testing.T) {
	tool := outside.Tool{Name: "astcenc", Other: []string{"astcenc-native", "astcenc-avx2", "astcenc-sse4.1", "astcenc-sse2"},
		Debian: "astcenc", Version: []string{"-version"}, Why: "texels of random blocks"}
	path := tool.Path(t)
	record := tool.NewRecord(path)
	for _, g := range grids() {
		for _, m := range astcencModes {
			var sums []byte
			bad := 0
			for i, theirs := range g.decodedBy(t, path, m) {
				ours := g.ours(i, m)
				for k := range ours {
					if ours[k] != theirs[k] {
						if bad++; bad < 4 {
							t.Errorf("%s: block %d, %x, component %d of texel %d: %04x, want %04x", g.key(m), i, g.block(i), k%4, k/4, ours[k], theirs[k])
						}
					}
				}
				sums = binary.BigEndian.AppendUint32(sums, hash(theirs))
			}
			record.Values[g.key(m)] = hex.EncodeToString(sums)
		}
	}
	if outside.Recording() && !t.Failed() {
		record.Write(t, astcencRecord)
	}
}

// decodedBy returns the components of each block, from the KTX file that the tool writes.
func (g *grid) decodedBy(t *testing.T, tool string, m mode) (blocks [][]uint16) {
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
	if msg, err := exec.Command(tool, m.flag, in, out).CombinedOutput(); err != nil {
		t.Fatalf("astcenc: %v\n%s", err, msg)
	}
	ktx, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	texel := 4 * m.bytes
	data := ktx[68+binary.LittleEndian.Uint32(ktx[60:]):]
	if len(data) != texel*w*h*d {
		t.Fatalf("%v: %d bytes", f, len(data))
	}
	for i := range g.count() {
		var block []uint16
		for k := range f.Width * f.Height * f.Depth {
			x, y, z := k%f.Width, k/f.Width%f.Height, k/f.Width/f.Height
			at := texel * (((i/g.n/g.n*f.Depth+z)*h+i/g.n%g.n*f.Height+y)*w + i%g.n*f.Width + x)
			for c := range 4 {
				if m.bytes == 2 {
					block = append(block, halfOrNaN(binary.LittleEndian.Uint16(data[at+2*c:])))
				} else {
					block = append(block, uint16(data[at+c]))
				}
			}
		}
		blocks = append(blocks, block)
	}
	return blocks
}
