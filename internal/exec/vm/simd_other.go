//go:build !amd64

package vm

func vectorizeIfAble(*kernels) {}
