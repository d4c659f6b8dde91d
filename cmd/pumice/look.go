package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pumice-gpu/pumice/gltf/studio"
	"github.com/pumice-gpu/pumice/imagefile/encode"
)

// lookOptions are the flags that say how light becomes a picture, or what is drawn in its place.
type lookOptions struct {
	exposure, strength float64
	tone, pass         string

	toned studio.Tone // what checkLook found
	shown studio.Pass
}

// The names of tones and passes, in the order of package studio.
var (
	toneNames = []string{studio.ToneNeutral: "neutral", studio.ToneACES: "aces", studio.ToneAgX: "agx", studio.ToneNone: "none"}
	passNames = []string{
		studio.PassDepth: "depth", studio.PassNormal: "normal", studio.PassID: "id", studio.PassWireframe: "wireframe", studio.PassOverdraw: "overdraw",
	}[1:] // the first is the picture
)

func (o *lookOptions) addLook(cmd *cobra.Command) {
	f := cmd.Flags()
	f.Float64Var(&o.exposure, "exposure", 0, "brighten the picture by so many stops before tones are mapped, -16 to 16")
	f.Float64Var(&o.strength, "light-strength", 1, "strength of the environment's light, 0 to 1000; the model's own lights keep theirs")
	f.StringVar(&o.tone, "tone", toneNames[0], "how light becomes colours: "+strings.Join(toneNames, ", "))
	f.StringVar(&o.pass, "pass", "", strings.Join(passNames, ", ")+": what to draw in the place of the picture")
	_ = cmd.RegisterFlagCompletionFunc("tone", cobra.FixedCompletions(toneNames, cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("pass", cobra.FixedCompletions(passNames, cobra.ShellCompDirectiveNoFileComp))
}

// lightFlags are those that passes have no use for.
var lightFlags = []string{"exposure", "light-strength", "tone", "environment", "environment-rotation", "environment-background", "ground", "background"}

// checkLook refuses what cannot be, and contradictions. Passes may set how many samples a pixel there are.
func (o *lookOptions) checkLook(changed func(string) bool, as encode.Format, samples *int) error {
	if err := inRange("--exposure", o.exposure, -16, 16); err != nil {
		return err
	}
	if err := inRange("--light-strength", o.strength, 0, 1000); err != nil {
		return err
	}
	if changed("tone") {
		i := slices.Index(toneNames, o.tone)
		if i < 0 {
			return usagef("--tone %q: want one of %s", o.tone, strings.Join(toneNames, ", "))
		}
		o.toned = studio.Tone(i)
	}
	switch {
	case as == encode.EXR && changed("tone"):
		return usagef("--tone: EXR holds the light before tones are mapped; leave --tone out, or choose another format")
	case o.strength == 0 && changed("ground"):
		return usagef("--ground and --light-strength 0: the ground catches the shadows of that light; leave one of them out")
	case !changed("pass"):
		return nil
	}
	i := slices.Index(passNames, o.pass)
	if i < 0 {
		return usagef("--pass %q: want one of %s", o.pass, strings.Join(passNames, ", "))
	}
	o.shown = studio.Pass(1 + i)
	for _, name := range lightFlags {
		if changed(name) {
			return usagef("--pass and --%s: passes show no light and have nothing behind them; leave one of them out", name)
		}
	}
	if o.shown == studio.PassWireframe {
		return nil
	}
	if changed("samples") && *samples != 1 {
		return usagef("--samples %d: --pass %s has one sample a pixel, for there is no mean of its numbers", *samples, o.pass)
	}
	*samples = 1
	switch {
	case as == encode.KTX2:
		return usagef("--pass %s: KTX 2 holds colours of sRGB here, and these are numbers; choose png, webp or exr", o.pass)
	case as == encode.JPEG:
		return usagef("--pass %s: JPEG changes colours and is white where nothing is, and these are numbers; choose png, webp or exr", o.pass)
	}
	return nil
}

// applyLook puts the look into a view.
func (o *lookOptions) applyLook(v *studio.View) {
	v.Exposure, v.Light, v.Tone, v.Pass = o.exposure, &o.strength, o.toned, o.shown
}

// idName is what --json prints of a primitive in the pass of ids.
type idName struct {
	ID        int    `json:"id"`    // the value in EXR
	Color     string `json:"color"` // #rrggbb
	Node      int    `json:"node"`
	NodeName  string `json:"node_name,omitempty"`
	Instance  int    `json:"instance"` // of the node's; 0 where it has none
	Mesh      int    `json:"mesh"`
	MeshName  string `json:"mesh_name,omitempty"`
	Primitive int    `json:"primitive"`
	Material  string `json:"material,omitempty"`
}

// nameIDs adds the primitives that a view draws to the report.
func (r *report) nameIDs(w *work, m *studio.Model, v studio.View) error {
	ids, err := m.IDs(v)
	if err != nil {
		return err
	}
	doc := m.Document()
	for _, id := range ids {
		at, have := slices.BinarySearchFunc(r.IDs, id.Number, func(have idName, number int) int { return have.ID - number })
		if have {
			continue
		}
		const size = 512 // of a name and its JSON
		if err := w.budget.Take(size); err != nil {
			return fmt.Errorf("%s: names of ids: %w", doc.File, err)
		}
		r.IDs = slices.Insert(r.IDs, at, idName{
			ID: id.Number, Color: fmt.Sprintf("#%02x%02x%02x", id.Color.R, id.Color.G, id.Color.B),
			Node: id.Node, NodeName: doc.Nodes[id.Node].Name, Instance: id.Instance,
			Mesh: id.Mesh, MeshName: doc.Meshes[id.Mesh].Name, Primitive: id.Primitive, Material: id.Material.Name,
		})
	}
	return nil
}
