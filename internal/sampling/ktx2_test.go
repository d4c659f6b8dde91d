package sampling

import (
	"encoding/binary"
	"image"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/assets"
	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// The single-plane 4:2:2 files of the assets, whose twins hold reconstructed
// chroma: cosited, or at midpoints where the name says so.
func TestYcbcr_FilesByOthers(t *testing.T) {
	rules.Covers(t, "IMG-338", "IMG-339", "IMG-343", "IMG-047")
	root := assets.Folder(t, "ktx2")
	twins, _ := filepath.Glob(filepath.Join(root, "golden_png_2d", "*_422_UNORM*_2D.png"))
	compared := 0
	for _, twin := range twins {
		name := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(twin), "output_"), ".png")
		b, err := os.ReadFile(filepath.Join(root, "input", "valid_"+name+".ktx2"))
		if err != nil {
			continue
		}
		u32 := func(at int) uint32 { return binary.LittleEndian.Uint32(b[at:]) }
		f := vk.Format(u32(12))
		info, ok := format.Lookup(f)
		if !ok || info.Components[1].Bits%8 != 0 {
			continue // twins of 10 and 12 bits are not scaled
		}
		file, err := os.Open(twin)
		if err != nil {
			t.Fatal(err)
		}
		want, err := png.Decode(file)
		file.Close()
		if err != nil {
			t.Fatal(err)
		}
		im := newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: f, Extent: extent(u32(20), u32(24), 1)})
		copy(im.Data, b[binary.LittleEndian.Uint64(b[80:]):])
		v := newView(t, im, resource.ViewDesc{})
		offset := cosited
		if strings.Contains(name, "Midpoint") {
			offset = midpoint
		}
		for _, explicit := range []bool{false, true} {
			s := ycbcrSampler(t, nearest, resource.YcbcrConversion{Format: f, ChromaFilter: linear, XChromaOffset: offset, ForceExplicit: explicit})
			compareTwin(t, name, want, v, s)
		}
		compared++
	}
	if compared < 4 {
		t.Errorf("only %d files were compared", compared)
	}
}

func compareTwin(t *testing.T, name string, want image.Image, v *resource.ImageView, s *resource.Sampler) {
	t.Helper()
	w, h := want.Bounds().Dx(), want.Bounds().Dy()
	for y := range h {
		for x := range w {
			got := floats(lane1{op: sampleOp(ir.Dim2D), coord: []float32{(float32(x) + .5) / float32(w), (float32(y) + .5) / float32(h)}}.run(v, s))
			r, g, b, _ := want.At(x, y).RGBA()
			for c, code := range [3]uint32{r, g, b} {
				// The twin's chroma is rounded to a code, of 8 bits at least.
				if d := math.Abs(float64(got[c])*65535 - float64(code)); d > 257 {
					t.Errorf("%s at (%d, %d), component %d: %v, the twin has %d of 65535", name, x, y, c, got[c], code)
					return
				}
			}
		}
	}
}
