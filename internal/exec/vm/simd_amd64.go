package vm

import "golang.org/x/sys/cpu"

func vectorizeIfAble(k *kernels) {
	if cpu.X86.HasAVX2 {
		vectorize(k)
	}
}
