package lower_test

import (
	"encoding/binary"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/lower"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// What sparse instructions give is a struct of two members, the first of them an integer of 32 bits: other types
// are refused, each wrong in one thing.
func TestSparse_ResultStruct(t *testing.T) {
	rules.Covers(t, "IMG-232", "IMG-620")
	data, err := os.ReadFile("testdata/residency.comp.spv")
	if err != nil {
		t.Fatal(err)
	}
	var words []uint32
	for at := 0; at < len(data); at += 4 {
		words = append(words, binary.LittleEndian.Uint32(data[at:]))
	}
	words = slices.Insert(words, 5, 2<<16|uint32(spirv.OpCapability), uint32(spirv.CapabilityInt64))
	each := func(words []uint32, f func(op spirv.Op, inst []uint32, at int)) {
		for at := 5; at < len(words); at += int(words[at] >> 16) {
			f(spirv.Op(words[at]&0xFFFF), words[at:at+int(words[at]>>16)], at)
		}
	}
	// The struct is taken apart in no place.
	var pair, count, single uint32
	results := map[uint32]bool{}
	result := -1
	each(words, func(op spirv.Op, inst []uint32, at int) {
		switch {
		case op == spirv.OpImageSparseFetch, op == spirv.OpImageSparseGather:
			pair, results[inst[2]] = inst[1], true
		case op == spirv.OpCompositeExtract && results[inst[3]]:
			inst[0], inst[3], inst[4] = 3<<16|uint32(spirv.OpUndef), 1<<16|uint32(spirv.OpNop), 1<<16|uint32(spirv.OpNop)
		}
	})
	each(words, func(op spirv.Op, inst []uint32, at int) {
		switch {
		case op == spirv.OpTypeStruct && inst[1] == pair:
			result = at
		case op == spirv.OpConstant && result < 0:
			count = inst[2]
		}
	})
	if result < 0 {
		t.Fatal("no struct")
	}
	code, texel, id := words[result+2], words[result+3], words[3]
	each(words, func(op spirv.Op, inst []uint32, at int) {
		if op == spirv.OpTypeFloat {
			single = inst[1]
		}
	})
	var floats []uint32 // the type, where there is none
	if single == 0 {
		single, floats = id, []uint32{3<<16 | uint32(spirv.OpTypeFloat), id, 32}
	}
	structOf := func(members ...uint32) []uint32 {
		return append([]uint32{uint32(2+len(members))<<16 | uint32(spirv.OpTypeStruct), id + 1}, members...)
	}
	for _, c := range []struct {
		name string
		add  []uint32 // instructions behind the struct's, of which the last makes the type
		want bool
	}{
		{"as it was", structOf(code, texel), true},
		{"three members", structOf(code, texel, code), false},
		{"one member", structOf(code), false},
		{"no integer", structOf(texel, texel), false},
		{"a float", append(slices.Clone(floats), structOf(single, texel)...), false},
		{"64 bits", append([]uint32{4<<16 | uint32(spirv.OpTypeInt), id, 64, 0}, structOf(id, texel)...), false},
		{"no struct", []uint32{4<<16 | uint32(spirv.OpTypeArray), id + 1, code, count}, false},
	} {
		changed := slices.Insert(slices.Clone(words), result+4, c.add...)
		changed[3] = id + 2
		each(changed, func(op spirv.Op, inst []uint32, at int) {
			if op == spirv.OpImageSparseFetch || op == spirv.OpImageSparseGather {
				inst[1] = id + 1
			}
		})
		var b []byte
		for _, w := range changed {
			b = binary.LittleEndian.AppendUint32(b, w)
		}
		m, err := spirv.ParseBytes(b)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		_, err = lower.Compile(m, "main", lower.Options{})
		if c.want != (err == nil) || err != nil && !strings.Contains(err.Error(), "is a struct of a residency code and a texel") {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
