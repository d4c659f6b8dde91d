package vm_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/exec/vm"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/ir/lane"
	"github.com/pumice-gpu/pumice/internal/memory"
	"github.com/pumice-gpu/pumice/internal/rules"
)

type placeVariant int

const (
	placePlain placeVariant = iota
	placePrints
	placeLeaves
	placeTwo
	placeSilent
)

// placeProgram adds to each word of an attachment's pixels what says where it is, a word of the
// record and, as a float, a binary64 of it and of a word that samples 1 and 2 see; covers and stores
// the lanes whose first word was even, or all where the record says so. Where it prints, what
// machine code does not do stands between loads and stores; where it leaves, machine code has Go
// compute something and goes on in each strip. With two surfaces it stores what it stores first to
// the other one, too. A silent one has no output: quads of which nothing is covered need not run.
func placeProgram(size uint16, variant placeVariant) *ir.Program {
	p := &ir.Program{Name: fmt.Sprint("place ", size), Stage: ir.StageFragment, Outputs: []ir.IO{{Type: ir.F32}}}
	b := ir.NewBuilder(p)
	x, y := b.OpImm(ir.OpPixel, ir.I32, 0), b.OpImm(ir.OpPixel, ir.I32, 1)
	at := b.Op(ir.OpIAdd, ir.I32, x, b.Op(ir.OpIMul, ir.I32, y, b.I32(100)))
	at = b.Op(ir.OpIAdd, ir.I32, at, b.OpImm(ir.OpRecord, ir.I32, 4))
	lo, hi := b.OpImm(ir.OpRecord, ir.I32, 8), b.OpImm(ir.OpRecord, ir.I32, 12)
	seen := ir.Texel{Surface: 1, Bytes: size, Sample: 1, More: 1}
	if size&(size-1) != 0 {
		seen.Size = uint8(min(4, size))
	}
	told := b.Op(ir.OpIAdd, ir.I32, at, b.OpImm(ir.OpLoadTexel, ir.I32, seen.Imm()))
	d := b.OpMore(ir.OpWide, ir.I32, uint64(ir.WideS2D), []ir.Value{told})
	r := func(v ir.Value) ir.Value { return b.OpImm(ir.OpResult, ir.I32, 1, v) }
	sum := b.OpMore(ir.OpWide, ir.I32, uint64(ir.WideFMul), []ir.Value{d, r(d), lo, hi})
	f := b.OpMore(ir.OpWide, ir.F32, uint64(ir.WideD2F), []ir.Value{sum, r(sum)})
	if variant == placeLeaves {
		f = b.Op(ir.OpFTanh, ir.F32, f)
	}
	if variant == placeSilent {
		p.Outputs = nil
	} else {
		b.OpImm(ir.OpOutput, ir.Void, 0, f)
	}
	texel := ir.Texel{Surface: 1, Bytes: size}
	keep := ir.NoValue
	var more []ir.Value
	for w := range texel.Words() {
		if texel.Word = uint8(w); size&(size-1) != 0 {
			texel.Size = uint8(min(4, int(size)-4*w))
		}
		v := b.OpImm(ir.OpLoadTexel, ir.I32, texel.Imm())
		if w == 0 {
			even := b.Op(ir.OpIEq, ir.Bool, b.Op(ir.OpAnd, ir.I32, v, b.I32(1)), b.I32(0))
			all := b.Op(ir.OpINe, ir.Bool, b.OpImm(ir.OpRecord, ir.I32, 0), b.I32(0))
			keep = b.Op(ir.OpAnd, ir.Bool, b.Op(ir.OpOr, ir.Bool, even, all), b.OpImm(ir.OpCovered, ir.Bool, 0))
		}
		more = append(more, keep, b.Op(ir.OpIAdd, ir.I32, v, at))
	}
	if texel.Word = 0; variant == placePrints {
		p.Prints = []ir.Print{{Format: "stored"}}
		b.OpMore(ir.OpPrint, ir.Void, 0, nil)
	}
	for texel.Size > 0 && len(more) > 2 {
		last := len(more)/2 - 1
		own := texel
		own.Word, own.Size = uint8(last), uint8(min(4, int(size)-4*last))
		b.OpMore(ir.OpStoreTexel, ir.Void, own.Imm(), more[2*last:])
		more = more[:2*last]
	}
	if texel.Size > 0 {
		texel.Size = uint8(min(4, size))
	}
	for some := range slices.Chunk(more, 2*ir.MaxStoreWords) {
		b.OpMore(ir.OpStoreTexel, ir.Void, texel.Imm(), some)
		texel.Word += ir.MaxStoreWords
	}
	if variant == placeTwo {
		b.OpMore(ir.OpStoreTexel, ir.Void, ir.Texel{Bytes: 4}.Imm(), more[:2])
	}
	b.OpImm(ir.OpCover, ir.Void, 3, keep)
	b.Finish()
	return p
}

