package conformance

import (
	"fmt"
	"math"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// faceOf is the face of a direction: the axis of the largest component, z before y before x.
func faceOf(v [3]float64) int {
	x, y, z := math.Abs(v[0]), math.Abs(v[1]), math.Abs(v[2])
	axis := 0
	switch {
	case z >= x && z >= y:
		axis = 2
	case y >= x:
		axis = 1
	}
	if v[axis] < 0 {
		return 2*axis + 1
	}
	return 2 * axis
}

// cubeTexel is the face and the texel there, of n², that a direction hits.
func cubeTexel(v [3]float64, n int) (face, i, j int) {
	face = faceOf(v)
	f := onFace(face, v)
	at := func(c float64) int { return min(int((c/f[2]+1)/2*float64(n)), n-1) }
	return face, at(f[0]), at(f[1])
}

func cubeName(face, i, j int) float32 { return float32(1 + 10000*face + 100*j + i) }

// namedCube is a cube whose texels tell where they are; all levels tell the same.
func namedCube(t *testing.T, dev *imageDevice, n int) *pumice.Image {
	return ruleImage(t, dev, pumice.ImageDesc{Format: vk.FormatR32Sfloat, Width: n, Height: n, Cube: true}, func(_, layer, x, y, _ int) []byte { return word(cubeName(layer, x, y)) })
}

func direction(v [3]float64) (at [4]float32) {
	for d := range v {
		at[d] = float32(v[d])
	}
	return at
}

// Which face a direction selects, and where: inside of faces, on ties, with zeros of either sign, with NaNs, without a length.
func TestCube_IMG411_Faces(t *testing.T) {
	rules.Covers(t, "IMG-410", "IMG-411", "IMG-412", "IMG-413", "IMG-415", "IMG-005", "IMG-043", "IMG-503")
	const n = 8
	z, nan := math.Copysign(0, -1), math.NaN()
	var directions [][3]float64
	for face := range 6 {
		for i := range n {
			for j := range n {
				v := fromFace(face, [3]float64{(2*float64(i)+1.25)/n - 1, (2*float64(j)+.75)/n - 1, 1})
				for _, length := range []float64{1, 1. / 1024, 3e5} {
					directions = append(directions, [3]float64{v[0] * length, v[1] * length, v[2] * length})
				}
			}
		}
	}
	var lanes []imageLane
	for _, v := range directions {
		face, i, j := cubeTexel(v, n)
		lanes = append(lanes, imageLane{at: direction(v), want: [4]float32{cubeName(face, i, j)}, one: true})
	}
	for _, c := range []struct {
		v          [3]float64
		face, i, j int
	}{
		{[3]float64{1, 1, 1}, 4, 7, 0}, {[3]float64{1, 1, -1}, 5, 0, 0}, {[3]float64{-1, -1, -1}, 5, 7, 7}, {[3]float64{-1, -1, 1}, 4, 0, 7},
		{[3]float64{1, 1, 0}, 2, 7, 4}, {[3]float64{1, -1, 0}, 3, 7, 4}, {[3]float64{-1, 1, .5}, 2, 0, 6}, {[3]float64{1, 0, 1}, 4, 7, 4}, {[3]float64{-1, 0, -1}, 5, 7, 4}, {[3]float64{0, -1, -1}, 5, 4, 7},
		{[3]float64{0, 0, 0}, 4, 0, 0}, {[3]float64{z, z, z}, 4, 0, 0}, {[3]float64{nan, nan, nan}, 4, 0, 0},
		{[3]float64{nan, 1, 0}, 2, 4, 4}, {[3]float64{-1, nan, .5}, 1, 6, 4}, {[3]float64{.5, .25, nan}, 0, 4, 2},
		{[3]float64{1, z, z}, 0, 4, 4}, {[3]float64{z, z, -1}, 5, 4, 4},
	} {
		lanes = append(lanes, imageLane{at: direction(c.v), want: [4]float32{cubeName(c.face, c.i, c.j)}, one: true})
	}
	for _, dev := range imageDevices(t) {
		r := imageRule{dev: dev, shader: "imagecube", view: namedCube(t, dev, n), sampler: ruleSampler(t, dev, pumice.SamplerDesc{AddressModeU: vk.SamplerAddressModeClampToBorder})}
		for first := 0; first < len(lanes); first += 256 {
			r.check(t, "faces", lanes[first:min(first+256, len(lanes))])
		}
	}
}

// On an edge LINEAR filtering takes half of the texels on either side, in a corner the mean of the corners' three; a gather
// tells the same texels. Which texel lies behind an edge is found by a direction that points there.
func TestCube_IMG216_BehindEveryEdge(t *testing.T) {
	rules.Covers(t, "IMG-215", "IMG-216", "IMG-218", "IMG-220", "IMG-503", "IMG-516")
	for _, n := range []int{1, 2, 5} {
		var lanes, gathers []imageLane
		half := 1 / float64(n) // half a texel of a face from −1 to 1
		for face := range 6 {
			for edge := range 4 {
				for p := range n {
					along := (2*float64(p)+1)/float64(n) - 1
					// beyond is a little over the edge, inside as far on this side.
					point := func(by float64) (v [3]float64) {
						v = [3]float64{along, along, 1}
						v[edge/2] = float64(2*(edge%2)-1) * (1 + by)
						return fromFace(face, v)
					}
					behindFace, bi, bj := cubeTexel(point(half/64), n)
					ownFace, oi, oj := cubeTexel(point(-half/64), n)
					behind, own := cubeName(behindFace, bi, bj), cubeName(ownFace, oi, oj)
					if ownFace != face || behindFace == face {
						t.Fatal("the test's own geometry")
					}
					// A sixteenth of a texel inside, for the face to be this one: weights 9/16 and 7/16.
					at := direction(point(-half / 8))
					lanes = append(lanes, imageLane{at: at, want: [4]float32{(9*own + 7*behind) / 16}, one: true})
					// Between p and its successor, where there is one: four texels of a gather.
					if p+1 < n {
						next := along
						along += half
						at := direction(point(-half / 8))
						along += half
						f2, i2, j2 := cubeTexel(point(half/64), n)
						_, i3, j3 := cubeTexel(point(-half/64), n)
						along = next
						var foot [2][2]float32 // [j][i]
						o2, b2 := cubeName(face, i3, j3), cubeName(f2, i2, j2)
						switch edge {
						case 0:
							foot = [2][2]float32{{behind, own}, {b2, o2}}
						case 1:
							foot = [2][2]float32{{own, behind}, {o2, b2}}
						case 2:
							foot = [2][2]float32{{behind, b2}, {own, o2}}
						default:
							foot = [2][2]float32{{own, o2}, {behind, b2}}
						}
						gathers = append(gathers, imageLane{at: at, want: [4]float32{foot[1][0], foot[1][1], foot[0][1], foot[0][0]}})
					}
				}
			}
			for corner := range 4 {
				v := [3]float64{float64(2*(corner&1) - 1), float64(corner&2 - 1), 1}
				sum := float32(0)
				var own float32
				for f := range 6 {
					// The corner as it lies on each face that has it.
					d := fromFace(face, v)
					if s := onFace(f, d); s[2] > 0 {
						_, i, j := cubeTexel(fromFace(f, [3]float64{s[0] * .999, s[1] * .999, s[2]}), n)
						sum += cubeName(f, i, j)
						if f == face {
							own = cubeName(f, i, j)
						}
					}
				}
				if n == 1 {
					continue
				}
				at := fromFace(face, [3]float64{v[0] * (1 - half/8), v[1] * (1 - half/8), 1})
				lane := imageLane{at: direction(at), want: [4]float32{}, one: true}
				// Weights 9/16 and 7/16 each way, of the face's own corner, the two beside it, and their mean.
				var beside [2]float32
				for d := range 2 {
					w := [3]float64{v[0] * (1 - half), v[1] * (1 - half), 1}
					w[d] = v[d] * (1 + half/64)
					f, i, j := cubeTexel(fromFace(face, w), n)
					beside[d] = cubeName(f, i, j)
				}
				mean := float64(sum) / 3
				lane.want[0] = float32((81*float64(own) + 63*float64(beside[0]) + 63*float64(beside[1]) + 49*mean) / 256)
				lanes = append(lanes, lane)
			}
		}
		for _, dev := range imageDevices(t) {
			r := imageRule{dev: dev, shader: "imagecube", view: namedCube(t, dev, n), sampler: ruleSampler(t, dev, pumice.SamplerDesc{MagFilter: vk.FilterLinear, MinFilter: vk.FilterLinear, AddressModeU: vk.SamplerAddressModeClampToBorder})}
			r.check(t, fmt.Sprintf("%d² texels", n), lanes)
			if len(gathers) > 0 {
				r.how = gathered
				r.check(t, fmt.Sprintf("gathers of %d² texels", n), gathers)
			}
		}
	}
}

// The layer of a cube array counts cubes, from the view's first: the nearest one, ties to even, in the view.
func TestCube_IMG043_Arrays(t *testing.T) {
	rules.Covers(t, "IMG-023", "IMG-025", "IMG-043", "IMG-484")
	const n = 4
	nan := float32(math.NaN())
	for _, dev := range imageDevices(t) {
		im := ruleImage(t, dev, pumice.ImageDesc{Format: vk.FormatR32Sfloat, Width: n, Height: n, Cube: true, Layers: 30, MipLevels: 2}, func(level, layer, x, y, _ int) []byte {
			return word(float32(100000*level) + cubeName(layer, x, y))
		})
		view, err := im.NewView(pumice.ViewDesc{Type: vk.ImageViewTypeCubeArray, BaseLayer: 6, Layers: 18})
		if err != nil {
			t.Fatal(err)
		}
		defer view.Close()
		var lanes, gathers []imageLane
		for layer, cube := range map[float32]int{0: 0, 1: 1, 2: 2, .5: 0, 1.5: 2, .75: 1, 2.5: 2, 7: 2, -1: 0, 1.25: 1, nan: 0, float32(math.Inf(1)): 2} {
			for face := range 6 {
				v := fromFace(face, [3]float64{-.5, .25, 2}) // between texels 1 and 2 there, nearer to 1, and 2 and 1
				_, i, j := cubeTexel(v, n)
				at := direction(v)
				at[3] = layer
				layerOf := 6*(1+cube) + face
				l := imageLane{at: at, want: [4]float32{cubeName(layerOf, i, j)}, one: true}
				lanes = append(lanes, l)
				l.lod = 1 // of 2² texels
				_, i, j = cubeTexel(v, n/2)
				l.want[0] = 100000 + cubeName(layerOf, i, j)
				lanes = append(lanes, l)
				gathers = append(gathers, imageLane{at: at, want: [4]float32{cubeName(layerOf, 1, 2), cubeName(layerOf, 2, 2), cubeName(layerOf, 2, 1), cubeName(layerOf, 1, 1)}})
			}
		}
		r := imageRule{dev: dev, shader: "imagecubearray", view: view, sampler: ruleSampler(t, dev, pumice.SamplerDesc{})}
		r.check(t, "layers", lanes)
		r.how = gathered
		r.check(t, "gathers of layers", gathers)
		// A sixteenth of a texel from an edge: 7/16 of what lies behind it, on a face of the same cube.
		var seams []imageLane
		for cube := range 3 {
			for face := range 6 {
				along, half := .25, 1./n
				behind, i, j := cubeTexel(fromFace(face, [3]float64{1 + half/64, along, 1}), n)
				own := cubeName(6*(1+cube)+face, n-1, 2)
				at := direction(fromFace(face, [3]float64{1 - half/8, along, 1}))
				at[3] = float32(cube)
				seams = append(seams, imageLane{at: at, want: [4]float32{(9*own + 7*cubeName(6*(1+cube)+behind, i, j)) / 16}, one: true})
			}
		}
		r.how, r.sampler = atLod, ruleSampler(t, dev, pumice.SamplerDesc{MagFilter: vk.FilterLinear, MinFilter: vk.FilterLinear})
		r.check(t, "seams of layers", seams)
	}
}
