// Package faces holds small scenes, written once as data, that every face of the
// core must render to the same bytes: the Go API through RunGo, the Vulkan driver
// through a program in C that reads them as Words (driver/faces_test.go).
package faces

import "github.com/pumice-gpu/pumice/vk"

// None stands where a Scene's index names nothing.
const None = -1

// Scene is what objects there are and what happens to them. Objects are named by
// their index. In the end all buffers, and all levels of all images of one sample
// a texel, are read back, and the queries.
type Scene struct {
	Name     string
	Buffers  [][]byte
	Images   []Image
	Samplers []Sampler
	Graphics []Graphics
	Compute  []Compute
	Queries  int // occlusion queries; draws name them
	Steps    []Step
}

// Image is a 2D image.
type Image struct {
	Format                         vk.Format
	Width, Height, Levels, Samples int // the last two: 0 means 1
	Texel                          int // bytes of a texel, in the aspect that is read back
	Texels                         []byte
}

func (im *Image) depth() bool {
	switch im.Format {
	case vk.FormatD16Unorm, vk.FormatD32Sfloat, vk.FormatD32SfloatS8Uint:
		return true
	default:
		return false
	}
}

// Sampler filters with one filter for all; levels without limit.
type Sampler struct {
	Filter  vk.Filter
	Mip     vk.SamplerMipmapMode
	Address vk.SamplerAddressMode
}

// Binding is a descriptor of set 0.
type Binding struct {
	Type                   vk.DescriptorType
	Buffer, Image, Sampler int
}

// Graphics is a graphics pipeline. Viewport and scissor are dynamic.
type Graphics struct {
	Vertex, Fragment string // names of shaders
	Mode             int32  // specialization constant 0 of the fragment shader
	Set              []vk.DescriptorType
	Push             int // bytes
	Bindings         []vk.VertexInputBindingDescription
	Attributes       []vk.VertexInputAttributeDescription
	Topology         vk.PrimitiveTopology
	Restart          bool
	Polygon          vk.PolygonMode
	Cull             vk.CullModeFlags
	Front            vk.FrontFace
	Samples          int
	Depth            vk.PipelineDepthStencilStateCreateInfo
	Blend            []vk.PipelineColorBlendAttachmentState
	Logic            *vk.LogicOp
	Colors           []vk.Format
	DepthFormat      vk.Format
}

func (g *Graphics) stencilFormat() vk.Format {
	if g.DepthFormat == vk.FormatD32SfloatS8Uint {
		return g.DepthFormat
	}
	return vk.FormatUndefined
}

// Compute is a compute pipeline.
type Compute struct {
	Shader string
	Set    []vk.DescriptorType
	Push   int
}

// Step is one of the types below.
type Step interface{ step() }

// Pass renders. Depth is an image or None.
type Pass struct {
	Colors       []Attachment
	Depth        int
	DepthLoad    vk.AttachmentLoadOp
	ClearDepth   float32
	ClearStencil uint32
	Width        int
	Height       int
	Draws        []Draw
}

// Attachment is a colour attachment; Resolve is an image or None. Clear is bits.
type Attachment struct {
	Image, Resolve int
	Load           vk.AttachmentLoadOp
	Clear          [4]uint32
}

// Draw is a draw with all that it needs. Indices, Indirect and Query may be None.
type Draw struct {
	Pipeline                int
	Set                     []Binding
	Push                    []byte
	Vertices                []int // buffers by binding
	Indices                 int
	IndexType               vk.IndexType
	Viewport                vk.Viewport
	Scissor                 vk.Rect2D
	Count, Instances, First uint32
	VertexOffset            int32
	FirstInstance           uint32
	Indirect                int // buffer of commands, from its start
	IndirectCount           uint32
	Query                   int
	Stencil                 uint32
	BlendConstants          [4]float32
}

// Dispatch runs a compute pipeline.
type Dispatch struct {
	Pipeline int
	Set      []Binding
	Push     []byte
	X, Y, Z  uint32
}

// Blit copies with scaling: corners are x0, y0, x1, y1.
type Blit struct {
	From, FromLevel, To, ToLevel int
	Source, Target               [4]int32
	Filter                       vk.Filter
}

// Clear clears level 0 of a colour image.
type Clear struct {
	Image int
	Value [4]uint32
}

// Resolve resolves all of an image.
type Resolve struct{ From, To int }

// Fill fills words of a buffer.
type Fill struct {
	Buffer       int
	Offset, Size uint64
	Word         uint32
}

func (*Pass) step()     {}
func (*Dispatch) step() {}
func (*Blit) step()     {}
func (*Clear) step()    {}
func (*Resolve) step()  {}
func (*Fill) step()     {}
