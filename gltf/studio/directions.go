package studio

import (
	"context"
	"encoding/binary"
	"math"
	"math/bits"
	"sync"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/gltf/mat"
)

// The table by which directions are chosen: rings of equal height above the horizon, and spokes.
const (
	lightRings  = 64
	lightSpokes = 256
	// Shadows of what is lower than this would reach too far: its sine of the height.
	lowestLight = 0.2
)

// lightDirections are directions towards the light of an environment, by their number.
type lightDirections struct {
	mu sync.Mutex
	by map[int][]mat.Vec3
}

// directions returns count directions towards the upper half of the environment, each of the same
// share of its light. The higher it stands the more it counts: by the square of its height above
// the horizon, of which ground gets light by one, so that shadows are a little more gathered under what throws them.
func (e *environment) directions(ctx context.Context, count int) ([]mat.Vec3, error) {
	e.towards.mu.Lock()
	defer e.towards.mu.Unlock()
	if have := e.towards.by[count]; have != nil {
		return have, nil
	}
	shine, err := e.upperHalf(ctx)
	if err != nil {
		return nil, err
	}
	if e.towards.by == nil {
		e.towards.by = map[int][]mat.Vec3{}
	}
	e.towards.by[count] = chosen(shine, count)
	return e.towards.by[count], nil
}

// upperHalf returns the light from each part of the upper half, as directions counts it. Rings are of equal
// height: their parts are of equal area.
func (e *environment) upperHalf(ctx context.Context) (*[lightRings][lightSpokes]float64, error) {
	var faces [6][]byte
	for f := range faces {
		if f == 3 { // down
			continue
		}
		data, err := e.radiance.Read(ctx, pumice.Subresource{Layer: f})
		if err != nil {
			return nil, err
		}
		faces[f] = data
	}
	size := 1
	for size*size*16 < len(faces[0]) {
		size *= 2
	}
	shine := &[lightRings][lightSpokes]float64{}
	for r := range lightRings {
		for s := range lightSpokes {
			for i := range 4 { // 2 × 2 samples
				d := towards(float64(r)+0.25+float64(0.5*float64(i%2)), float64(s)+0.25+float64(0.5*float64(i/2)))
				face, x, y := cubeTexel(d, size)
				at := faces[face][16*(y*size+x):]
				lum := 0.0
				for c, w := range [3]float64{0.2126, 0.7152, 0.0722} {
					lum += float64(w * float64(math.Float32frombits(binary.LittleEndian.Uint32(at[4*c:]))))
				}
				shine[r][s] += float64(lum * float64(d[1]*d[1]))
			}
		}
	}
	return shine, nil
}

// towards returns the direction at a place in the table.
func towards(ring, spoke float64) mat.Vec3 {
	up := ring / lightRings
	out := math.Sqrt(1 - float64(up*up))
	s, c := mat.SinCos(float64(spoke*2*math.Pi) / lightSpokes)
	return mat.Vec3{float32(float64(out * s)), float32(up), float32(float64(out * c))}
}

// cubeTexel returns the texel of a cube of faces of the given size that a direction meets: the
// reverse of face.glsl.
func cubeTexel(d mat.Vec3, size int) (face, x, y int) {
	ax, ay, az := math.Abs(float64(d[0])), math.Abs(float64(d[1])), math.Abs(float64(d[2]))
	dx, dy, dz := float64(d[0]), float64(d[1]), float64(d[2])
	var u, v float64
	switch {
	case ax >= ay && ax >= az && dx > 0:
		face, u, v = 0, -dz/ax, -dy/ax
	case ax >= ay && ax >= az:
		face, u, v = 1, dz/ax, -dy/ax
	case ay >= az && dy > 0:
		face, u, v = 2, dx/ay, dz/ay
	case ay >= az:
		face, u, v = 3, dx/ay, -dz/ay
	case dz > 0:
		face, u, v = 4, dx/az, -dy/az
	default:
		face, u, v = 5, -dx/az, -dy/az
	}
	at := func(p float64) int { return min(int(float64(p+1)/2*float64(size)), size-1) }
	return face, at(u), at(v)
}

// chosen returns directions spread over the table as its light is: Hammersley's points, taken to
// rings by the sums of rings, and to spokes by the sums in the ring.
func chosen(shine *[lightRings][lightSpokes]float64, count int) []mat.Vec3 {
	var rings [lightRings]float64
	for r := range shine {
		for _, v := range shine[r] {
			rings[r] += v
		}
	}
	// where returns where in a list so much of its sum has come together.
	where := func(list []float64, share float64) float64 {
		sum := 0.0
		for _, v := range list {
			sum += v
		}
		if !(sum > 0) { // dark: even light
			return share * float64(len(list))
		}
		left := float64(share * sum)
		for i, v := range list {
			if left < v {
				return float64(i) + left/v
			}
			left -= v
		}
		return float64(len(list)) - 0.5
	}
	out := make([]mat.Vec3, count)
	for i := range out {
		ring := where(rings[:], (float64(i)+0.5)/float64(count))
		share := float64(bits.Reverse32(uint32(i))) / (1 << 32)
		out[i] = towards(math.Max(ring, lowestLight*lightRings), where(shine[int(ring)][:], share))
	}
	return out
}
