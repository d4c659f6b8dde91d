package core

import (
	"context"
	"slices"

	"github.com/pumice-gpu/pumice/vk"
)

// QueryPool holds results of queries.
type QueryPool struct {
	object
	kind    vk.QueryType
	results []uint64 // belongs to the queue's goroutine
}

// maxQueries bounds a pool.
const maxQueries = 1 << 20

// NewQueryPool makes count queries.
func (d *Device) NewQueryPool(t vk.QueryType, count int) (*QueryPool, error) {
	const op = "Device.NewQueryPool"
	if err := d.usable(op); err != nil {
		return nil, err
	}
	if t != vk.QueryTypeOcclusion && t != vk.QueryTypeTimestamp {
		return nil, d.unsupported(op, "VkQueryPoolCreateInfo-queryType-parameter", "use OCCLUSION or TIMESTAMP", "%v", t)
	}
	if count <= 0 || count > maxQueries {
		return nil, d.misuse(op, "VkQueryPoolCreateInfo-queryCount-02763", "", "%d queries outside 1…%d", count, maxQueries)
	}
	q := &QueryPool{kind: t, results: make([]uint64, count)}
	q.dev, q.object.kind = d, "query pool"
	return q, nil
}

// Results returns all results in the queue's turn.
func (q *QueryPool) Results(ctx context.Context) ([]uint64, error) {
	const op = "QueryPool.Results"
	if q == nil {
		return nil, nilObject(op, "query pool")
	}
	if err := q.dev.usable(op); err != nil {
		return nil, err
	}
	if err := q.use(q.dev, op); err != nil {
		return nil, err
	}
	var out []uint64
	err := q.dev.run(ctx, op, nil, func(context.Context) error {
		out = slices.Clone(q.results)
		return nil
	})
	return out, err
}

// Close gives the pool up.
func (q *QueryPool) Close() error {
	if q != nil {
		q.closed.Store(true)
	}
	return nil
}

// checkQuery checks a query of a command.
func (c *CommandBuffer) checkQuery(op string, q *QueryPool, query int, t vk.QueryType) bool {
	if q == nil {
		c.misuse(op, "vkCmdBeginQuery-queryPool-parameter", "", "the query pool is nil")
		return false
	}
	if !c.try(q.use(c.dev, op)) {
		return false
	}
	if q.kind != t {
		c.misuse(op, "vkCmdBeginQuery-queryType-02804", "", "a query of type %v; %v is needed", q.kind, t)
		return false
	}
	if query < 0 || query >= len(q.results) {
		c.misuse(op, "vkCmdBeginQuery-query-00802", "", "query %d of %d", query, len(q.results))
		return false
	}
	return true
}

// BeginQuery counts samples that pass until EndQuery.
func (c *CommandBuffer) BeginQuery(q *QueryPool, query int) {
	const op = "Pass.BeginQuery"
	if !c.ok(op, 1) || !c.checkQuery(op, q, query, vk.QueryTypeOcclusion) {
		return
	}
	if c.query != nil {
		c.misuse(op, "vkCmdBeginQuery-queryPool-01922", "call EndQuery before", "a query is already open")
		return
	}
	c.query, c.queryAt = q, uint32(query)
	c.emit(opBeginQuery, c.object(q), uint32(query))
}

// EndQuery ends the open query.
func (c *CommandBuffer) EndQuery(q *QueryPool, query int) {
	const op = "Pass.EndQuery"
	if !c.ok(op, 1) || !c.checkQuery(op, q, query, vk.QueryTypeOcclusion) {
		return
	}
	if c.query != q || c.queryAt != uint32(query) {
		c.misuse(op, "vkCmdEndQuery-None-01923", "", "query %d is not open", query)
		return
	}
	c.query = nil
	c.emit(opEndQuery, c.object(q), uint32(query))
}

// WriteTimestamp writes nanoseconds.
func (c *CommandBuffer) WriteTimestamp(q *QueryPool, query int) {
	const op = "CommandBuffer.WriteTimestamp"
	if c.ok(op, -1) && c.checkQuery(op, q, query, vk.QueryTypeTimestamp) {
		c.emit(opTimestamp, c.object(q), uint32(query))
	}
}
