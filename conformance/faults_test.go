package conformance

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/vk"
)

// A fault is a mistake that programs make: a scene is drawn with and without it, and the explanation of a
// pixel that it ruins names the cause.
type fault struct {
	name    string
	format  vk.Format // of the target; 0: R8G8B8A8_UNORM
	samples int
	depth   bool
	// draw records the scene's draws, and says which sample is wrong where planted is true.
	draw func(b *board, p *pumice.Pass, planted bool)
	// load edits how the pass begins.
	load   func(r *pumice.Rendering, planted bool)
	x, y   int
	sample int
	want   []string // in the verdict; not without the fault
}

// faultSize is the width and height of the targets.
const faultSize = 16

// faultSquare is two triangles over the whole viewport, their corners at these depths: (x, y, z, w) of NDC, times w.
func faultSquare(z, w float32, c color.NRGBA) []soup {
	at := func(x, y, u, v float32) soup {
		return soup{X: x * w, Y: y * w, Z: z * w, W: w, Color: [4]uint8{c.R, c.G, c.B, c.A}, U: u, V: v}
	}
	a, b, d, e := at(-1, -1, 0, 0), at(1, -1, 1, 0), at(-1, 1, 0, 1), at(1, 1, 1, 1)
	return []soup{a, d, b, b, d, e} // counter-clockwise on the screen
}

var (
	faultRed  = color.NRGBA{255, 0, 0, 255}
	faultBlue = color.NRGBA{0, 0, 255, 255}
)

func culling(mode vk.CullModeFlags, front vk.FrontFace) *vk.PipelineRasterizationStateCreateInfo {
	return &vk.PipelineRasterizationStateCreateInfo{CullMode: mode, FrontFace: front, LineWidth: 1}
}

func depthTest(op vk.CompareOp) *vk.PipelineDepthStencilStateCreateInfo {
	return &vk.PipelineDepthStencilStateCreateInfo{DepthTestEnable: true, DepthWriteEnable: true, DepthCompareOp: op}
}

// choose is one of two values.
func choose[T any](planted bool, wrong, right T) T {
	if planted {
		return wrong
	}
	return right
}

