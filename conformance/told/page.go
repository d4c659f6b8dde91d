package told

import (
	"fmt"
	"strings"

	"github.com/pumice-gpu/pumice/internal/rules/catalogue"
)

//go:generate go run ./_gen -out ../../docs/validation.md

// Page is docs/validation.md: where a program hears of each rule.
func Page() string {
	var b strings.Builder
	b.WriteString(`# Who is told of broken rules

Image instructions run whatever they are used on (IMG-002), and a program is told where that breaks a rule of
[IMG-100 to IMG-139](rules/img-05-validation-sampler.md) or [IMG-140 to IMG-196](rules/img-06-validation-shader.md): in Go by
Config's ` + "`Debug`" + `, in other programs by messengers of VK_EXT_debug_utils (or reporters of VK_EXT_debug_report) that are there before
the device, and with ` + "`PUMICE_VERBOSE=1`" + ` on standard error. Nobody looks where nobody listens.

When a program is told:

- *when it runs*: an invocation executes the instruction on a descriptor that it does not fit. What a branch leaves out, and elements
  of arrays that no invocation takes, are not told of. Each instruction of a pipeline is told of once a rule, with the pipeline, the
  line of the source where the module has lines, stage, instruction, set, binding and element. Texel buffers, sparse instructions and
  input attachments are held against the rules as images are.
- *module*: the module breaks the rule by itself. It is told of once a device when it is made, with word and line, and goes on where
  it can.
- *pipeline*: a specialized constant breaks it.
- *made*: an object would break it in all that it is used for. The call fails, and is told of by Vulkan's valid-usage statement; the
  driver goes on from some with what there is in place of what is asked for.
- *layouts*: a transition left the image in another layout than the descriptor names.

Features count as the program has enabled them; in the Go API all are on. Of arrays up to 65,536 pairs of images and samplers are
looked at. Offsets that shaders compute, and control flow that is not uniform around derivatives, are not known before they run, and
are not looked at. A pipeline with a misfit of which nobody has been told yet runs slower, as it asks before each image instruction.

Programs that nobody here wrote were listened to on 27 November 2026: vkcube, 17 scenes of glmark2 through zink, pages of WebGL and WebGPU
in Chromium, 58 workloads of a benchmark and some 6,900 conformance cases were told nothing that is not true. Seven filters of ffmpeg 5 are told
that they declare rgba8 on images of one byte (IMG-111), as they do.

The programs below run in the tests through both faces (` + "`conformance/told`" + `); each is told once, with rule and place.

| rule | what breaks it | told | in Go |
|---|---|---|---|
`)
	for _, r := range Rules() {
		if why, ok := Unbreakable[r]; ok {
			fmt.Fprintf(&b, "| %s | – | never: it %s | – |\n", catalogue.Name(r), why)
			continue
		}
		for _, c := range Cases() {
			if c.Rule != r {
				continue
			}
			in := "yes"
			if c.NoGo != "" {
				in = "no: " + c.NoGo
			}
			fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", catalogue.Name(r), c.What, c.when(), in)
		}
	}
	return b.String()
}

// when is when a program is told.
func (c *Case) when() string {
	switch {
	case strings.HasPrefix(c.Names, "VUID-"):
		return "made: " + c.Names
	case c.Names != "":
		return "layouts"
	case strings.HasPrefix(c.Where, "has an offset"):
		return "pipeline"
	case strings.HasSuffix(c.Where, ": "):
		return "module"
	}
	return "when it runs"
}
