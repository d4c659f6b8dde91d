package render

import (
	"github.com/pumice-gpu/pumice/internal/fragops"
)

// addCoverage says what becomes of coverage at colour attachment i.
func (s *drawState) addCoverage(pl *passPlan, i int) error {
	d, a := s.dynamic, pl.color[i]
	c := fragops.NewCoverage(pl.samples, a.samples, d.CoverageReduction)
	if d.CoverageToColor && uint32(s.location[i]) == d.CoverageToColorLocation { // fragops-coverage-to-color
		if err := c.SetToColor(a.info); err != nil {
			return err
		}
	}
	table := d.CoverageTable[:d.CoverageTableCount]
	if !d.CoverageTableEnable { // fragops-coverage-modulation
		table = nil
	}
	if err := c.Modulate(a.info, d.CoverageModulation, table); err != nil {
		return err
	}
	s.coverage[i] = c
	return nil
}
