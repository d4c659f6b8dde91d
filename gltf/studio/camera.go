package studio

import (
	"fmt"
	"math"

	"github.com/pumice-gpu/pumice/budget"
	"github.com/pumice-gpu/pumice/gltf"
	"github.com/pumice-gpu/pumice/gltf/mat"
)

// Camera says from where the picture is taken: Fixed, the camera Document of the
// file, or, where both are nil, a place from which the whole scene is seen.
type Camera struct {
	// Fixed is a camera given by matrices, for callers that know better.
	Fixed *FixedCamera
	// Document is one of Document.Cameras; nil frames the scene.
	Document *gltf.Camera
	// Yaw and Pitch turn the framing camera about the scene's centre, in
	// degrees: yaw 0 looks along -z (at the front of a glTF model), positive
	// yaw moves the camera to its own right, positive pitch moves it up
	// (|pitch| ≤ 90).
	Yaw, Pitch float64
	// Around are the poses that the framing camera keeps in the picture, so
	// that it stands still in an animation; none: the pose that is drawn.
	Around []*gltf.Pose
	// Zoom is the size of the framed scene in the picture; 0 means 1, which
	// just fits it in.
	Zoom float64
}

// FixedCamera is a view matrix (world to eye), a projection to Vulkan's clip
// space and the eye's place in the world.
type FixedCamera struct {
	View, Projection mat.Mat4
	Eye              mat.Vec3
}

// framingFov is the vertical field of view of the framing camera: long enough
// a lens that models look undistorted.
const framingFov = 30 * math.Pi / 180

// resolve returns the camera's matrices for a pose and an aspect ratio (width
// over height).
func (c *Camera) resolve(b *budget.Budget, doc *gltf.Document, pose *gltf.Pose, aspect float64) (FixedCamera, error) {
	if c.Fixed != nil {
		return *c.Fixed, nil
	}
	if c.Document != nil {
		return documentCamera(doc, pose, c.Document, aspect)
	}
	around := c.Around
	if len(around) == 0 {
		around = []*gltf.Pose{pose}
	}
	return c.frame(b, doc, around, aspect)
}

// documentCamera finds the first node of the scene that carries the camera.
func documentCamera(doc *gltf.Document, pose *gltf.Pose, camera *gltf.Camera, aspect float64) (FixedCamera, error) {
	index := indexOf(doc.Cameras, camera)
	if index < 0 {
		return FixedCamera{}, fmt.Errorf("%s: Camera.Document %q is none of the document's", doc.File, camera.Name)
	}
	for _, posed := range pose.Cameras {
		if posed.Camera == camera {
			return FixedCamera{
				View:       posed.View,
				Projection: posed.Lens.Projection(float32(aspect)),
				Eye:        mat.Vec3{posed.World[12], posed.World[13], posed.World[14]},
			}, nil
		}
	}
	return FixedCamera{}, fmt.Errorf("%s: cameras[%d] is not placed by any node of the scene", doc.File, index)
}

