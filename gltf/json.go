package gltf

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"strconv"
)

// The raw types mirror glTF's JSON schema. Optional numbers are pointers where
// absent differs from zero. Lists of objects stay raw until parseList turns
// them into structs one by one, which gives errors an exact place and lets a
// list of a million empty objects be charged before it is built.

// integer accepts what JSON writers make of integers: 3, 3.0 and 3e0.
type integer int64

// UnmarshalJSON implements json.Unmarshaler.
func (n *integer) UnmarshalJSON(b []byte) error {
	s := string(b)
	if s == "null" {
		return nil
	}
	if v, err := strconv.ParseInt(s, 10, 64); err == nil {
		*n = integer(v)
		return nil
	}
	if v, err := strconv.ParseFloat(s, 64); err == nil && v == math.Trunc(v) && math.Abs(v) < 1<<53 {
		*n = integer(v)
		return nil
	}
	return &json.UnmarshalTypeError{Value: "value " + quoted(s), Type: reflect.TypeFor[int]()}
}

type extensions map[string]json.RawMessage

// UnmarshalJSON implements json.Unmarshaler: writers of languages in which an empty map is an empty
// list write that.
func (e *extensions) UnmarshalJSON(b []byte) error {
	if b[0] == '[' && len(bytes.Trim(b, "[] \t\r\n")) == 0 {
		return nil
	}
	return json.Unmarshal(b, (*map[string]json.RawMessage)(e))
}

type rawAsset struct {
	Version, MinVersion  version
	Generator, Copyright string
}

// version accepts 2.0 as well as "2.0".
type version string

// UnmarshalJSON implements json.Unmarshaler.
func (v *version) UnmarshalJSON(b []byte) error {
	if _, err := strconv.ParseFloat(string(b), 64); err == nil {
		*v = version(b)
		return nil
	}
	return json.Unmarshal(b, (*string)(v))
}

type rawBuffer struct {
	ByteLength *integer
	URI        *string `json:"uri"`
}

type rawView struct {
	Buffer, ByteLength *integer
	ByteOffset         integer
	ByteStride         *integer
	Extensions         extensions
}

type rawAccessor struct {
	BufferView    *integer
	ByteOffset    integer
	ComponentType integer
	Normalized    bool
	Count         *integer
	Type          string
	Min, Max      json.RawMessage
	Sparse        *struct {
		Count   integer
		Indices struct {
			BufferView    *integer
			ByteOffset    integer
			ComponentType integer
		}
		Values struct {
			BufferView *integer
			ByteOffset integer
		}
	}
}

type rawImage struct {
	Name       string
	MIMEType   string  `json:"mimeType"`
	URI        *string `json:"uri"`
	BufferView *integer
}

type rawSampler struct {
	Name                 string
	MagFilter, MinFilter *integer
	WrapS, WrapT         *integer
}

type rawTexture struct {
	Name            string
	Sampler, Source *integer
	Extensions      extensions
}

type rawTextureRef struct {
	Index      *integer
	TexCoord   integer
	Scale      *float32 // normal texture
	Strength   *float32 // occlusion texture
	Extensions extensions
}

type rawMaterial struct {
	Name                 string
	PBRMetallicRoughness *struct {
		BaseColorFactor                            []float32
		MetallicFactor, RoughnessFactor            *float32
		BaseColorTexture, MetallicRoughnessTexture *rawTextureRef
	} `json:"pbrMetallicRoughness"`
	NormalTexture, OcclusionTexture, EmissiveTexture *rawTextureRef
	EmissiveFactor                                   []float32
	AlphaMode                                        *string
	AlphaCutoff                                      *float32
	DoubleSided                                      bool
	Extensions                                       extensions
}

type rawMesh struct {
	Name       string
	Primitives []json.RawMessage
	Weights    []float32
}

type rawPrimitive struct {
	Attributes        map[string]integer
	Indices, Material *integer
	Mode              *integer
	Targets           []map[string]integer
	Extensions        extensions
}

type rawNode struct {
	Name                       string
	Children                   []integer
	Matrix, Translation, Scale []float64
	Rotation                   []float32
	Mesh, Skin, Camera         *integer
	Weights                    []float32
	Extensions                 extensions
}

type rawScene struct {
	Name  string
	Nodes []integer
}

type rawSkin struct {
	Name                string
	InverseBindMatrices *integer
	Skeleton            *integer
	Joints              []integer
}

type rawAnimation struct {
	Name               string
	Channels, Samplers []json.RawMessage
}

type rawChannel struct {
	Sampler *integer
	Target  *struct {
		Node       *integer
		Path       string
		Extensions extensions
	}
}

type rawAnimationSampler struct {
	Input, Output *integer
	Interpolation *string
}

type rawCamera struct {
	Name, Type   string
	Perspective  *rawPerspective
	Orthographic *rawOrthographic
}

type rawPerspective struct {
	AspectRatio *float32
	YFov        *float32 `json:"yfov"`
	ZNear       *float32 `json:"znear"`
	ZFar        *float32 `json:"zfar"`
}

type rawOrthographic struct {
	XMag  *float32 `json:"xmag"`
	YMag  *float32 `json:"ymag"`
	ZNear *float32 `json:"znear"`
	ZFar  *float32 `json:"zfar"`
}

type rawLight struct {
	Name, Type string
	Color      []float32
	Intensity  *float32
	Range      *float32
	Spot       *struct{ InnerConeAngle, OuterConeAngle *float32 }
}

type lightList struct{ Lights []json.RawMessage }
