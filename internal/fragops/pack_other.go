//go:build !amd64

package fragops

const haveAVX2 = false

func packAVX2(_, _, _, _, _ *uint32, _, _ uint64, _ int) {}

func overAVX2(_, _, _, _, _ *uint32, _, _, _ uint64, _ int) {}

func depthD32AVX2(_ *byte, _ int, _ *int, _ *uint64, _ *float32, _ int, _, _ float32, _, _ int) {}

func depthD32x4AVX2(_ *byte, _ int, _ *int, _ *uint64, _ *float32, _ int, _, _ float32, _, _ int) {}

func packQuadsAVX2(_ *byte, _ int, _ *int, _, _, _, _ *uint32, _, _, _ uint64, _ int) {}

func overQuadsAVX2(_ *byte, _ int, _ *int, _, _, _, _ *uint32, _, _, _ uint64, _ int) {}
