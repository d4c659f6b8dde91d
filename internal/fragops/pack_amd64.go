package fragops

import "golang.org/x/sys/cpu"

var haveAVX2 = cpu.X86.HasAVX2

// packAVX2 is pack for n lanes, a multiple of eight.
//
//go:noescape
func packAVX2(dst, red, green, blue, alpha *uint32, rs, bs uint64, n int)

// overAVX2 blends n colours, a multiple of eight, over the texels in words; square
// is not 0 where alpha's own factor is source alpha.
//
//go:noescape
func overAVX2(words, red, green, blue, alpha *uint32, rs, bs, square uint64, n int)

// packQuadsAVX2 stores packed texels of n lanes, a multiple of eight, that are whole
// quads at at[i] and, row bytes on, the row below; bits of keep stay.
//
//go:noescape
func packQuadsAVX2(data *byte, row int, at *int, red, green, blue, alpha *uint32, rs, bs, keep uint64, n int)

// overQuadsAVX2 is overAVX2 for such quads, which are apart.
//
//go:noescape
func overQuadsAVX2(data *byte, row int, at *int, red, green, blue, alpha *uint32, rs, bs, square uint64, n int)

// depthD32AVX2 is DepthStencil.Quads for one sample a pixel; op is that of orderOf.
//
//go:noescape
func depthD32AVX2(data *byte, row int, at *int, masks *uint64, z *float32, n int, lo, hi float32, op, write int)

// depthD32x4AVX2 is the same for four samples.
//
//go:noescape
func depthD32x4AVX2(data *byte, row int, at *int, masks *uint64, z *float32, n int, lo, hi float32, op, write int)
