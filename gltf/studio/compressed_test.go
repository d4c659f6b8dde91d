package studio_test

import (
	"fmt"
	"image"
	"math"
	"path/filepath"
	"testing"

	"github.com/pumice-gpu/pumice/gltf"
	"github.com/pumice-gpu/pumice/gltf/studio"
)

// difference is how far two pictures are apart, premultiplied, over the pixels that
// either covers.
type difference struct {
	mean, most float64 // of 255
	far        float64 // the share of pixels with a channel more than 16 apart
}

func (d difference) String() string {
	return fmt.Sprintf("mean %.3f, most %.0f, %.2f %% of the pixels more than 16 apart", d.mean, d.most, 100*d.far)
}

func apartBy(a, b *image.NRGBA) (d difference) {
	n := 0
	for i := 0; i < len(a.Pix); i += 4 {
		if a.Pix[i+3] == 0 && b.Pix[i+3] == 0 {
			continue
		}
		n++
		worst := math.Abs(float64(a.Pix[i+3]) - float64(b.Pix[i+3]))
		for c := range 3 {
			v := math.Abs(float64(a.Pix[i+c])*float64(a.Pix[i+3]) - float64(b.Pix[i+c])*float64(b.Pix[i+3]))
			worst = max(worst, v/255)
			d.mean += v / 255 / 3
		}
		d.most = max(d.most, worst)
		if worst > 16 {
			d.far++
		}
	}
	d.mean, d.far = d.mean/float64(n), d.far/float64(n)
	return d
}

// oneSample is what an edge changes that takes one sample of four, and rounding.
const oneSample = 255.0/4 + 1

// framed draws a model; later ones are seen by the camera that frames the first.
type framed struct {
	*bench
	around []*gltf.Pose
	size   int
}

func (p *framed) draw(path string) *image.NRGBA {
	p.t.Helper()
	doc, err := gltf.Load(ctx, path, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	if len(doc.Losses) != 0 {
		p.t.Fatalf("losses: %q", doc.Losses)
	}
	if p.around == nil {
		pose, err := doc.Pose(doc.FindScene(), gltf.NoAnimation, 0)
		if err != nil {
			p.t.Fatal(err)
		}
		p.around = []*gltf.Pose{pose}
	}
	return p.bench.draw(doc, studio.View{
		Width: p.size, Height: p.size, Camera: studio.Camera{Yaw: 30, Pitch: 15, Around: p.around},
	})
}

// Compressed models give the plain one's picture: inside surfaces within rounding of
// normals and colours, at edges by one sample of four.
func TestCompressed_PicturesAreThePlainModels(t *testing.T) {
	p := &framed{bench: newBench(t), size: 128}
	folder := filepath.Join("..", "testdata", "compressed")
	plain := p.draw(filepath.Join(folder, "plain.glb"))
	for _, name := range []string{"draco-edgebreaker", "draco-sequential", "meshopt-ext", "meshopt-ext-medium", "meshopt-khr", "gltfpack-khr"} {
		d := apartBy(plain, p.draw(filepath.Join(folder, name+".glb")))
		t.Logf("%s: %v", name, d)
		if d.mean > 0.3 || d.far > 0.002 || d.most > oneSample {
			t.Errorf("%s: %v", name, d)
		}
	}
}
