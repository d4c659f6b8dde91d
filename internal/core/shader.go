package core

import (
	"container/list"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/lower"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// ShaderModule is parsed SPIR-V.
type ShaderModule struct {
	object
	module *spirv.Module
	digest [sha256.Size]byte
}

// ModuleIdentifier names the code of a module: equal ones, equal code.
type ModuleIdentifier [sha256.Size]byte

// Identifier names the code of the module.
func (s *ShaderModule) Identifier() ModuleIdentifier { return s.digest }

// IdentifyModule is the identifier of a module made from code.
func IdentifyModule(code []byte) ModuleIdentifier { return sha256.Sum256(code) }

// NewShaderModule parses a module; the bytes are not kept.
func (d *Device) NewShaderModule(code []byte, name string) (*ShaderModule, error) {
	const op Op = "vkCreateShaderModule"
	if err := d.usable(op); err != nil {
		return nil, err
	}
	return d.parse(op, code, name)
}

// Programs make the same module again for each pipeline. A device keeps parsed
// modules of up to maxKeptCode bytes, keptModules of them.
const (
	keptModules = 64
	maxKeptCode = 64 << 10
)

func (d *Device) parse(op Op, code []byte, name string) (*ShaderModule, error) {
	if detail, hint := textInstead(code); detail != "" {
		return nil, d.report(&Error{Op: string(op), Rule: "VUID-VkShaderModuleCreateInfo-pCode-08737", Detail: detail, Hint: hint})
	}
	if len(code) == 0 || len(code)%4 != 0 {
		return nil, d.misuse(op, "VkShaderModuleCreateInfo-codeSize-08735", "pass a SPIR-V binary", "%d bytes of code", len(code))
	}
	d.dump.module(code)
	s := &ShaderModule{digest: sha256.Sum256(code)}
	read := func() (*spirv.Module, error) { return spirv.ParseBytes(code) }
	var err error
	if len(code) > maxKeptCode {
		s.module, err = read()
	} else {
		s.module, err = d.modules.get(s.digest, read)
	}
	if err != nil {
		return nil, d.report(&Error{Op: string(op), Rule: "VUID-VkShaderModuleCreateInfo-pCode-08737", Hint: "check it with spirv-val", Err: err})
	}
	s.dev, s.kind, s.name = d, "shader module", name
	d.tellFaults(op, s)
	return s, nil
}

// Close gives the module up.
func (s *ShaderModule) Close() error {
	if s != nil {
		s.closed.Store(true)
	}
	return nil
}

// Stage is a shader stage of a pipeline. Module or Code is set.
type Stage struct {
	Module *ShaderModule
	Code   []byte
	Entry  string // "" means "main"
	// Constants maps specialization constant IDs to little-endian bytes.
	Constants map[uint32][]byte
	// SubgroupSize is the number of invocations of a subgroup of a compute, task or mesh shader:
	// a power of two from MinSubgroupSize to MaxSubgroupSize; 0: DefaultSubgroupSize.
	SubgroupSize uint32
	// DeviceViews gives ViewIndex the values of DeviceIndex
	// (VK_PIPELINE_CREATE_VIEW_INDEX_FROM_DEVICE_INDEX_BIT).
	DeviceViews bool
	// Indices64: indices of runtime arrays times strides have 64 bits of range (VK_EXT_shader_64bit_indexing).
	Indices64 bool
	// Heap: resources lie in heaps, those with sets and bindings where Mappings say
	// (VK_PIPELINE_CREATE_2_DESCRIPTOR_HEAP_BIT_EXT). A pipeline has it for all of its stages.
	Heap     bool
	Mappings []HeapMapping
}

// options are those of a compilation of the stage.
func (s *Stage) options() lower.Options {
	return lower.Options{Specialization: s.Constants, SubgroupSize: s.SubgroupSize, DeviceViews: s.DeviceViews, Indices64: s.Indices64}
}

// The sizes that subgroups can have: DefaultSubgroupSize in graphics stages, and in others unless they choose.
const (
	MinSubgroupSize     = lower.MinSubgroupSize
	DefaultSubgroupSize = lower.DefaultSubgroupSize
	MaxSubgroupSize     = ir.MaxSubgroupSize
)

// MaxVectorComponents is how many components a vector of a shader can have.
const MaxVectorComponents = spirv.MaxVectorComponents

func (s *Stage) present() bool { return s.Module != nil || len(s.Code) > 0 }

// routineKey names a compiled shader: everything that its code depends on.
type routineKey [sha256.Size]byte

func (s *Stage) key(stage ir.Stage) routineKey {
	h := sha256.New()
	h.Write(s.Module.digest[:])
	word := func(v uint32) { h.Write(binary.LittleEndian.AppendUint32(nil, v)) }
	word(uint32(stage))
	word(s.SubgroupSize)
	for _, flag := range []bool{s.DeviceViews, s.Indices64} {
		if flag {
			word(1)
		} else {
			word(0)
		}
	}
	word(uint32(len(s.Entry)))
	h.Write([]byte(s.Entry))
	for _, id := range slices.Sorted(maps.Keys(s.Constants)) {
		word(id)
		word(uint32(len(s.Constants[id])))
		h.Write(s.Constants[id])
	}
	return routineKey(h.Sum(nil))
}

// compile makes the routine of a stage, or takes it from the cache.
func (d *Device) compile(op Op, s Stage, stage ir.Stage) (exec.Routine, error) {
	var r exec.Routine
	err := d.compileAll(op, []stageJob{{stage: s, as: stage, to: &r}})
	return r, err
}

// stageJob is a stage of a pipeline to compile.
type stageJob struct {
	stage Stage
	as    ir.Stage
	to    *exec.Routine
	err   error
	panic any
}

// compileAll compiles the stages of a pipeline side by side, or one after the
// other where they are printed. The error is that of the first stage that has
// one; it is reported on the caller's goroutine.
func (d *Device) compileAll(op Op, stages []stageJob) error {
	for i := range stages {
		if err := d.prepare(op, &stages[i].stage, stages[i].as); err != nil {
			return err
		}
	}
	run := func(s *stageJob) {
		defer func() { s.panic = recover() }() // the caller recovers, a goroutine would not
		*s.to, s.err = d.routine(op, s.stage, s.as)
	}
	var wait sync.WaitGroup
	for i := range stages {
		if i == len(stages)-1 || d.dump.prints() {
			run(&stages[i])
		} else {
			wait.Go(func() { run(&stages[i]) })
		}
	}
	wait.Wait()
	for i := range stages {
		if stages[i].panic != nil {
			panic(stages[i].panic)
		}
		if stages[i].err != nil {
			return d.report(stages[i].err)
		}
	}
	return nil
}

// prepare parses a stage's module where it has none, and checks the stage.
func (d *Device) prepare(op Op, s *Stage, stage ir.Stage) error {
	if s.Entry == "" {
		s.Entry = "main"
	}
	if s.Module == nil {
		m, err := d.parse(op, s.Code, "")
		if err != nil {
			return err
		}
		s.Module = m
	} else if err := s.Module.use(d, op); err != nil {
		return err
	}
	if n := s.SubgroupSize; n != 0 && (n < MinSubgroupSize || n > MaxSubgroupSize || n&(n-1) != 0 || !stage.Workgroups()) {
		return d.misuse(op, "VkPipelineShaderStageRequiredSubgroupSizeCreateInfo-requiredSubgroupSize-02760", "only compute, task and mesh shaders choose it, as a power of two", "subgroups of %d invocations", n)
	}
	if !hasEntry(s.Module.module, s.Entry, stage) {
		return d.misuse(op, "VkPipelineShaderStageCreateInfo-pName-00707", "name one of them, with its stage", "there is no entry point %q for the %s stage; %s", s.Entry, stageName(stage), entries(s.Module.module))
	}
	return nil
}

// routine takes the routine of a prepared stage from the cache, or makes it.
func (d *Device) routine(op Op, s Stage, stage ir.Stage) (exec.Routine, error) {
	return d.shaders.get(s.key(stage), func() (exec.Routine, error) {
		o := s.options()
		o.Outside = d.cfg.CheckRanges
		p, err := lower.CompileStage(s.Module.module, stage, s.Entry, o)
		if err != nil {
			return nil, &Error{Op: d.named(op), Rule: "shader compilation", Err: compileError{err}}
		}
		d.dump.optimize(s.Entry, stage, p)
		if err := ir.Verify(p); err != nil {
			return nil, &Error{Op: d.named(op), Rule: "shader compilation", Detail: "entry point " + s.Entry, Hint: "this is a defect of the implementation, please report it", Err: err}
		}
		r, err := d.engine.Compile(p)
		if err != nil {
			return nil, &Error{Op: d.named(op), Rule: "shader compilation", Detail: "entry point " + s.Entry, Err: compileError{err}}
		}
		return r, nil
	})
}

// models are the stages of entry points.
var models = map[spirv.ExecutionModel]ir.Stage{
	spirv.ExecutionModelVertex:                 ir.StageVertex,
	spirv.ExecutionModelFragment:               ir.StageFragment,
	spirv.ExecutionModelGLCompute:              ir.StageCompute,
	spirv.ExecutionModelTessellationControl:    ir.StageControl,
	spirv.ExecutionModelTessellationEvaluation: ir.StageEvaluation,
	spirv.ExecutionModelGeometry:               ir.StageGeometry,
	spirv.ExecutionModelTaskEXT:                ir.StageTask,
	spirv.ExecutionModelMeshEXT:                ir.StageMesh,
}

// hasEntry says whether a module has an entry point of a name for a stage.
func hasEntry(m *spirv.Module, name string, stage ir.Stage) bool {
	return slices.ContainsFunc(m.EntryPoints, func(e *spirv.EntryPoint) bool {
		s, ok := models[e.Model]
		return ok && e.Name == name && s == stage
	})
}

// maxEntriesTold is how many entry points of a module a message names.
const maxEntriesTold = 8

// entries names the entry points of a module with their stages.
func entries(m *spirv.Module) string {
	if len(m.EntryPoints) == 0 {
		return "the module has none"
	}
	list := make([]string, 0, maxEntriesTold)
	for i, e := range m.EntryPoints {
		if i == maxEntriesTold {
			list = append(list, fmt.Sprintf("%d more", len(m.EntryPoints)-i))
			break
		}
		stage := e.Model.String()
		if s, ok := models[e.Model]; ok {
			stage = stageName(s)
		}
		list = append(list, fmt.Sprintf("%q (%s)", e.Name, stage))
	}
	return "there are " + strings.Join(list, ", ")
}

// compileError marks what a shader asks for and the implementation lacks.
type compileError struct{ error }

func (e compileError) Unwrap() error        { return e.error }
func (e compileError) Is(target error) bool { return target == ErrUnsupported }

// cache keeps what is made from code, the least recently used of which goes first.
type cache[V any] struct {
	limit int // entries
	// size is how many bytes a value takes, about, and most how many all of them may; nil: no such limit. The value that
	// was made last stays.
	size func(V) int
	most int

	mu      sync.Mutex
	bytes   int // of all values
	entries map[routineKey]*list.Element
	order   list.List // of *cacheEntry[V], most recently used first
}

type cacheEntry[V any] struct {
	key   routineKey
	once  sync.Once
	value V
	err   error
	bytes int // that are counted
}

// get returns the value of key, made by build once however many ask.
func (c *cache[V]) get(key routineKey, build func() (V, error)) (V, error) {
	c.mu.Lock()
	if c.entries == nil {
		c.entries = map[routineKey]*list.Element{}
	}
	at, ok := c.entries[key]
	if ok {
		c.order.MoveToFront(at)
	} else {
		at = c.order.PushFront(&cacheEntry[V]{key: key})
		c.entries[key] = at
		for c.order.Len() > c.limit {
			c.dropLast()
		}
	}
	e := at.Value.(*cacheEntry[V])
	c.mu.Unlock()
	e.once.Do(func() {
		if e.value, e.err = build(); e.err == nil && c.size != nil {
			c.charge(e, c.size(e.value))
		}
	})
	return e.value, e.err
}

// charge counts the bytes of a value that was made.
func (c *cache[V]) charge(e *cacheEntry[V], n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if at, ok := c.entries[e.key]; !ok || at.Value != e {
		return // it has been dropped meanwhile
	}
	e.bytes = n
	for c.bytes += n; c.bytes > c.most && c.order.Back().Value != e; {
		c.dropLast()
	}
}

// dropLast drops what has not been used for longest.
func (c *cache[V]) dropLast() {
	e := c.order.Remove(c.order.Back()).(*cacheEntry[V])
	delete(c.entries, e.key)
	c.bytes -= e.bytes
}

// routineBytes is how much memory a routine takes, about: its program, and what engines make of it.
func routineBytes(r exec.Routine) int {
	p := r.Program()
	return 400*len(p.Insts) + len(p.Table)
}

// maxRoutineBytes bounds the compiled shaders that a device keeps for pipelines to come.
const maxRoutineBytes = 128 << 20
