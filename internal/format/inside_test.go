package format

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/fp"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// Which formats have a layout that is written out: bytes of four components, and
// components of one width in order without padding. (That these give the same bits as
// the general codec is TestRows and TestDecode's business.)
func TestFastCodec_Layouts(t *testing.T) {
	for f, want := range map[vk.Format]struct {
		four  bool
		array int
	}{
		vk.FormatR8G8B8A8Unorm: {true, 4}, vk.FormatB8G8R8A8Srgb: {true, 0}, vk.FormatA8B8G8R8UnormPack32: {true, 4}, vk.FormatR8G8B8Unorm: {false, 3}, vk.FormatB8G8R8Unorm: {false, 0},
		vk.FormatR8G8Unorm: {false, 2}, vk.FormatR8Unorm: {false, 1}, vk.FormatA8Unorm: {false, 0}, vk.FormatR4G4UnormPack8: {false, 0}, vk.FormatR5G6B5UnormPack16: {false, 0},
		vk.FormatR16G16B16A16Sfloat: {false, 4}, vk.FormatR32G32Sfloat: {false, 2}, vk.FormatR32Uint: {false, 1}, vk.FormatD32Sfloat: {false, 1}, vk.FormatD16Unorm: {false, 1},
		vk.FormatX8D24UnormPack32: {false, 0}, vk.FormatD32SfloatS8Uint: {false, 0}, vk.FormatD24UnormS8Uint: {false, 0}, vk.FormatS8Uint: {false, 0}, vk.FormatR64G64Uint: {false, 2},
		vk.FormatA2B10G10R10UnormPack32: {false, 0}, vk.FormatB10G11R11UfloatPack32: {false, 0}, vk.FormatE5B9G9R9UfloatPack32: {false, 0}, vk.FormatR10X6UnormPack16: {false, 0},
		vk.FormatR4G4B4A4UnormPack16: {false, 0}, vk.FormatR10X6G10X6Unorm2Pack16: {false, 0},
	} {
		i := mustLookup(t, f)
		if i.fourBytes() != want.four || i.arrayOf() != want.array {
			t.Errorf("%v: four bytes %v, an array of %d; want %+v", f, i.fourBytes(), i.arrayOf(), want)
		}
	}
}

// A block that was decoded is not decoded again, and another one is never taken for it.
func TestBlockCache_HitsAndMisses(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	for f, slots := range map[vk.Format]int{
		vk.FormatBc1RgbUnormBlock: 512, vk.FormatBc7UnormBlock: 512, vk.FormatAstc5x4UnormBlock: 256, vk.FormatAstc8x8UnormBlock: 128, vk.FormatAstc10x10UnormBlock: 64, vk.FormatAstc12x12UnormBlock: 32,
	} {
		i := mustLookup(t, f)
		c := new(BlockCache)
		one, other := make([]byte, 16), make([]byte, 16)
		for k := range one {
			one[k], other[k] = byte(r.Uint32()), byte(r.Uint32())
		}
		c.Texel(i, one, 0, 0, 0)
		if c.slots != slots {
			t.Fatalf("%v: %d slots, want %d", f, c.slots, slots)
		}
		mark := Texel{0xABCD, 1, 2, 3}
		for k := range c.texels {
			c.texels[k] = mark
		}
		for y := range i.BlockHeight {
			if got := c.Texel(i, one, i.BlockWidth-1, y, 0); got != mark {
				t.Errorf("%v: a block in the cache was decoded again", f)
			}
		}
		var want [MaxBlockTexels]Texel
		i.DecodeBlock(want[:], other)
		for y := range i.BlockHeight {
			for x := range i.BlockWidth {
				if got := c.Texel(i, other, x+3*i.BlockWidth, y+i.BlockHeight, 0); got != want[y*i.BlockWidth+x] {
					t.Errorf("%v: texel (%d, %d) of a second block is %v, want %v", f, x, y, got, want[y*i.BlockWidth+x])
				}
			}
		}
		// Many blocks: each is found, and every slot is used.
		for range 10000 {
			binary.LittleEndian.PutUint64(one, r.Uint64())
			i.DecodeBlock(want[:], one)
			if got := c.Texel(i, one, 1, 2, 0); got != want[2*i.BlockWidth+1] {
				t.Fatalf("%v: another block's texel", f)
			}
		}
		for slot, key := range c.keys[:slots] {
			if key.slot()&(slots-1) != slot {
				t.Errorf("%v: slot %d of %d is not used", f, slot, slots)
			}
		}
		// The same bytes in another format are another block.
		next := mustLookup(t, vk.FormatBc3UnormBlock)
		next.DecodeBlock(want[:], one)
		if got := c.Texel(next, one, 0, 0, 0); got != want[0] || c.slots != 512 {
			t.Errorf("after %v: %v from another format's block, want %v", f, got, want[0])
		}
	}
}