func faults() []fault {
	ccw := vk.FrontFaceCounterClockwise
	return []fault{
		{
			name: "wrong cull mode",
			draw: func(b *board, p *pumice.Pass, planted bool) {
				b.desc.Rasterization = culling(choose[vk.CullModeFlags](planted, vk.CullModeFrontBit, vk.CullModeBackBit), ccw)
				b.draw(p, 0, 1, nil, faultSquare(0.5, 1, faultRed)...)
			},
			want: []string{"nothing was ever drawn here: ", "front-facing", "cullMode FRONT culls"},
		}, {
			name: "front face inverted", depth: true,
			draw: func(b *board, p *pumice.Pass, planted bool) { // a box: its front and its back
				b.desc.Rasterization = culling(vk.CullModeBackBit, choose(planted, vk.FrontFaceClockwise, ccw))
				b.desc.DepthStencil = depthTest(vk.CompareOpLess)
				back := faultSquare(0.75, 1, faultBlue)
				for i := 0; i < len(back); i += 3 {
					back[i], back[i+1] = back[i+1], back[i]
				}
				b.draw(p, 0, 1, nil, append(faultSquare(0.25, 1, faultRed), back...)...)
			},
			want: []string{"culls what lies before what it draws (depth 0.25, and 0.75): is frontFace CLOCKWISE inverted"},
		}, {
			name: "reversed depth compare", depth: true,
			draw: func(b *board, p *pumice.Pass, planted bool) {
				b.desc.DepthStencil = depthTest(choose(planted, vk.CompareOpGreater, vk.CompareOpLess))
				b.draw(p, 0, 1, nil, faultSquare(0.25, 1, faultRed)...)
			},
			want: []string{"lost the depth test: 0.25 is not GREATER than 1", "is depthCompareOp GREATER reversed"},
		}, {
			name: "reversed depth compare in perspective", depth: true,
			load: func(r *pumice.Rendering, planted bool) {
				r.Depth.Clear.DepthStencil.Depth = choose[float32](planted, 0, 1)
			},
			draw: func(b *board, p *pumice.Pass, planted bool) { // z/w = 1 − 1/w: near is at 1, far nowhere
				b.desc.DepthStencil = depthTest(choose(planted, vk.CompareOpGreater, vk.CompareOpLess))
				for _, s := range []struct {
					c    [4]uint8
					near float32
				}{{[4]uint8{255, 0, 0, 255}, 2}, {[4]uint8{0, 0, 255, 255}, 5}} {
					at := func(x, y, w float32) soup { return soup{X: x * w, Y: y * w, Z: w - 1, W: w, Color: s.c} }
					b.draw(p, 0, 1, nil, at(-1, -1, s.near), at(-1, 3, 2*s.near), at(3, -1, s.near))
				}
			},
			want: []string{"draw 1 passed the depth test", "with distance (w) the depth grows here, so that GREATER keeps what is farther away"},
		}, {
			name: "contents not loaded",
			load: func(r *pumice.Rendering, planted bool) {
				r.Color[0].Load = choose(planted, vk.AttachmentLoadOpDontCare, vk.AttachmentLoadOpClear)
			},
			draw: func(b *board, p *pumice.Pass, planted bool) {
				b.desc.Blend = &vk.PipelineColorBlendStateCreateInfo{Attachments: []vk.PipelineColorBlendAttachmentState{pumice.AlphaBlend()}}
				b.draw(p, 0, 1, nil, faultSquare(0.5, 1, color.NRGBA{255, 0, 0, 100})...)
			},
			want: []string{"loadOp DONT_CARE: the contents are undefined"},
		}, {
			name: "swapped blend factors",
			draw: func(b *board, p *pumice.Pass, planted bool) {
				a := pumice.AlphaBlend()
				if planted {
					a.SrcColorBlendFactor, a.DstColorBlendFactor = a.DstColorBlendFactor, a.SrcColorBlendFactor
				}
				b.desc.Blend = &vk.PipelineColorBlendStateCreateInfo{Attachments: []vk.PipelineColorBlendAttachmentState{a}}
				b.draw(p, 0, 1, nil, faultSquare(0.5, 1, color.NRGBA{255, 0, 0, 200})...)
			},
			want: []string{"the source counts ONE_MINUS_SRC_ALPHA (", "are they swapped?"},
		}, {
			name: "scissor off by one", x: faultSize - 1, y: 3,
			draw: func(b *board, p *pumice.Pass, planted bool) {
				p.SetScissor(vk.Rect2D{Extent: vk.Extent2D{Width: uint32(choose(planted, faultSize-1, faultSize)), Height: faultSize}})
				b.draw(p, 0, 1, nil, faultSquare(0.5, 1, faultRed)...)
			},
			want: []string{"scissored: the rectangle goes from (0, 0) to (14, 15), the pixel is (15, 3): one too few?"},
		}, {
			name: "NaN position",
			draw: func(b *board, p *pumice.Pass, planted bool) {
				s := faultSquare(0.5, 1, faultRed)[:3]
				s[1].Y, s[2].X = 3, 3
				if planted {
					s[2].X = float32(math.NaN())
				}
				b.draw(p, 0, 1, nil, s...)
			},
			want: []string{"the position of vertex 2 is not finite: (NaN, "},
		}, {
			name: "mip bias",
			draw: func(b *board, p *pumice.Pass, planted bool) {
				img := image.NewNRGBA(image.Rect(0, 0, 16, 16))
				for i := range 256 {
					img.SetNRGBA(i%16, i/16, choose((i%16+i/16)%2 == 1, color.NRGBA{255, 255, 255, 255}, color.NRGBA{A: 255}))
				}
				board := must(b.dev.NewImageFrom(img, &pumice.ImageDesc{MipLevels: pumice.AllMips}))(b.t)
				s := pumice.LinearSampler(vk.SamplerAddressModeRepeat)
				s.MipLodBias = choose[float32](planted, 3, 0)
				b.draw(p, 1, 1, &pumice.Texture{View: board, Sampler: must(b.dev.NewSampler(s))(b.t)}, faultSquare(0.5, 1, color.NRGBA{255, 255, 255, 255})...)
			},
			want: []string{"by its LOD bias of 3: without it λ would be "},
		}, {
			name: "wrong sample mask", samples: 4, sample: 0,
			draw: func(b *board, p *pumice.Pass, planted bool) {
				b.desc.Multisample = &vk.PipelineMultisampleStateCreateInfo{RasterizationSamples: 4, SampleMask: []uint32{choose[uint32](planted, 0xe, 0xf)}}
				b.draw(p, 0, 1, nil, faultSquare(0.5, 1, faultRed)...)
			},
			want: []string{"the sample mask 0xe leaves sample 0 out"},
		}, {
			name: "sRGB twice", format: vk.FormatR8G8B8A8Srgb,
			draw: func(b *board, p *pumice.Pass, planted bool) {
				if planted {
					b.desc.Fragment, b.bare = pumice.Shader{Code: spv(b.t, "encode.frag")}, true
				}
				b.draw(p, 0, 1, nil, faultSquare(0.5, 1, color.NRGBA{90, 30, 0, 255})...)
			},
			want: []string{"encoded to sRGB twice? the shader's output", "is the sRGB code of its input"},
		}, {
			name: "before the near plane",
			draw: func(b *board, p *pumice.Pass, planted bool) {
				b.draw(p, 0, 1, nil, faultSquare(choose[float32](planted, -0.25, 0.25), 1, faultRed)...)
			},
			want: []string{"would cover the pixel: all vertices are beyond the near plane"},
		}, {
			name:  "wrong stencil reference",
			depth: true,
			draw: func(b *board, p *pumice.Pass, planted bool) {
				s := vk.StencilOpState{CompareOp: vk.CompareOpEqual, CompareMask: 255, WriteMask: 255, Reference: choose[uint32](planted, 1, 0)}
				b.desc.DepthStencil = &vk.PipelineDepthStencilStateCreateInfo{StencilTestEnable: true, Front: s, Back: s}
				b.draw(p, 0, 1, nil, faultSquare(0.5, 1, faultRed)...)
			},
			want: []string{"covers the pixel, but stencil: 1 (reference 0x1 & 0xff) is not EQUAL to 0 (stored 0x0 & 0xff)"},
		}, {
			name: "colour write mask",
			draw: func(b *board, p *pumice.Pass, planted bool) {
				a := vk.PipelineColorBlendAttachmentState{ColorWriteMask: choose[vk.ColorComponentFlags](planted, vk.ColorComponentGBit|vk.ColorComponentBBit|vk.ColorComponentABit, 15)}
				b.desc.Blend = &vk.PipelineColorBlendStateCreateInfo{Attachments: []vk.PipelineColorBlendAttachmentState{a}}
				b.draw(p, 0, 1, nil, faultSquare(0.5, 1, faultRed)...)
			},
			want: []string{`the colour write mask "GBA" leaves red as before`},
		}, {
			name: "discard", x: 2,
			draw: func(b *board, p *pumice.Pass, planted bool) {
				b.draw(p, choose(planted, 5, 0), 1, nil, faultSquare(0.5, 1, color.NRGBA{255, 0, 0, 255})...)
			},
			want: []string{"covers the pixel, but the shader discards the fragment"},
		}, {
			name: "NaN of the shader", format: vk.FormatR16G16B16A16Sfloat,
			draw: func(b *board, p *pumice.Pass, planted bool) {
				b.desc.Fragment, b.bare = pumice.Shader{Code: spv(b.t, "encode.frag")}, true
				b.instance = must(b.dev.NewBufferFrom([]float32{0, 0, 1, choose[float32](planted, -4, 1)}))(b.t) // below zero, which has no power
				b.draw(p, 0, 1, nil, faultSquare(0.5, 1, color.NRGBA{90, 30, 0, 255})...)
			},
			want: []string{"it is (NaN, NaN, NaN, ", "its shader made it, ", " Pow ", " is (-0.7352941, -0.9117647, -1)"},
		},
	}
}

