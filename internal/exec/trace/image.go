package trace

import (
	"github.com/pumice-gpu/pumice/explain"
	"github.com/pumice-gpu/pumice/internal/exec"
)

// image tells how an image instruction comes to its result in lane i.
func image(t *exec.Told, i int) explain.Image {
	return explain.Image{}
}
