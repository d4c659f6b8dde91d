package main

import (
	"fmt"

	"github.com/spf13/pflag"

	"github.com/pumice-gpu/pumice/gltf/studio"
	"github.com/pumice-gpu/pumice/imagefile/radiance"
)

// surroundings are the flags that say what a model is lit by and stands on.
type surroundings struct {
	environment     string
	layer           string // of an OpenEXR file
	rotation        float64
	environmentBlur float64
	ground          bool

	show  bool                // the environment is the background
	light *studio.Environment // once it is read; nil: the built-in studio
}

func (s *surroundings) addSurroundings(f *pflag.FlagSet) {
	f.StringVar(&s.environment, "environment", "", "light the model by a panorama, .hdr or .exr (default: the built-in studio)")
	f.StringVar(&s.layer, "environment-layer", "", "read this part or layer of an .exr file (default: the first with colours)")
	f.Float64Var(&s.rotation, "environment-rotation", 0, "turn the panorama to the left by so many degrees")
	f.Float64Var(&s.environmentBlur, "environment-background", 0, "show the environment behind the model: 0 sharp to 1 blurred")
	f.BoolVar(&s.ground, "ground", false, "catch the model's shadow on the ground under it")
}

// check refuses what cannot be, before files are opened.
func (s *surroundings) check(changed func(string) bool) error {
	s.show = changed("environment-background")
	if err := inRange("--environment-rotation", s.rotation, -3600, 3600); err != nil {
		return err
	}
	if err := inRange("--environment-background", s.environmentBlur, 0, 1); err != nil {
		return err
	}
	switch {
	case s.environment == "" && changed("environment-rotation"):
		return usagef("--environment-rotation turns a panorama: --environment FILE names one")
	case s.environment == "" && changed("environment-layer"):
		return usagef("--environment-layer is of a panorama: --environment FILE names one")
	case s.show && changed("background"):
		return usagef("--background and --environment-background: only one of them can be behind the model")
	}
	return nil
}

// open reads the panorama, if there is one, and returns the warnings and losses of its file; with strict, the first loss
// is an error.
func (s *surroundings) open(w *work, r *studio.Renderer, strict bool) (warnings, losses []string, err error) {
	if s.environment == "" {
		return nil, nil, nil
	}
	w.doing = fmt.Sprintf("reading %s", s.environment)
	img, err := radiance.Options{Budget: w.budget, Layer: s.layer}.Load(w.ctx, s.environment)
	if err != nil {
		return nil, nil, err
	}
	if img.Cube {
		return nil, nil, fmt.Errorf("%s: holds the faces of a cube, no panorama: make one with OpenEXR's exrenvmap -l", s.environment)
	}
	if strict && len(img.Losses) > 0 {
		return nil, nil, fmt.Errorf("--strict: %s: %s", s.environment, img.Losses[0])
	}
	named := func(lines []string) (out []string) {
		for _, line := range lines {
			out = append(out, s.environment+": "+line)
		}
		return out
	}
	s.light, err = r.NewEnvironment(w.ctx, studio.Panorama{
		Width: img.Width, Height: img.Height, Pixels: img.Pixels, Rotation: s.rotation,
	})
	return named(img.Warnings), named(img.Losses), err
}

// surround puts the surroundings into a view.
func (s *surroundings) surround(v *studio.View) {
	v.Environment, v.Ground = s.light, s.ground
	v.ShowEnvironment, v.EnvironmentBlur = s.show, s.environmentBlur
}
