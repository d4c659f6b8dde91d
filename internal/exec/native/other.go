//go:build !amd64 && !arm64

package native

import (
	"io"

	"github.com/pumice-gpu/pumice/internal/exec"
)

// Where there is no machine code, there are no blocks either.

type Machine struct{}

type Unit struct{}

type Thread struct{}

const Portion = 1

func Refused() error                                      { return nil }
func Vectors() int                                        { return 0 }
func MachineOf(int) *Machine                              { return nil }
func (v *Machine) Checked() *Machine                      { return v }
func (v *Machine) Showing(bool, bool, io.Writer) *Machine { return v }
func (*Machine) PacksQuads() bool                         { return false }
func (*Machine) PermutesBytes() bool                      { return false }
func Divide(*List, *Machine) *Unit                        { return nil }
func (*Unit) Settle(int64, []int32, []int32)              {}
func (*Unit) Blocks() int                                 { return 0 }
func (*Unit) Code(int) []Inst                             { return nil }
func (*Unit) Text(int) []byte                             { return nil }
func (*Unit) Bare() bool                                  { return false }
func (*Unit) Stride(n int) int                            { return n }
func (*Unit) Emit(int) bool                               { return false }
func (*Unit) NewThread([]uint32) *Thread                  { return nil }
func (*Thread) Place([]uint32, []uint32)                  {}
func (*Thread) Bind(*exec.Context, Host) bool             { return false }
func (*Thread) Begin(*exec.Batch, int, int)               {}
func (*Thread) Run(int64, Host, *Fuel) bool               { return false }
func (*Thread) RunBare(*exec.Context, *exec.Batch, int)   {}
