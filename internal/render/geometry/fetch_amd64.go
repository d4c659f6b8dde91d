package geometry

import "golang.org/x/sys/cpu"

var haveAVX = cpu.X86.HasAVX

// fetchAVX loads 16 bytes for each of n vertices, a multiple of four, from stride times the vertex on
// in data, and stores word c of them to to[c] where that is not nil. Without keys vertices follow each
// other, the first of which data begins with; bytes that far ahead go to the cache then, and need not
// be there.
//
//go:noescape
func fetchAVX(to *[4]*uint32, keys *VertexKey, data *byte, stride uint64, n int, ahead uint64)
