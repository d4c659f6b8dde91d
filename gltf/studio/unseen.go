package studio

import (
	"cmp"
	"context"
	"fmt"
	"image"

	"github.com/pumice-gpu/pumice/gltf"
	"github.com/pumice-gpu/pumice/gltf/mat"
)

// Unseen says why nothing of the model can show in a picture of the view, in words that follow "nothing
// of the model is in the picture: "; it is empty where something may show. It looks at
// the model and at the camera, and at no picture: what is smaller than a pixel may show. Errors:
// those that Render has of a view, a context that has ended, a *budget.Error.
func (r *Renderer) Unseen(ctx context.Context, m *Model, v View) (string, error) {
	if err := cmp.Or(r.usable(), m.usable()); err != nil {
		return "", err
	}
	pose, err := v.pose(m.doc)
	if err != nil {
		return "", err
	}
	if len(pose.Items) == 0 {
		if why := m.doc.Empty(); v.Scene == nil && why != "" {
			return why, nil
		}
		return "all of it is hidden", nil
	}
	camera, err := r.resolve(&v.Camera, m.doc, pose, float64(v.Width)/float64(v.Height))
	if err != nil {
		return "", err
	}
	lost := map[loss]int{}
	work := int64(maxFramingPoints) // beyond that something is taken to show
	for i := range pose.Items {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		it := &pose.Items[i]
		if work -= int64(it.Primitive.Vertices() + len(it.Primitive.Indices)); work < 0 {
			return "", nil
		}
		shows, err := r.shows(it, &camera, v.Pass, lost)
		if err != nil {
			return "", fmt.Errorf("%s: meshes[%d].primitives[%d]: %w", m.doc.File, it.Mesh, it.PrimitiveIndex, err)
		}
		if shows {
			return "", nil
		}
	}
	return reason(lost), nil
}

// loss is why a point, line or triangle does not show.
type loss int

const (
	lossNumbers loss = iota // its place is no number
	lossBehind              // the eye, or before the near plane
	lossFar                 // beyond the far plane
	lossOutside             // of the picture's sides
	lossCulled
	lossArea  // it has none
	lossClear // its material is transparent
)

// reasons are what Unseen says, by loss.
var reasons = [...]string{
	lossNumbers: "its positions are beyond the range of numbers",
	lossBehind:  "it is behind the camera, or nearer than its near plane",
	lossFar:     "it is beyond the camera's far plane",
	lossOutside: "it is outside of what the camera sees",
	lossCulled:  "its triangles turn their backs to the camera, and no material is doubleSided",
	lossArea:    "its triangles have no area",
	lossClear:   "its materials are transparent",
}

// reason makes words of all losses.
func reason(lost map[loss]int) string {
	if len(lost) == 0 {
		return "its primitives have too few vertices"
	}
	total, most := 0, lossNumbers
	for l := lossNumbers; l <= lossClear; l++ {
		if total += lost[l]; lost[l] > lost[most] {
			most = l
		}
	}
	if lost[most] == total {
		return reasons[most]
	}
	return fmt.Sprintf("of most (%d of %d parts) %s; other parts are lost otherwise", lost[most], total, reasons[most])
}

// shows reports whether an item may show, and counts why its parts do not.
func (r *Renderer) shows(it *gltf.Item, camera *sight, pass Pass, lost map[loss]int) (bool, error) {
	p := it.Primitive
	if clear(it.Material, pass) {
		lost[lossClear]++
		return false, nil
	}
	world, origin := placed(it)
	positions := p.Positions
	if p.Deforms(it) {
		need := p.DeformBytes()
		if err := r.budget.Take(need); err != nil {
			return false, err
		}
		defer r.budget.Drop(need)
		positions, _, _ = p.DeformAbout(it, origin)
		origin = mat.Vec3{}
	}
	clip := camera.clip(&world, origin)
	front := 1.0
	if it.Mirrored {
		front = -1
	}
	shown := false
	p.Each(func(corners []uint32) bool {
		var c [3][4]float64
		for k, v := range corners {
			c[k] = clip(positions[v])
		}
		why, inside := outside(c[:len(corners)])
		switch area := front * turn(&c); {
		case !inside:
			lost[why]++
		case len(corners) < 3:
			shown = true
		case area == 0:
			lost[lossArea]++
		case area < 0 && !it.Material.DoubleSided:
			lost[lossCulled]++
		default:
			shown = true
		}
		return !shown
	})
	return shown, nil
}

