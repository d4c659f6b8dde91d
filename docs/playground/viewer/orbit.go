package viewer

import (
	"math"

	"github.com/pumice-gpu/pumice/gltf"
	"github.com/pumice-gpu/pumice/gltf/mat"
	"github.com/pumice-gpu/pumice/gltf/studio"
)

// An orbit is what the camera goes around: a ball that it keeps in the picture. (That of
// package studio fits the model into each picture anew, so that it seems to breathe when it turns.)
type orbit struct {
	center mat.DVec3
	radius float64
	far    float64 // how far behind the ball one sees, in radii
	fov    float64 // of the height, in radians
}

// teapotOrbit looks at the built-in scene's pot as the scene's own camera does; the floor
// reaches to the horizon.
var teapotOrbit = orbit{center: mat.DVec3{0.25, 1.35, 0}, radius: 3.25, far: 200, fov: 0.5}

// orbitOf goes around all of a document's scene at rest.
func orbitOf(doc *gltf.Document) (orbit, error) {
	pose, err := doc.Pose(doc.FindScene(), gltf.NoAnimation, 0)
	if err != nil {
		return orbit{}, err
	}
	o := orbit{radius: 1, far: 1, fov: math.Pi / 6}
	if box := pose.Bounds(); !box.Empty() {
		o.center = box.Center()
		if r := box.Max.Sub(box.Min).Length() / 2; r > 0 {
			o.radius = r
		}
	}
	return o, nil
}

// camera is that of yaw and pitch, in degrees as in studio.Camera. With a zoom of 1 the
// picture's height just holds the ball.
func (o *orbit) camera(yaw, pitch, zoom, aspect float64) *studio.FixedCamera {
	sy, cy := mat.SinCos(yaw * math.Pi / 180)
	sp, cp := mat.SinCos(pitch * math.Pi / 180)
	half, _ := mat.SinCos(o.fov / 2)
	distance := o.radius / half / zoom
	back := mat.DVec3{float64(sy * cp), sp, float64(cy * cp)}
	up := mat.DVec3{float64(-sy * sp), cp, float64(-cy * sp)}
	near := max(distance-o.radius, distance/100)
	return &studio.FixedCamera{
		View:       mat.DLookAt(back, mat.DVec3{}, up).Single(),
		Projection: mat.Perspective(o.fov, aspect, near, distance+float64(o.radius*o.far)),
		Eye:        o.center.Add(back.Scale(distance)),
	}
}
