//go:build amd64 || arm64

package lower_test

import (
	"encoding/binary"
	"syscall"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/exec/vm"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/lower"
)

// A buffer of 6 GiB, of which few pages are touched, and indices up to its end and beyond, which read 0
// and write nothing.
func TestIndices64_Windows(t *testing.T) {
	const size, apart = 6<<30 - 8, 25000007
	for name, opt := range map[string]vm.Options{"portable": {Lanes: 64}, "machine code": {Native: true}} {
		p := compile(t, "windows.spvasm", lower.Options{Indices64: true})
		ir.Optimize(p)
		if err := ir.Verify(p); err != nil {
			t.Fatal(err)
		}
		big, err := syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON|syscall.MAP_NORESERVE)
		if err != nil {
			t.Skip("this process may have no 6 GiB of addresses:", err)
		}
		defer func() { _ = syscall.Munmap(big) }()
		got := make([]byte, 4*2*lanes)
		of := [][]byte{big, got}
		ctx := &exec.Context{}
		for i := range p.Resources {
			r := &p.Resources[i]
			list := []exec.Descriptor{{Data: of[r.Binding]}}
			if r.Windowed {
				list = exec.Windows(list, int(r.Count))
			} else if r.Binding == 0 {
				t.Fatal("the large buffer has one window")
			}
			ctx.Resources = append(ctx.Resources, list)
		}
		r, err := vm.New(opt).Compile(p)
		if err != nil {
			t.Fatal(err)
		}
		b := &exec.Batch{N: lanes, In: [][]uint32{make([]uint32, lanes)}, Shared: make([]byte, p.SharedBytes)}
		for i := range b.In[0] { // LocalInvocationIndex, all there is
			b.In[0][i] = uint32(i)
		}
		if err := r.NewThread(lanes).Run(ctx, b); err != nil {
			t.Fatal(err)
		}
		for i := range uint64(lanes) {
			at := 4 * i * apart
			if at < size {
				if v := binary.LittleEndian.Uint32(big[at:]); v != uint32(i+1) {
					t.Errorf("%s: %d is at %#x, want %d", name, v, at, i+1)
				}
			}
			want := uint32(lanes - i) // what lane 63 - i wrote
			if 4*(lanes-1-i)*apart >= size {
				want = 0
			}
			seen, length := binary.LittleEndian.Uint32(got[8*i:]), binary.LittleEndian.Uint32(got[8*i+4:])
			if seen != want || length != size/4 {
				t.Errorf("%s: lane %d sees %d and %d elements, want %d and %d", name, i, seen, length, want, size/4)
			}
		}
	}
}
