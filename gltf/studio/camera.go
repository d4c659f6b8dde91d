package studio

import (
	"errors"
	"fmt"
	"math"

	"github.com/pumice-gpu/pumice/gltf"
	"github.com/pumice-gpu/pumice/gltf/mat"
)

// Camera says from where the picture is taken: Fixed, the camera Document of the
// file, or, where both are nil, a place from which the whole scene is seen or that
// Position names. Places are in the document's world, whatever its unit.
type Camera struct {
	// Fixed is a camera given by matrices, for callers that know better.
	Fixed *FixedCamera
	// Document is one of Document.Cameras; nil leaves it to what follows. In a picture of another shape
	// than the camera's there is more to see, and nothing is stretched.
	Document *gltf.Camera
	// Position is where the camera stands; nil frames the scene: the camera stands where all
	// of it is just in the picture.
	Position *mat.DVec3
	// Target is what the camera looks at, in the middle of the picture; nil is the middle of
	// the scene.
	Target *mat.DVec3
	// Up is the direction that is up in the picture, of any length; zero is +y, glTF's up. Yaw and
	// Pitch are relative to it: where up is +z, yaw 0 looks along +y.
	Up mat.DVec3
	// FOV is the vertical angle of view in degrees, above 0 and below 180; 0 means 30, so long a
	// lens that models look undistorted.
	FOV float64
	// Orthographic draws without perspective: what is far away is no smaller. FOV must be 0 then.
	Orthographic bool
	// Yaw and Pitch turn the framing camera about the scene's centre, or Target, in
	// degrees: yaw 0 looks along -z (at the front of a glTF model), positive
	// yaw moves the camera to its own right, positive pitch moves it up
	// (|pitch| ≤ 90).
	Yaw, Pitch float64
	// Around are the poses that the framing camera keeps in the picture, so
	// that it stands still in an animation; none: the pose that is drawn.
	Around []*gltf.Pose
	// Turning keeps the framing camera at one distance, and one height, for all values of Yaw:
	// that from which the scene stays in the picture while it turns once around.
	Turning bool
	// Zoom is the size of the framed scene in the picture; 0 means 1, which
	// just fits it in. It magnifies what is seen from Position likewise.
	Zoom float64
}

// FixedCamera is a view matrix (world to eye), a projection to Vulkan's clip
// space and the eye's place in the world. Of the view matrix only the directions count: Eye says
// where it is.
type FixedCamera struct {
	View, Projection mat.Mat4
	Eye              mat.DVec3
}

// framingFOV is the vertical field of view of the framing camera, in degrees.
const framingFOV = 30

// margin is the size of the picture against that of what is framed.
const margin = 1.06

// sight is a camera in numbers that binary32 holds well: the shaders' world has its zero where
// the view begins, and a unit of about the size of what there is to see. As the unit is a power of
// two, what is drawn has the same bits in any unit of the document.
type sight struct {
	at         mat.DVec3 // zero of the shaders' world, relative to the pose's Origin
	eye        mat.DVec3 // relative to at
	directions mat.DMat4 // world to eye, without a move
	projection mat.DMat4
	unit       float64 // what the document's unit is in the shaders' world
}

// parallel reports whether all rays have one direction.
func (s *sight) parallel() bool {
	return s.projection[3] == 0 && s.projection[7] == 0 && s.projection[11] == 0
}

// back is the direction from what is seen to the eye.
func (s *sight) back() mat.DVec3 {
	return mat.DVec3{s.directions[2], s.directions[6], s.directions[10]}.Normalize()
}

// view is the matrix from the document's unit about at to the eye.
func (s *sight) view() mat.DMat4 {
	return s.directions.Mul(mat.Translate(mat.DVec3{}.Sub(s.eye)))
}

// viewProjection leads from the shaders' world to clip space.
func (s *sight) viewProjection() mat.DMat4 {
	m := s.projection.Mul(s.view())
	// A place p is unit·p there. With perspective clip space may be unit times as large, too: it
	// is the same picture, in numbers near 1.
	for i := range m {
		switch {
		case s.parallel() && i < 12:
			m[i] /= s.unit
		case !s.parallel() && i >= 12:
			m[i] = float64(m[i] * s.unit)
		}
	}
	return m
}

