package viewer

import (
	"context"
	"errors"
	"testing"

	"github.com/pumice-gpu/pumice"
)

// Where Go has one thread, a job hears in a pause that nobody wants it any more.
func TestRender_CancelledInAPause(t *testing.T) {
	v := open(t)
	if _, err := v.Load(t.Context(), square(t, "square.gltf", "square.bin")); err != nil {
		t.Fatal(err)
	}
	for size := 256; size <= MaxExtent; size *= 2 { // until one takes so long that there is a pause
		ctx, cancel := context.WithCancel(t.Context())
		heard := false
		_, err := v.Render(pumice.WithPause(ctx, func() { heard = true; cancel() }), View{Width: size, Height: size, Samples: 8, Zoom: 1})
		cancel()
		switch {
		case heard && errors.Is(err, context.Canceled):
			return
		case heard || err != nil:
			t.Fatalf("%d pixels wide, cancelled: %v; it ends with %v", size, heard, err)
		}
	}
	t.Error("there is no pause")
}
