package core

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
	"sync"

	"github.com/pumice-gpu/pumice/internal/render"
	"github.com/pumice-gpu/pumice/vk"
)

// Limits of generated commands, those that the specification requires.
const (
	MaxGeneratedSequences = 1 << 20
	MaxGeneratedTokens    = 16
	MaxGeneratedOffset    = 2047
	MaxGeneratedStride    = 2048
	MaxExecutionSet       = 4096
)

// drawsAtOnce is how many draws of generated commands may wait: what each of them takes
// is bounded so.
const drawsAtOnce = 4096

// GeneratedToken is one part of each sequence of commands that lies in memory.
type GeneratedToken struct {
	Type   vk.IndirectCommandsTokenTypeEXT
	Offset uint32 // of its data in a sequence, bytes
	// Push and PushSize are the range of push constants that it writes.
	Push, PushSize uint32
	Binding        uint32              // of vertices
	DXGI           bool                // index types are numbers of DXGI_FORMAT
	Shaders        bool                // of the set: shaders of Stages, not a pipeline
	Stages         vk.ShaderStageFlags // one index for each, from the lowest bit up
}

// size is the data of a token in a sequence, bytes.
func (t *GeneratedToken) size() uint32 {
	switch t.Type {
	case vk.IndirectCommandsTokenTypeExecutionSetEXT:
		if t.Shaders {
			return 4 * uint32(bits.OnesCount32(uint32(t.Stages)))
		}
		return 4
	case vk.IndirectCommandsTokenTypePushConstantEXT:
		return t.PushSize
	case vk.IndirectCommandsTokenTypeIndexBufferEXT, vk.IndirectCommandsTokenTypeVertexBufferEXT, vk.IndirectCommandsTokenTypeDrawEXT,
		vk.IndirectCommandsTokenTypeDrawCountEXT, vk.IndirectCommandsTokenTypeDrawIndexedCountEXT, vk.IndirectCommandsTokenTypeDrawMeshTasksCountEXT:
		return 16
	case vk.IndirectCommandsTokenTypeDrawIndexedEXT:
		return 20
	case vk.IndirectCommandsTokenTypeDispatchEXT, vk.IndirectCommandsTokenTypeDrawMeshTasksEXT:
		return 12
	}
	return 0 // a sequence's number is not read
}

// known says whether there is such a token here.
func (t *GeneratedToken) known() bool {
	return t.Type == vk.IndirectCommandsTokenTypeSequenceIndexEXT || t.Type == vk.IndirectCommandsTokenTypePushConstantEXT || t.size() > 0
}

// acts says whether the token draws or dispatches.
func (t *GeneratedToken) acts() bool {
	switch t.Type {
	case vk.IndirectCommandsTokenTypeDrawEXT, vk.IndirectCommandsTokenTypeDrawIndexedEXT, vk.IndirectCommandsTokenTypeDrawCountEXT,
		vk.IndirectCommandsTokenTypeDrawIndexedCountEXT, vk.IndirectCommandsTokenTypeDrawMeshTasksEXT,
		vk.IndirectCommandsTokenTypeDrawMeshTasksCountEXT, vk.IndirectCommandsTokenTypeDispatchEXT:
		return true
	}
	return false
}

// GeneratedLayout says how sequences of commands lie in memory
// (VkIndirectCommandsLayoutEXT). The last token is what acts.
//
// device-generated-commands
type GeneratedLayout struct {
	object
	tokens []GeneratedToken
	stride uint32
	extent uint32 // of a sequence, bytes
}

