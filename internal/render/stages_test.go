package render

import (
	"bytes"
	"context"
	"math"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/internal/tess"
	"github.com/pumice-gpu/pumice/vk"
)

// The stages between vertices and fragments, against their shaders written again in
// Go: the primitives that come out, in order, are drawn as those of a vertex buffer,
// and the pictures are compared.

// stageVertex is a vertex with the inputs of stages.frag or mesh.frag.
type stageVertex struct {
	x, y  float32
	shade [3]float32
	mark  uint32
}

// stagePicture collects primitives of a scene.
type stagePicture struct {
	last       bool // provoking vertex
	list       []float32
	n          int // vertices of a primitive
	primitives int
}

// add appends a primitive; alpha is that of the whole.
func (s *stagePicture) add(alpha float32, v ...stageVertex) {
	s.n = len(v)
	s.primitives++
	mark := v[0].mark
	if s.last {
		mark = v[len(v)-1].mark
	}
	for _, v := range v {
		s.list = append(s.list, v.x, v.y, .5, 1)
		for _, c := range v.shade {
			s.list = append(s.list, c*.5+.5*fract(float32(mark)*.1))
		}
		s.list = append(s.list, alpha)
	}
}

func fract(x float32) float32 { return x - float32(math.Floor(float64(x))) }

func mix(a, b, f float32) float32 { return a*(1-f) + b*f }

func mixVertex(a, b stageVertex, f float32) stageVertex {
	v := stageVertex{x: mix(a.x, b.x, f), y: mix(a.y, b.y, f)}
	for k := range v.shade {
		v.shade[k] = mix(a.shade[k], b.shade[k], f)
	}
	return v
}

func sinCos(t float32) (s, c float32) {
	return float32(math.Sin(float64(t))), float32(math.Cos(float64(t)))
}

// spiral is stages.vert.
func spiral(i int) stageVertex {
	t := float32(i) * .7
	r := .1 + .9*fract(float32(i)*.381966)
	s, c := sinCos(t)
	return stageVertex{x: r * c, y: r * s, shade: [3]float32{fract(t), r, fract(3 * t)}}
}

// strips is stages.geom: fans of triangle strips.
func (s *stagePicture) strips(id int, in []stageVertex) (invocations int) {
	for k := range 3 {
		n := 12 + 4*k
		if k == 2 && id%3 == 0 {
			continue
		}
		a, b := in[k], in[(k+1)%3]
		var run []stageVertex
		end := func() {
			for i := 0; i+2 < len(run); i++ {
				s.add(fract(float32(id*3+k)/16), run[i], run[i+1], run[i+2])
			}
			run = nil
		}
		for i := range n {
			v := mixVertex(a, b, float32(i)/float32(n))
			side := float32(.05) * float32(i&1)
			v.x, v.y, v.mark = v.x+(b.y-a.y)*side, v.y+(a.x-b.x)*side, uint32(i+id)
			if run = append(run, v); k == 1 && i%5 == 4 {
				end()
			}
		}
		end()
	}
	return 3
}

// lines is lines.geom: a line strip through what an adjacency primitive has.
func (s *stagePicture) lines(id int, in []stageVertex) (invocations int) {
	for i := range in {
		in[i].mark = uint32(id + i)
	}
	for i := range len(in) - 1 {
		s.add(fract(float32(id)/16), in[i], in[i+1])
	}
	return 1
}

// patch is stages.tesc and an evaluation shader; it returns how many points that ran
// for.
func (s *stagePicture) patch(id int, in []stageVertex, c tess.Config) int {
	var at [4]stageVertex
	var outer [4]float32
	var inner [2]float32
	var middle [3]float32
	for k := range at {
		next := in[(k+1)%4]
		at[k] = mixVertex(in[k], next, .25)
		at[k].x, at[k].y = in[k].x*.7+in[4].x*.3, in[k].y*.7+in[4].y*.3
		level := 1.5 + 4*in[k].shade[1]
		if outer[k] = level; k == 2 && id%5 == 4 {
			outer[k] = 0
		}
		if k < 2 {
			inner[k] = level + float32(id%3)
		}
		for i := range middle {
			middle[i] += in[k].shade[i] * .25
		}
	}
	var t tess.Tessellator
	t.Run(c, outer, inner)
	point := func(i uint32) stageVertex {
		p := t.Points[i].Coord()
		v := mixVertex(mixVertex(at[0], at[1], p[0]), mixVertex(at[3], at[2], p[0]), p[1])
		if c.Domain == ir.DomainTriangles {
			v.x, v.y = 0, 0
			for k := range 3 {
				v.x, v.y = v.x+p[k]*at[k].x, v.y+p[k]*at[k].y
			}
		}
		for i := range middle {
			v.shade[i] = mix(v.shade[i], middle[i], .3)
		}
		v.mark = uint32(id) + uint32(p[0]*8) + uint32(outer[1])
		return v
	}
	n := c.Vertices()
	for i := 0; i < len(t.Index); i += n {
		var v []stageVertex
		for k := range n {
			v = append(v, point(t.Index[i+k]))
		}
		s.add(fract(float32(id)/16), v...)
	}
	return len(t.Points)
}

