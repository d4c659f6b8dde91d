package core

import (
	"fmt"
	"strings"

	"github.com/pumice-gpu/pumice/internal/exec"
)

// Interpreted are instructions that no machine code runs.
type Interpreted = exec.Interpreted

// tellInterpreted tells who listens which instructions of a pipeline's stages have no machine
// code: they run in Go, tens of times slower.
func (p *Pipeline) tellInterpreted(op Op, stages []stageJob) {
	d := p.dev
	debug := d.cfg.Debug != nil && d.cfg.CheckImages
	if !debug && d.cfg.Interpreted == nil || d.cfg.Engine == "vm" {
		return
	}
	for i := range stages {
		r, ok := (*stages[i].to).(exec.Interpreter)
		if !ok {
			continue
		}
		list := r.Interpreted()
		if len(list) == 0 {
			continue
		}
		if d.cfg.Interpreted != nil {
			d.cfg.Interpreted(p.label(), stageName(stages[i].as), list)
		}
		if !debug {
			continue
		}
		text := make([]string, len(list))
		for k, x := range list {
			text[k] = fmt.Sprintf("%s (%d of them; %s)", x.Name, x.Count, x.Why)
			if at := x.Source.String(); at != "" {
				text[k] = fmt.Sprintf("%s (%d of them, the first at %s; %s)", x.Name, x.Count, at, x.Why)
			}
		}
		d.cfg.Debug(Message{Severity: SeverityInfo, Op: d.named(op), Text: fmt.Sprintf(
			"%s: instructions of its %s shader run without machine code, slower and with the same bits: %s",
			p.label(), stageName(stages[i].as), strings.Join(text, ", "))})
	}
}