// NewGeneratedLayout checks a layout of sequences that are stride bytes apart.
func (d *Device) NewGeneratedLayout(tokens []GeneratedToken, stride uint32) (*GeneratedLayout, error) {
	const op Op = "vkCreateIndirectCommandsLayoutEXT"
	if len(tokens) == 0 || len(tokens) > MaxGeneratedTokens {
		return nil, d.misuse(op, "VkIndirectCommandsLayoutCreateInfoEXT-tokenCount-11092", "", "%d tokens; 1 to %d are possible", len(tokens), MaxGeneratedTokens)
	}
	if stride > MaxGeneratedStride || stride%4 != 0 {
		return nil, d.misuse(op, "VkIndirectCommandsLayoutCreateInfoEXT-indirectStride-11090", "", "sequences %d bytes apart; a multiple of 4 up to %d is needed", stride, MaxGeneratedStride)
	}
	l := &GeneratedLayout{tokens: slices.Clone(tokens), stride: stride}
	l.dev, l.kind = d, "layout of generated commands"
	for i := range tokens {
		t := &tokens[i]
		if !t.known() {
			return nil, d.unsupported(op, "VkIndirectCommandsLayoutTokenEXT-type-parameter", "", "token %d: %v", i, t.Type)
		}
		l.extent = max(l.extent, t.Offset+t.size())
		what, rule := "", "VkIndirectCommandsLayoutCreateInfoEXT-pTokens-parameter"
		switch last := i == len(tokens)-1; {
		case t.Offset > MaxGeneratedOffset || t.Offset%4 != 0:
			what = fmt.Sprintf("offset %d; a multiple of 4 up to %d is needed", t.Offset, MaxGeneratedOffset)
		case t.acts() != last:
			what, rule = "the last one, and no other, draws or dispatches", "VkIndirectCommandsLayoutCreateInfoEXT-pTokens-11100"
		case t.Push%4 != 0 || t.PushSize%4 != 0 || uint64(t.Push)+uint64(t.PushSize) > MaxPushBytes:
			what = fmt.Sprintf("push constants from %d on, %d bytes; multiples of 4 up to %d together are needed", t.Push, t.PushSize, MaxPushBytes)
		case t.Type == vk.IndirectCommandsTokenTypeSequenceIndexEXT && t.PushSize != 4:
			what = fmt.Sprintf("a sequence's number has 4 bytes, not %d", t.PushSize)
		case t.Binding >= render.MaxVertexBindings:
			what = fmt.Sprintf("vertex binding %d; %d is the limit", t.Binding, render.MaxVertexBindings)
		}
		if what != "" {
			return nil, d.misuse(op, rule, "", "token %d: %s", i, what)
		}
	}
	return l, nil
}

// Close gives the layout up.
func (l *GeneratedLayout) Close() error {
	if l != nil {
		l.closed.Store(true)
	}
	return nil
}

// has says whether the layout has a token of a type.
func (l *GeneratedLayout) has(t vk.IndirectCommandsTokenTypeEXT) bool {
	return slices.ContainsFunc(l.tokens, func(g GeneratedToken) bool { return g.Type == t })
}

// ExecutionSet is what sequences of commands choose pipelines or shaders from
// (VkIndirectExecutionSetEXT). It may be changed while nothing uses it.
type ExecutionSet struct {
	object
	mu        sync.Mutex
	pipelines []*Pipeline
	shaders   []*ShaderObject
}

// NewExecutionSet makes a set of n elements, all of them the first pipeline; or of shaders,
// where first is nil.
func (d *Device) NewExecutionSet(first *Pipeline, shaders []*ShaderObject, n int) (*ExecutionSet, error) {
	const op Op = "vkCreateIndirectExecutionSetEXT"
	if n < 1 || n > MaxExecutionSet || len(shaders) > n {
		return nil, d.misuse(op, "VkIndirectExecutionSetPipelineInfoEXT-maxPipelineCount-11018", "", "%d elements; %d is the limit", max(n, len(shaders)), MaxExecutionSet)
	}
	s := &ExecutionSet{}
	s.dev, s.kind = d, "execution set"
	if first == nil {
		s.shaders = make([]*ShaderObject, n)
		copy(s.shaders, shaders)
		return s, nil
	}
	if err := first.use(d, op); err != nil {
		return nil, err
	}
	s.pipelines = slices.Repeat([]*Pipeline{first}, n)
	return s, nil
}

// Close gives the set up.
func (s *ExecutionSet) Close() error {
	if s != nil {
		s.closed.Store(true)
	}
	return nil
}

