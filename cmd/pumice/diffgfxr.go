package main

import (
	"errors"
	"fmt"
	"io"
)

// diffCaptures compares two captures of gfxreconstruct.
func diffCaptures(_ *work, _ io.Writer, a, b string, _ diffOptions) error {
	return fmt.Errorf("%s, %s: captures cannot be compared yet: %w", a, b, errors.ErrUnsupported)
}
