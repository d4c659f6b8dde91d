package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"path"
	"slices"
	"strings"
)

// derive makes a file that is smaller than its originals and shows the same.
func derive(name string, data [][]byte) ([]byte, error) {
	base := path.Base(name)
	switch {
	case strings.HasSuffix(base, ".bin"):
		return helmetBuffer(data[0], data[1])
	case strings.HasSuffix(base, ".gltf"):
		return helmetModel(data[0])
	case base == "Manifest.json":
		return manifest(data[0])
	case strings.Contains(name, "/SampleImages/"):
		return figure(data[0], data[1], !colours[base])
	case base == "BaseColor_Plane.png":
		return smaller(data[0], 2, 4)
	case base == "NormalTangentTest_Normal.png":
		return smaller(data[0], 4, 1)
	case strings.HasPrefix(base, "NormalTangentTest_"):
		return smaller(data[0], 16, 1)
	case strings.HasPrefix(base, "FlightHelmet_"):
		return smaller(data[0], 8, 1)
	}
	return nil, errors.New("nothing makes it")
}

// colours are the sample pictures whose colours are kept. Of the others, which show the same surface or nothing but
// lines, the shape is.
var colours = map[string]bool{
	"Material_AlphaMask_06.png": true, "Mesh_PrimitiveMode_04.png": true, "Mesh_PrimitiveVertexColor_00.png": true,
}

// figure makes transparent what a sample picture has in common with the picture of nothing, and, for a shape alone,
// the rest white. Less than 700 pixels in one piece are where the model has the background's colour, as white has on a
// white wall.
func figure(picture, background []byte, shape bool) ([]byte, error) {
	p, err := decode(picture)
	if err != nil {
		return nil, err
	}
	q, err := decode(background)
	if err != nil {
		return nil, err
	}
	white := image.NewPaletted(p.Rect, color.Palette{color.Transparent, color.White})
	for i := range white.Pix {
		for c := range 3 {
			if a, b := p.Pix[4*i+c], q.Pix[4*i+c]; max(a, b)-min(a, b) > 2 { // some were compressed with loss
				white.Pix[i] = 1
			}
		}
	}
	seen := slices.Clone(white.Pix)
	for start := range seen {
		if hole := flood(seen, white.Stride, start); len(hole) < 700 {
			for _, i := range hole {
				white.Pix[i] = 1
			}
		}
	}
	if shape {
		return encode(white)
	}
	for i, is := range white.Pix {
		if is == 0 {
			copy(p.Pix[4*i:4*i+4], make([]byte, 4))
		}
	}
	return encode(p)
}

// flood sets the clear pixels that are connected by edges with one, and returns them.
func flood(pixels []byte, stride, start int) (set []int) {
	add := func(i int) {
		if i >= 0 && i < len(pixels) && pixels[i] == 0 {
			pixels[i] = 1
			set = append(set, i)
		}
	}
	add(start)
	for n := 0; n < len(set); n++ {
		i := set[n]
		add(i - stride)
		add(i + stride)
		if i%stride > 0 {
			add(i - 1)
		}
		if i%stride < stride-1 {
			add(i + 1)
		}
	}
	return set
}

// smaller is the mean of squares of n × n texels; colours, not alpha, are the same in squares of as many as flat then.
func smaller(data []byte, n, flat int) ([]byte, error) {
	p, err := decode(data)
	if err != nil {
		return nil, err
	}
	n = min(n, p.Rect.Dx()/4)
	out := image.NewNRGBA(image.Rect(0, 0, p.Rect.Dx()/n, p.Rect.Dy()/n))
	for y := range out.Rect.Dy() {
		for x := range out.Rect.Dx() {
			c := mean(p, image.Rect(x, y, x+1, y+1), n)
			if flat > 1 {
				x0, y0 := x/flat*flat, y/flat*flat
				rgb := mean(p, image.Rect(x0, y0, x0+flat, y0+flat), n)
				c.R, c.G, c.B = rgb.R, rgb.G, rgb.B
			}
			out.SetNRGBA(x, y, c)
		}
	}
	return encode(out)
}

// mean is that of a box of squares of n × n texels; colours weigh as much as their alpha.
func mean(p *image.NRGBA, box image.Rectangle, n int) color.NRGBA {
	var sum [3]int
	alpha, count := 0, 0
	for y := box.Min.Y * n; y < box.Max.Y*n; y++ {
		for x := box.Min.X * n; x < box.Max.X*n; x++ {
			c := p.NRGBAAt(x, y)
			a := int(c.A)
			sum[0], sum[1], sum[2] = sum[0]+a*int(c.R), sum[1]+a*int(c.G), sum[2]+a*int(c.B)
			alpha, count = alpha+a, count+1
		}
	}
	of := func(s int) uint8 { return uint8((s + alpha/2) / max(1, alpha)) }
	return color.NRGBA{of(sum[0]), of(sum[1]), of(sum[2]), uint8((alpha + count/2) / count)}
}

func decode(data []byte) (*image.NRGBA, error) {
	p, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	out := image.NewNRGBA(p.Bounds())
	for y := range p.Bounds().Dy() {
		for x := range p.Bounds().Dx() {
			out.Set(x, y, p.At(x, y))
		}
	}
	return out, nil
}

func encode(p image.Image) ([]byte, error) {
	var out bytes.Buffer
	err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, p)
	return out.Bytes(), err
}

