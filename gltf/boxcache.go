package gltf

import (
	"sync"

	"github.com/pumice-gpu/pumice/gltf/mat"
)

// boxCache remembers the boxes of a primitive's positions and targets. It is
// safe for concurrent use; its zero value is empty.
type boxCache struct {
	mu    sync.Mutex
	boxes map[int]mat.Box
}

func (c *boxCache) get(key int, positions [][3]float32) mat.Box {
	c.mu.Lock()
	defer c.mu.Unlock()
	if b, ok := c.boxes[key]; ok {
		return b
	}
	b := mat.EmptyBox()
	for _, p := range positions {
		b.Extend(mat.Vec3(p).Double())
	}
	if c.boxes == nil {
		c.boxes = map[int]mat.Box{}
	}
	c.boxes[key] = b
	return b
}