// meshes is stages.task and stages.mesh; it returns how many mesh workgroups run.
func (s *stagePicture) meshes(task int) (groups int) {
	for y := range 2 {
		for x := range task % 4 {
			groups++
			n := 6 + 2*x + y
			t := float32(task*8+(x+3*y)&7) * .7
			sin, cos := sinCos(t)
			r := .2 + .7*fract(float32(task)*.381966)
			vertex := func(i int) stageVertex {
				t := float32(i) * 6 / float32(n)
				v := stageVertex{x: cos * r, y: sin * r}
				if i > 0 {
					s, c := sinCos(t)
					v.x, v.y = v.x+.2*c, v.y+.2*s
				}
				v.shade = [3]float32{fract(v.x * 3), fract(v.y * 3), fract(t)}
				return v
			}
			for i := range n {
				if i == 3 && task%2 == 1 {
					continue
				}
				v := []stageVertex{vertex(0), vertex(i + 1), vertex(i + 2)}
				for k, corner := range []int{0, i + 1, i + 2} {
					v[k].mark = uint32(corner + i + task)
				}
				s.add(.2+.8*fract(float32(task*8+i)/16), v...)
			}
		}
	}
	return groups
}

// RAS-046, RAS-061, RAS-182: primitives of geometry, tessellation and mesh shaders
// come in order, with their numbers and provoking vertices, however many run together
// and however small the room for them is.
func TestStages_RAS046_AsVertices(t *testing.T) {
	rules.Covers(t, "RAS-046", "RAS-059", "RAS-060", "RAS-061", "RAS-182", "RAS-183")
	adjacency := func(strip bool) func(i, n int, last bool) []int {
		return func(i, n int, _ bool) []int {
			step, count := 4, n/4
			if strip {
				step, count = 1, n-3
			}
			if i >= count {
				return nil
			}
			return []int{step * i, step*i + 1, step*i + 2, step*i + 3}
		}
	}
	of := func(topology vk.PrimitiveTopology) func(i, n int, last bool) []int {
		return func(i, n int, last bool) []int {
			v, _, at := tableRow(topology, i, n)
			if last && v != nil { // the provoking vertex comes last
				v = append(v[at+1:len(v):len(v)], v[:at+1]...)
			}
			return v
		}
	}
	const list, strip, fan = vk.PrimitiveTopologyTriangleList, vk.PrimitiveTopologyTriangleStrip, vk.PrimitiveTopologyTriangleFan
	const patches = vk.PrimitiveTopologyPatchList
	for i, c := range []struct {
		name, evaluation, geometry string
		topology                   vk.PrimitiveTopology
		count                      int
		row                        func(i, n int, last bool) []int
		config                     tess.Config
	}{
		{"triangles", "", "stages.geom", list, 610, of(list), tess.Config{}},
		{"strip", "", "stages.geom", strip, 90, of(strip), tess.Config{}},
		{"fan", "", "stages.geom", fan, 50, of(fan), tess.Config{}},
		{"adjacency", "", "lines.geom", vk.PrimitiveTopologyLineListWithAdjacency, 203, adjacency(false), tess.Config{}},
		{"adjacency strip", "", "lines.geom", vk.PrimitiveTopologyLineStripWithAdjacency, 60, adjacency(true), tess.Config{}},
		{"quads", "quads.tese", "", patches, 1003, nil, tess.Config{Domain: ir.DomainQuads, Spacing: ir.SpacingFractionalOdd, Positive: true}},
		{"patches of triangles", "triangles.tese", "", patches, 400, nil, tess.Config{Domain: ir.DomainTriangles, Spacing: ir.SpacingFractionalEven}},
		{"isolines", "isolines.tese", "", patches, 300, nil, tess.Config{Domain: ir.DomainIsolines}},
		{"mesh", "", "", list, 40, nil, tess.Config{}},
	} {
		for _, last := range []bool{false, true} {
			if testing.Short() && last == (i%2 == 0) {
				continue
			}
			want := stagePicture{last: last}
			var stats Stats
			switch {
			case c.row != nil:
				for i := 0; ; i++ {
					row := c.row(i, c.count, last)
					if row == nil {
						break
					}
					var in []stageVertex
					for _, k := range row {
						in = append(in, spiral(k))
					}
					if len(in) == 3 {
						stats.GeometryInvocations += uint64(want.strips(i, in))
					} else {
						stats.GeometryInvocations += uint64(want.lines(i, in))
					}
				}
				stats.GeometryPrimitives = uint64(want.primitives)
			case c.evaluation != "":
				for i := range c.count / 5 {
					var in []stageVertex
					for k := range 5 {
						in = append(in, spiral(5*i+k))
					}
					stats.Evaluations += uint64(want.patch(i, in, c.config))
					stats.Patches++
				}
			default:
				for i := range c.count {
					stats.MeshInvocations += 16 * uint64(want.meshes(i))
				}
				stats.TaskInvocations, stats.MeshPrimitives = 8*uint64(c.count), uint64(want.primitives)
			}
			plain := newScene(t, 96, 80, 1, vk.FormatUndefined)
			plain.state.Topology = vk.PrimitiveTopologyTriangleList
			if want.n == 2 {
				plain.state.Topology = vk.PrimitiveTopologyLineList
			}
			plain.add(plain.pipeline(t, 64), plain.state, want.list, 8)
			plain.run(t, Config{Threads: 1})

			var first []byte
			for _, config := range []Config{{Threads: 1, Lanes: 256}, {Threads: 2, Lanes: 64, TileSize: 16, BinBytes: 1}} {
				s := newScene(t, 96, 80, 1, vk.FormatUndefined)
				get := func(name string, stage ir.Stage) exec.Routine {
					if name == "" {
						return nil
					}
					return mutant(t, nil, name, stage, 0)
				}
				d := PipelineDesc{Static: s.state, ColorFormats: []vk.Format{vk.FormatR8G8B8A8Unorm}, Evaluation: get(c.evaluation, ir.StageEvaluation), Geometry: get(c.geometry, ir.StageGeometry)}
				d.Static.Topology = c.topology
				if last {
					d.Static.ProvokingVertexMode = vk.ProvokingVertexModeLastVertexEXT
				}
				if c.evaluation != "" {
					d.Control, d.Static.PatchControlPoints = get("stages.tesc", ir.StageControl), 5
				}
				if c.name == "mesh" {
					d.Task, d.Mesh, d.Fragment = get("stages.task", ir.StageTask), get("stages.mesh", ir.StageMesh), get("mesh.frag", ir.StageFragment)
				} else {
					d.Vertex, d.Fragment = get("stages.vert", ir.StageVertex), get("stages.frag", ir.StageFragment)
				}
				p, err := NewPipeline(d)
				if err != nil {
					t.Fatal(err)
				}
				ctx := &exec.Context{}
				s.pass.Draws = []Draw{{Pipeline: p, State: &d.Static, Count: uint32(c.count), Instances: 1, Groups: [3]uint32{uint32(c.count), 1, 1},
					Vertex: ctx, Control: ctx, Evaluation: ctx, Geometry: ctx, Task: ctx, Mesh: ctx, Fragment: ctx}}
				got, err := newExecutor(config).Run(context.Background(), &s.pass)
				if err != nil {
					t.Fatal(err)
				}
				for name, n := range map[string][2]uint64{
					"geometry invocations": {got.GeometryInvocations, stats.GeometryInvocations}, "geometry primitives": {got.GeometryPrimitives, stats.GeometryPrimitives},
					"patches": {got.Patches, stats.Patches}, "evaluations": {got.Evaluations, stats.Evaluations},
					"task invocations": {got.TaskInvocations, stats.TaskInvocations}, "mesh invocations": {got.MeshInvocations, stats.MeshInvocations}, "mesh primitives": {got.MeshPrimitives, stats.MeshPrimitives},
				} {
					if n[0] != n[1] {
						t.Errorf("%s, %+v: %d %s, want %d", c.name, config, n[0], name, n[1])
					}
				}
				// Sines and roundings differ in the last bits, and with them some pixels
				// at sides of primitives.
				wrong := 0
				a, b := s.color.Image.Data, plain.color.Image.Data
				for i := 0; i < len(a); i += 4 {
					for k := range 4 {
						if d := int(a[i+k]) - int(b[i+k]); max(d, -d) > 2 {
							wrong++
							break
						}
					}
				}
				if wrong > len(a)/4/200 {
					t.Errorf("%s, last %v, %+v: %d pixels of %d differ", c.name, last, config, wrong, len(a)/4)
				}
				if first == nil {
					first = a
				} else if !bytes.Equal(a, first) {
					t.Errorf("%s, last %v: %+v gives another picture", c.name, last, config)
				}
			}
		}
	}
}
