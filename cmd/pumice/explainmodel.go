package main

import (
	"image"

	"github.com/pumice-gpu/pumice/explain"
)

// explainModel draws a model's picture and explains samples of it: points are inside of
// the picture, and their samples are those that it is drawn with.
func explainModel(*work, job, []point) (image.Image, []*explain.Explanation, error) {
	return nil, nil, &notYetError{"explaining a model's picture"}
}
