//go:build !amd64 && !arm64

package native

import (
	"io"

	"github.com/pumice-gpu/pumice/internal/exec"
)

// Where there is no machine code, there are no blocks either.

type Machine struct{}

type Translation struct{}

type Thread struct{}

func Refused() error                                      { return nil }
func Vectors() int                                        { return 0 }
func Machines() map[string]*Machine                       { return nil }
func MachineOf(int) *Machine                              { return nil }
func (v *Machine) Checked() *Machine                      { return v }
func (v *Machine) Showing(bool, bool, io.Writer) *Machine { return v }
func (*Machine) Portion() int64                           { return 1 }
func (*Machine) PacksQuads() bool                         { return false }
func (*Machine) RunsAlone() bool                          { return false }
func (*Machine) PermutesBytes() bool                      { return false }
func Divide(*List, *Machine) *Translation                 { return nil }
func (*Translation) Settle(int64, []int32, []int32)       {}
func (*Translation) Blocks() int                          { return 0 }
func (*Translation) Code(int) []Inst                      { return nil }
func (*Translation) Text(int) []byte                      { return nil }
func (*Translation) Bare() bool                           { return false }
func (*Translation) Stride(n int) int                     { return n }
func (*Translation) Emit(int) bool                        { return false }
func (*Translation) NewThread([]uint32) *Thread           { return nil }
func (*Thread) Place([]uint32, []uint32)                  {}
func (*Thread) Bind(*exec.Context, Host) bool             { return false }
func (*Thread) Begin(*exec.Batch, int, int)               {}
func (*Thread) Run(int64, Host, *Fuel) bool               { return false }
func (*Thread) RunBare(*exec.Context, *exec.Batch, int)   {}
