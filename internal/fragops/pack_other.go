//go:build !amd64

package fragops

const haveAVX2 = false

func packAVX2(_, _, _, _, _ *uint32, _, _ uint64, _ int) {}

func overAVX2(_, _, _, _, _ *uint32, _, _, _ uint64, _ int) {}