// frame places a camera in the given direction so that the poses just fit into
// the picture, centred, with a small margin.
func (c *Camera) frame(b *budget.Budget, doc *gltf.Document, poses []*gltf.Pose, aspect float64) (FixedCamera, error) {
	pitch := math.Max(-90, math.Min(90, c.Pitch)) * math.Pi / 180
	sy, cy := mat.SinCos(c.Yaw * math.Pi / 180)
	sp, cp := mat.SinCos(pitch)
	back := mat.Vec3{float32(float64(sy * cp)), float32(sp), float32(float64(cy * cp))}
	up := mat.Vec3{float32(float64(-sy * sp)), float32(cp), float32(float64(-cy * sp))}
	right := up.Cross(back)

	// In the frame (right, up, back) about the centre, a point (x, y, d) is
	// inside the picture of an eye at (ex, ey, ed) where |x−ex| ≤ (ed−d)·tan and
	// likewise for y. Each of the four sides is one linear bound on the eye.
	const margin = 1.06
	tanY := mat.Tan(framingFov/2) / margin
	tanX := float64(tanY * aspect)
	box := mat.EmptyBox()
	for _, pose := range poses {
		box.Union(pose.Bounds())
	}
	if box.Empty() {
		box = mat.Box{Min: mat.Vec3{-1, -1, -1}, Max: mat.Vec3{1, 1, 1}}
	}
	center := box.Center()
	inf := math.Inf(1)
	sides := [4]float64{-inf, -inf, -inf, -inf}
	nearest, farthest := -inf, inf
	err := forEachPoint(b, doc, poses, box, func(p mat.Vec3) {
		v := p.Sub(center)
		x, y, d := float64(v.Dot(right)), float64(v.Dot(up)), float64(v.Dot(back))
		sides[0] = math.Max(sides[0], x+float64(d*tanX))
		sides[1] = math.Max(sides[1], -x+float64(d*tanX))
		sides[2] = math.Max(sides[2], y+float64(d*tanY))
		sides[3] = math.Max(sides[3], -y+float64(d*tanY))
		nearest, farthest = math.Max(nearest, d), math.Min(farthest, d)
	})
	if err != nil {
		return FixedCamera{}, err
	}
	distance := math.Max((sides[0]+sides[1])/(2*tanX), (sides[2]+sides[3])/(2*tanY))
	extent := math.Max(nearest-farthest, distance-nearest)
	if extent <= 0 { // a single point
		extent = 1
	}
	distance = math.Max(distance, nearest+float64(extent/64))
	near := math.Max((distance-nearest)*0.9, extent/1024)
	far := (distance - farthest) + float64(extent/16)

	eye := center.Add(right.Scale(float32((sides[0] - sides[1]) / 2)))
	eye = eye.Add(up.Scale(float32((sides[2] - sides[3]) / 2))).Add(back.Scale(float32(distance)))
	zoom := c.Zoom
	if zoom <= 0 {
		zoom = 1
	}
	return FixedCamera{
		View:       mat.LookAt(eye, eye.Sub(back), up),
		Projection: perspectiveTan(tanY*margin/zoom, aspect, near, far),
		Eye:        eye,
	}, nil
}

// maxFramingPoints bounds the work of framing; a larger scene is framed by the
// corners of its bounding box.
const maxFramingPoints = 1 << 23

// forEachPoint calls f with the world positions of all vertices of the poses,
// or with the corners of their box.
func forEachPoint(b *budget.Budget, doc *gltf.Document, poses []*gltf.Pose, box mat.Box, f func(mat.Vec3)) error {
	total := 0
	for _, pose := range poses {
		for i := range pose.Items {
			total += pose.Items[i].Primitive.Vertices()
		}
	}
	if total == 0 || total > maxFramingPoints {
		for _, corner := range box.Corners() {
			f(corner)
		}
		return nil
	}
	for _, pose := range poses {
		for i := range pose.Items {
			item := &pose.Items[i]
			points, need := item.Primitive.Positions, int64(0)
			if item.Primitive.Deforms(item) {
				need = item.Primitive.DeformBytes()
				if err := b.Take(need); err != nil {
					return fmt.Errorf("%s: meshes[%d].primitives[%d]: %w", doc.File, item.Mesh, item.PrimitiveIndex, err)
				}
				points, _, _ = item.Primitive.Deform(item)
			}
			for _, p := range points {
				if w := item.World.Point(p); w.Finite() {
					f(w)
				}
			}
			b.Drop(need)
		}
	}
	return nil
}

// perspectiveTan is mat.Perspective given the tangent of half the field of
// view.
func perspectiveTan(tanHalf, aspect, near, far float64) mat.Mat4 {
	f := 1 / tanHalf
	return mat.DMat4{
		0: f / aspect, 5: -f, 10: far / (near - far), 11: -1, 14: float64(near*far) / (near - far),
	}.Single()
}
