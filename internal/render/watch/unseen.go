package watch

import (
	"slices"

	"github.com/pumice-gpu/pumice/explain"
	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/vk"
)

// margin is how far beyond its vertices a primitive may reach besides its size, in pixels, and
// largest the size that
// points can have: what is nearer to the picture counts as seen.
const margin, largest = 64, 8192

// Where says where a primitive of projected vertices is that no pixel of the render area and the
// scissor can show,
// as a phrase: "behind the eye"; empty: one may. It errs on that side.
func Where(vertices []raster.Vertex, st *raster.State, area, scissor raster.Rect) string {
	all, any, behind := ^raster.Outcode(0), raster.Outcode(0), true
	for i := range vertices {
		v := &vertices[i]
		all, any, behind = all&v.Out, any|v.Out, behind && v.Pos[3] < 0
	}
	switch {
	case any&raster.OutInvalid != 0:
		return ""
	case behind:
		return "behind the eye (w < 0)"
	case all&raster.OutW != 0:
		return "at w = 0"
	}
	for i, name := range PlaneNames {
		if all>>i&1 != 0 {
			return "beyond the " + name + " plane of the view volume"
		}
	}
	if any&(raster.OutW|raster.OutGuard) != 0 {
		return ""
	}
	size := st.LineWidth
	for i := range vertices {
		size = max(size, vertices[i].Size)
	}
	reach := int32(margin + largest/2)
	if size < largest {
		reach = margin + int32(size/2)
	}
	if len(vertices) == 3 && st.PolygonMode == vk.PolygonModeFill &&
		st.Conservative == vk.ConservativeRasterizationModeDisabledEXT { // as far as its vertices
		a, b, c := &vertices[0], &vertices[1], &vertices[2]
		across, down := [2]int64{int64(b.X - a.X), int64(c.X - a.X)}, [2]int64{int64(b.Y - a.Y), int64(c.Y - a.Y)}
		if reach = 1; across[0]*down[1] == across[1]*down[0] {
			return "without area"
		}
	}
	var box raster.Rect
	for i := range vertices {
		x, y := vertices[i].X/raster.Subpixels, vertices[i].Y/raster.Subpixels
		at := raster.Rect{X0: x - reach, Y0: y - reach, X1: x + reach + 1, Y1: y + reach + 1}
		if i == 0 {
			box = at
		}
		box.X0, box.Y0 = min(box.X0, at.X0), min(box.Y0, at.Y0)
		box.X1, box.Y1 = max(box.X1, at.X1), max(box.Y1, at.Y1)
	}
	switch {
	case !box.Intersect(area).Empty():
		if box.Intersect(scissor).Empty() {
			return "outside of the scissor rectangle"
		}
		return ""
	case box.Y1 <= area.Y0:
		return "above the render area"
	case box.Y0 >= area.Y1:
		return "below the render area"
	case box.X1 <= area.X0:
		return "to the left of the render area"
	}
	return "to the right of the render area"
}

// MaxUnseen is how many draws of a pass that show nothing tell of the vertices of the first
// primitive.
const MaxUnseen = 64

// TrimUnseen leaves vertices in a draw of which nothing is to be seen, if there may be more such
// draws, and takes them
// out of others: what is told of all draws together stays small. It returns how many more there may
// be.
func TrimUnseen(d *explain.Drawn, left int) int {
	seen := d.Primitives
	for i := range d.Unseen {
		seen -= d.Unseen[i].Primitives
	}
	if seen == 0 && len(d.Fragments) == 0 && left > 0 {
		return left - 1
	}
	for i := range d.Unseen {
		d.Unseen[i].First.Vertices = nil
	}
	return left
}

// AddUnseen adds primitives to a list of such by place; first makes what is told of the first one
// of a place.
func AddUnseen(list []explain.Unseen, where string, n int,
	first func() explain.Primitive) []explain.Unseen {
	at := slices.IndexFunc(list, func(u explain.Unseen) bool { return u.Where == where })
	if at < 0 {
		at = len(list)
		list = append(list, explain.Unseen{Where: where, First: first()})
	}
	list[at].Primitives += n
	return list
}
