package studio

import (
	"cmp"
	"fmt"
	"math"

	"github.com/pumice-gpu/pumice/budget"
	"github.com/pumice-gpu/pumice/gltf"
	"github.com/pumice-gpu/pumice/gltf/mat"
)

// seen is what a camera keeps in the picture.
type seen struct {
	budget *budget.Budget
	doc    *gltf.Document
	poses  []*gltf.Pose
	origin mat.DVec3 // of the pose that is drawn: places are relative to it
}

// seen returns what a camera is to keep in the picture.
func (r *Renderer) seen(c *Camera, doc *gltf.Document, pose *gltf.Pose) seen {
	s := seen{budget: r.budget, doc: doc, poses: c.Around, origin: pose.Origin}
	if len(s.poses) == 0 {
		s.poses = []*gltf.Pose{pose}
	}
	return s
}

// box returns the bounds of what is seen.
func (s *seen) box() mat.Box {
	box := mat.EmptyBox()
	for _, pose := range s.poses {
		box.Union(pose.Bounds().Moved(pose.Origin.Sub(s.origin)))
	}
	return box
}

// maxFramingPoints bounds the work of framing; a larger scene is framed by the
// corners of its bounding box.
const maxFramingPoints = 1 << 23

// forEachPoint calls f with the positions of all vertices of the poses, or with the corners of
// their box, relative to a point.
func (s *seen) forEachPoint(box mat.Box, about mat.DVec3, f func(mat.DVec3)) error {
	total := 0
	for _, pose := range s.poses {
		for i := range pose.Items {
			total += pose.Items[i].Primitive.Vertices()
		}
	}
	if total == 0 || total > maxFramingPoints {
		for _, corner := range box.Corners() {
			f(corner.Sub(about))
		}
		return nil
	}
	for _, pose := range s.poses {
		move := pose.Origin.Sub(s.origin).Sub(about)
		for i := range pose.Items {
			item := &pose.Items[i]
			points, need := item.Primitive.Positions, int64(0)
			world, origin := placed(item)
			world = world.Moved(move)
			if item.Primitive.Deforms(item) {
				need = item.Primitive.DeformBytes()
				if err := s.budget.Take(need); err != nil {
					return fmt.Errorf("%s: meshes[%d].primitives[%d]: %w", s.doc.File, item.Mesh, item.PrimitiveIndex, err)
				}
				points, _, _ = item.Primitive.DeformAbout(item, origin)
				origin = mat.Vec3{}
			}
			for _, p := range points {
				if w := world.Point(mat.Vec3(p).Sub(origin).Double()); w.Finite() {
					f(w)
				}
			}
			s.budget.Drop(need)
		}
	}
	return nil
}

// placed returns an item's origin, which its positions are drawn relative to, and the transform
// from there.
func placed(item *gltf.Item) (mat.DMat4, mat.Vec3) {
	origin := item.Origin()
	if origin == (mat.Vec3{}) {
		return item.World, origin
	}
	return item.World.Mul(mat.Translate(origin.Double())), origin
}

// framing places a camera that no document or caller gives whole.
type framing struct {
	*Camera
	seen
	aspect float64
}

// sight finds the camera.
func (f *framing) sight() (sight, error) {
	box := f.box()
	if box.Empty() {
		f.poses = nil
		box = mat.Box{Min: mat.DVec3{-1, -1, -1}, Max: mat.DVec3{1, 1, 1}}
	}
	if f.Position != nil {
		return f.from(box)
	}
	return f.frame(box)
}

// tan returns the tangent of half the vertical angle of view, before zooming.
func (f *framing) tan() float64 { return mat.Tan(float64(cmp.Or(f.FOV, framingFOV)*math.Pi/180) / 2) }

// zoom is that of the camera.
func (f *framing) zoom() float64 {
	if f.Zoom > 0 {
		return f.Zoom
	}
	return 1
}

