package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pumice-gpu/pumice/budget"
	"github.com/pumice-gpu/pumice/gltf"
)

func infoCommand() *cobra.Command {
	var l limits
	var asJSON, strict bool
	var how reading
	cmd := &cobra.Command{
		Use:   "info [FILE|-]",
		Short: "Say what a model, picture or texture holds, or without FILE what the device can do",
		Long:  "info says what a model holds and what a picture of it would lack, what a picture or texture holds, or without FILE\nwhat the device can do. " + modelFormats,
		Args:  usageArgs(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 && asJSON {
				return usagef("--json is for files: name one")
			}
			if len(args) == 0 {
				return describeDevice(cmd.OutOrStdout())
			}
			if err := how.checkReading(); err != nil {
				return err
			}
			w, err := l.begin(cmd.Context(), 0)
			if err != nil {
				return err
			}
			w.doing = "reading " + args[0]
			kind, in, closing, err := openPicture(w, args[0], cmd.InOrStdin())
			defer closing()
			if err == nil && kind != "" {
				return w.end(infoPicture(w, args[0], in, asJSON, strict, cmd.OutOrStdout()))
			}
			var doc *gltf.Document
			if err == nil {
				doc, err = loadModel(w, args[0], in, &how)
			}
			if err == nil {
				err = how.listens(doc)
			}
			if err == nil {
				w.doing = "decoding the images of " + args[0]
				err = checkImages(w, doc)
			}
			if err != nil {
				return w.end(err)
			}
			w.doing = "measuring " + args[0]
			if asJSON {
				e := json.NewEncoder(cmd.OutOrStdout())
				e.SetIndent("", "  ")
				if err := e.Encode(modelInfoOf(doc)); err != nil {
					return w.end(err)
				}
			} else {
				describe(cmd.OutOrStdout(), doc)
			}
			if strict {
				return w.end(errors.Join(lost(doc), w.ctx.Err()))
			}
			return w.end(w.ctx.Err())
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON what the file holds")
	cmd.Flags().BoolVar(&strict, "strict", false, "fail where a picture would lack something, or the file breaks a rule of its kind")
	how.addReading(cmd.Flags())
	l.add(cmd)
	return cmd
}

// checkImages finds images that cannot be decoded. Those that there is no memory for are not looked at.
func checkImages(w *work, doc *gltf.Document) error {
	err := doc.CheckImages(w.ctx)
	var over *budget.Error
	if !errors.As(err, &over) {
		return err
	}
	doc.Warnings = append(doc.Warnings, fmt.Sprintf("not all images were looked at: %v", err))
	return nil
}

// describe prints a document's contents, a line each.
func describe(w io.Writer, doc *gltf.Document) {
	line := func(label, format string, args ...any) {
		fmt.Fprintf(w, "%-12s%s\n", label, fmt.Sprintf(format, args...))
	}
	kind := doc.Kind + " " + doc.Asset.Version
	if doc.Form != "" {
		kind = doc.Kind + ", " + doc.Form
	}
	line("file", "%s (%s%s)", doc.File, kind, generator(doc))
	if doc.Kind != "glTF" {
		line("up", "%v", doc.Up)
	}
	line("scenes", "%d, nodes %d", len(doc.Scenes), len(doc.Nodes))
	primitives, vertices, triangles := 0, 0, 0
	for _, m := range doc.Meshes {
		primitives += len(m.Primitives)
		for _, p := range m.Primitives {
			vertices += p.Vertices()
			triangles += p.Triangles()
		}
	}
	line("meshes", "%d, primitives %d, vertices %d, triangles %d", len(doc.Meshes), primitives, vertices, triangles)
	if pose, err := doc.Pose(gltf.None, gltf.None, 0); err == nil {
		if b := pose.Bounds(); !b.Empty() {
			short := shortBounds(b)
			line("bounds", "%s to %s", decimals(short.Min), decimals(short.Max))
		}
	}
	line("materials", "%d, textures %d", len(doc.Materials), len(doc.Textures))
	for i, im := range doc.Images {
		kind := im.MIMEType
		if kind == "" {
			kind = im.Name // made of others, or unusable
		}
		line("image", "%d: %d×%d %s %s", i, im.Width, im.Height, kind, im.URI)
	}
	for i, name := range doc.Variants {
		line("variant", "%d: %q", i, name)
	}
	for i, a := range doc.Animations {
		line("animation", "%d: %q %.3f s, %d channels", i, a.Name, a.Duration, len(a.Channels))
	}
	for i, s := range doc.Skins {
		line("skin", "%d: %q %d joints", i, s.Name, len(s.Joints))
	}
	for i, c := range doc.Cameras {
		kind := "perspective"
		if c.Orthographic {
			kind = "orthographic"
		}
		line("camera", "%d: %q %s", i, c.Name, kind)
	}
	for i, l := range doc.Lights {
		line("light", "%d: %q %s, intensity %g", i, l.Name, lightKind(l.Type), l.Intensity)
	}
	for _, warning := range doc.Warnings {
		if slices.Contains(doc.Losses, warning) {
			line("loss", "%s", strings.TrimSpace(warning))
			continue
		}
		line("warning", "%s", strings.TrimSpace(warning))
	}
}

func generator(doc *gltf.Document) string {
	if doc.Asset.Generator == "" {
		return ""
	}
	return ", " + doc.Asset.Generator
}