// In an empty cache no slot has the key of a block that it may hold.
func TestBlockCache_EmptySlots(t *testing.T) {
	for _, f := range []vk.Format{vk.FormatBc7UnormBlock, vk.FormatAstc12x12UnormBlock} {
		c := new(BlockCache)
		c.reset(mustLookup(t, f))
		for slot, key := range c.keys[:c.slots] {
			if key.slot()&(c.slots-1) == slot {
				t.Errorf("%v: empty slot %d has the key of one of its blocks", f, slot)
			}
		}
	}
}

// Neighbouring blocks differ in few bits: they spread over the slots all the same.
func TestBlockCache_SlotsSpread(t *testing.T) {
	for shift := range 64 {
		var low, high uint64
		for k := range uint64(32) {
			low |= 1 << (blockKey{lo: k << shift}.slot() >> 3)
			high |= 1 << (blockKey{hi: k << shift, lo: 5}.slot() >> 3)
		}
		if shift > 58 {
			continue // fewer than 32 keys
		}
		for name, used := range map[string]uint64{"low": low, "high": high} {
			n := 0
			for ; used != 0; used &= used - 1 {
				n++
			}
			if n < 12 {
				t.Errorf("32 blocks that differ in 5 %s bits from %d use %d slots", name, shift, n)
			}
		}
	}
}

// What typed buffers can be used for, exactly.
func TestBufferFeatures_Exactly(t *testing.T) {
	rules.Covers(t, "IMG-596")
	const vertex, uniform = vk.FormatFeature2VertexBufferBit, vk.FormatFeature2UniformTexelBufferBit
	const storage = vk.FormatFeature2StorageTexelBufferBit | vk.FormatFeature2StorageReadWithoutFormatBit | vk.FormatFeature2StorageWriteWithoutFormatBit
	const atomic = vk.FormatFeature2StorageTexelBufferAtomicBit
	for f, want := range map[vk.Format]vk.FormatFeatureFlags2{
		vk.FormatR8Unorm: vertex | uniform | storage, vk.FormatR8G8B8A8Snorm: vertex | uniform | storage, vk.FormatR16G16Sfloat: vertex | uniform | storage, vk.FormatR8Uint: vertex | uniform | storage,
		vk.FormatB10G11R11UfloatPack32: vertex | uniform | storage, vk.FormatR32Uint: vertex | uniform | storage | atomic, vk.FormatR32Sint: vertex | uniform | storage | atomic,
		vk.FormatR32Sfloat: vertex | uniform | storage | atomic, vk.FormatR32G32Uint: vertex | uniform | storage, vk.FormatR16Uscaled: vertex | uniform, vk.FormatR8G8Sscaled: vertex | uniform,
		vk.FormatR8Srgb: vertex | uniform, vk.FormatB8G8R8A8Srgb: vertex | uniform, vk.FormatBc7SrgbBlock: 0, vk.FormatR64Uint: vertex | uniform | storage | atomic, vk.FormatR64Sint: vertex | uniform | storage | atomic, vk.FormatR64Sfloat: vertex,
		vk.FormatR64G64Uint: vertex, vk.FormatR64G64B64A64Sfloat: vertex, vk.FormatD32Sfloat: 0, vk.FormatD16Unorm: 0, vk.FormatBc1RgbUnormBlock: 0, vk.FormatG8B8R8_3Plane420Unorm: 0, vk.FormatS8Uint: 0,
	} {
		if got := mustLookup(t, f).BufferFeatures(); got != want {
			t.Errorf("%v: %v, want %v", f, got, want)
		}
	}
	// Comparisons are for depth and for what red alone holds; atomics for one component
	// of 32 bits or an integer of 64.
	const compare = vk.FormatFeature2SampledImageDepthComparisonBit
	for f, want := range map[vk.Format]vk.FormatFeatureFlags2{
		vk.FormatR8Unorm: compare, vk.FormatR16Sfloat: compare, vk.FormatR32Sfloat: compare | vk.FormatFeature2StorageImageAtomicBit, vk.FormatA8Unorm: 0, vk.FormatR8Snorm: 0, vk.FormatR8G8Unorm: 0,
		vk.FormatR32Uint: vk.FormatFeature2StorageImageAtomicBit, vk.FormatR32G32Sint: 0, vk.FormatR64Sint: vk.FormatFeature2StorageImageAtomicBit, vk.FormatR16Uint: 0, vk.FormatD32Sfloat: compare,
		vk.FormatS8Uint: 0, vk.FormatR64Sfloat: 0, vk.FormatR8Srgb: 0,
	} {
		if got := mustLookup(t, f).ImageFeatures(vk.ImageTilingOptimal) & (compare | vk.FormatFeature2StorageImageAtomicBit); got != want {
			t.Errorf("%v: %v, want %v", f, got, want)
		}
	}
}

