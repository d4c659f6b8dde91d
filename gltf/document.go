package gltf

import (
	"math"
	"slices"

	"github.com/pumice-gpu/pumice/budget"
	"github.com/pumice-gpu/pumice/gltf/mat"
)

// None is the value of an index field that refers to nothing.
const None = -1

// Document is a validated model. Indices in it are in range or None. Slices may
// be shared between primitives and are read-only, except where a method says
// that it changes its receiver.
type Document struct {
	File string // name for errors
	Kind string // "glTF", "OBJ", "STL" or "PLY"
	// Form is how a file of another kind than glTF is written: "text", "binary", … Up is the axis that was taken to
	// point up; the Document's own is Y in any case.
	Form  string
	Up    UpAxis
	Asset Asset // of other kinds than glTF it has no Version

	DefaultScene int // index of the scene to show, or None
	Scenes       []Scene
	Nodes        []Node
	Meshes       []*Mesh
	Materials    []*Material
	Textures     []*Texture
	Images       []*Image
	Skins        []Skin
	Animations   []Animation
	Cameras      []Camera
	Lights       []Light

	// Variants are the names of KHR_materials_variants; primitives say in Mappings what
	// they are made of in each.
	Variants []string

	// Warnings say what was ignored or repaired, in one line a kind: the first of the kind, and
	// how many there are.
	Warnings []string
	// Losses are those Warnings for which Options.Strict refuses the model: the picture lacks
	// something (an extension that is not supported, a texture that cannot be read), or the
	// file breaks a rule of glTF, and what was drawn in spite of it may be less than was meant.
	Losses []string

	order   []int // nodes, parents before children
	budget  *budget.Budget
	told    map[string]*told // by kind
	strict  bool
	refused *Error // the first loss, where strict
}

// Asset is the file's information about itself.
type Asset struct{ Version, MinVersion, Generator, Copyright string }

// Scene is a set of root nodes to draw together.
type Scene struct {
	Name  string
	Nodes []int // in file order, none below another; roots, unless the file lists others
}

// Node is one place of the hierarchy. Its local transform is Matrix where
// HasMatrix is set, else Translation·Rotation·Scale.
type Node struct {
	Name     string
	Parent   int // or None
	Children []int

	HasMatrix   bool
	Matrix      mat.DMat4 // column-major
	Translation mat.DVec3
	Rotation    mat.Quat // unit quaternion
	Scale       mat.DVec3

	Mesh, Skin, Camera, Light int       // indices, or None
	Weights                   []float32 // morph weights, nil: the mesh's

	// Instances are EXT_mesh_gpu_instancing's transforms: the mesh is drawn once for each,
	// by the node's transform after the instance's; nil: once, by the node's alone.
	Instances []mat.Mat4
	// Hidden is KHR_node_visibility's: the node and all below it are not drawn, nor do
	// their lights shine.
	Hidden bool
}

// Mesh is a list of primitives that share morph targets' weights.
type Mesh struct {
	Name       string
	Primitives []*Primitive
	Weights    []float32 // default weight of each morph target; length = number of targets
}

// Skin binds vertices to joints.
type Skin struct {
	Name     string
	Joints   []int      // node indices
	Inverse  []mat.Mat4 // inverse bind matrix of each joint
	Skeleton int        // node, or None
}

// LightType is the kind of a KHR_lights_punctual light.
type LightType uint8

const (
	LightDirectional LightType = iota // parallel light along the node's -z; intensity in lux
	LightPoint                        // from a point in all directions; intensity in candela
	LightSpot                         // from a point in a cone about the node's -z; intensity in candela
)

// Light is a KHR_lights_punctual light.
type Light struct {
	Name           string
	Type           LightType
	Color          [3]float32 // linear
	Intensity      float32
	Range          float32 // distance where the light ends, 0: endless
	InnerConeAngle float32 // radians from the axis where the fall-off begins
	OuterConeAngle float32 // radians from the axis where it ends
}

// Camera is a perspective or an orthographic camera, looking along the node's
// -z with +y up.
type Camera struct {
	Name         string
	Orthographic bool

	// Perspective: YFov is the full vertical angle in radians; AspectRatio is
	// 0 where the viewport's is to be used; ZFar is 0 for an infinite projection.
	YFov, AspectRatio float32
	// Orthographic: half the extents of the view volume.
	XMag, YMag  float32
	ZNear, ZFar float32
}

// Projection returns the matrix to Vulkan's clip space (y down, depth 0 to 1).
// viewport is width over height of the picture, above 0. Where the camera has another shape, what it sees is in
// the picture as a whole, and more beside or above and below it: glTF asks for neither stretching
// nor cropping (projection-matrices).
func (c *Camera) Projection(viewport float32) mat.Mat4 {
	if c == nil {
		return mat.Identity4()
	}
	own, picture := float64(c.AspectRatio), float64(viewport)
	if c.Orthographic {
		own = math.Abs(float64(c.XMag) / float64(c.YMag))
	}
	if own == 0 {
		own = picture
	}
	taller := math.Max(own/picture, 1)
	if c.Orthographic {
		wider := math.Max(picture/own, 1)
		return mat.Orthographic(float64(c.XMag)*wider, float64(c.YMag)*taller, float64(c.ZNear), float64(c.ZFar))
	}
	return mat.DPerspective(mat.Tan(float64(c.YFov)/2)*taller, picture, float64(c.ZNear), float64(c.ZFar)).Single()
}

// FindVariant returns the index of a variant by its name, or None.
func (d *Document) FindVariant(name string) int {
	if d == nil {
		return None
	}
	return slices.Index(d.Variants, name)
}

// FindScene returns the default scene, else the first, else None.
func (d *Document) FindScene() int {
	switch {
	case d == nil:
	case d.DefaultScene != None:
		return d.DefaultScene
	case len(d.Scenes) > 0:
		return 0
	}
	return None
}