// place leads from a mesh to the shaders' world.
func (s *sight) place(world *mat.DMat4) mat.DMat4 {
	return world.Moved(mat.DVec3{}.Sub(s.at)).Scaled(s.unit)
}

// point is a place in the shaders' world.
func (s *sight) point(p mat.DVec3) mat.Vec3 { return p.Sub(s.at).Scale(s.unit).Single() }

// measure chooses the unit by how far away the pose reaches.
func (s *sight) measure(pose *gltf.Pose) {
	most := 0.0
	for i := range pose.Items {
		center, radius := pose.Items[i].Reach()
		if d := center.Sub(s.at).Length() + radius; d > most && !math.IsInf(d, 1) {
			most = d
		}
	}
	s.unit = 1
	if most > 0 {
		s.unit = math.Ldexp(1, -math.Ilogb(most))
	}
}

// resolve returns the sight of a pose at an aspect ratio (width over height).
func (r *Renderer) resolve(c *Camera, doc *gltf.Document, pose *gltf.Pose, aspect float64) (s sight, err error) {
	switch {
	case c.Fixed != nil:
		s = sight{directions: directions(c.Fixed.View.Double()), projection: c.Fixed.Projection.Double()}
		near := s.projection[14] / s.projection[10] // where depth is 0
		if !(near > 0) || math.IsInf(near, 1) {
			near = 0 // no projection of the common kinds: any place will do
		}
		s.begin(c.Fixed.Eye.Sub(pose.Origin), near)
	case c.Document != nil:
		s, err = documentCamera(doc, pose, c.Document, aspect)
	default:
		if err = c.check(); err == nil {
			f := framing{Camera: c, seen: r.seen(c, doc, pose), aspect: aspect}
			s, err = f.sight()
		}
	}
	if err != nil {
		return sight{}, err
	}
	s.measure(pose)
	return s, nil
}

// directions returns a transform without its move.
func directions(m mat.DMat4) mat.DMat4 {
	m[12], m[13], m[14] = 0, 0, 0
	return m
}

// documentCamera finds the first node of the scene that carries the camera.
func documentCamera(doc *gltf.Document, pose *gltf.Pose, camera *gltf.Camera, aspect float64) (sight, error) {
	index := indexOf(doc.Cameras, camera)
	if index < 0 {
		return sight{}, fmt.Errorf("%s: Camera.Document %q is none of the document's", doc.File, camera.Name)
	}
	for _, posed := range pose.Cameras {
		if posed.Camera == camera {
			s := sight{directions: directions(posed.View), projection: posed.Lens.Projection(float32(aspect)).Double()}
			s.begin(posed.World.Translation(), float64(posed.Lens.ZNear))
			return s, nil
		}
	}
	return sight{}, fmt.Errorf("%s: cameras[%d] is not placed by any node of the scene", doc.File, index)
}

// begin puts the zero of the shaders' world where the view begins: nothing that is seen is nearer to
// the eye, and numbers count from there.
func (s *sight) begin(eye mat.DVec3, near float64) {
	s.eye = s.back().Scale(near)
	s.at = eye.Sub(s.eye)
}

// check refuses what is no camera.
func (c *Camera) check() error {
	for _, p := range []struct {
		name string
		at   *mat.DVec3
	}{{"Position", c.Position}, {"Target", c.Target}, {"Up", &c.Up}} {
		if p.at != nil && !p.at.Finite() {
			return fmt.Errorf("studio: Camera.%s %v is not finite", p.name, *p.at)
		}
	}
	switch {
	case c.FOV != 0 && !(c.FOV > 0 && c.FOV < 180):
		return fmt.Errorf("studio: Camera.FOV %v: want more than 0 and less than 180 degrees", c.FOV)
	case c.FOV != 0 && c.Orthographic:
		return errors.New("studio: Camera.FOV is an angle of perspective; an Orthographic camera has none")
	case c.Position != nil && c.Turning:
		return errors.New("studio: Camera.Turning goes around the scene; one with a Position stands still")
	case c.Position != nil && c.Target != nil && *c.Position == *c.Target:
		return fmt.Errorf("studio: Camera.Position and Target are one point, %v: there is no direction to look in", *c.Position)
	}
	return nil
}
