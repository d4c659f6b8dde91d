package main

import (
	"image"

	"github.com/pumice-gpu/pumice/explain"
)

// point is a sample of a picture to explain; shader asks for the shader step by step.
type point struct {
	x, y, sample int
	shader       bool
}

// explainCapture replays a capture and explains samples of the picture of a frame; 0 is
// the last. It returns the picture, too.
func explainCapture(*work, string, int, []point) (image.Image, []*explain.Explanation, error) {
	return nil, nil, &notYetError{"explaining a capture"}
}