// model is placeProgram, a place after the other and a lane after the other.
func placeModel(b *exec.Batch, size int, variant placeVariant) {
	s := &b.Surfaces[1]
	for i := range b.Places {
		p := &b.Places[i]
		record := b.Records[p.Record:]
		p.Covered[3] = 0
		for l := range ir.PlaceLanes {
			x, y := p.Pixel(l)
			at := uint32(x+100*y) + binary.LittleEndian.Uint32(record[4:])
			texel := s.Data[min(y*s.RowPitch+x*size, len(s.Data)):]
			texel = texel[:min(size, len(texel))]
			var seen [4]byte
			if (p.Covered[1]|p.Covered[2])>>l&1 != 0 {
				copy(seen[:], texel)
			}
			told := int32(at + binary.LittleEndian.Uint32(seen[:]))
			f := float64(told) * math.Float64frombits(binary.LittleEndian.Uint64(record[8:]))
			out := math.Float32bits(float32(f))
			if variant == placeLeaves {
				out = lane.FTanh(out)
			}
			if variant != placeSilent {
				b.Out[0][ir.PlaceLanes*i+l] = out
			}
			if p.Covered[0]>>l&1 == 0 {
				continue
			}
			if texel[0]&1 != 0 && record[0] == 0 {
				continue
			}
			p.Covered[3] |= 1 << l
			for w := 0; w < size; w += 4 {
				var word [4]byte
				copy(word[:], texel[w:])
				binary.LittleEndian.PutUint32(word[:], binary.LittleEndian.Uint32(word[:])+at)
				copy(texel[w:], word[:])
				if other := b.Surfaces[0]; w == 0 && other.Data != nil {
					copy(other.Data[y*other.RowPitch+4*x:], word[:])
				}
			}
		}
	}
}

// beforeEnd is a copy of data behind which memory ends, where pages can be mapped.
func beforeEnd(t *testing.T, data []byte) []byte {
	t.Helper()
	size := (len(data) + memory.Alignment - 1) &^ (memory.Alignment - 1)
	b, err := memory.New(memory.Config{Mode: memory.Guard}).Alloc(int64(size))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Free(); err != nil {
			t.Error(err)
		}
	})
	to := b.Bytes()[size-len(data):]
	copy(to, data)
	return to
}