// upright returns the rotation that takes +y to the camera's up the short way.
func (f *framing) upright() func(mat.DVec3) mat.DVec3 {
	up := f.Up.Normalize()
	switch {
	case up == mat.DVec3{} || up == mat.DVec3{0, 1, 0}:
		return func(v mat.DVec3) mat.DVec3 { return v }
	case 1+up[1] < 1e-12: // half a turn about x
		return func(v mat.DVec3) mat.DVec3 { return mat.DVec3{v[0], -v[1], -v[2]} }
	}
	axis := mat.DVec3{0, 1, 0}.Cross(up)
	return func(v mat.DVec3) mat.DVec3 {
		once := axis.Cross(v)
		return v.Add(once).Add(axis.Cross(once).Scale(1 / (1 + up[1])))
	}
}

// reach is how far points go beside the middle of the picture and along the way to the eye.
type reach struct {
	// The most of x, -x, y and -y, each with what perspective adds to it by d.
	sides             [4]float64
	nearest, farthest float64 // the most and the least of d
}

func newReach() reach {
	inf := math.Inf(1)
	return reach{[4]float64{-inf, -inf, -inf, -inf}, -inf, inf}
}

// add takes a point in, which is x to the right, y up and d towards the eye.
func (r *reach) add(x, y, d, tanX, tanY float64) {
	r.sides[0] = math.Max(r.sides[0], x+float64(d*tanX))
	r.sides[1] = math.Max(r.sides[1], -x+float64(d*tanX))
	r.sides[2] = math.Max(r.sides[2], y+float64(d*tanY))
	r.sides[3] = math.Max(r.sides[3], -y+float64(d*tanY))
	r.nearest, r.farthest = math.Max(r.nearest, d), math.Min(r.farthest, d)
}

// turn takes in what a point at a height above the axis' middle and at a distance from the axis
// goes through in a turn, as a camera at sine and cosine of a pitch sees it.
func (r *reach) turn(height, distance, sp, cp, tanX, tanY float64) {
	y, d := float64(height*cp), float64(height*sp)
	along := float64(distance * cp) // of d
	beside := float64(distance * math.Sqrt(1+float64(float64(cp*tanX)*float64(cp*tanX))))
	r.sides[0] = math.Max(r.sides[0], beside+float64(d*tanX))
	r.sides[1] = math.Max(r.sides[1], beside+float64(d*tanX))
	r.sides[2] = math.Max(r.sides[2], y+float64(d*tanY)+math.Abs(float64(along*tanY)-float64(distance*sp)))
	r.sides[3] = math.Max(r.sides[3], -y+float64(d*tanY)+math.Abs(float64(along*tanY)+float64(distance*sp)))
	r.nearest, r.farthest = math.Max(r.nearest, d+along), math.Min(r.farthest, d-along)
}

