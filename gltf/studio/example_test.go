package studio_test

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"image"
	"log"
	"sync"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/gltf/studio"
)

// A model in one file, .gltf or .glb; any io.Reader of one does.
//
//go:embed testdata/box.gltf
var box []byte

// One picture of a model: a reader, a size.
func ExampleThumbnail() {
	img, err := studio.Thumbnail(context.Background(), bytes.NewReader(box), 128)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(img.Bounds().Size(), opaque(img))
	// Output: (128,128) 8487
}

// Many pictures: one renderer, whose shaders are compiled once, for as many goroutines as there are models at hand.
func ExampleRenderer_Thumbnail() {
	ctx := context.Background()
	dev, err := pumice.Open(nil)
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	r, err := studio.New(ctx, dev)
	if err != nil {
		log.Fatal(err)
	}
	sizes := []int{16, 32, 64}
	pictures := make([]*image.NRGBA, len(sizes))
	errs := make([]error, len(sizes))
	var wait sync.WaitGroup
	for i, size := range sizes {
		wait.Go(func() { pictures[i], errs[i] = r.Thumbnail(ctx, bytes.NewReader(box), size) })
	}
	wait.Wait()
	for i := range sizes {
		if errs[i] != nil {
			log.Fatal(errs[i])
		}
		fmt.Println(pictures[i].Bounds().Size(), opaque(pictures[i]))
	}
	// Output:
	// (16,16) 118
	// (32,32) 501
	// (64,64) 2086
}

// opaque counts the pixels that are covered whole.
func opaque(img *image.NRGBA) (n int) {
	for i := 3; i < len(img.Pix); i += 4 {
		if img.Pix[i] == 255 {
			n++
		}
	}
	return n
}
