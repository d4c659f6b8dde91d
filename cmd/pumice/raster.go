package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/scene"
)

func rasterCommand() *cobra.Command {
	var output string
	var zoom int
	var explain bool
	var l limits
	cmd := &cobra.Command{
		Use:   "raster SCENE.json",
		Short: "Draw a small scene large: samples, coverage, fragments and edges",
		Long: "raster draws a scene of a few primitives on a few pixels so that rules can be looked\n" +
			"at. Squares are pixels in the colours of what they got, dots are samples (grey rings\n" +
			"were not covered), dark borders run between fragments, a cross is where a fragment\n" +
			"was shaded, and thin lines are the primitives as given. The scenes of the folder\n" +
			"conformance/scenes show what a file may say. With --explain it prints which rules\n" +
			"decided what the samples of each draw hold, with an example of each.",
		Args: usageArgs(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if output == "" && !explain {
				return usagef("name the picture with -o, or ask for --explain")
			}
			w, err := l.begin(cmd.Context(), 0)
			if err != nil {
				return err
			}
			return w.end(rasterMain(w, cmd.OutOrStdout(), args[0], output, zoom, explain))
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "the picture to write, a PNG")
	cmd.Flags().IntVar(&zoom, "zoom", 32, "pixels of the picture a pixel of the scene, 4 to 64")
	cmd.Flags().BoolVar(&explain, "explain", false, "print which rules decided, draw by draw")
	l.add(cmd)
	return cmd
}

func rasterMain(w *work, out io.Writer, path, output string, zoom int, explain bool) error {
	if err := inRange("--zoom", zoom, 4, 64); err != nil {
		return err
	}
	w.doing = "drawing " + path
	s, err := scene.Load(w.ctx, path, w.budget)
	if err != nil {
		return err
	}
	dev, err := pumice.Open(&pumice.Config{Budget: w.budget})
	if err != nil {
		return err
	}
	defer dev.Close()
	if explain {
		text, err := s.Explain(w.ctx, dev)
		if err != nil {
			return err
		}
		if _, err := io.WriteString(out, text); err != nil {
			return err
		}
	}
	if output == "" {
		return nil
	}
	im, err := s.Picture(w.ctx, dev, zoom)
	if err != nil {
		return err
	}
	return writePNG(w.ctx, output, im)
}
