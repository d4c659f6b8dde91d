package core

import (
	"strings"

	"github.com/pumice-gpu/pumice/internal/render"
)

// label is the name of a region of commands, which messages about running work tell.
type label string

// maxLabel bounds the bytes of a label that are kept, maxLabels how deep regions nest
// that are told apart.
const (
	maxLabel  = 80
	maxLabels = 16
)

// BeginLabel opens a region of commands with a name (vkCmdBeginDebugUtilsLabelEXT).
func (c *CommandBuffer) BeginLabel(name string) {
	if c.ok("vkCmdBeginDebugUtilsLabelEXT", 0) {
		c.emit(opLabel, c.payload(label(strings.ToValidUTF8(name[:min(len(name), maxLabel)], "")))) // the rest of a character goes with it
	}
}

// EndLabel closes the region opened last, by this or another command buffer.
func (c *CommandBuffer) EndLabel() {
	if c.ok("vkCmdEndDebugUtilsLabelEXT", 0) {
		c.emit(opLabel, noObject)
	}
}

// labelMark says which regions the draws of a pass are in, from one of them on.
type labelMark struct {
	draw int
	path string
}

// label opens a region, or closes one.
func (r *runner) label(at uint32) {
	switch {
	case at != noObject:
		r.labels = append(r.labels, string(r.table[at].(label)))
	case len(r.labels) > 0:
		r.labels = r.labels[:len(r.labels)-1]
	}
	if r.pass != nil {
		r.mark()
	}
}

// mark notes the regions of the draws that come.
func (r *runner) mark() { r.marks = append(r.marks, labelMark{len(r.pass.Draws), r.regions()}) }

// regions names the regions that are open, outermost first, as a part of a place.
func (r *runner) regions() string {
	if len(r.labels) == 0 {
		return ""
	}
	return ", in " + strings.Join(r.labels[:min(len(r.labels), maxLabels)], " / ")
}

// regionsOf is regions for a draw of the pass that runs.
func (r *runner) regionsOf(p *render.Pass, draw int) (path string) {
	for _, m := range r.marks {
		if m.draw <= draw && draw < len(p.Draws) {
			path = m.path
		}
	}
	return path
}
