package texel_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec/vm"
	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/lower/texel"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/sampling"
	"github.com/pumice-gpu/pumice/vk"
)

// special are bytes of which many numbers have something special: zeros, ones, infinities, NaNs.
var special = []byte{0, 0, 0x80, 0xFF, 0x7F, 0x7C, 0xFC, 0x3C, 0x3F, 1}

// columnsView is a view of an image of random texels, nil where there is no such image.
func columnsView(t *testing.T, r *rand.Rand, f vk.Format, volume bool) *resource.ImageView {
	d := resource.ImageDesc{Type: vk.ImageType2D, Format: f, Extent: vk.Extent3D{Width: 23, Height: 6, Depth: 1}, ArrayLayers: 3, MipLevels: 2}
	if volume {
		d.Type, d.Extent, d.ArrayLayers = vk.ImageType3D, vk.Extent3D{Width: 23, Height: 6, Depth: 9}, 1
	}
	im, err := resource.NewImage(d)
	if err != nil {
		return nil
	}
	if err := im.Bind(make([]byte, im.Layout.Size)); err != nil {
		t.Fatal(err)
	}
	for i := range im.Data {
		if im.Data[i] = byte(r.Uint32()); r.IntN(3) == 0 {
			im.Data[i] = special[r.IntN(len(special))]
		}
	}
	return resource.LevelView(im, 0, r.IntN(2))
}

// Rows that routines write are those of a Source, encoded: for each pair of formats of one class that routines
// convert, in two and three dimensions, of any layer, however coordinates lie.
func TestColumns_EveryPairOfFormats(t *testing.T) {
	engines := []texel.Engine{vm.New(vm.Options{Native: true}).Texels(), vm.New(vm.Options{}).Texels()}
	r := rand.New(rand.NewPCG(71, 72))
	pairs, from, into := 0, map[vk.Format]bool{}, map[vk.Format]bool{}
	for _, f := range format.All() {
		for _, g := range format.All() {
			a, _ := format.Lookup(f)
			b, _ := format.Lookup(g)
			if a.Class != b.Class || a.Aspects != vk.ImageAspectColorBit || b.Aspects != vk.ImageAspectColorBit || a.NeedsConversion() || b.NeedsConversion() || b.Compressed || testing.Short() && r.IntN(12) > 0 {
				continue
			}
			volume, filter := r.IntN(3) == 0, vk.Filter(r.IntN(2))
			if a.Class != format.ClassFloat {
				filter = vk.FilterNearest
			}
			v := columnsView(t, r, f, volume)
			if v == nil {
				continue
			}
			u := make([]float64, 1+r.IntN(70))
			for i := range u {
				if u[i] = r.Float64()*27 - 2; i%4 == 0 {
					u[i] = float64(r.IntN(50)) / 2
				}
			}
			c := texel.NewColumns(engines[r.IntN(len(engines))], v, filter, volume, u, g)
			if c == nil {
				continue
			}
			pairs++
			from[f], into[g] = true, true
			src, thread := sampling.NewSource(v, filter, 0, volume), c.Thread()
			row := make([]format.Texel, len(u))
			for range 4 {
				y, z, layer := r.Float64()*8-1, 0.5, r.IntN(v.Layers)
				if volume {
					z = r.Float64()*11 - 1
				}
				at := r.IntN(len(u))
				for i := range row {
					row[i] = src.Texel(u[i], y, z, layer)
				}
				got, want := make([]byte, (len(u)-at)*b.BlockBytes), make([]byte, (len(u)-at)*b.BlockBytes)
				b.EncodeRow(want, row[at:])
				if !thread.Write(got, at, y, z, layer) {
					t.Fatalf("%v to %v: the engine failed", f, g)
				}
				if !bytes.Equal(got, want) {
					i := 0
					for got[i] == want[i] {
						i++
					}
					i /= b.BlockBytes
					t.Fatalf("%v to %v, filter %v, volume %v, (%v, %v, %v) of layer %d: %x, want %x, the code of %x", f, g, filter, volume, u[at+i], y, z, layer,
						got[i*b.BlockBytes:][:b.BlockBytes], want[i*b.BlockBytes:][:b.BlockBytes], row[at+i])
				}
			}
		}
	}
	if least := 5000; pairs < least && !testing.Short() || len(from) < 60 || len(into) < 60 {
		t.Errorf("only %d pairs, of %d formats into %d", pairs, len(from), len(into))
	}
}