// SetPipeline and SetShader change an element.
func (s *ExecutionSet) SetPipeline(i uint32, p *Pipeline)   { setElement(s, s.pipelines, i, p) }
func (s *ExecutionSet) SetShader(i uint32, o *ShaderObject) { setElement(s, s.shaders, i, o) }

func setElement[T any](s *ExecutionSet, list []T, i uint32, v T) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if int64(i) < int64(len(list)) {
		list[i] = v
	}
}

// element is one of the list, or nil.
func element[T any](s *ExecutionSet, list []*T, i uint32) *T {
	s.mu.Lock()
	defer s.mu.Unlock()
	if int64(i) < int64(len(list)) {
		return list[i]
	}
	return nil
}

// Generated are commands that lie in memory: Count sequences at most, and as many as
// CountAddress says, where that is not 0, each with MaxDraws draws at most.
type Generated struct {
	Layout         *GeneratedLayout
	Set            *ExecutionSet // nil where no token chooses from it
	Address        uint64
	Count          uint32
	CountAddress   uint64
	MaxDraws       uint32
	key            objectKey // of the shaders bound, where the set has shaders
	fromShaders    bool
	dispatch, mesh bool
}

// ExecuteGenerated carries out commands that lie in memory when they are run. What their
// tokens bind stays bound.
//
// device-generated-commands
func (c *CommandBuffer) ExecuteGenerated(g Generated) {
	op := c.op("vkCmdExecuteGeneratedCommandsEXT")
	l := g.Layout
	if l == nil {
		c.misuse(op, "VkGeneratedCommandsInfoEXT-indirectCommandsLayout-parameter", "", "the layout is nil")
		return
	}
	g.dispatch = l.has(vk.IndirectCommandsTokenTypeDispatchEXT)
	g.mesh = l.has(vk.IndirectCommandsTokenTypeDrawMeshTasksEXT) || l.has(vk.IndirectCommandsTokenTypeDrawMeshTasksCountEXT)
	where := 1
	if g.dispatch {
		where = -1
	}
	if !c.ok(op, where) || !c.try(l.use(c.dev, op)) || g.Set != nil && !c.try(g.Set.use(c.dev, op)) {
		return
	}
	if g.Count > MaxGeneratedSequences {
		c.misuse(op, "VkGeneratedCommandsInfoEXT-maxSequenceCount-11067", "", "%d sequences; %d is the limit", g.Count, MaxGeneratedSequences)
		return
	}
	if g.Set == nil && l.has(vk.IndirectCommandsTokenTypeExecutionSetEXT) {
		c.misuse(op, "VkGeneratedCommandsInfoEXT-indirectCommandsLayout-11083", "", "the layout has a token for an execution set, and there is none")
		return
	}
	for i := range l.tokens {
		switch t := &l.tokens[i]; t.Type {
		case vk.IndirectCommandsTokenTypeVertexBufferEXT:
			c.vertex, c.stride = c.vertex|1<<t.Binding, c.stride|1<<t.Binding
		case vk.IndirectCommandsTokenTypeIndexBufferEXT:
			c.indexed = true
		}
	}
	if !c.checkGenerated(op, &g) {
		return
	}
	if g.fromShaders = c.objects.active && !g.dispatch; g.fromShaders {
		g.key = c.objects.drawn
	}
	c.emit(opGenerated, c.payload(transferCommand(func(ctx context.Context, r *runner) error { return r.generated(ctx, &g) })))
}

// checkGenerated demands what the action of a layout takes.
func (c *CommandBuffer) checkGenerated(op Op, g *Generated) bool {
	switch {
	case g.dispatch:
		return c.checkBindings(op, vk.PipelineBindPointCompute)
	case g.mesh:
		return c.checkMesh(op) && c.checkDraw(op)
	}
	indexed := g.Layout.has(vk.IndirectCommandsTokenTypeDrawIndexedEXT) || g.Layout.has(vk.IndirectCommandsTokenTypeDrawIndexedCountEXT)
	return c.checkVertices(op) && c.checkDraw(op) && (!indexed || c.checkIndexed(op))
}