// frame places a camera in the given direction so that the poses just fit into
// the picture, centred, with a small margin.
func (f *framing) frame(box mat.Box) (s sight, err error) {
	pitch := math.Max(-90, math.Min(90, f.Pitch)) * math.Pi / 180
	sy, cy := mat.SinCos(f.Yaw * math.Pi / 180)
	sp, cp := mat.SinCos(pitch)
	turned := f.upright()
	back := turned(mat.DVec3{float64(sy * cp), sp, float64(cy * cp)})
	up := turned(mat.DVec3{float64(-sy * sp), cp, float64(-cy * sp)})
	right := up.Cross(back)

	// In the frame (right, up, back) about the centre, a point (x, y, d) is
	// inside the picture of an eye at (ex, ey, ed) where |x−ex| ≤ (ed−d)·tan and
	// likewise for y. Each of the four sides is one linear bound on the eye.
	tanY := f.tan() / margin
	if f.Orthographic {
		tanY = 0
	}
	tanX := float64(tanY * f.aspect)
	center := box.Center()
	if f.Target != nil {
		center = f.Target.Sub(f.origin)
	}
	r := newReach()
	add := func(v mat.DVec3) { r.add(v.Dot(right), v.Dot(up), v.Dot(back), tanX, tanY) }
	if f.Turning {
		axis, east, south := turned(mat.DVec3{0, 1, 0}), turned(mat.DVec3{1, 0, 0}), turned(mat.DVec3{0, 0, 1})
		add = func(v mat.DVec3) {
			x, z := v.Dot(east), v.Dot(south)
			r.turn(v.Dot(axis), math.Sqrt(float64(x*x)+float64(z*z)), sp, cp, tanX, tanY)
		}
	}
	if err := f.forEachPoint(box, center, add); err != nil {
		return s, err
	}
	if f.Target != nil { // stays in the middle
		r.sides[0] = math.Max(r.sides[0], r.sides[1])
		r.sides[2] = math.Max(r.sides[2], r.sides[3])
		r.sides[1], r.sides[3] = r.sides[0], r.sides[2]
	}
	width, height := (r.sides[0]+r.sides[1])/2, (r.sides[2]+r.sides[3])/2 // half of each
	var near, far, distance float64
	if f.Orthographic {
		half := float64(math.Max(height, width/f.aspect)*margin) / f.zoom()
		if !(half > 0) { // a single point
			half = 1
		}
		extent := math.Max(r.nearest-r.farthest, half)
		distance = r.nearest + extent
		near, far = float64(extent*0.9), distance-r.farthest+float64(extent/16)
		s.projection = mat.DOrthographic(float64(half*f.aspect), half, near, far)
	} else {
		distance = math.Max(width/tanX, height/tanY)
		extent := math.Max(r.nearest-r.farthest, distance-r.nearest)
		if extent <= 0 { // a single point
			extent = 1
		}
		distance = math.Max(distance, r.nearest+float64(extent/64))
		near = math.Max((distance-r.nearest)*0.9, extent/1024)
		far = (distance - r.farthest) + float64(extent/16)
		s.projection = mat.DPerspective(f.tan()/f.zoom(), f.aspect, near, far)
	}
	eye := center.Add(right.Scale((r.sides[0] - r.sides[1]) / 2))
	eye = eye.Add(up.Scale((r.sides[2] - r.sides[3]) / 2)).Add(back.Scale(distance))
	s.directions = mat.DMat4{right[0], up[0], back[0], 0, right[1], up[1], back[1], 0, right[2], up[2], back[2], 0, 15: 1}
	s.begin(eye, near)
	return s, nil
}

// nearestShare is how near to the eye things are drawn, of how far they are, where some are behind it.
const nearestShare = 1.0 / (1 << 16)

// from places a camera that stands at Position.
func (f *framing) from(box mat.Box) (s sight, err error) {
	eye, target := f.Position.Sub(f.origin), box.Center()
	if f.Target != nil {
		target = f.Target.Sub(f.origin)
	}
	up := f.Up
	if up == (mat.DVec3{}) {
		up = mat.DVec3{0, 1, 0}
	}
	s.directions = directions(mat.DLookAt(eye.Sub(target), mat.DVec3{}, up))
	d := &s.directions
	right, above, back := mat.DVec3{d[0], d[4], d[8]}, mat.DVec3{d[1], d[5], d[9]}, mat.DVec3{d[2], d[6], d[10]}
	r := newReach()
	if err := f.forEachPoint(box, eye, func(v mat.DVec3) { r.add(v.Dot(right), v.Dot(above), v.Dot(back), 0, 0) }); err != nil {
		return s, err
	}
	near, far := -r.nearest, -r.farthest
	if far <= 0 { // all is behind the eye
		near, far = 1, 2
	}
	extent := math.Max(far-near, far)
	far += float64(extent / 16)
	if f.Orthographic {
		half := float64(margin*math.Max(math.Max(r.sides[2], r.sides[3]), math.Max(r.sides[0], r.sides[1])/f.aspect)) / f.zoom()
		if !(half > 0) {
			half = 1
		}
		near = math.Max(float64(near*0.9), 0)
		s.projection = mat.DOrthographic(float64(half*f.aspect), half, near, far)
	} else {
		near = math.Max(float64(near*0.9), float64(far*nearestShare))
		s.projection = mat.DPerspective(f.tan()/f.zoom(), f.aspect, near, far)
	}
	s.begin(eye, near)
	return s, nil
}
