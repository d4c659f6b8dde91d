package render

import (
	"context"

	"github.com/pumice-gpu/pumice/internal/exec"
)

// Executor runs passes and dispatches on its workers. One goroutine at a time
// may use it: a queue owns one.
type Executor struct {
	cfg Config
}

// New makes an Executor.
func New(cfg Config) *Executor { return &Executor{cfg: cfg} }

// NewPipeline checks a pipeline and links the interfaces of its stages. Errors
// are *PipelineError.
func NewPipeline(d PipelineDesc) (*Pipeline, error) { return &Pipeline{desc: d}, nil }

// Run draws the pass. When it returns an error the contents of the attachments
// are undefined; errors are those of ctx, *PassError, what an engine returns
// and *WorkerError after a panic.
func (x *Executor) Run(ctx context.Context, p *Pass) (Stats, error) { return Stats{}, nil }

// Dispatch runs groups[0]×groups[1]×groups[2] workgroups of a compute routine
// from workgroup base (vkCmdDispatchBase).
func (x *Executor) Dispatch(ctx context.Context, r exec.Routine, c *exec.Context, base, groups [3]uint32) error {
	return nil
}
