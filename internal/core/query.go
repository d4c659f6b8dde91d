package core

import (
	"context"
	"encoding/binary"
	"math/bits"
	"slices"
	"sync"
	"time"

	"github.com/pumice-gpu/pumice/internal/render"
	"github.com/pumice-gpu/pumice/vk"
)

// QueryPool holds results of queries. A query is reset, begun and ended, and
// available from the moment its commands are carried out.
type QueryPool struct {
	object
	kind  vk.QueryType
	stats vk.QueryPipelineStatisticFlags
	width int // values a query
	count int

	mu        sync.Mutex
	wake      chan struct{} // closed when a query becomes available
	results   []uint64      // width a query
	available []bool
}

// maxQueries bounds a pool.
const maxQueries = 1 << 20

// supportedStatistics are the statistics of the stages that exist.
const supportedStatistics = vk.QueryPipelineStatisticFlags(1<<13 - 1)

// NewQueryPool makes count queries.
func (d *Device) NewQueryPool(t vk.QueryType, count int) (*QueryPool, error) {
	const op Op = "vkCreateQueryPool"
	if err := d.usable(op); err != nil {
		return nil, err
	}
	if count <= 0 || count > maxQueries {
		return nil, d.misuse(op, "VkQueryPoolCreateInfo-queryCount-02763", "", "%d queries outside 1…%d", count, maxQueries)
	}
	if t == vk.QueryTypePipelineStatistics || !slices.Contains(allQueries, t) {
		return nil, d.unsupported(op, "VkQueryPoolCreateInfo-queryType-parameter", "use OCCLUSION, TIMESTAMP, TRANSFORM_FEEDBACK_STREAM or PRIMITIVES_GENERATED", "%v", t)
	}
	return d.newQueries(t, count, 0), nil
}

// NewQueries makes a pool of OCCLUSION, TIMESTAMP or PIPELINE_STATISTICS queries.
func (d *Device) NewQueries(info vk.QueryPoolCreateInfo) (*QueryPool, error) {
	const op Op = "vkCreateQueryPool"
	if info.QueryType != vk.QueryTypePipelineStatistics {
		return d.NewQueryPool(info.QueryType, int(min(info.QueryCount, maxQueries+1)))
	}
	if err := d.usable(op); err != nil {
		return nil, err
	}
	if info.QueryCount == 0 || info.QueryCount > maxQueries {
		return nil, d.misuse(op, "VkQueryPoolCreateInfo-queryCount-02763", "", "%d queries outside 1…%d", info.QueryCount, maxQueries)
	}
	if info.PipelineStatistics == 0 || info.PipelineStatistics&^supportedStatistics != 0 {
		return nil, d.misuse(op, "VkQueryPoolCreateInfo-queryType-00792", "", "statistics %v", info.PipelineStatistics)
	}
	return d.newQueries(info.QueryType, int(info.QueryCount), info.PipelineStatistics), nil
}

func (d *Device) newQueries(t vk.QueryType, count int, stats vk.QueryPipelineStatisticFlags) *QueryPool {
	q := &QueryPool{kind: t, stats: stats, width: max(bits.OnesCount32(uint32(stats)), 1), count: count, wake: make(chan struct{})}
	if t == vk.QueryTypeTransformFeedbackStreamEXT {
		q.width = 2 // written, needed
	}
	q.results, q.available = make([]uint64, count*q.width), make([]bool, count)
	q.dev, q.object.kind = d, "query pool"
	return q
}

// Count returns the number of queries.
func (q *QueryPool) Count() int { return q.count }

