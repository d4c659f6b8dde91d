package render

import (
	"github.com/pumice-gpu/pumice/internal/exec"
	texels "github.com/pumice-gpu/pumice/internal/lower/texel"
)

// addAttributes finds the programs of the formats of attributes.
func (s *drawState) addAttributes(pl *passPlan) error {
	for i := range s.link.Fetch {
		a, program := &s.link.Fetch[i], none
		if !a.Instanced && a.Words == 0 {
			r, err := kept(pl.x.attributes, a.Info.Format, func() (*exec.Routine, error) {
				p, err := texels.Attribute(a.Info)
				if p == nil || err != nil {
					return new(exec.Routine), err
				}
				r, err := pl.x.cfg.Engine.Compile(p)
				return &r, err
			})
			if err != nil {
				return err
			}
			if *r != nil {
				program = pl.routine(*r)
			}
		}
		s.stages.Decoders = append(s.stages.Decoders, program)
	}
	return nil
}