// clip returns the function that takes a vertex, which is origin from where world leads from, to clip space, where Vulkan
// has it: -w to w from left to right and from top to bottom, 0 to w from near to far.
func (s *sight) clip(world *mat.DMat4, origin mat.Vec3) func([3]float32) [4]float64 {
	m := s.viewProjection().Mul(s.place(world))
	from := origin.Double()
	return func(vertex [3]float32) (out [4]float64) {
		p := mat.Vec3(vertex).Double().Sub(from)
		for k := range out {
			out[k] = float64(m[k]*p[0]) + float64(m[4+k]*p[1]) + float64(m[8+k]*p[2]) + m[12+k]
		}
		return out
	}
}

// outside reports whether part of what is between corners may be in the view volume, and else why not:
// they are all on the outer side of one of its planes.
func outside(corners [][4]float64) (why loss, inside bool) {
	all := func(f func(c *[4]float64) bool) bool {
		for i := range corners {
			if !f(&corners[i]) {
				return false
			}
		}
		return true
	}
	for i := range corners {
		for _, x := range corners[i] {
			if x-x != 0 {
				return lossNumbers, false
			}
		}
	}
	switch {
	case all(func(c *[4]float64) bool { return c[2] < 0 }), all(func(c *[4]float64) bool { return c[3] <= 0 }):
		return lossBehind, false
	case all(func(c *[4]float64) bool { return c[2] > c[3] }):
		return lossFar, false
	case all(func(c *[4]float64) bool { return c[0] < -c[3] }), all(func(c *[4]float64) bool { return c[0] > c[3] }),
		all(func(c *[4]float64) bool { return c[1] < -c[3] }), all(func(c *[4]float64) bool { return c[1] > c[3] }):
		return lossOutside, false
	}
	return 0, true
}

// turn is more than 0 of a triangle whose corners run counter-clockwise in the picture, whichever of
// them are before the eye, and less than 0 of one whose corners run clockwise.
func turn(c *[3][4]float64) float64 {
	cross := func(a, b *[4]float64) float64 { return float64(a[0]*b[1]) - float64(a[1]*b[0]) }
	// The determinant of x, y and w; y points down.
	return -(float64(cross(&c[0], &c[1])*c[2][3]) + float64(cross(&c[1], &c[2])*c[0][3]) + float64(cross(&c[2], &c[0])*c[1][3]))
}

// clear reports whether nothing drawn with a material can show. Textures and vertex colours only
// take from its alpha.
func clear(g *gltf.Material, pass Pass) bool {
	alpha := g.BaseColorFactor[3]
	if g.SpecularGlossiness != nil {
		alpha = g.SpecularGlossiness.DiffuseFactor[3]
	}
	switch g.AlphaMode {
	case gltf.AlphaMask:
		return alpha < g.AlphaCutoff
	case gltf.AlphaBlend:
		return pass == PassPicture && alpha == 0 && g.Transmission == nil && g.DiffuseTransmission == nil
	case gltf.AlphaOpaque:
	}
	return false
}

// Blank reports whether all pixels of a picture are the same: where its background is one colour,
// nothing was drawn, or nothing that can be told from that.
func Blank(pic *image.NRGBA) bool {
	if pic == nil {
		return false
	}
	size := pic.Rect.Size()
	if size.X <= 0 || size.Y <= 0 {
		return false
	}
	for y := range size.Y {
		row := pic.Pix[y*pic.Stride:][:4*size.X]
		for x := 0; x < len(row); x += 4 {
			if [4]byte(row[x:]) != [4]byte(pic.Pix) {
				return false
			}
		}
	}
	return true
}
