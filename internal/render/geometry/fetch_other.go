//go:build !amd64

package geometry

const haveAVX = false

func fetchAVX(_ *[4]*uint32, _ *VertexKey, _ *byte, _ uint64, _ int, _ uint64) {}