// Programs on places give what a loop over lanes gives, place by place where they meet the
// same pixels again, on attachments whose rows, and the memory behind the last one, end within a place.
func TestPlaces(t *testing.T) {
	rules.Covers(t, "RAS-001")
	r := rand.New(rand.NewPCG(3, 4))
	const width, height, n = 19, 12, 70
	for i, size := range []int{1, 2, 4, 8, 16, 32, 64, 128, 256, -4, -8, -16, -32, -64, -128, -256, 4, 4, 4, 8, 16, 1, 4, -4, -16, 4, 8, 3, 6, 12, 3, 24, 192, -6, -12, -24} {
		apart := size < 0 // quads that don't lie side by side, which not all vectors take
		size = max(size, -size)
		variant := max(placePlain, min(placeVariant(i-15), placeTwo))
		switch {
		case i > 26: // sizes that are no power of two
			variant = placeVariant(i % 3)
		case i > 20:
			variant = placeSilent
		}
		p := placeProgram(uint16(size), variant)
		if i > 24 && i < 27 { // with which machine code is called as that of shaders is
			p.Resources = []ir.Resource{{Kind: ir.StorageBuffer}}
		}
		if err := ir.Verify(p); err != nil {
			t.Fatal(err)
		}
		pitch := width*size + 4
		data := make([]byte, pitch*(height-1)+width*size)
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		records := make([]byte, 16*5)
		for i := range 5 {
			records[16*i] = byte(i & 1)
			binary.LittleEndian.PutUint32(records[16*i+4:], r.Uint32N(1000))
			binary.LittleEndian.PutUint64(records[16*i+8:], math.Float64bits(r.NormFloat64()))
		}
		places := make([]exec.Place, n)
		for i := range places {
			q := &places[i]
			q.X, q.Y, q.Record = 8*r.Int32N(3), 2*r.Int32N(6), 16*r.Uint32N(5)
			if apart && r.IntN(4) > 0 { // some of a block's
				q.Y &^= 7
				for l, k := range r.Perm(16)[:4] {
					q.Quads[l] = uint8(l ^ k)
				}
			}
			for sample := range 3 {
				whole, quads := r.IntN(2) == 0, r.IntN(16)
				for l := range ir.PlaceLanes {
					in := whole || quads>>(l/4)&1 != 0 && r.IntN(8) > 0
					if x, y := q.Pixel(l); in && x < width && y < height {
						q.Covered[sample] |= 1 << l
					}
				}
			}
		}
		batch := func() *exec.Batch {
			b := &exec.Batch{
				N: n * ir.PlaceLanes, Out: [][]uint32{make([]uint32, n*ir.PlaceLanes)}, Places: append([]exec.Place(nil), places...), Records: records,
				Surfaces: []exec.Surface{{}, {Data: beforeEnd(t, data), RowPitch: pitch}},
			}
			if variant == placeTwo {
				b.Surfaces[0] = exec.Surface{Data: make([]byte, 4*width*height), RowPitch: 4 * width}
			}
			return b
		}
		want := batch()
		placeModel(want, size, variant)
		for name, opt := range map[string]vm.Options{"portable": {Portable: true}, "vm": {Lanes: 64}, "native": {Native: true}, "native, 256 bits": {Native: true, Vectors: 256}} {
			if apart && opt.Native && !vm.New(opt).PacksQuads() {
				continue
			}
			for _, optimized := range []bool{false, true} {
				if optimized {
					ir.Optimize(p)
				}
				routine, err := vm.New(opt).Compile(p)
				if err != nil {
					t.Fatal(err)
				}
				got := batch()
				if err := routine.NewThread(exec.MaxLanes).Run(&exec.Context{Resources: make([][]exec.Descriptor, len(p.Resources))}, got); err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(got.Surfaces[0].Data, want.Surfaces[0].Data) || !bytes.Equal(got.Surfaces[1].Data, want.Surfaces[1].Data) {
					t.Errorf("%s, %d bytes: other pixels than the model", name, size)
				}
				for i := range places {
					if got.Places[i] != want.Places[i] {
						t.Errorf("%s, %d bytes: place %d is %v, want %v", name, size, i, got.Places[i], want.Places[i])
						break
					}
				}
				for i, v := range want.Out[0] {
					if variant != placeSilent && got.Out[0][i] != v {
						t.Errorf("%s, %d bytes: lane %d gives %x, want %x", name, size, i, got.Out[0][i], v)
						break
					}
				}
			}
		}
	}
}
