package main

import (
	"math"
	"strconv"
	"strings"

	"github.com/pumice-gpu/pumice/gltf"
	"github.com/pumice-gpu/pumice/gltf/mat"
)

// modelInfo is what `pumice info --json` prints. Names stay; new ones may come.
type modelInfo struct {
	File       string          `json:"file"`
	Kind       string          `json:"kind"`           // glTF, OBJ, STL or PLY
	Form       string          `json:"form,omitempty"` // of other kinds than glTF: text, binary, …
	Up         string          `json:"up"`             // axis of the file that points up
	Version    string          `json:"version"`        // of glTF
	Generator  string          `json:"generator,omitempty"`
	Copyright  string          `json:"copyright,omitempty"`
	Scenes     int             `json:"scenes"`
	Nodes      int             `json:"nodes"`
	Meshes     int             `json:"meshes"`
	Primitives int             `json:"primitives"`
	Vertices   int             `json:"vertices"`
	Triangles  int             `json:"triangles"`
	Materials  int             `json:"materials"`
	Textures   int             `json:"textures"`
	Bounds     *boundsInfo     `json:"bounds"` // null: nothing is there at rest
	Images     []imageInfo     `json:"images"`
	Animations []animationInfo `json:"animations"`
	Skins      []skinInfo      `json:"skins"`
	Cameras    []cameraInfo    `json:"cameras"`
	Lights     []lightInfo     `json:"lights"`
	Variants   []string        `json:"variants"` // of KHR_materials_variants
	Warnings   []string        `json:"warnings"`
	Losses     []string        `json:"losses"` // those of the warnings by which a picture lacks something
}

// boundsInfo is the box of the default scene at rest, in the model's units.
type boundsInfo struct {
	Min mat.DVec3 `json:"min"`
	Max mat.DVec3 `json:"max"`
}

// decimals writes a place without powers of ten.
func decimals(v mat.DVec3) string {
	var parts [3]string
	for i, x := range v {
		parts[i] = strconv.FormatFloat(x, 'f', -1, 64)
	}
	return "[" + strings.Join(parts[:], " ") + "]"
}

// shortBounds writes bounds in as few digits as tell what the box is to binary32's accuracy, wherever
// it is.
func shortBounds(b mat.Box) *boundsInfo {
	half := b.Half()
	most := max(half[0], half[1], half[2])
	short := func(v mat.DVec3) mat.DVec3 {
		for i, x := range v {
			for digits := 1; digits <= 17; digits++ {
				near, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', digits, 64), 64)
				if err == nil && math.Abs(near-x) <= max(most, math.Abs(x)/(1<<30))/(1<<24) {
					v[i] = near
					break
				}
			}
		}
		return v
	}
	return &boundsInfo{short(b.Min), short(b.Max)}
}

type imageInfo struct {
	Name   string `json:"name,omitempty"`
	URI    string `json:"uri,omitempty"`
	MIME   string `json:"mime_type"`
	Width  int    `json:"width"`
	Height int    `json:"height"`
}

type animationInfo struct {
	Name     string  `json:"name"`
	Seconds  float64 `json:"seconds"`
	Channels int     `json:"channels"`
}

type skinInfo struct {
	Name   string `json:"name"`
	Joints int    `json:"joints"`
}

type cameraInfo struct {
	Name string `json:"name"`
	Type string `json:"type"` // perspective or orthographic
}

type lightInfo struct {
	Name      string  `json:"name"`
	Type      string  `json:"type"` // directional, point or spot
	Intensity float32 `json:"intensity"`
}

func modelInfoOf(doc *gltf.Document) modelInfo {
	m := modelInfo{
		File: doc.File, Kind: doc.Kind, Form: doc.Form, Up: doc.Up.String(), Version: doc.Asset.Version, Generator: doc.Asset.Generator, Copyright: doc.Asset.Copyright,
		Scenes: len(doc.Scenes), Nodes: len(doc.Nodes), Meshes: len(doc.Meshes), Materials: len(doc.Materials), Textures: len(doc.Textures),
		Images: []imageInfo{}, Animations: []animationInfo{}, Skins: []skinInfo{}, Cameras: []cameraInfo{}, Lights: []lightInfo{},
		Variants: append([]string{}, doc.Variants...), Warnings: append([]string{}, doc.Warnings...), Losses: append([]string{}, doc.Losses...),
	}
	for _, mesh := range doc.Meshes {
		m.Primitives += len(mesh.Primitives)
		for _, p := range mesh.Primitives {
			m.Vertices += p.Vertices()
			m.Triangles += p.Triangles()
		}
	}
	if pose, err := doc.Pose(doc.FindScene(), gltf.NoAnimation, 0); err == nil {
		if b := pose.Bounds(); !b.Empty() {
			m.Bounds = shortBounds(b)
		}
	}
	for _, i := range doc.Images {
		m.Images = append(m.Images, imageInfo{i.Name, i.URI, i.MIMEType, i.Width, i.Height})
	}
	for _, a := range doc.Animations {
		m.Animations = append(m.Animations, animationInfo{a.Name, float64(a.Duration), len(a.Channels)})
	}
	for _, s := range doc.Skins {
		m.Skins = append(m.Skins, skinInfo{s.Name, len(s.Joints)})
	}
	for _, c := range doc.Cameras {
		kind := "perspective"
		if c.Orthographic {
			kind = "orthographic"
		}
		m.Cameras = append(m.Cameras, cameraInfo{c.Name, kind})
	}
	for _, l := range doc.Lights {
		m.Lights = append(m.Lights, lightInfo{l.Name, lightKind(l.Type), l.Intensity})
	}
	return m
}

func lightKind(t gltf.LightType) string { return [...]string{"directional", "point", "spot"}[t] }