// memoryAt is size bytes at an address; nil and an error where no buffer has them.
func (r *runner) memoryAt(rule string, address, size uint64) ([]byte, error) {
	if b, offset := r.dev.BufferAt(address, size); b != nil {
		return b.data[offset : offset+size], nil
	}
	return nil, r.dev.misuse("vkCmdExecuteGeneratedCommandsEXT", rule, "", "no buffer has the %d bytes at %#x", size, address)
}

// generated carries out commands that lie in memory.
func (r *runner) generated(ctx context.Context, g *Generated) error {
	if r.skip {
		return nil
	}
	n := g.Count
	if g.CountAddress != 0 {
		b, err := r.memoryAt("VkGeneratedCommandsInfoEXT-sequenceCountAddress-parameter", g.CountAddress, 4)
		if err != nil {
			return err
		}
		n = min(n, binary.LittleEndian.Uint32(b))
	}
	stride := uint64(g.Layout.stride)
	if n == 0 {
		return nil
	}
	data, err := r.memoryAt("VkGeneratedCommandsInfoEXT-indirectAddress-parameter", g.Address, uint64(n-1)*stride+uint64(g.Layout.extent))
	if err != nil {
		return err
	}
	for i := range n {
		for k := range g.Layout.tokens {
			t := &g.Layout.tokens[k]
			if err := r.token(ctx, g, t, i, data[uint64(i)*stride+uint64(t.Offset):][:t.size()]); err != nil {
				return err
			}
		}
		if r.pass != nil && len(r.pass.Draws) >= drawsAtOnce {
			if err := r.split(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// token carries out one token of sequence i on its data.
func (r *runner) token(ctx context.Context, g *Generated, t *GeneratedToken, i uint32, b []byte) error {
	word := func(k int) uint32 { return binary.LittleEndian.Uint32(b[4*k:]) }
	switch t.Type {
	case vk.IndirectCommandsTokenTypeExecutionSetEXT:
		return r.choose(g, t, word)
	case vk.IndirectCommandsTokenTypePushConstantEXT:
		copy(r.push[t.Push:], b)
		r.wrotePush(t.Push, t.PushSize/4)
	case vk.IndirectCommandsTokenTypeSequenceIndexEXT:
		binary.LittleEndian.PutUint32(r.push[t.Push:], i)
		r.wrotePush(t.Push, 1)
	case vk.IndirectCommandsTokenTypeIndexBufferEXT:
		kind, ok := vk.IndexType(word(3)), true
		if t.DXGI {
			kind, ok = dxgiIndex(word(3))
		}
		if !ok || kind != vk.IndexTypeUint8 && kind != vk.IndexTypeUint16 && kind != vk.IndexTypeUint32 {
			return r.dev.misuse("vkCmdExecuteGeneratedCommandsEXT", "VkBindIndexBufferIndirectCommandEXT-indexType-parameter", "", "sequence %d: index type %d", i, word(3))
		}
		data, err := r.bound("VkBindIndexBufferIndirectCommandEXT-bufferAddress-parameter", wide(word(0), word(1)), word(2))
		r.index = &render.IndexBuffer{Type: kind, Data: data}
		return err
	case vk.IndirectCommandsTokenTypeVertexBufferEXT:
		data, err := r.bound("VkBindVertexBufferIndirectCommandEXT-bufferAddress-parameter", wide(word(0), word(1)), word(2))
		r.setVertexBuffer(t.Binding, render.VertexBuffer{Data: data, Stride: word(3), DynamicStride: true})
		return err
	case vk.IndirectCommandsTokenTypeDrawEXT:
		return r.draw(ctx, func(d *render.Draw) {
			d.Count, d.Instances, d.First, d.FirstInstance = word(0), word(1), word(2), word(3)
		})
	case vk.IndirectCommandsTokenTypeDrawIndexedEXT:
		return r.draw(ctx, func(d *render.Draw) {
			d.Index, d.Count, d.Instances = r.index, word(0), word(1)
			d.First, d.VertexOffset, d.FirstInstance = word(2), int32(word(3)), word(4)
		})
	case vk.IndirectCommandsTokenTypeDrawCountEXT:
		return r.drawMany(ctx, g, word, 16, nil)
	case vk.IndirectCommandsTokenTypeDrawIndexedCountEXT:
		return r.drawMany(ctx, g, word, 20, r.index)
	case vk.IndirectCommandsTokenTypeDrawMeshTasksCountEXT:
		return r.drawMany(ctx, g, word, 12, nil)
	case vk.IndirectCommandsTokenTypeDrawMeshTasksEXT:
		return r.draw(ctx, func(d *render.Draw) {
			d.Indirect = &render.Indirect{Buffer: b, DrawCount: 1, Stride: 12}
		})
	case vk.IndirectCommandsTokenTypeDispatchEXT:
		return r.dispatchIndirect(ctx, b)
	}
	return nil
}

// drawMany draws with parameters at an address.
func (r *runner) drawMany(ctx context.Context, g *Generated, word func(int) uint32, size uint64, index *render.IndexBuffer) error {
	n, stride := min(word(3), g.MaxDraws), uint64(word(2))
	if n == 0 {
		return nil
	}
	data, err := r.memoryAt("VkDrawIndirectCountIndirectCommandEXT-bufferAddress-parameter", wide(word(0), word(1)), uint64(n-1)*stride+size)
	if err != nil {
		return err
	}
	return r.draw(ctx, func(d *render.Draw) {
		d.Index, d.Indirect = index, &render.Indirect{Buffer: data, DrawCount: n, Stride: uint32(stride)}
	})
}

// bound is the memory of a buffer that a token binds; none at address 0.
func (r *runner) bound(rule string, address uint64, size uint32) ([]byte, error) {
	if address == 0 {
		return nil, nil
	}
	return r.memoryAt(rule, address, uint64(size))
}

// choose binds the pipeline or the shaders that a sequence chooses.
func (r *runner) choose(g *Generated, t *GeneratedToken, word func(int) uint32) error {
	const op Op = "vkCmdExecuteGeneratedCommandsEXT"
	if !t.Shaders {
		p := element(g.Set, g.Set.pipelines, word(0))
		point := vk.PipelineBindPointGraphics
		if g.dispatch {
			point = vk.PipelineBindPointCompute
		}
		if p == nil || p.point != point || p.use(r.dev, op) != nil {
			return r.dev.misuse(op, "VkGeneratedCommandsInfoEXT-indirectExecutionSet-parameter", "", "the execution set has no pipeline %d for this", word(0))
		}
		r.bindPipeline(p)
		return nil
	}
	k, key := 0, g.key
	for stages := uint32(t.Stages); stages != 0; stages &= stages - 1 {
		bit := vk.ShaderStageFlags(stages & -stages)
		o := element(g.Set, g.Set.shaders, word(k))
		if o == nil || o.bit != bit || o.use(r.dev, op) != nil {
			return r.dev.misuse(op, "VkGeneratedCommandsInfoEXT-indirectExecutionSet-parameter", "", "element %d of the execution set is no shader of stage %v", word(k), bit)
		}
		k++
		if o.single != nil {
			r.bindPipeline(o.single)
			return nil
		}
		key.stages[slices.Index(graphicsStages[:], bit)] = o
	}
	first := key.stages[meshStage]
	if first == nil {
		first = key.stages[vertexStage]
	}
	if !g.fromShaders || first == nil {
		return r.dev.misuse(op, "VkGeneratedCommandsInfoEXT-indirectExecutionSet-parameter", "bind the set's first shaders before", "an execution set of shaders for a pipeline")
	}
	p, err := first.pipeline(key)
	if err != nil {
		return err
	}
	r.bindPipeline(p)
	return nil
}

// dxgiIndex is the index type of a DXGI_FORMAT.
func dxgiIndex(format uint32) (vk.IndexType, bool) {
	switch format {
	case 42: // DXGI_FORMAT_R32_UINT
		return vk.IndexTypeUint32, true
	case 57: // DXGI_FORMAT_R16_UINT
		return vk.IndexTypeUint16, true
	case 62: // DXGI_FORMAT_R8_UINT
		return vk.IndexTypeUint8, true
	}
	return 0, false
}
