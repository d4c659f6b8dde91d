// Command _gen writes docs/samples/top.glb: a top that spins, as a small model to try the command with. It runs in cmd/pumice.
package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"log"
	"math"
	"os"

	"github.com/pumice-gpu/pumice/gltf/mat"
)

// profile is radius and height, from the tip to the end of the stem.
var profile = [][2]float64{{0, -1}, {0.06, -0.94}, {0.74, 0}, {0.8, 0.1}, {0.74, 0.2}, {0.2, 0.4}, {0.08, 0.46}, {0.06, 0.94}, {0.09, 1}, {0, 1.03}}

const sectors = 64

type object = map[string]any

func main() {
	positions, normals, colors, indices := lathe()
	var bin bytes.Buffer
	var views, accessors []object
	add := func(values any, accessor object) int {
		for bin.Len()%4 != 0 {
			bin.WriteByte(0)
		}
		at := bin.Len()
		if err := binary.Write(&bin, binary.LittleEndian, values); err != nil {
			log.Fatal(err)
		}
		accessor["bufferView"] = len(views)
		views = append(views, object{"buffer": 0, "byteOffset": at, "byteLength": bin.Len() - at})
		accessors = append(accessors, accessor)
		return len(accessors) - 1
	}
	lo, hi := positions[0], positions[0]
	for _, p := range positions {
		for k := range p {
			lo[k], hi[k] = min(lo[k], p[k]), max(hi[k], p[k])
		}
	}
	position := add(positions, object{"componentType": 5126, "count": len(positions), "type": "VEC3", "min": lo, "max": hi})
	normal := add(normals, object{"componentType": 5126, "count": len(normals), "type": "VEC3"})
	color := add(colors, object{"componentType": 5121, "normalized": true, "count": len(colors), "type": "VEC4"})
	index := add(indices, object{"componentType": 5123, "count": len(indices), "type": "SCALAR"})
	// Four turns about the top's axis while that goes once around the vertical.
	times, spin, sway := turns()
	time := add(times, object{"componentType": 5126, "count": len(times), "type": "SCALAR", "min": []float32{0}, "max": []float32{times[len(times)-1]}})
	spins := add(spin, object{"componentType": 5126, "count": len(spin), "type": "VEC4"})
	sways := add(sway, object{"componentType": 5126, "count": len(sway), "type": "VEC4"})
	tilt := axisAngle(2, 0.18)
	document := object{
		"asset":       object{"version": "2.0", "generator": "Pumice, docs/samples/_gen"},
		"scene":       0,
		"scenes":      []object{{"nodes": []int{0}}},
		"nodes":       []object{{"name": "around", "children": []int{1}}, {"name": "tilt", "rotation": tilt, "children": []int{2}}, {"name": "top", "mesh": 0, "translation": []float32{0, 1, 0}}},
		"meshes":      []object{{"name": "top", "primitives": []object{{"attributes": object{"POSITION": position, "NORMAL": normal, "COLOR_0": color}, "indices": index, "material": 0}}}},
		"materials":   []object{{"name": "lacquer", "pbrMetallicRoughness": object{"metallicFactor": 0, "roughnessFactor": 0.35}}},
		"animations":  []object{{"name": "spin", "samplers": []object{{"input": time, "output": spins}, {"input": time, "output": sways}}, "channels": []object{{"sampler": 0, "target": object{"node": 2, "path": "rotation"}}, {"sampler": 1, "target": object{"node": 0, "path": "rotation"}}}}},
		"accessors":   accessors,
		"bufferViews": views,
		"buffers":     []object{{"byteLength": bin.Len()}},
	}
	text, err := json.Marshal(document)
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile("../../docs/samples/top.glb", glb(text, bin.Bytes()), 0o644); err != nil {
		log.Fatal(err)
	}
}

// lathe turns the profile; each of its pieces has vertices of its own, so that edges stay edges.
func lathe() (positions, normals [][3]float32, colors [][4]uint8, indices []uint16) {
	for i := 0; i+1 < len(profile); i++ {
		a, b := profile[i], profile[i+1]
		dr, dy := b[0]-a[0], b[1]-a[1]
		l := math.Sqrt(float64(dr*dr) + float64(dy*dy))
		for k := range sectors + 1 {
			s, c := mat.SinCos(2 * math.Pi * float64(k%sectors) / sectors)
			for _, p := range [2][2]float64{a, b} {
				positions = append(positions, [3]float32{float32(float64(p[0] * c)), float32(p[1]), float32(float64(-p[0] * s))})
				normals = append(normals, [3]float32{float32(float64(dy / l * c)), float32(-dr / l), float32(float64(-dy / l * s))})
				colors = append(colors, paint(i, k))
			}
			if k < sectors {
				n := uint16(len(positions) - 2)
				indices = append(indices, n, n+2, n+1, n+1, n+2, n+3)
			}
		}
	}
	return positions, normals, colors, indices
}

// paint is a vertex' colour, linear: a stem of wood, and a body of stripes.
func paint(piece, sector int) [4]uint8 {
	switch {
	case piece >= 5 || piece == 0:
		return [4]uint8{120, 60, 22, 255}
	case sector/8%2 == 0:
		return [4]uint8{190, 12, 10, 255}
	}
	return [4]uint8{235, 200, 150, 255}
}

func axisAngle(axis int, angle float64) [4]float32 {
	s, c := mat.SinCos(angle / 2)
	q := [4]float32{3: float32(c)}
	q[axis] = float32(s)
	return q
}

// turns are rotations about y over four seconds, eight keys a turn, so that each way is the short one.
func turns() (times []float32, spin, sway [][4]float32) {
	for k := range 33 {
		times = append(times, float32(k)/8)
		spin = append(spin, axisAngle(1, 2*math.Pi*float64(k)/8))
		sway = append(sway, axisAngle(1, 2*math.Pi*float64(k)/32))
	}
	return times, spin, sway
}

func glb(text, bin []byte) []byte {
	for len(text)%4 != 0 {
		text = append(text, ' ')
	}
	for len(bin)%4 != 0 {
		bin = append(bin, 0)
	}
	out := []byte("glTF")
	word := func(v int) { out = binary.LittleEndian.AppendUint32(out, uint32(v)) }
	word(2)
	word(12 + 8 + len(text) + 8 + len(bin))
	word(len(text))
	out = append(append(out, "JSON"...), text...)
	word(len(bin))
	return append(append(out, "BIN\x00"...), bin...)
}