// drawFault draws a scene to a new image.
func drawFault(t testing.TB, f *fault, planted bool) (*board, *pumice.CommandBuffer, *pumice.Image) {
	t.Helper()
	format := f.format
	if format == 0 {
		format = vk.FormatR8G8B8A8Unorm
	}
	dev := must(pumice.Open(&pumice.Config{Explain: true}))(t)
	t.Cleanup(func() { _ = dev.Close() })
	b := boardOn(t, dev, format, f.samples)
	target := must(b.dev.NewImage(pumice.ImageDesc{Format: format, Width: faultSize, Height: faultSize, Samples: f.samples}))(t)
	r := pumice.ClearTo(target, color.NRGBA{0, 60, 0, 255})
	if f.depth {
		b.desc.DepthFormat, b.desc.StencilFormat = vk.FormatD32SfloatS8Uint, vk.FormatD32SfloatS8Uint
		r = r.WithDepth(must(b.dev.NewImage(pumice.ImageDesc{Format: vk.FormatD32SfloatS8Uint, Width: faultSize, Height: faultSize}))(t), 1)
	}
	if f.load != nil {
		f.load(&r, planted)
	}
	cmd := b.dev.NewCommandBuffer()
	pass := cmd.BeginRendering(r)
	f.draw(b, pass, planted)
	pass.End()
	return b, cmd, target
}

