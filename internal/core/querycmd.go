package core

import (
	"context"
	"math/bits"
	"slices"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/render"
	"github.com/pumice-gpu/pumice/vk"
)

// openQueries are the queries that are open while recording, by slot.
type openQueries [slots]struct {
	pool   *QueryPool
	at     uint32
	inside *RenderingInfo // the pass that it was begun in
}

// The slots of openQueries and of runner.active.
const (
	slotOcclusion = iota
	slotStatistics
	slotFeedback                                 // and the further streams
	slotGenerated = slotFeedback + ir.MaxStreams // likewise
	slotMesh      = slotFeedback + 2*ir.MaxStreams
	slots         = slotMesh + 1 // their number
)

// slot returns the slot of a pool's queries; index is their vertex stream.
func (q *QueryPool) slot(index uint32) int {
	switch q.kind {
	case vk.QueryTypePipelineStatistics:
		return slotStatistics
	case vk.QueryTypeTransformFeedbackStreamEXT:
		return slotFeedback + int(index%ir.MaxStreams)
	case vk.QueryTypePrimitivesGeneratedEXT:
		return slotGenerated + int(index%ir.MaxStreams)
	case vk.QueryTypeMeshPrimitivesGeneratedEXT:
		return slotMesh
	}
	return slotOcclusion
}

// countedQueries are the types of queries that are begun and ended.
var countedQueries = []vk.QueryType{vk.QueryTypeOcclusion, vk.QueryTypePipelineStatistics, vk.QueryTypeTransformFeedbackStreamEXT, vk.QueryTypePrimitivesGeneratedEXT, vk.QueryTypeMeshPrimitivesGeneratedEXT}

// allQueries are all types.
var allQueries = append(countedQueries[:len(countedQueries):len(countedQueries)], vk.QueryTypeTimestamp)

// BeginQuery is BeginQueryIndexed of stream 0.
func (c *CommandBuffer) BeginQuery(q *QueryPool, query int) { c.BeginQueryIndexed(q, query, 0) }

// EndQuery is EndQueryIndexed of stream 0.
func (c *CommandBuffer) EndQuery(q *QueryPool, query int) { c.EndQueryIndexed(q, query, 0) }

// checkQuery checks a query of a command.
func (c *CommandBuffer) checkQuery(op Op, q *QueryPool, query int, types ...vk.QueryType) bool {
	if q == nil {
		c.misuse(op, "vkCmdBeginQuery-queryPool-parameter", "", "the query pool is nil")
		return false
	}
	if !c.try(q.use(c.dev, op)) {
		return false
	}
	if !slices.Contains(types, q.kind) {
		c.misuse(op, "vkCmdBeginQuery-queryType-02804", "", "a query of type %v; %v is needed", q.kind, types[0])
		return false
	}
	if query < 0 || query >= q.count {
		c.misuse(op, "vkCmdBeginQuery-query-00802", "", "query %d of %d", query, q.count)
		return false
	}
	return true
}

// BeginQueryIndexed counts samples that pass, statistics, or primitives of a vertex
// stream, until EndQueryIndexed. Inside a pass both stand in the same one.
func (c *CommandBuffer) BeginQueryIndexed(q *QueryPool, query int, index uint32) {
	op := c.op("vkCmdBeginQuery")
	if !c.ok(op, 0) || !c.checkQuery(op, q, query, countedQueries...) {
		return
	}
	rule, most := "vkCmdBeginQueryIndexedEXT-queryType-06692", uint32(0)
	switch q.kind {
	case vk.QueryTypeTransformFeedbackStreamEXT:
		rule, most = "vkCmdBeginQueryIndexedEXT-queryType-02339", ir.MaxStreams-1
	case vk.QueryTypePrimitivesGeneratedEXT:
		rule, most = "vkCmdBeginQueryIndexedEXT-queryType-06690", ir.MaxStreams-1
	default: // the rest counts no stream
	}
	if index > most {
		c.misuse(op, rule, "", "index %d of a query of type %v", index, q.kind)
		return
	}
	o := &c.open[q.slot(index)]
	if o.pool != nil {
		c.misuse(op, "vkCmdBeginQuery-queryPool-01922", "call vkCmdEndQuery before", "a query is already open")
		return
	}
	o.pool, o.at, o.inside = q, uint32(query), c.pass
	c.emit(opBeginQuery, c.object(q), uint32(query), index)
}

