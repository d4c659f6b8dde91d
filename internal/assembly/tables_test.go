package assembly

import (
	"fmt"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// tableRow is a primitive of a run by the tables of RAS-046 to RAS-051, vertices counting from 0.
type tableRow struct {
	all         []uint32 // with those of adjacency
	main        []uint32 // without
	first, last uint32   // the provoking vertex of each mode
}

// tableOf lists the primitives of a run of n vertices.
func tableOf(topology vk.PrimitiveTopology, patch, n int) (list []tableRow) {
	row := func(first, last int, v ...int) {
		r := tableRow{first: uint32(first), last: uint32(last)}
		for _, v := range v {
			r.all = append(r.all, uint32(v))
		}
		r.main = r.all
		list = append(list, r)
	}
	// main says which of the last row's vertices are no adjacency.
	main := func(v ...int) {
		r := &list[len(list)-1]
		r.main = nil
		for _, v := range v {
			r.main = append(r.main, uint32(v))
		}
	}
	switch topology {
	case vk.PrimitiveTopologyPointList:
		for i := range n {
			row(i, i, i)
		}
	case vk.PrimitiveTopologyLineList:
		for i := range n / 2 {
			row(2*i, 2*i+1, 2*i, 2*i+1)
		}
	case vk.PrimitiveTopologyLineStrip:
		for i := range max(n-1, 0) {
			row(i, i+1, i, i+1)
		}
	case vk.PrimitiveTopologyTriangleList:
		for i := range n / 3 {
			row(3*i, 3*i+2, 3*i, 3*i+1, 3*i+2)
		}
	case vk.PrimitiveTopologyTriangleStrip:
		for i := range max(n-2, 0) {
			row(i, i+2, i, i+1+i%2, i+2-i%2)
		}
	case vk.PrimitiveTopologyTriangleFan:
		for i := range max(n-2, 0) {
			row(i+1, i+2, i+1, i+2, 0)
		}
	case vk.PrimitiveTopologyLineListWithAdjacency:
		for i := range n / 4 {
			row(4*i+1, 4*i+2, 4*i, 4*i+1, 4*i+2, 4*i+3)
			main(4*i+1, 4*i+2)
		}
	case vk.PrimitiveTopologyLineStripWithAdjacency:
		for i := range max(n-3, 0) {
			row(i+1, i+2, i, i+1, i+2, i+3)
			main(i+1, i+2)
		}
	case vk.PrimitiveTopologyTriangleListWithAdjacency:
		for i := range n / 6 {
			row(6*i, 6*i+4, 6*i, 6*i+1, 6*i+2, 6*i+3, 6*i+4, 6*i+5)
			main(6*i, 6*i+2, 6*i+4)
		}
	case vk.PrimitiveTopologyTriangleStripWithAdjacency:
		count := max(n-4, 0) / 2
		for i := range count {
			b := 2 * i
			beyond := b + 6
			if i == count-1 {
				beyond = b + 5
			}
			switch {
			case i == 0:
				row(b, b+4, b, b+1, b+2, beyond, b+4, b+3)
			case i%2 == 1:
				row(b, b+4, b, b+3, b+4, beyond, b+2, b-2)
			default:
				row(b, b+4, b, b-2, b+2, beyond, b+4, b+3)
			}
			if i%2 == 1 {
				main(b, b+4, b+2)
			} else {
				main(b, b+2, b+4)
			}
		}
	case vk.PrimitiveTopologyPatchList:
		for i := range n / patch {
			v := make([]int, patch)
			for k := range v {
				v[k] = patch*i + k
			}
			row(patch*i, patch*i, v...)
		}
	}
	return list
}

// Each topology, of two runs of 0 to 13 vertices with a restart between them, or of one without indices: vertices,
// provoking vertex of each mode, number of each primitive and where stipple starts, for Next and for NextWide.
func TestTables_RAS046_EveryTopologyAndLength(t *testing.T) {
	rules.Covers(t, "RAS-046", "RAS-047", "RAS-048", "RAS-049", "RAS-050", "RAS-051", "RAS-052", "RAS-053", "RAS-054", "RAS-055", "RAS-056", "RAS-225", "RAS-232")
	const longest, patch = 13, 3
	strips := []vk.PrimitiveTopology{vk.PrimitiveTopologyLineStrip, vk.PrimitiveTopologyLineStripWithAdjacency}
	for topology := vk.PrimitiveTopologyPointList; topology <= vk.PrimitiveTopologyPatchList; topology++ {
		for _, mode := range []vk.ProvokingVertexModeEXT{vk.ProvokingVertexModeFirstVertexEXT, vk.ProvokingVertexModeLastVertexEXT} {
			last := mode == vk.ProvokingVertexModeLastVertexEXT
			for size := range 5 {
				if size == 3 {
					continue
				}
				for a := range longest + 1 {
					for b := range longest + 1 {
						indexed := size != 0
						if !indexed && b > 0 {
							continue
						}
						const offset = 40
						var rows []tableRow
						var starts []bool
						var values []uint32
						for run, n := range []int{a, b} {
							if run == 1 {
								values = append(values, 0xffffffff)
							}
							for i, r := range tableOf(topology, patch, n) {
								for _, list := range []*[]uint32{&r.all, &r.main} {
									*list = slices.Clone(*list)
									for k := range *list {
										(*list)[k] += uint32(len(values)) + offset
									}
								}
								r.first, r.last = r.first+uint32(len(values))+offset, r.last+uint32(len(values))+offset
								rows = append(rows, r)
								starts = append(starts, i == 0 || !slices.Contains(strips, topology))
							}
							for range n {
								values = append(values, uint32(len(values)))
							}
						}
						open := func() *Assembler {
							var as Assembler
							if err := as.Reset(Config{Topology: topology, Provoking: mode, Restart: true, PatchVertices: patch}); err != nil {
								t.Fatal(err)
							}
							if !indexed {
								as.Vertices(offset, uint32(a))
							} else if err := as.Indices(encode(size, values...), size, 0, uint32(len(values)), offset); err != nil {
								t.Fatal(err)
							}
							return &as
						}
						what := fmt.Sprintf("%v, %v, runs of %d and %d, indices of %d bytes", topology, mode, a, b, size)
						for _, room := range []int{1, 2, 40} {
							all, ids := drainWide(open(), room)
							if len(all) != len(rows) {
								t.Fatalf("%s: %d primitives, want %d", what, len(all), len(rows))
							}
							for i, r := range rows {
								want := r.all
								if at := slices.Index(want, r.last); last && len(want) == 3 && topology != vk.PrimitiveTopologyPatchList {
									want = append(slices.Clone(want[at+1:]), want[:at+1]...) // RAS-046: the provoking vertex comes last
								}
								if !slices.Equal(all[i], want) || ids[i] != uint32(i) {
									t.Fatalf("%s: primitive %d is number %d of %v, want %v", what, i, ids[i], all[i], want)
								}
							}
							if topology == vk.PrimitiveTopologyPatchList {
								continue
							}
							as, got := open(), []Primitive(nil)
							for dst := make([]Primitive, room); !as.Done(); {
								got = append(got, dst[:as.Next(dst)]...)
							}
							if len(got) != len(rows) {
								t.Fatalf("%s: %d primitives, want %d", what, len(got), len(rows))
							}
							for i, r := range rows {
								p, provoking := &got[i], r.first
								if last {
									provoking = r.last
								}
								if !slices.Equal(p.V[:p.N], r.main) || p.ID != uint32(i) || p.V[p.Provoking] != provoking || p.Flags&FlagRunStart != 0 != starts[i] {
									t.Fatalf("%s: primitive %d is %+v, want %v, provoked by %d, stipple starts: %v", what, i, *p, r.main, provoking, starts[i])
								}
							}
						}
					}
				}
			}
		}
	}
}

// Patches of any size that is none, or more than there may be, are refused; other topologies do not care.
func TestTables_RAS051_PatchVertices(t *testing.T) {
	rules.Covers(t, "RAS-046", "RAS-051")
	for topology := vk.PrimitiveTopologyPointList - 2; topology <= vk.PrimitiveTopologyPatchList+2; topology++ {
		for _, n := range []uint32{0, 1, 2, 31, 32, 33, 1 << 31, 1<<32 - 1} {
			var a Assembler
			err := a.Reset(Config{Topology: topology, PatchVertices: n})
			good := topology >= vk.PrimitiveTopologyPointList && topology < vk.PrimitiveTopologyPatchList || topology == vk.PrimitiveTopologyPatchList && n >= 1 && n <= 32
			if (err == nil) != good {
				t.Errorf("%v, %d vertices of a patch: %v", topology, n, err)
			}
		}
	}
}
