package programs

import (
	"context"
	"encoding/binary"
	"os"
	"os/exec"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/internal/processor"
)

// engines are devices with one worker: of machine code, where the processor has it, and of the portable machine.
// TestNarrow is for vectors of 256 bits.
func engines(t *testing.T) (all []*pumice.Device) {
	t.Helper()
	for _, name := range []string{"native", "vm"} {
		dev, err := pumice.Open(&pumice.Config{Engine: name, Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { dev.Close() })
		all = append(all, dev)
	}
	return all
}

// Machine code for vectors of 256 bits computes the same: all tests once more, in a process that has those alone.
func TestNarrow(t *testing.T) {
	if processor.Vectors() <= 256 {
		t.Skip("this processor has no wider vectors, or is told so")
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	arguments := []string{"-test.failfast"}
	if testing.Short() {
		arguments = append(arguments, "-test.short")
	}
	cmd := exec.Command(program, arguments...)
	cmd.Env = append(os.Environ(), "PUMICE_VECTORS=256", "PUMICE_ENGINE=native")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("with vectors of 256 bits: %v\n%s", err, out)
	}
}

// A program is a shader on a device, with buffers of words by their bindings.
type program struct {
	t       testing.TB
	dev     *pumice.Device
	pipe    *pumice.ComputePipeline
	set     *pumice.DescriptorSet
	buffers []*pumice.Buffer
}

func load(t testing.TB, dev *pumice.Device, m *module, buffers ...[]byte) *program {
	t.Helper()
	p := &program{t: t, dev: dev}
	code := make([]byte, 0, 4*len(m.body))
	for _, w := range m.finish() {
		code = binary.LittleEndian.AppendUint32(code, w)
	}
	if file := os.Getenv("PROGRAMS_SPV"); file != "" { // for spirv-dis and spirv-val
		os.WriteFile(file, code, 0o666)
	}
	var err error
	if p.pipe, err = dev.NewComputePipeline(pumice.ComputePipelineDesc{Compute: pumice.Shader{Code: code}}); err != nil {
		t.Fatal(err)
	}
	if p.set, err = p.pipe.NewDescriptorSet(0); err != nil {
		t.Fatal(err)
	}
	for i, data := range buffers {
		if data == nil { // the module has no such binding
			p.buffers = append(p.buffers, nil)
			continue
		}
		if err := p.set.Bind(uint32(i), p.more(data)); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// more is one more buffer, which is not bound.
func (p *program) more(data []byte) *pumice.Buffer {
	p.t.Helper()
	b, err := p.dev.NewBufferFrom(data)
	if err != nil {
		p.t.Fatal(err)
	}
	p.buffers = append(p.buffers, b)
	return b
}

func (p *program) close() {
	p.set.Close()
	p.pipe.Close()
	for _, b := range p.buffers {
		b.Close()
	}
}

// run runs workgroups, with words as push constants.
func (p *program) run(groups int, push ...uint32) {
	p.t.Helper()
	cmd := p.dev.NewCommandBuffer()
	cmd.BindPipeline(p.pipe)
	cmd.BindDescriptorSet(0, p.set)
	if len(push) > 0 {
		cmd.PushConstants(0, push)
	}
	cmd.Dispatch(uint32(groups), 1, 1)
	if err := p.dev.Submit(context.Background(), cmd); err != nil {
		p.t.Fatal(err)
	}
}

// bytes are what a buffer holds.
func (p *program) bytes(i, n int) []byte {
	p.t.Helper()
	data := make([]byte, n)
	if err := p.buffers[i].Read(context.Background(), 0, data); err != nil {
		p.t.Fatal(err)
	}
	return data
}

// words are the same as numbers of 32 bits.
func (p *program) words(i, n int) []uint32 {
	p.t.Helper()
	data, out := p.bytes(i, 4*n), make([]uint32, n)
	for k := range out {
		out[k] = binary.LittleEndian.Uint32(data[4*k:])
	}
	return out
}

// inBytes are words in memory.
func inBytes(words []uint32) []byte {
	data := make([]byte, 0, 4*len(words))
	for _, w := range words {
		data = binary.LittleEndian.AppendUint32(data, w)
	}
	return data
}