// 64-bit texels narrow to lanes by rounding and by saturation, at both ends.
func TestWide_Narrowed(t *testing.T) {
	rules.Covers(t, "IMG-754")
	texel := make([]byte, 32)
	for _, c := range []struct {
		f    vk.Format
		in   uint64
		want uint32
	}{
		{vk.FormatR64Sint, 5, 5}, {vk.FormatR64Sint, 1<<31 - 1, 1<<31 - 1}, {vk.FormatR64Sint, 1 << 31, 1<<31 - 1}, {vk.FormatR64Sint, 1 << 62, 1<<31 - 1},
		{vk.FormatR64Sint, ^uint64(0), 1<<32 - 1}, {vk.FormatR64Sint, ^uint64(1<<31 - 1), 1 << 31}, {vk.FormatR64Sint, ^uint64(1 << 31), 1 << 31}, {vk.FormatR64Sint, 1 << 63, 1 << 31},
		{vk.FormatR64Uint, 1<<32 - 1, 1<<32 - 1}, {vk.FormatR64Uint, 1 << 32, 1<<32 - 1}, {vk.FormatR64Uint, 7, 7},
		{vk.FormatR64Sfloat, math.Float64bits(1.5), math.Float32bits(1.5)}, {vk.FormatR64Sfloat, math.Float64bits(1 + 0x1p-24), math.Float32bits(1)},
		{vk.FormatR64Sfloat, math.Float64bits(1e300), 0x7F800000},
	} {
		i := mustLookup(t, c.f)
		binary.LittleEndian.PutUint64(texel, c.in)
		one := uint32(1)
		if i.Class == ClassFloat {
			one = oneFloat
		}
		if got := i.Decode(texel); got != (Texel{c.want, 0, 0, one}) {
			t.Errorf("%v of %#x: %#x, want %#x", c.f, c.in, got, c.want)
		}
	}
	for _, f := range []vk.Format{vk.FormatR8Unorm, vk.FormatR32Sfloat, vk.FormatBc1RgbUnormBlock} {
		if _, ok := mustLookup(t, f).Decode64(texel); ok {
			t.Errorf("%v has 64-bit components", f)
		}
		if mustLookup(t, f).Encode64(texel, Wide{}) {
			t.Errorf("%v takes 64-bit components", f)
		}
	}
}

// Lanes get texels of their own blocks: of blocks that differ in one half, whatever bits the other half has, in turns and alone,
// of formats of either size, and where a block takes the place of another one.
func TestBlockCaches_LanesOfManyBlocks(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 9))
	cache, codes := new(BlockCache), new(CodeCache)
	for _, f := range []vk.Format{
		vk.FormatBc7UnormBlock, vk.FormatBc7SrgbBlock, vk.FormatEtc2R8G8B8UnormBlock, vk.FormatEtc2R8G8B8A1SrgbBlock, vk.FormatEtc2R8G8B8A8UnormBlock,
		vk.FormatBc6hUfloatBlock, vk.FormatEacR11SnormBlock, vk.FormatAstc8x6UnormBlock, vk.FormatAstc12x12SrgbBlock,
	} {
		i := mustLookup(t, f)
		const n = 4000
		var words, out [4][]uint32
		for k := range words {
			words[k], out[k] = make([]uint32, n), make([]uint32, n)
		}
		at := make([]uint32, n)
		bases := [4]uint32{0, ^uint32(0), r.Uint32(), 0x80000001}
		for lane := range n {
			base := bases[r.IntN(4)]
			for k := range words {
				if words[k][lane] = base; lane > 1 && r.IntN(4) > 0 { // one of the last two
					words[k][lane] = words[k][lane-1-r.IntN(2)]
				}
			}
			if r.IntN(2) == 0 {
				words[r.IntN(4)][lane] ^= 1 << r.IntN(32)
			}
			at[lane] = uint32(r.IntN(i.BlockTexels()))
		}
		want := func(lane int) Texel {
			var src [16]byte
			for k := range words {
				binary.LittleEndian.PutUint32(src[4*k:], words[k][lane])
			}
			var texels [MaxBlockTexels]Texel
			i.DecodeBlock(texels[:], src[:])
			return texels[at[lane]]
		}
		cache.Texels(i, &words, at, &out)
		for lane := range n {
			if got := (Texel{out[0][lane], out[1][lane], out[2][lane], out[3][lane]}); got != want(lane) {
				t.Fatalf("%v: lane %d has %x, want %x", f, lane, got, want(lane))
			}
		}
		if !i.CodeBlocks() {
			continue
		}
		codes.Codes(i, &words, at, out[0])
		for lane, c := range out[0] {
			got := Texel{}
			for k := range got {
				if got[k] = math.Float32bits(fp.Unorm8ToFloat(uint8(c >> (8 * k)))); i.Numeric == NumericSrgb && k < 3 {
					got[k] = math.Float32bits(fp.SrgbToLinear(uint8(c >> (8 * k))))
				}
			}
			if got != want(lane) {
				t.Fatalf("%v: lane %d has the codes %x, want %x", f, lane, c, want(lane))
			}
		}
	}
}