// EndQueryIndexed ends the open query.
func (c *CommandBuffer) EndQueryIndexed(q *QueryPool, query int, index uint32) {
	op := c.op("vkCmdEndQuery")
	if !c.ok(op, 0) || !c.checkQuery(op, q, query, countedQueries...) {
		return
	}
	o := &c.open[q.slot(index)]
	if o.pool != q || o.at != uint32(query) {
		c.misuse(op, "vkCmdEndQuery-None-01923", "", "query %d is not open", query)
		return
	}
	if o.inside != c.pass {
		c.misuse(op, "vkCmdEndQuery-None-07007", "end it where it was begun: in the same pass, or outside", "query %d was begun elsewhere", query)
		return
	}
	o.pool = nil
	c.emit(opEndQuery, c.object(q), uint32(query), index)
}

// openInside says that a query that was begun in the current pass is open.
func (c *CommandBuffer) openInside() bool {
	for i := range c.open {
		if o := &c.open[i]; o.pool != nil && o.inside == c.pass {
			return true
		}
	}
	return false
}

// openAny says that a query is open.
func (c *CommandBuffer) openAny() bool {
	for i := range c.open {
		if c.open[i].pool != nil {
			return true
		}
	}
	return false
}

// WriteTimestamp writes nanoseconds; inside a pass, of its end.
func (c *CommandBuffer) WriteTimestamp(q *QueryPool, query int) {
	op := c.op("vkCmdWriteTimestamp")
	if c.ok(op, 0) && c.checkQuery(op, q, query, vk.QueryTypeTimestamp) {
		c.emit(opTimestamp, c.object(q), uint32(query))
	}
}

// ResetQueries makes queries unavailable (vkCmdResetQueryPool).
func (c *CommandBuffer) ResetQueries(q *QueryPool, first, count int) {
	op := c.op("vkCmdResetQueryPool")
	if !c.ok(op, -1) || !c.checkQuery(op, q, first, allQueries...) || !c.try(q.inRange(op, first, count)) {
		return
	}
	c.transfer(func(context.Context, *runner) error { q.reset(first, count); return nil }, q)
}

// CopyQueryResults writes results to dst (vkCmdCopyQueryPoolResults). Commands
// run in order, so WAIT has nothing to wait for.
func (c *CommandBuffer) CopyQueryResults(q *QueryPool, first, count int, dst *Buffer, offset, stride uint64, flags vk.QueryResultFlags) {
	op := c.op("vkCmdCopyQueryPoolResults")
	if !c.needBuffer(op, "vkCmdCopyQueryPoolResults-dstBuffer-00825", dst, vk.BufferUsageTransferDstBit) ||
		!c.checkQuery(op, q, first, allQueries...) ||
		!c.try(dst.inRange(op, "vkCmdCopyQueryPoolResults-dstOffset-00819", offset, 0)) {
		return
	}
	l := resultLayout{first, count, stride, flags}
	if c.try(l.check(op, q, dst.Size()-offset)) {
		c.transfer(func(context.Context, *runner) error { q.put(dst.data[offset:], l); return nil }, q, dst)
	}
}

// activeQuery is an open query while commands are carried out.
type activeQuery struct {
	pool    *QueryPool
	at      int
	index   uint32 // vertex stream
	views   int    // of the pass that it was begun in
	ended   bool
	samples uint64
	stats   render.Stats
	compute uint64 // invocations
}

// finish stores the result.
func (q *activeQuery) finish() {
	if q.pool.kind == vk.QueryTypePipelineStatistics {
		q.pool.store(q.at, q.views, q.pool.values(&q.stats, q.compute)...)
		return
	}
	switch i := q.index % ir.MaxStreams; q.pool.kind {
	case vk.QueryTypeTransformFeedbackStreamEXT:
		q.pool.store(q.at, q.views, q.stats.Written[i], q.stats.Needed[i])
	case vk.QueryTypePrimitivesGeneratedEXT:
		q.pool.store(q.at, q.views, q.stats.Generated[i])
	case vk.QueryTypeMeshPrimitivesGeneratedEXT:
		q.pool.store(q.at, q.views, q.stats.MeshPrimitives)
	default:
		q.pool.store(q.at, q.views, q.samples)
	}
}

