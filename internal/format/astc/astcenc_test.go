package astc

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/fp"
	"github.com/pumice-gpu/pumice/internal/outside"
	"github.com/pumice-gpu/pumice/internal/rules"
)

// TestDecode_SameBits_EveryFootprint decodes random blocks of every footprint and holds every component to what Arm's codec
// makes of it, bit by bit: half floats in the HDR profile, 8-bit codes in the sRGB one. Its texels are recorded as a hash for
// each block; TestOutside_AstcencDecodes compares them one by one.
func TestDecode_SameBits_EveryFootprint(t *testing.T) {
	rules.Covers(t, "IMG-860", "IMG-861", "IMG-862", "IMG-863", "IMG-864", "IMG-865", "IMG-866", "IMG-867", "IMG-868", "IMG-869", "IMG-870", "IMG-871",
		"IMG-872", "IMG-873", "IMG-874", "IMG-875", "IMG-877", "IMG-878", "IMG-879", "IMG-880", "IMG-882")
	record := outside.ReadRecord(t, astcencRecord)
	for _, g := range grids() {
		for _, m := range astcencModes {
			said, err := hex.DecodeString(record.Values[g.key(m)])
			if err != nil || len(said) != 4*g.count() {
				t.Errorf("%s: %d bytes are recorded for %d blocks (%v): %s", g.key(m), len(said), g.count(), err, outside.Anew)
				continue
			}
			bad := 0
			for i := range g.count() {
				if got, want := hash(g.ours(i, m)), binary.BigEndian.Uint32(said[4*i:]); got != want {
					if bad++; bad < 4 {
						t.Errorf("%s: block %d, %x: the texels' hash is %08x, of %s %08x; which of them differ says TestOutside_AstcencDecodes",
							g.key(m), i, g.block(i), got, record.Tool, want)
					}
				}
			}
		}
	}
}

const astcencRecord = "testdata/astcenc.txt"

// A mode is a profile, and what astcenc writes in it: so many bytes for each of four components.
type mode struct {
	name, flag string
	profile    Profile
	bytes      int
}

var astcencModes = []mode{{"HDR", "-dh", ProfileFloat, 2}, {"sRGB", "-ds", ProfileSrgb, 1}}

// grid is an image of n × n × nz blocks.
type grid struct {
	f      Footprint
	n, nz  int
	blocks []byte
}

// grids are random blocks of each footprint, most of them legal.
func grids() (list []grid) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, f := range footprints {
		g := grid{f: f, n: 12, nz: 1}
		if f.Depth > 1 {
			g.n, g.nz = 6, 4
		}
		g.blocks = make([]byte, 16*g.count())
		for i := 0; i < len(g.blocks); i += 8 {
			binary.LittleEndian.PutUint64(g.blocks[i:], r.Uint64())
		}
		for i := 0; i < len(g.blocks); i += 16 {
			for try := 0; try < 20 && !new(block).parse(newStream(g.blocks[i:]), f, ProfileFloat); try++ {
				binary.LittleEndian.PutUint64(g.blocks[i:], r.Uint64())
			}
		}
		list = append(list, g)
	}
	return list
}

func (g *grid) count() int         { return g.n * g.n * g.nz }
func (g *grid) block(i int) []byte { return g.blocks[16*i : 16*i+16] }

func (g *grid) key(m mode) string {
	return fmt.Sprintf("%d × %d × %d, %s", g.f.Width, g.f.Height, g.f.Depth, m.name)
}

// ours are the components of a block's texels as astcenc writes them. What is no number is all one, and so are, in HDR,
// the texels of illegal blocks: astcenc makes NaN of them, where Vulkan has magenta.
func (g *grid) ours(i int, m mode) []uint16 {
	var dst [maxTexels]Texel
	Decode(dst[:], g.block(i), g.f, m.profile, ModeFloat16)
	illegal := m.profile == ProfileFloat && !new(block).parse(newStream(g.block(i)), g.f, m.profile)
	var out []uint16
	for _, texel := range dst[:g.f.Width*g.f.Height*g.f.Depth] {
		for c, bits := range texel {
			v, code := math.Float32frombits(bits), uint16(0)
			switch {
			case illegal:
				code = notANumber
			case m.profile == ProfileFloat:
				code = halfOrNaN(fp.FloatToHalf(v))
			case c < 3:
				code = uint16(fp.LinearToSrgb(v))
			default:
				code = uint16(fp.FloatToUnorm8(v))
			}
			out = append(out, code)
		}
	}
	return out
}

const notANumber = 0x7e00

func halfOrNaN(h uint16) uint16 {
	if h&0x7fff > 0x7c00 {
		return notANumber
	}
	return h
}

func hash(components []uint16) uint32 {
	h := fnv.New32a()
	for _, c := range components {
		h.Write([]byte{byte(c), byte(c >> 8)})
	}
	return h.Sum32()
}