// TestFaults_CauseInThreeLines: of each fault the verdict on a wrong pixel names the cause, and of the same scene without it
// the verdict does not.
func TestFaults_CauseInThreeLines(t *testing.T) {
	for _, f := range faults() {
		t.Run(f.name, func(t *testing.T) {
			verdict := func(planted bool) string {
				b, cmd, target := drawFault(t, &f, planted)
				es, err := b.dev.Explain(ctx, []pumice.WatchPoint{{Image: target, X: f.x, Y: f.y, Sample: f.sample, Shader: true}}, cmd)
				if err != nil {
					t.Fatal(err)
				}
				e := es[0]
				if len(e.Verdict) == 0 || len(e.Verdict) > 3 {
					t.Errorf("%d lines", len(e.Verdict))
				}
				return strings.Join(e.Verdict, "\n")
			}
			wrong, right := verdict(true), verdict(false)
			t.Logf("with the fault:\n%s\nwithout:\n%s", wrong, right)
			for _, want := range f.want {
				if !strings.Contains(wrong, want) {
					t.Errorf("%q is not in\n%s", want, wrong)
				}
				if strings.Contains(right, want) {
					t.Errorf("without the fault there is %q in\n%s", want, right)
				}
			}
		})
	}
}

// failing is a test whose failures are kept.
type failing struct {
	testing.TB
	failures []string
}

func (f *failing) Helper() {}

func (f *failing) Errorf(format string, args ...any) {
	f.failures = append(f.failures, fmt.Sprintf(format, args...))
}

// A scene drawn right is the golden picture of the same scene with a fault: the failure tells the cause, and the files
// that it names are there.
func TestFaults_GoldenPicturesExplainThemselves(t *testing.T) {
	t.Setenv("GITHUB_STEP_SUMMARY", "") // what fails here is none of the run's failures
	temporary := t.TempDir()
	for _, name := range []string{"TMPDIR", "TMP"} { // Windows has the second
		t.Setenv(name, temporary)
	}
	all := faults()
	scissor := &all[slices.IndexFunc(all, func(f fault) bool { return f.name == "scissor off by one" })]
	file := filepath.Join(t.TempDir(), "square.png")
	right, cmd, target := drawFault(t, scissor, false)
	if err := writePNG(file, right.picture(cmd, target)); err != nil {
		t.Fatal(err)
	}
	wrong := &failing{TB: t}
	b, cmd, target := drawFault(wrong, scissor, true)
	b.golden(file, cmd, target)
	if len(wrong.failures) != 1 {
		t.Fatalf("%d failures: %q", len(wrong.failures), wrong.failures)
	}
	got := wrong.failures[0]
	t.Log(got)
	for _, want := range []string{
		": 16 of 256 pixels differ (6.25 %), all in x 15 to 15, y 0 to 15, ", "the first at (15, 0): got (0, 60, 0, 255), want (255, 64, 64, 255)\n",
		": actual.png, difference.png, explained.txt, explained.json\n", "the rectangle goes from (0, 0) to (14, 15), the pixel is (15, 0): one too few?\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
	files, err := filepath.Glob(filepath.Join(temporary, "golden-square-*", "*"))
	if err != nil || len(files) != 4 {
		t.Errorf("%q, %v", files, err)
	}
}

// Samples that are explained together each count the primitives that come near them.
func TestFaults_SamplesCountForThemselves(t *testing.T) {
	b := newBoard(t, vk.FormatR8G8B8A8Unorm, 1)
	target := must(b.dev.NewImage(pumice.ImageDesc{Format: vk.FormatR8G8B8A8Unorm, Width: faultSize, Height: faultSize}))(t)
	cmd := b.dev.NewCommandBuffer()
	pass := cmd.BeginRendering(pumice.ClearTo(target, color.Black))
	at := func(x, y float32) soup { return soup{X: x, Y: y, W: 1} }
	b.draw(pass, 0, 1, nil, at(-1, -1), at(-0.5, -1), at(-1, -0.5), at(1, 1), at(0.5, 1), at(1, 0.5), at(1, 1), at(0.25, 1), at(1, 0.25))
	pass.End()
	es := must(b.dev.Explain(ctx, []pumice.WatchPoint{{Image: target}, {Image: target, X: 15, Y: 15}, {Image: target, X: 8, Y: 8}}, cmd))(t)
	for i, near := range []int{1, 2, 0} {
		d := es[i].Events[1].Draw
		if d.Primitives != 3 || d.Elsewhere != 3-near || len(d.Fragments) != near || es[i].Dropped != 0 {
			t.Errorf("sample %d: %d of %d primitives are elsewhere, %d at it, %d dropped; want %d at it", i, d.Elsewhere, d.Primitives, len(d.Fragments), es[i].Dropped, near)
		}
	}
}
