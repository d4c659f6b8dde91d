package render

import lowered "github.com/pumice-gpu/pumice/internal/lower/fragops"

// drawKey is what chooses the way of a state's set-ups through a tile.
type drawKey struct {
	end ending
	// all: all samples of a rectangle may be taken at once.
	all  bool
	once bool // a batch holds each pixel once
	sees bool // fragments may read what fragments write
	// Before tests, rates and the sample mask take samples away.
	drops, masks bool
	counts       int // where samples are counted: see drawPlan.counts
	shares       int // of a pixel's samples, each with an invocation
	place        int // the sample that fragments of a pixel are evaluated at, or none
	// takes is what shader and alpha do to coverage.
	takes lowered.CoverageKey
}

// ending is what becomes of samples that tests before shading leave.
type ending uint8

const (
	endTested ending = iota // only tests see them
	endHidden               // they only overwrite colour: later ones may hide them
	endShaded
)