// Results returns all results in the queue's turn.
func (q *QueryPool) Results(ctx context.Context) ([]uint64, error) {
	const op Op = "vkGetQueryPoolResults"
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
		q.mu.Lock()
		defer q.mu.Unlock()
		out = append(out, q.results...)
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

// Reset makes queries unavailable, at once (vkResetQueryPool).
func (q *QueryPool) Reset(first, count int) error {
	const op Op = "vkResetQueryPool"
	if q == nil {
		return nilObject(op, "query pool")
	}
	if err := q.inRange(op, first, count); err != nil {
		return err
	}
	q.reset(first, count)
	return nil
}

func (q *QueryPool) inRange(op Op, first, count int) error {
	if first < 0 || count < 0 || first > q.count || count > q.count-first {
		return q.dev.misuse(op, "vkResetQueryPool-firstQuery-09437", "", "queries %d+%d of %d", first, count, q.count)
	}
	return nil
}

func (q *QueryPool) reset(first, count int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	clear(q.results[first*q.width : (first+count)*q.width])
	clear(q.available[first : first+count])
}

// store makes the result of a query available, and zero that of the further views
// of a multiview pass.
//
// queries-operation-multiview
func (q *QueryPool) store(at, views int, values ...uint64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i := range max(views, 1) {
		if at+i < q.count {
			clear(q.results[(at+i)*q.width : (at+i+1)*q.width])
			q.available[at+i] = true
		}
	}
	copy(q.results[at*q.width:(at+1)*q.width], values)
	close(q.wake)
	q.wake = make(chan struct{})
}

// layout of results in memory.
type resultLayout struct {
	first, count int
	stride       uint64
	flags        vk.QueryResultFlags
}

// size is the number of bytes that results take.
func (l *resultLayout) size(width int) uint64 {
	n := uint64(width)
	if l.flags&vk.QueryResultWithAvailabilityBit != 0 {
		n++
	}
	if l.flags&vk.QueryResult64Bit != 0 {
		return 8 * n
	}
	return 4 * n
}

// check checks that results fit n bytes.
func (l *resultLayout) check(op Op, q *QueryPool, n uint64) error {
	if err := q.inRange(op, l.first, l.count); err != nil {
		return err
	}
	size := l.size(q.width)
	if l.count == 0 {
		return nil
	}
	if hi, last := bits.Mul64(l.stride, uint64(l.count-1)); hi != 0 || last > n || size > n-last {
		return q.dev.misuse(op, "vkGetQueryPoolResults-dataSize-00817", "", "%d results of %d bytes every %d bytes in %d bytes", l.count, size, l.stride, n)
	}
	return nil
}

// put writes results to dst; false if one is not available.
//
// queries-operation
func (q *QueryPool) put(dst []byte, l resultLayout) (ready bool, changed <-chan struct{}) {
	q.mu.Lock()
	defer q.mu.Unlock()
	ready = true
	for i := range l.count {
		at := l.first + i
		have := q.available[at]
		ready = ready && have
		out := dst[uint64(i)*l.stride:]
		word := func(k int, v uint64) {
			if l.flags&vk.QueryResult64Bit != 0 {
				binary.LittleEndian.PutUint64(out[8*k:], v)
			} else {
				binary.LittleEndian.PutUint32(out[4*k:], uint32(v))
			}
		}
		if have || l.flags&vk.QueryResultPartialBit != 0 {
			for k, v := range q.results[at*q.width : (at+1)*q.width] {
				word(k, v)
			}
		}
		if l.flags&vk.QueryResultWithAvailabilityBit != 0 {
			v := uint64(0)
			if have {
				v = 1
			}
			word(q.width, v)
		}
	}
	return ready, q.wake
}

// lostCheck is how often a wait looks whether the device is gone.
const lostCheck = 20 * time.Millisecond

// Get writes count results to dst, stride bytes apart (vkGetQueryPoolResults).
// ready is false (VK_NOT_READY) if one is not available; with WAIT it waits until
// all are.
func (q *QueryPool) Get(ctx context.Context, first, count int, dst []byte, stride uint64, flags vk.QueryResultFlags) (ready bool, err error) {
	const op Op = "vkGetQueryPoolResults"
	if q == nil {
		return false, nilObject(op, "query pool")
	}
	l := resultLayout{first, count, stride, flags}
	if err := l.check(op, q, uint64(len(dst))); err != nil {
		return false, err
	}
	ctx = orBackground(ctx)
	for {
		if err := q.dev.usable(op); err != nil {
			return false, err
		}
		ready, changed := q.put(dst, l)
		if ready || flags&vk.QueryResultWaitBit == 0 {
			return ready, nil
		}
		select {
		case <-changed:
		case <-time.After(lostCheck):
		case <-ctx.Done():
			return false, q.dev.wrap(op, ctx.Err())
		}
	}
}

// passStatistics turns the figures of passes into values of the pool.
//
// RAS-359
func (q *QueryPool) values(s *render.Stats, compute uint64) []uint64 {
	all := [...]uint64{
		s.VerticesIn, s.Assembled, s.Vertices, s.GeometryInvocations, s.GeometryPrimitives, s.Primitives, s.Clipped, s.Fragments, s.Patches, s.Evaluations, compute,
		s.TaskInvocations, s.MeshInvocations,
	}
	var out []uint64
	for i, v := range all {
		if q.stats>>i&1 != 0 {
			out = append(out, v)
		}
	}
	return out
}

// started is when the first timestamp could be taken.
var started = time.Now()

// Timestamp is the time that timestamp queries write: nanoseconds, which never go
// back.
func Timestamp() uint64 { return uint64(started.UnixNano() + int64(time.Since(started))) }
