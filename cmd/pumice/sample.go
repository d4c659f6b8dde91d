package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/imagefile"
	"github.com/pumice-gpu/pumice/vk"
)

// sampleOptions are the flags of pumice sample.
type sampleOptions struct {
	uv, texels          []string
	filter, mip, wrap   string
	border, compare     string
	lod, bias, minLod   float32
	grad                string
	quad                bool
	offset              string
	anisotropy, dref    float32
	gather              int
	level               int
	srgb, hdr, makeMips bool
	unnormalized        bool
	explain, json       bool
	limits
}

func sampleCommand() *cobra.Command {
	var o sampleOptions
	cmd := &cobra.Command{
		Use:   "sample IMAGE",
		Short: "Sample an image (KTX 2, DDS, .astc, PNG, OpenEXR and others) and say what comes, and why",
		Long: "sample runs one image instruction on an image, as a shader would, and prints the\n" +
			"texel. Images are files of KTX 2, DDS, .astc, OpenEXR, Radiance, PNG, JPEG, WebP, GIF,\n" +
			"BMP and TGA. With --explain it prints each step with its rule and its numbers: those\n" +
			"that made the texel. Cubes take directions x,y,z; the layer of an array comes last.",
		Example: `  pumice sample wall.ktx2 --uv 0.5,0.25 --filter linear --lod 1.5 --explain
  pumice sample sky.dds --uv 1,0.2,-0.3 --filter linear
  pumice sample wall.png --mips --quad --uv 0,0 --uv 0.1,0 --uv 0,0.1 --uv 0.1,0.1 --filter linear --mip linear
  pumice sample shadow.ktx2 --uv 0.5,0.5 --compare less --dref 0.4
  pumice sample wall.ktx2 --texel 3,4 --level 2`,
		Args: usageArgs(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			w, err := o.begin(cmd.Context(), 0)
			if err != nil {
				return err
			}
			return w.end(sampleMain(w, args[0], &o, cmd.OutOrStdout(), cmd.ErrOrStderr()))
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&o.uv, "uv", nil, "coordinates s[,t[,r]][,layer]; may be given again")
	f.StringArrayVar(&o.texels, "texel", nil, "fetch the texel i[,j[,k]][,layer] instead; may be given again")
	f.StringVar(&o.filter, "filter", "nearest", "of texels: "+words(filters)+"; or two, MAGNIFICATION,MINIFICATION")
	f.StringVar(&o.mip, "mip", "nearest", "of levels: nearest, linear, or none to keep to level 0")
	f.StringVar(&o.wrap, "wrap", "repeat", "address mode: "+words(addressModes)+"; or one a direction, with commas")
	f.StringVar(&o.border, "border", "transparent", "border colour: "+words(borders))
	f.StringVar(&o.compare, "compare", "", "compare --dref with the texels: "+words(compareOps))
	f.Float32Var(&o.dref, "dref", 0, "reference value of a comparison")
	f.Float32Var(&o.lod, "lod", 0, "level of detail")
	f.Float32Var(&o.minLod, "min-lod", 0, "smallest level of detail")
	f.StringVar(&o.grad, "grad", "", "derivatives dx/dy, such as 0.1,0/0,0.1: they give the level of detail")
	f.BoolVar(&o.quad, "quad", false, "each four coordinates are a quad of fragments, which gives the level of detail")
	f.Float32Var(&o.bias, "bias", 0, "added to the level of detail of a quad")
	f.Float32Var(&o.anisotropy, "anisotropy", 1, "largest anisotropy")
	f.StringVar(&o.offset, "offset", "", "texels to add, i[,j[,k]]")
	f.IntVar(&o.gather, "gather", -1, "gather this component, 0 to 3, of the four texels of a linear filter")
	f.IntVar(&o.level, "level", 0, "level of --texel")
	f.BoolVar(&o.unnormalized, "unnormalized", false, "coordinates count texels")
	f.BoolVar(&o.makeMips, "mips", false, "make all levels from the first")
	f.BoolVar(&o.srgb, "srgb", false, "read .astc, PNG, JPEG and other pictures as sRGB")
	f.BoolVar(&o.hdr, "hdr", false, "read .astc as HDR")
	f.BoolVar(&o.explain, "explain", false, "print each step with its rule")
	f.BoolVar(&o.json, "json", false, "print JSON")
	o.add(cmd)
	return cmd
}

var (
	filters = map[string]vk.Filter{"nearest": vk.FilterNearest, "linear": vk.FilterLinear, "cubic": vk.FilterCubicEXT}

	addressModes = map[string]vk.SamplerAddressMode{
		"repeat": vk.SamplerAddressModeRepeat, "mirror": vk.SamplerAddressModeMirroredRepeat, "clamp": vk.SamplerAddressModeClampToEdge,
		"border": vk.SamplerAddressModeClampToBorder, "mirror-clamp": vk.SamplerAddressModeMirrorClampToEdge,
	}
	borders = map[string]vk.BorderColor{
		"transparent": vk.BorderColorFloatTransparentBlack, "black": vk.BorderColorFloatOpaqueBlack, "white": vk.BorderColorFloatOpaqueWhite,
	}
	compareOps = map[string]vk.CompareOp{
		"never": vk.CompareOpNever, "less": vk.CompareOpLess, "equal": vk.CompareOpEqual, "less-or-equal": vk.CompareOpLessOrEqual,
		"greater": vk.CompareOpGreater, "not-equal": vk.CompareOpNotEqual, "greater-or-equal": vk.CompareOpGreaterOrEqual, "always": vk.CompareOpAlways,
	}
)

// words lists the values of a flag.
func words[V any](m map[string]V) string { return strings.Join(slices.Sorted(maps.Keys(m)), ", ") }

// word finds the value of a flag.
func word[V any](flag, text string, m map[string]V) (V, error) {
	v, ok := m[text]
	if !ok {
		return v, usagef("%s %q: want one of %s", flag, text, words(m))
	}
	return v, nil
}

// each finds the values of a flag with commas: n of them, or one for all.
func each[V any](flag, text string, n int, m map[string]V) ([]V, error) {
	parts := strings.Split(text, ",")
	if len(parts) == 1 {
		parts = slices.Repeat(parts, n)
	}
	if len(parts) != n {
		return nil, usagef("%s %q: want 1 or %d values", flag, text, n)
	}
	out := make([]V, n)
	for i, p := range parts {
		var err error
		if out[i], err = word(flag, p, m); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// numbers reads 1 to most numbers with commas between.
func numbers(flag, text string, most int) ([]float64, error) {
	parts := strings.Split(text, ",")
	out := make([]float64, len(parts))
	for i, p := range parts {
		v, err := strconv.ParseFloat(strings.TrimSpace(p), 64)
		if err != nil || len(parts) > most {
			return nil, usagef("%s %q: want 1 to %d numbers with commas between", flag, text, most)
		}
		out[i] = v
	}
	return out, nil
}

// sampler makes the sampler's description of the flags.
func (o *sampleOptions) sampler() (d pumice.SamplerDesc, err error) {
	f, err := each("--filter", o.filter, 2, filters)
	if err != nil {
		return d, err
	}
	w, err := each("--wrap", o.wrap, 3, addressModes)
	if err != nil {
		return d, err
	}
	d = pumice.SamplerDesc{
		MagFilter: f[0], MinFilter: f[1], AddressModeU: w[0], AddressModeV: w[1], AddressModeW: w[2],
		MaxAnisotropy: o.anisotropy, Unnormalized: o.unnormalized,
	}
	switch o.mip {
	case "nearest":
	case "linear":
		d.MipmapMode = vk.SamplerMipmapModeLinear
	case "none":
		d.NoMips = true
	default:
		return d, usagef("--mip %q: want nearest, linear or none", o.mip)
	}
	if d.BorderColor, err = word("--border", o.border, borders); err != nil {
		return d, err
	}
	if o.compare != "" {
		d.CompareEnable = true
		d.CompareOp, err = word("--compare", o.compare, compareOps)
	}
	return d, err
}

// operands makes the options of the instruction.
func (o *sampleOptions) operands() (s pumice.SampleOptions, err error) {
	s = pumice.SampleOptions{Lod: o.lod, Bias: o.bias, Quads: o.quad, MinLod: o.minLod, Dref: o.dref}
	if o.offset != "" {
		v, err := numbers("--offset", o.offset, 3)
		if err != nil {
			return s, err
		}
		for i, x := range v {
			s.Offset[i] = int(x)
		}
	}
	if o.grad != "" {
		dx, dy, ok := strings.Cut(o.grad, "/")
		if !ok {
			return s, usagef("--grad %q: want dx/dy, such as 0.1,0/0,0.1", o.grad)
		}
		s.Grad = new([2][3]float32)
		for k, text := range []string{dx, dy} {
			v, err := numbers("--grad", text, 3)
			if err != nil {
				return s, err
			}
			for i, x := range v {
				s.Grad[k][i] = float32(x)
			}
		}
	}
	return s, nil
}

// answer is what is printed of one coordinate.
type answer struct {
	At    string        `json:"at"`
	Texel [4]float32    `json:"texel"`
	Bits  [4]uint32     `json:"bits"`
	Steps []pumice.Step `json:"steps,omitempty"`

	text string
}

func sampleMain(w *work, path string, o *sampleOptions, out, stderr io.Writer) error {
	if (len(o.uv) == 0) == (len(o.texels) == 0) {
		return usagef("give --uv or --texel, at least once")
	}
	desc, err := o.sampler()
	if err != nil {
		return err
	}
	operands, err := o.operands()
	if err != nil {
		return err
	}
	ctx := w.ctx
	w.doing = "reading " + path
	file, err := imagefile.Open(ctx, path, imagefile.Options{SRGB: o.srgb, HDR: o.hdr, Budget: w.budget, Upload: true})
	if err != nil {
		return err
	}
	for _, warning := range file.Warnings {
		fmt.Fprintf(stderr, "pumice: warning: %s: %s\n", path, warning)
	}
	dev, err := pumice.Open(&pumice.Config{Budget: w.budget})
	if err != nil {
		return err
	}
	defer dev.Close()
	w.doing = "sampling " + path
	im, err := upload(ctx, dev, file, o.makeMips)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	defer im.Close()
	var list []answer
	if len(o.texels) > 0 {
		list, err = o.fetch(ctx, dev, im)
	} else {
		var s *pumice.Sampler
		if s, err = dev.NewSampler(desc); err != nil {
			return err
		}
		defer s.Close()
		list, err = o.sample(ctx, dev, pumice.Texture{View: im, Sampler: s}, operands)
	}
	if err != nil {
		return err
	}
	if o.json {
		e := json.NewEncoder(out)
		e.SetIndent("", "  ")
		return e.Encode(list)
	}
	for _, a := range list {
		fmt.Fprintf(out, "%s: %s\n", a.At, a.text)
		writeSteps(out, a.Steps)
	}
	return nil
}

// writeSteps writes a line a step, texts below each other; where a text would be wider than a terminal it has lines of
// its own.
func writeSteps(out io.Writer, steps []pumice.Step) {
	width := 0
	for _, s := range steps {
		width = max(width, utf8.RuneCountInString(s.Rule+" "+s.Title))
	}
	for _, s := range steps {
		rule := s.Rule + " " + s.Title
		if 4+width+utf8.RuneCountInString(s.Text) <= columns {
			fmt.Fprintf(out, "  %-*s  %s\n", width, rule, s.Text)
			continue
		}
		fmt.Fprintf(out, "  %s\n", rule)
		for _, line := range folded(s.Text, columns-6) {
			fmt.Fprintf(out, "      %s\n", line)
		}
	}
}

// columns is how many of them a terminal has.
const columns = 80

// folded breaks a text at spaces into lines of at most n characters, where words let it.
func folded(text string, n int) (lines []string) {
	line := ""
	for word := range strings.FieldsSeq(text) {
		switch {
		case line == "":
			line = word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > n:
			lines = append(lines, line)
			line = "  " + word
		default:
			line += " " + word
		}
	}
	return append(lines, line)
}

// upload makes the image, with all levels where asked for.
func upload(ctx context.Context, dev *pumice.Device, file *imagefile.File, mips bool) (*pumice.Image, error) {
	if !mips || file.Levels > 1 {
		return file.Upload(dev)
	}
	desc := file.ImageDesc()
	desc.MipLevels = pumice.AllMips
	im, err := dev.NewImage(desc)
	if err != nil {
		return nil, err
	}
	for layer := range file.Layers {
		if err = im.Write(ctx, pumice.Subresource{Layer: layer}, file.Level(0, layer)); err != nil {
			break
		}
	}
	if err == nil {
		err = im.GenerateMipmaps()
	}
	if err != nil {
		im.Close()
		return nil, err
	}
	return im, nil
}

func (o *sampleOptions) fetch(ctx context.Context, dev *pumice.Device, im *pumice.Image) ([]answer, error) {
	at := make([][4]int, len(o.texels))
	for i, text := range o.texels {
		v, err := numbers("--texel", text, 4)
		if err != nil {
			return nil, err
		}
		for c, x := range v {
			at[i][c] = int(x)
		}
	}
	fetch := pumice.FetchOptions{Level: o.level}
	texels, err := dev.Fetch(ctx, im, at, fetch)
	list := answers(o.texels, texels)
	if err != nil || !o.explain {
		return list, err
	}
	for i := range list {
		if _, list[i].Steps, err = dev.ExplainFetch(ctx, im, at[i], fetch); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func (o *sampleOptions) sample(ctx context.Context, dev *pumice.Device, t pumice.Texture, operands pumice.SampleOptions) ([]answer, error) {
	at := make([]pumice.Coord, len(o.uv))
	for i, text := range o.uv {
		v, err := numbers("--uv", text, 4)
		if err != nil {
			return nil, err
		}
		for c, x := range v {
			at[i][c] = float32(x)
		}
	}
	var texels []pumice.Texel
	var err error
	if o.gather >= 0 {
		texels, err = dev.Gather(ctx, t, at, o.gather, operands)
	} else {
		texels, err = dev.Sample(ctx, t, at, operands)
	}
	list := answers(o.uv, texels)
	if err != nil || !o.explain {
		return list, err
	}
	for i := range list {
		if o.gather >= 0 {
			_, list[i].Steps, err = dev.ExplainGather(ctx, t, at, o.gather, i, operands)
		} else {
			_, list[i].Steps, err = dev.ExplainSample(ctx, t, at, i, operands)
		}
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}

func answers(at []string, texels []pumice.Texel) []answer {
	list := make([]answer, len(texels))
	for i, t := range texels {
		list[i] = answer{At: at[i], Texel: t.Float(), Bits: t.Bits(), text: t.String()}
	}
	return list
}
