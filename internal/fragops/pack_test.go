package fragops

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/vk"
)

// The kernel packs what the Go body packs, for every number of lanes.
func TestPack_AssemblyEqualsGo(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	special := []uint32{0, 1 << 31, 0x3F800000, 0x3F800001, 0x3F7FFFFF, 0x7F800000, 0xFF800000, 0x7FC00000, 0x7F800001, 0xFFC00000, 0xBF800000, 1}
	for trial := range 3000 {
		n := 1 + r.IntN(2*packChunk)
		var src [4][]uint32
		for k := range src {
			for range n {
				x := math.Float32bits(r.Float32())
				switch r.IntN(4) {
				case 0:
					x = special[r.IntN(len(special))]
				case 1:
					x = math.Float32bits((float32(r.IntN(256)) + 0.5) / 255)
				}
				src[k] = append(src[k], x)
			}
		}
		for g := range (n + packChunk - 1) / packChunk {
			a := packed{src: &src, first: uint(trial & 1 * 2), group: g}
			b := a
			a.pack(false)
			b.pack(haveAVX2)
			if a.words != b.words {
				t.Fatalf("%d lanes: %x, want %x", n, b.words, a.words)
			}
		}
	}
}

// Blending eight fragments at a time gives what one after the other gives, where
// pixels repeat too.
func TestOver_TogetherEqualsEach(t *testing.T) {
	info, _ := format.Lookup(vk.FormatR8G8B8A8Unorm)
	r := rand.New(rand.NewPCG(3, 4))
	together := 0
	for trial := range 2000 {
		state := vk.PipelineColorBlendAttachmentState{BlendEnable: true, ColorWriteMask: allComponents,
			SrcColorBlendFactor: vk.BlendFactorSrcAlpha, DstColorBlendFactor: vk.BlendFactorOneMinusSrcAlpha, ColorBlendOp: vk.BlendOpAdd,
			SrcAlphaBlendFactor: vk.BlendFactorOne, DstAlphaBlendFactor: vk.BlendFactorOneMinusSrcAlpha, AlphaBlendOp: vk.BlendOpAdd}
		if trial%2 == 0 {
			state.SrcAlphaBlendFactor = vk.BlendFactorSrcAlpha
		}
		c, err := NewColor(ColorDesc{Info: info, State: state, WriteEnable: true})
		if err != nil {
			t.Fatal(err)
		}
		const side, lanes = 16, 128
		var src [4][]uint32
		for k := range src {
			for range lanes {
				src[k] = append(src[k], randomBits(r, false))
				if r.IntN(2) == 0 {
					src[k][len(src[k])-1] = math.Float32bits(r.Float32())
				}
			}
		}
		var list []Fragment
		for quad := range lanes / 4 {
			x, y := uint16(quad%8*2), uint16(quad/8*2)
			if r.IntN(8) == 0 {
				x, y = uint16(r.IntN(side/2)*2), uint16(r.IntN(side/2)*2)
			}
			for lane := range uint16(4) {
				if r.IntN(40) > 0 {
					list = append(list, Fragment{Lane: uint16(4*quad) + lane, X: x + lane&1, Y: y + lane>>1, Mask: 1})
				}
			}
		}
		if r.IntN(4) == 0 { // lanes of colours that were made anew, whatever the pixels
			for i := range list {
				list[i].Lane = uint16(i)
				if i > 0 && r.IntN(8) == 0 {
					list[i].X, list[i].Y = list[i-1].X, list[i-1].Y
				}
			}
		}
		mem := make([]byte, side*side*4)
		for i := range mem {
			mem[i] = byte(r.Uint32())
		}
		ref := bytes.Clone(mem)
		surface := func(b []byte) *Surface { return &Surface{Data: b, RowPitch: side * 4, TexelPitch: 4, SampleBytes: 4} }
		if apart(list) >= 8 {
			together++
		}
		first := uint(trial >> 1 & 1 * 2)
		c.overRGBA8(surface(mem), list, &src, first)
		c.overEach(surface(ref), list, &src, first)
		if !bytes.Equal(mem, ref) {
			t.Fatalf("trial %d: %x, want %x", trial, mem, ref)
		}
	}
	if together < 1000 {
		t.Errorf("only %d lists began with fragments that are apart", together)
	}
}

// Whole quads among other fragments, pixels more than once: the bytes of their
// fragments one after the other, as the reference has them.
func TestWholeQuads_AreTheirFragments(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	const side, lanes = 16, 128
	over := vk.PipelineColorBlendAttachmentState{BlendEnable: true, ColorWriteMask: allComponents,
		SrcColorBlendFactor: vk.BlendFactorSrcAlpha, DstColorBlendFactor: vk.BlendFactorOneMinusSrcAlpha,
		SrcAlphaBlendFactor: vk.BlendFactorOne, DstAlphaBlendFactor: vk.BlendFactorOneMinusSrcAlpha}
	states := []vk.PipelineColorBlendAttachmentState{{ColorWriteMask: allComponents}, {ColorWriteMask: vk.ColorComponentRBit | vk.ColorComponentBBit}, over}
	for trial := range 3000 {
		info, _ := format.Lookup([]vk.Format{vk.FormatR8G8B8A8Unorm, vk.FormatB8G8R8A8Unorm}[trial%2])
		c, err := NewColor(ColorDesc{Info: info, State: states[trial/2%3], WriteEnable: true})
		if err != nil || !c.Fast() {
			t.Fatal(err, c.Fast())
		}
		var src [4][]uint32
		for k := range src {
			for range lanes {
				src[k] = append(src[k], math.Float32bits(r.Float32()*1.25))
			}
		}
		var list, each []Fragment
		for quad := range lanes / 4 {
			x, y := uint16(quad%8*2), uint16(quad/8*2)
			if r.IntN(12) == 0 {
				x, y = uint16(r.IntN(side/2)*2), uint16(r.IntN(side/2)*2)
			}
			whole := Fragment{Lane: uint16(4 * quad), X: x, Y: y, Mask: WholeQuad}
			four := whole.each()
			if r.IntN(10) == 0 { // part of a quad
				part := four[r.IntN(2) : 2+r.IntN(3)]
				list, each = append(list, part...), append(each, part...)
				continue
			}
			list, each = append(list, whole), append(each, four[:]...)
		}
		pitch := []int{4, 16}[trial/6%2]
		mem := make([]byte, side*side*pitch)
		for i := range mem {
			mem[i] = byte(r.Uint32())
		}
		ref := bytes.Clone(mem)
		surface := func(b []byte) *Surface {
			return &Surface{Data: b, RowPitch: side * pitch, TexelPitch: pitch, SampleBytes: 4}
		}
		c.Write(surface(mem), list, &src, nil)
		c.writeReference(surface(ref), each, &src, nil)
		if !bytes.Equal(mem, ref) {
			t.Fatalf("trial %d, %v: other bytes than of single fragments", trial, info.Format)
		}
	}
}
