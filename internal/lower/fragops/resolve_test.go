package fragops_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/exec/vm"
	"github.com/pumice-gpu/pumice/internal/format"
	ref "github.com/pumice-gpu/pumice/internal/fragops"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/lower/fragops"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// The mean of samples is the reference's, in every format that has a program, of codes, special
// numbers and random bits, equal samples and others.
func TestResolve_EqualsReference(t *testing.T) {
	rules.Covers(t, "RAS-350", "RAS-353", "RAS-355", "RAS-356", "RAS-351", "RAS-352")
	done := 0
	for _, info := range targets() {
		for _, samples := range []int{2, 4, 8} {
			p, err := fragops.LowerResolve(info, samples)
			if err != nil {
				t.Fatal(err)
			}
			if p == nil {
				continue
			}
			done++
			r := rand.New(rand.NewPCG(uint64(info.Format), uint64(samples)))
			const width, height = 40, 6
			n := info.BlockBytes
			src, want := make([]byte, width*height*samples*n), make([]byte, width*height*n)
			for i := range width * height * samples {
				texel := src[i*n:][:n]
				switch r.IntN(4) {
				case 0:
					for k := range texel {
						texel[k] = byte(r.Uint32())
					}
				case 1:
					if i%samples > 0 {
						copy(texel, src[(i-1)*n:])
						break
					}
					fallthrough
				default:
					info.Encode(texel, format.Texel{operand(r, info.Class), operand(r, info.Class), operand(r, info.Class), operand(r, info.Class)})
				}
			}
			for i := range want {
				want[i] = byte(r.Uint32())
			}
			var places []exec.Place
			before := bytes.Clone(want)
			for y := 0; y < height; y += 2 {
				for x := 0; x < width; x += 8 {
					q := exec.Place{X: int32(x), Y: int32(y)}
					if q.Covered[0] = uint16(r.Uint32()); r.IntN(2) == 0 {
						q.Covered[0] = 0xFFFF
					}
					places = append(places, q)
					for l := range ir.PlaceLanes {
						if px, py := q.Pixel(l); q.Covered[0]>>l&1 != 0 {
							at := py*width + px
							ref.ResolveColor(info, vk.ResolveModeAverageBit, want[at*n:], src[at*samples*n:], 1, samples)
						}
					}
				}
			}
			for _, native := range []bool{false, true} {
				routine, err := vm.New(vm.Options{Native: native}).Compile(p)
				if err != nil {
					t.Fatal(err)
				}
				got := bytes.Clone(before)
				b := exec.Batch{N: ir.PlaceLanes * len(places), Places: places, Surfaces: []exec.Surface{{Data: got, RowPitch: width * n}, {Data: src, RowPitch: width * samples * n}}}
				if err := routine.NewThread(exec.MaxLanes).Run(&exec.Context{}, &b); err != nil {
					t.Fatal(err)
				}
				for i := range want {
					if got[i] != want[i] {
						at := i / n
						t.Fatalf("%v, %d samples, native %v: %x gives %x, want %x", info.Format, samples, native, src[at*samples*n:][:samples*n], got[at*n:][:n], want[at*n:][:n])
					}
				}
			}
		}
	}
	if done < 30 {
		t.Errorf("%d formats and sample counts have a program", done)
	}
	// Integers have no mean, pixels of more than 64 bytes no place, and numbers of 64 bits no attachment.
	for _, f := range format.All() {
		info, _ := format.Lookup(f)
		for samples := 2; samples <= 64 && info.Aspects == vk.ImageAspectColorBit && info.Supported() == nil && !info.Compressed; samples *= 2 {
			p, err := fragops.LowerResolve(info, samples)
			if none := info.Class != format.ClassFloat || info.Components[0].Bits == 64 || samples*info.BlockBytes > 64; err != nil || none && p != nil {
				t.Errorf("%v, %d samples: %v, program %v", f, samples, err, p != nil)
			}
		}
	}
}
