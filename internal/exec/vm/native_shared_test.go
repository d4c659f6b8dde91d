package vm

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/exec/native"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/rules"
)

// sharing is a program whose lanes with a flag store a number each to one word of shared memory, at
// a constant offset and at one of the push constants, and all of which load these words.
func sharing(t testing.TB) *ir.Program {
	types := []ir.Type{ir.Bool, ir.I32}
	words := []ir.Type{ir.I32, ir.I32}
	p := program(t, ir.StageCompute, types, words, func(b *ir.Builder, in []ir.Value) {
		at := []ir.Value{b.I32(4), b.OpImm(ir.OpLoadPush, ir.I32, 0, b.I32(0))}
		b.If(in[0], func() {
			for _, v := range at {
				b.Op(ir.OpStoreShared, ir.Void, v, b.Op(ir.OpIAdd, ir.I32, in[1], v))
			}
		}, nil)
		b.Op(ir.OpBarrier, ir.Void)
		for i, v := range at {
			output(b, i, b.Op(ir.OpLoadShared, ir.I32, v))
		}
	})
	p.SharedBytes, p.UsesBarrier, p.PushBytes = 16, true, 4
	p.LocalSize = [3]uint32{sharingLanes, 1, 1}
	if err := ir.OptimizeChecked(p); err != nil {
		t.Fatal(err)
	}
	return p
}

const sharingLanes = 32

// Where one lane works for its workgroup, words of shared memory are loaded and stored as words:
// nothing is gathered or scattered, which takes as long for one lane as for all.
func TestNative_SharedWords(t *testing.T) {
	rules.Covers(t, "RAS-001")
	p := sharing(t)
	eachList(t, p, func(t *testing.T, _, text string) {
		// What is behind a barrier is listed where machine code runs.
		loads := strings.Contains(text, ": loadShared") || native.Vectors() == 0
		if !loads || !strings.Contains(text, ": storeShared") ||
			strings.Contains(text, "gather") || strings.Contains(text, "scatter") {
			t.Errorf("words are not words in\n%s", text)
		}
	})
	eachMachine(t, sharedWords)
}

// sharedWords: what the last lane stores is there, and nothing is behind the end.
func sharedWords(t *testing.T) {
	p := sharing(t)
	for _, offset := range []uint32{0, 8, 12, 16, 1 << 31} {
		for _, on := range []uint32{0, 1, 1 << 15, 1<<3 | 1<<9, 1 << 16, 1<<2 | 1<<30, 1<<32 - 1} {
			in := [][]uint32{make([]uint32, sharingLanes), make([]uint32, sharingLanes)}
			want := [2]uint32{}
			for l := range in[0] {
				in[1][l] = uint32(100 * l)
				if on>>l&1 != 0 {
					in[0][l], want = ^uint32(0), [2]uint32{in[1][l] + 4, in[1][l] + offset}
				}
			}
			if offset > 12 {
				want[1] = 0
			}
			shared := make([]byte, 16, 32)
			ctx := &exec.Context{Push: binary.LittleEndian.AppendUint32(nil, offset)}
			out := runLanes(t, p, ctx, &exec.Batch{N: sharingLanes, In: in, Shared: shared})
			for l := range sharingLanes {
				if out[0][l] != want[0] || out[1][l] != want[1] {
					t.Fatalf("offset %d, lanes %#x: lane %d has %d and %d, want %d", offset, on, l,
						out[0][l], out[1][l], want)
				}
			}
			if behind := shared[16:32]; !bytes.Equal(behind, make([]byte, 16)) {
				t.Errorf("offset %d: %x behind the end", offset, behind)
			}
		}
	}
}
