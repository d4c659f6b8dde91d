package programs

import (
	"context"
	"encoding/binary"
	"os"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/exec/vm"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/lower"
	"github.com/pumice-gpu/pumice/internal/processor"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// engines are devices with one worker: of machine code, where the processor has it, and of the portable machine.
// narrow is for vectors of 256 bits.
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

// narrow is machine code for vectors of 256 bits where the processor has wider ones. No device has it beside the other, so that its
// programs run on the engine itself.
func narrow() *vm.Options {
	if processor.Vectors() <= 256 {
		return nil
	}
	return &vm.Options{Native: true, Vectors: 256}
}

// compiled is a module's program, as devices make it.
func compiled(t testing.TB, m *module) *ir.Program {
	t.Helper()
	parsed, err := spirv.Parse(m.finish())
	if err != nil {
		t.Fatal(err)
	}
	p, err := lower.Compile(parsed, "main", lower.Options{SubgroupSize: m.subgroup})
	if err != nil {
		t.Fatal(err)
	}
	ir.Optimize(p)
	if err := ir.Verify(p); err != nil {
		t.Fatal(err)
	}
	return p
}

// runLanes runs invocations of a program on an engine, all at once, with buffers by their bindings.
func runLanes(t testing.TB, p *ir.Program, o vm.Options, lanes int, push []uint32, buffers ...[]byte) {
	t.Helper()
	r, err := vm.New(o).Compile(p)
	if err != nil {
		t.Fatal(err)
	}
	ctx := &exec.Context{Push: append(inBytes(push), make([]byte, p.PushBytes)...)[:p.PushBytes]}
	for _, res := range p.Resources {
		ctx.Resources = append(ctx.Resources, []exec.Descriptor{{Data: buffers[res.Binding]}})
	}
	b := &exec.Batch{N: lanes, Shared: make([]byte, p.SharedBytes)}
	for _, io := range p.Inputs {
		numbers := make([]uint32, lanes)
		for i := range numbers {
			if io.Component == 0 {
				numbers[i] = uint32(i)
			}
		}
		b.In = append(b.In, numbers)
	}
	if err := r.NewThread(lanes).Run(ctx, b); err != nil {
		t.Fatal(err)
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
	return wordsOf(p.bytes(i, 4*n))
}

func wordsOf(data []byte) []uint32 {
	out := make([]uint32, len(data)/4)
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
