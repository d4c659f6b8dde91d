package vm

import "github.com/pumice-gpu/pumice/internal/ir"

//go:generate go run ./_gen

// Pairs of operations that run as one loop.
const (
	fusedMulAdd = iota // a·b + c
	fusedMulSub        // a·b - c
	fusedSubMul        // c - a·b
	fusedPairs
)

// kernels are the loops that a thread runs, by operation.
type kernels struct {
	unary    [ir.Ops]func(d, a []uint32)
	vv       [ir.Ops]func(d, a, b []uint32)
	vu       [ir.Ops]func(d, a []uint32, b uint32)
	uv       [ir.Ops]func(d, b []uint32, a uint32)
	vvv      [ir.Ops]func(d []uint32, a, b, c []uint32)
	vvu      [ir.Ops]func(d []uint32, a, b []uint32, c uint32)
	vuv      [ir.Ops]func(d []uint32, a, c []uint32, b uint32)
	vuu      [ir.Ops]func(d []uint32, a []uint32, b, c uint32)
	fusedVVV [fusedPairs]func(d []uint32, a, b, c []uint32)
	fusedVVU [fusedPairs]func(d []uint32, a, b []uint32, c uint32)
	fusedVUV [fusedPairs]func(d []uint32, a, c []uint32, b uint32)
	fusedVUU [fusedPairs]func(d []uint32, a []uint32, b, c uint32)
	canon    func(d, a []uint32)
	gather   func(d, offset []uint32, data []byte) // loadLanes
	wide     [ir.WideOps]func(*wideRows)           // nil where a loop calls the operation
	// WideFma with constants for its last two operands, or the second one; both or none.
	wideUU, wideUV func(*wideRows)
}

// newKernels returns the loops in Go, and where the processor has AVX2 and
// portable is false, those in assembly, which compute the same bits: each
// operation is IEEE's or an integer's, and only OpFma is fused.
func newKernels(portable bool) *kernels {
	k := &kernels{
		unary: unaryKernels, vv: binaryVV, vu: binaryVU, uv: binaryUV, vvv: ternaryVVV, vvu: ternaryVVU, vuv: ternaryVUV, vuu: ternaryVUU,
		fusedVVV: fusedVVV, fusedVVU: fusedVVU, fusedVUV: fusedVUV, fusedVUU: fusedVUU, canon: canon, gather: loadLanes,
	}
	if !portable {
		vectorizeIfAble(k)
	}
	return k
}
