package lower_test

import (
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/lower"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// Constant arrays give their elements for any index, whether they are read only or
// changed after they were copied.
func TestTables_DynamicIndices(t *testing.T) {
	in := make([]uint32, lanes)
	for i := range in {
		in[i] = uint32(i * 37 % 251)
	}
	square := func(i uint32) uint32 { return (i & 15) * (i & 15) }
	names := []string{"in a function, twice", "in a loop", "changed", "stored twice", "in a block below", "vectors and matrices", "64 bits and booleans", "16 bits"}
	for _, form := range forms {
		got := runCompute(t, "tables.comp"+form, lower.Options{}, in, lanes*8)
		check(t, got, 8, names, func(lane uint32) []uint32 {
			i := in[lane]
			sum := uint32(0)
			for k := range i & 7 {
				sum += square(i+k) * (k + 1)
			}
			twice, below := square(i), uint32(0)
			if i > 100 {
				twice = 1
			}
			if i&1 == 1 {
				below = square(i >> 1)
			}
			wide := []int64{0x100000002, 0x300000004, 0x500000006, -1}[i&3]
			bits := uint32(wide) ^ uint32(wide>>32)*16
			if i>>1&3 == 0 || i>>1&3 == 2 {
				bits ^= 1 << 31
			}
			return []uint32{square(i) + square(i>>4)*1000, sum, square(i) + (1000+i)*256 + square(i+2) + 7, twice, below,
				3*(i>>2&3) + 1 + i%3 + (4*(i&3)+1+2*(i&1)+i>>1&1)*100, bits, []uint32{1, 3, 5, 131008}[i&3]}
		})
	}
}

// A constant array costs its elements once, not once for each use that has a dynamic
// index: no lane memory, no stores, no more instructions a use than a few.
func TestTables_UsesCostNothing(t *testing.T) {
	const length = 2048
	size := func(uses int) (insts, table int) {
		a := newAssembler()
		n, array, pa, pu, k := a.id(), a.id(), a.id(), a.id(), a.id()
		a.op(spirv.OpConstant, idUint, n, length)
		a.op(spirv.OpTypeArray, array, idUint, n)
		a.op(spirv.OpTypePointer, pa, uint32(spirv.StorageClassFunction), array)
		a.op(spirv.OpTypePointer, pu, uint32(spirv.StorageClassFunction), idUint)
		elements := []uint32{array, k}
		for i := range uint32(length) {
			c := a.id()
			a.op(spirv.OpConstant, idUint, c, i*i)
			elements = append(elements, c)
		}
		a.op(spirv.OpConstantComposite, elements...)
		a.function(idMain, func() {
			vars := make([]uint32, uses)
			for i := range vars {
				vars[i] = a.id()
				a.op(spirv.OpVariable, pa, vars[i], uint32(spirv.StorageClassFunction))
			}
			index := a.id()
			a.op(spirv.OpIAdd, idUint, index, idOne, idOne)
			for _, v := range vars {
				at, loaded := a.id(), a.id()
				a.op(spirv.OpStore, v, k)
				a.op(spirv.OpAccessChain, pu, at, v, index)
				a.op(spirv.OpLoad, idUint, loaded, at)
				index = loaded
			}
		})
		a.words[3] = a.next
		m, err := spirv.Parse(a.words)
		if err != nil {
			t.Fatal(err)
		}
		p, err := lower.Compile(m, "main", lower.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, in := range p.Insts {
			if in.Op == ir.OpStorePrivate || in.Op == ir.OpLoadPrivate {
				t.Fatalf("%d uses have %v", uses, in.Op)
			}
		}
		return len(p.Insts), len(p.Table)
	}
	one, table := size(1)
	hundred, tables := size(100)
	if table != 4*length || tables != table || hundred > one+100*4 {
		t.Errorf("one use: %d instructions and a table of %d bytes; 100 uses: %d and %d", one, table, hundred, tables)
	}
}

// A variable that holds something else at some time is none: before its store, on
// another path, after another store or one to an element, or by way of a pointer.
func TestTables_OthersStayInLaneMemory(t *testing.T) {
	const length = 16
	for name, body := range map[string]func(a *assembler, v, k, array, pu, index uint32){
		"stored and loaded": nil, // which is one, as is the next
		"stored above": func(a *assembler, v, k, _, _, _ uint32) {
			a.op(spirv.OpStore, v, k)
			next := a.id()
			a.op(spirv.OpBranch, next)
			a.op(spirv.OpLabel, next)
		},
		"loaded first": func(a *assembler, v, k, array, _, _ uint32) {
			a.op(spirv.OpLoad, array, a.id(), v)
			a.op(spirv.OpStore, v, k)
		},
		"stored twice": func(a *assembler, v, k, _, _, _ uint32) {
			a.op(spirv.OpStore, v, k)
			a.op(spirv.OpStore, v, k)
		},
		"an element stored": func(a *assembler, v, k, _, pu, index uint32) {
			a.op(spirv.OpStore, v, k)
			at := a.id()
			a.op(spirv.OpAccessChain, pu, at, v, index)
			a.op(spirv.OpStore, at, idOne)
		},
		"an element of a copy of the pointer stored": func(a *assembler, v, k, _, pu, index uint32) {
			a.op(spirv.OpStore, v, k)
			copied, at := a.id(), a.id()
			a.op(spirv.OpCopyObject, pu-1, copied, v) // whose type was made before
			a.op(spirv.OpAccessChain, pu, at, copied, index)
			a.op(spirv.OpStore, at, idOne)
		},
		"copied over": func(a *assembler, v, k, _, _, _ uint32) {
			a.op(spirv.OpStore, v, k)
			a.op(spirv.OpCopyMemory, v, v)
		},
		"stored on one path": func(a *assembler, v, k, _, _, _ uint32) {
			then, merge := a.id(), a.id()
			a.op(spirv.OpSelectionMerge, merge, 0)
			a.op(spirv.OpBranchConditional, idTrue, then, merge)
			a.op(spirv.OpLabel, then)
			a.op(spirv.OpStore, v, k)
			a.op(spirv.OpBranch, merge)
			a.op(spirv.OpLabel, merge)
		},
		"stored as volatile": func(a *assembler, v, k, _, _, _ uint32) { a.op(spirv.OpStore, v, k, 1) },
	} {
		a := newAssembler()
		n, array, pa, pu, k := a.id(), a.id(), a.id(), a.id(), a.id()
		a.op(spirv.OpConstant, idUint, n, length)
		a.op(spirv.OpTypeArray, array, idUint, n)
		a.op(spirv.OpTypePointer, pa, uint32(spirv.StorageClassFunction), array)
		a.op(spirv.OpTypePointer, pu, uint32(spirv.StorageClassFunction), idUint)
		a.op(spirv.OpConstantComposite, append([]uint32{array, k}, slices.Repeat([]uint32{idOne}, length)...)...)
		a.function(idMain, func() {
			v, index, at := a.id(), a.id(), a.id()
			a.op(spirv.OpVariable, pa, v, uint32(spirv.StorageClassFunction))
			a.op(spirv.OpIAdd, idUint, index, idOne, idOne)
			if body == nil {
				a.op(spirv.OpStore, v, k)
			} else {
				body(a, v, k, array, pu, index)
			}
			a.op(spirv.OpAccessChain, pu, at, v, index)
			a.op(spirv.OpLoad, idUint, a.id(), at)
		})
		a.words[3] = a.next
		m, err := spirv.Parse(a.words)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		p, err := lower.Compile(m, "main", lower.Options{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if table := len(p.Table) > 0; table != (body == nil || name == "stored above") || table == (p.PrivateBytes > 0) {
			t.Errorf("%s: a table of %d bytes, %d of lane memory", name, len(p.Table), p.PrivateBytes)
		}
	}
}