// manifest keeps what tests read: models, their sample pictures and cameras. Sample pictures that are the same upstream
// are one.
func manifest(data []byte) ([]byte, error) {
	same := map[string]string{}
	for i := range 16 {
		first := [16]int{0, 1, 1, 1, 4, 4, 4, 0, 1, 1, 1, 4, 4, 4, 4, 4}[i]
		same[fmt.Sprintf("Mesh_PrimitiveMode_%02d", i)] = fmt.Sprintf("Mesh_PrimitiveMode_%02d", first)
		same[fmt.Sprintf("Mesh_PrimitiveVertexColor_%02d", i)] = "Mesh_PrimitiveVertexColor_00"
	}
	var m struct {
		Models []struct {
			FileName        string `json:"fileName"`
			SampleImageName string `json:"sampleImageName"`
			Camera          any    `json:"camera"`
		} `json:"models"`
	}
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, err
	}
	for i := range m.Models {
		name := &m.Models[i].SampleImageName
		if first, ok := same[strings.TrimSuffix(path.Base(*name), ".png")]; ok {
			*name = path.Join(path.Dir(*name), first+".png")
		}
	}
	text, err := json.MarshalIndent(m, "", " ")
	return append(text, '\n'), err
}

// Of the helmet, two of its six parts are kept: the goggles' frame and their lenses, which are transparent.
const (
	frame, lenses = 2, 5
	accessors     = 5 // of a part: indices, positions, tangents, normals, texture coordinates
)

type (
	object = map[string]any
	list   = []any
)

// helmetAccessors returns the accessors of the kept parts.
func helmetAccessors(d object) (kept []object) {
	all := d["accessors"].(list)
	for _, part := range []int{frame, lenses} {
		for i := range accessors {
			kept = append(kept, all[part*accessors+i].(object))
		}
	}
	return kept
}

// views are the buffer's four, with the bytes of an element: indices, and vectors of 3, 4 and 2 floats.
var views = map[string]struct{ view, size int }{"SCALAR": {0, 2}, "VEC3": {1, 12}, "VEC4": {2, 16}, "VEC2": {3, 8}}

func helmetModel(data []byte) ([]byte, error) {
	var d object
	if err := json.Unmarshal(data, &d); err != nil {
		return nil, err
	}
	var bytesOf [4]int
	kept := helmetAccessors(d)
	var accessorList list
	for _, a := range kept {
		v := views[a["type"].(string)]
		a["byteOffset"] = bytesOf[v.view]
		bytesOf[v.view] += (int(a["count"].(float64))*v.size + 3) &^ 3
		accessorList = append(accessorList, a)
	}
	d["accessors"] = accessorList
	at := 0
	for i, v := range d["bufferViews"].(list) {
		v.(object)["byteOffset"], v.(object)["byteLength"] = at, bytesOf[i]
		at += bytesOf[i]
	}
	d["buffers"].(list)[0].(object)["byteLength"] = at
	var meshes, nodes, materials, textures, images list
	for i, part := range []int{frame, lenses} {
		mesh := d["meshes"].(list)[part].(object)
		p := mesh["primitives"].(list)[0].(object)
		p["indices"], p["material"] = i*accessors, i
		for name, a := range p["attributes"].(object) {
			p["attributes"].(object)[name] = int(a.(float64)) - (part-i)*accessors
		}
		meshes, nodes = append(meshes, mesh), append(nodes, object{"mesh": i, "name": mesh["name"]})
		material := d["materials"].(list)[part].(object)
		first := 3 * (part - 1) // the first texture of its three: the hose and the wood share theirs
		shift := func(texture any) { texture.(object)["index"] = int(texture.(object)["index"].(float64)) - first + 3*i }
		shift(material["normalTexture"])
		shift(material["occlusionTexture"])
		shift(material["pbrMetallicRoughness"].(object)["baseColorTexture"])
		shift(material["pbrMetallicRoughness"].(object)["metallicRoughnessTexture"])
		materials = append(materials, material)
		for j := first; j < first+3; j++ {
			texture := d["textures"].(list)[j].(object)
			texture["source"] = len(images)
			textures, images = append(textures, texture), append(images, d["images"].(list)[j])
		}
	}
	d["meshes"], d["nodes"], d["materials"], d["textures"], d["images"] = meshes, nodes, materials, textures, images
	d["scenes"] = list{object{"nodes": list{0, 1}}}
	text, err := json.MarshalIndent(d, "", " ")
	return append(text, '\n'), err
}

// helmetBuffer takes the bytes of the kept accessors, in the order in which helmetModel has them.
func helmetBuffer(buffer, model []byte) ([]byte, error) {
	var d object
	if err := json.Unmarshal(model, &d); err != nil {
		return nil, err
	}
	kept := helmetAccessors(d)
	var out []byte
	for i, view := range d["bufferViews"].(list) {
		begin, _ := view.(object)["byteOffset"].(float64)
		for _, a := range kept {
			v := views[a["type"].(string)]
			if v.view != i {
				continue
			}
			offset, _ := a["byteOffset"].(float64)
			at, n := int(begin+offset), int(a["count"].(float64))*v.size
			if at+n > len(buffer) {
				return nil, errors.New("the buffer is not the model's")
			}
			out = append(out, buffer[at:at+n]...)
			for len(out)%4 != 0 {
				out = append(out, 0)
			}
		}
	}
	return out, nil
}
