//go:build !amd64

package render

const haveAVX = false

func fetchAVX(_ *[4]*uint32, _ *vertexKey, _ *byte, _ uint64, _ int) {}

func fetchRunAVX(_ *[4]*uint32, _ *byte, _ uint64, _ int, _ uint64) {}