// beginQuery opens a query.
func (r *runner) beginQuery(ctx context.Context, pool *QueryPool, at int, index uint32) error {
	q := &activeQuery{pool: pool, at: at, index: index}
	slot := pool.slot(index)
	pool.reset(at, 1)
	if r.pass != nil {
		q.views = bits.OnesCount32(r.pass.ViewMask)
		if slot != slotOcclusion {
			if err := r.split(ctx); err != nil {
				return err
			}
			r.pass.CountAll = r.pass.CountAll || slot == slotStatistics || slot == slotMesh
			r.pass.CountStreams = r.pass.CountStreams || slot >= slotFeedback
		}
	}
	r.active[slot] = q
	r.count()
	return nil
}

// countsStreams says that a query of primitives of a vertex stream is open.
func (r *runner) countsStreams() bool {
	for _, q := range r.active[slotFeedback:] {
		if q != nil {
			return true
		}
	}
	return false
}

// count gives the open occlusion query a counter in the current pass.
func (r *runner) count() {
	r.query = 0
	if q := r.active[slotOcclusion]; q != nil && r.pass != nil {
		r.counted = append(r.counted, q)
		r.pass.Occlusion = append(r.pass.Occlusion, 0)
		r.query = len(r.counted)
	}
}

// endQuery closes a query. Samples are known when the pass ends.
func (r *runner) endQuery(ctx context.Context, pool *QueryPool, index uint32) error {
	slot := pool.slot(index)
	q := r.active[slot]
	if q == nil {
		return nil
	}
	if r.pass != nil && slot != slotOcclusion {
		if err := r.split(ctx); err != nil {
			return err
		}
	}
	r.active[slot] = nil
	q.ended = true
	r.count()
	if r.pass == nil || slot != slotOcclusion {
		q.finish()
	}
	return nil
}

// timestamp writes the time now, or at the end of the pass.
func (r *runner) timestamp(pool *QueryPool, at int) {
	if r.pass != nil {
		r.stamps = append(r.stamps, activeQuery{pool: pool, at: at, views: bits.OnesCount32(r.pass.ViewMask)})
		return
	}
	pool.store(at, 1, Timestamp())
}

// split carries out what the pass has so far, so that what follows is counted
// apart: nothing is resolved, and the rest loads nothing.
func (r *runner) split(ctx context.Context) error {
	if len(r.pass.Draws) == 0 {
		return nil
	}
	part := *r.pass
	part.Color = slices.Clone(part.Color)
	own := func(a *render.Attachment) *render.Attachment {
		if a == nil {
			return nil
		}
		b := *a
		return &b
	}
	part.Depth, part.Stencil = own(part.Depth), own(part.Stencil)
	eachAttachment(&part, func(a *render.Attachment) {
		if !a.Spread {
			a.Resolve = nil
		}
	})
	eachAttachment(r.pass, func(a *render.Attachment) { a.Load, a.Spread = vk.AttachmentLoadOpLoad, false })
	r.pass.Draws = nil
	err := r.runPass(ctx, &part)
	for i := range part.Draws {
		if part.Draws[i].Pipeline != nil {
			r.drawsBefore++
		}
	}
	if r.marks = r.marks[:0]; len(r.labels) > 0 {
		r.mark()
	}
	copy(r.pass.Occlusion, part.Occlusion)
	return err
}

func eachAttachment(p *render.Pass, f func(*render.Attachment)) {
	for i := range p.Color {
		f(&p.Color[i])
	}
	for _, a := range []*render.Attachment{p.Depth, p.Stencil} {
		if a != nil {
			f(a)
		}
	}
}

// finishQueries adds up the pass's counters and stores what has ended.
func (r *runner) finishQueries(p *render.Pass) {
	for i, q := range r.counted {
		q.samples += p.Occlusion[i]
	}
	for _, q := range r.counted {
		if q.ended {
			q.finish()
		}
	}
	for i := range r.stamps {
		s := &r.stamps[i]
		s.pool.store(s.at, s.views, Timestamp())
	}
	r.counted, r.stamps, r.query = nil, nil, 0
}
