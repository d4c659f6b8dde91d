package core

import (
	"context"

	"github.com/pumice-gpu/pumice/internal/render"
)

// WithPause is render.WithPause.
func WithPause(ctx context.Context, f func()) context.Context { return render.WithPause(ctx, f) }
