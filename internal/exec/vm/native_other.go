//go:build !amd64 && !arm64

package vm

import "github.com/pumice-gpu/pumice/internal/exec"

// Where there is no machine code, there are no blocks either.

type native struct{}

type nativeState struct{ exec.Thread }

type bufferRef struct{}

type vectors struct{}

const nativePortion = 1

func Refused() error                                     { return nil }
func nativeVectors() int                                 { return 0 }
func vectorsOf(int) *vectors                             { return nil }
func (*vectors) packQuads() bool                         { return false }
func (*vectors) permutesBytes() bool                     { return false }
func translates(*compiler, *instr) bool                  { return false }
func (r *routine) stride(n int) int                      { return n }
func (r *routine) emit() bool                            { return false }
func (t *thread) prepareBlocks()                         {}
func (t *thread) placeBlocks()                           {}
func (t *thread) bindBlocks(*exec.Context) bool          { return false }
func (s *nativeState) plainThread(t *thread) exec.Thread { return t }
func (t *thread) runBare(*exec.Context, *exec.Batch)     {}
func (t *thread) beginBlocks()                           {}
func (t *thread) block(*instr) bool                      { return false }
