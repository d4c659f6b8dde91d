package conformance

import (
	"fmt"
	"image"
	"image/color"
	"regexp"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/explain"
	"github.com/pumice-gpu/pumice/vk"
)

// advice is something that a verdict says to do, or asks whether it is wrong: way 0 of the scene is as it is found, and each
// other way does it.
type advice struct {
	name    string
	format  vk.Format
	samples int
	depth   bool
	x, y    int
	draw    func(b *board, p *pumice.Pass, way int)
	load    func(r *pumice.Rendering, way int)
	says    string // in the verdict of way 0, and of no other
	ways    int    // besides way 0
	// silent: the verdict of way 0 must not say it, since doing it would change nothing.
	silent bool
}

func advices() []advice {
	ccw, cw := vk.FrontFaceCounterClockwise, vk.FrontFaceClockwise
	back := func(mode vk.CullModeFlags, front vk.FrontFace) *vk.PipelineRasterizationStateCreateInfo {
		return culling(mode, front)
	}
	perspective := func(b *board, p *pumice.Pass, op vk.CompareOp) {
		b.desc.DepthStencil = depthTest(op)
		for _, s := range []struct {
			c    [4]uint8
			near float32
		}{{[4]uint8{255, 0, 0, 255}, 2}, {[4]uint8{0, 0, 255, 255}, 5}} {
			at := func(x, y, w float32) soup { return soup{X: x * w, Y: y * w, Z: w - 1, W: w, Color: s.c} }
			b.draw(p, 0, 1, nil, at(-1, -1, s.near), at(-1, 3, 2*s.near), at(3, -1, s.near))
		}
	}
	const otherFace = "with the other frontFace, or without culling, "
	return []advice{
		{
			name: "back-facing and culled", says: otherFace, ways: 2,
			draw: func(b *board, p *pumice.Pass, way int) {
				b.desc.Rasterization = back([]vk.CullModeFlags{vk.CullModeBackBit, vk.CullModeBackBit, vk.CullModeNone}[way], []vk.FrontFace{cw, ccw, cw}[way])
				b.draw(p, 0, 1, nil, faultSquare(0.5, 1, faultRed)...)
			},
		}, {
			name: "front-facing and culled", says: "with cullMode BACK", ways: 1,
			draw: func(b *board, p *pumice.Pass, way int) {
				b.desc.Rasterization = back([]vk.CullModeFlags{vk.CullModeFrontBit, vk.CullModeBackBit}[way], ccw)
				b.draw(p, 0, 1, nil, faultSquare(0.5, 1, faultRed)...)
			},
		}, {
			name: "culled, and scissored as well", says: otherFace, ways: 1, silent: true,
			draw: func(b *board, p *pumice.Pass, way int) {
				b.desc.Rasterization = back([]vk.CullModeFlags{vk.CullModeBackBit, vk.CullModeNone}[way], cw)
				p.SetScissor(vk.Rect2D{Offset: vk.Offset2D{X: 5}, Extent: vk.Extent2D{Width: 4, Height: faultSize}})
				b.draw(p, 0, 1, nil, faultSquare(0.5, 1, faultRed)...)
			},
		}, {
			name: "culled, and masked as well", says: otherFace, ways: 1, silent: true, samples: 4,
			draw: func(b *board, p *pumice.Pass, way int) {
				b.desc.Rasterization = back([]vk.CullModeFlags{vk.CullModeBackBit, vk.CullModeNone}[way], cw)
				b.desc.Multisample = &vk.PipelineMultisampleStateCreateInfo{RasterizationSamples: 4, SampleMask: []uint32{0xe}}
				b.draw(p, 0, 1, nil, faultSquare(0.5, 1, faultRed)...)
			},
		}, {
			name: "culled, and not written as well", says: otherFace, ways: 1, silent: true,
			draw: func(b *board, p *pumice.Pass, way int) {
				b.desc.Rasterization = back([]vk.CullModeFlags{vk.CullModeBackBit, vk.CullModeNone}[way], cw)
				b.desc.Blend = &vk.PipelineColorBlendStateCreateInfo{Attachments: []vk.PipelineColorBlendAttachmentState{{}}}
				b.draw(p, 0, 1, nil, faultSquare(0.5, 1, faultRed)...)
			},
		}, {
			name: "scissor one too small", says: "one too few?", ways: 1, x: faultSize - 1,
			draw: func(b *board, p *pumice.Pass, way int) {
				p.SetScissor(vk.Rect2D{Extent: vk.Extent2D{Width: uint32(faultSize - 1 + way), Height: faultSize}})
				b.draw(p, 0, 1, nil, faultSquare(0.5, 1, faultRed)...)
			},
		}, {
			name: "comparison or clear the wrong way", says: "is depthCompareOp GREATER reversed, or the depth that was cleared to 1?", ways: 2, depth: true,
			load: func(r *pumice.Rendering, way int) { r.Depth.Clear.DepthStencil.Depth = []float32{1, 1, 0}[way] },
			draw: func(b *board, p *pumice.Pass, way int) {
				b.desc.DepthStencil = depthTest([]vk.CompareOp{vk.CompareOpGreater, vk.CompareOpLess, vk.CompareOpGreater}[way])
				b.draw(p, 0, 1, nil, faultSquare(0.25, 1, faultRed)...)
			},
		}, {
			name: "what is farther away is kept", says: "so that GREATER keeps what is farther away: is depthCompareOp reversed?", ways: 1, depth: true,
			load: func(r *pumice.Rendering, way int) { r.Depth.Clear.DepthStencil.Depth = []float32{0, 1}[way] },
			draw: func(b *board, p *pumice.Pass, way int) {
				perspective(b, p, []vk.CompareOp{vk.CompareOpGreater, vk.CompareOpLess}[way])
			},
		}, {
			name: "inside out", says: "is frontFace CLOCKWISE inverted, or cullMode BACK?", ways: 2, depth: true,
			draw: func(b *board, p *pumice.Pass, way int) {
				b.desc.Rasterization = back([]vk.CullModeFlags{vk.CullModeBackBit, vk.CullModeBackBit, vk.CullModeFrontBit}[way], []vk.FrontFace{cw, ccw, cw}[way])
				b.desc.DepthStencil = depthTest(vk.CompareOpLess)
				far := faultSquare(0.75, 1, faultBlue)
				for i := 0; i < len(far); i += 3 {
					far[i], far[i+1] = far[i+1], far[i]
				}
				b.draw(p, 0, 1, nil, append(faultSquare(0.25, 1, faultRed), far...)...)
			},
		}, {
			name: "factors swapped", says: "are they swapped?", ways: 1,
			draw: func(b *board, p *pumice.Pass, way int) {
				a := pumice.AlphaBlend()
				if way == 0 {
					a.SrcColorBlendFactor, a.DstColorBlendFactor = a.DstColorBlendFactor, a.SrcColorBlendFactor
				}
				b.desc.Blend = &vk.PipelineColorBlendStateCreateInfo{Attachments: []vk.PipelineColorBlendAttachmentState{a}}
				b.draw(p, 0, 1, nil, faultSquare(0.5, 1, color.NRGBA{255, 0, 0, 200})...)
			},
		}, {
			name: "encoded twice", says: "encoded to sRGB twice?", ways: 1, format: vk.FormatR8G8B8A8Srgb,
			draw: func(b *board, p *pumice.Pass, way int) {
				if way == 0 {
					b.desc.Fragment, b.bare = pumice.Shader{Code: spv(b.t, "encode.frag")}, true
				}
				b.draw(p, 0, 1, nil, faultSquare(0.5, 1, color.NRGBA{90, 30, 0, 255})...)
			},
		},
	}
}

func (a *advice) explain(t *testing.T, way int) *explain.Explanation {
	f := fault{format: a.format, samples: a.samples, depth: a.depth, draw: func(b *board, p *pumice.Pass, _ bool) { a.draw(b, p, way) }}
	if a.load != nil {
		f.load = func(r *pumice.Rendering, _ bool) { a.load(r, way) }
	}
	b, cmd, target := drawFault(t, &f, false)
	return must(b.dev.Explain(ctx, []pumice.WatchPoint{{Image: target, X: a.x, Y: a.y}}, cmd))(t)[0]
}

// Who does what a verdict advises, or undoes what it asks about, gets another value, and is not advised again; where something else
// keeps the value as it is, nothing is advised.
func TestAdvice_DoingItChangesTheOutcome(t *testing.T) {
	for _, a := range advices() {
		t.Run(a.name, func(t *testing.T) {
			found := a.explain(t, 0)
			verdict := strings.Join(found.Verdict, "\n")
			if strings.Contains(verdict, a.says) == a.silent {
				t.Fatalf("the verdict says %q: %v\n%s", a.says, !a.silent, verdict)
			}
			for way := 1; way <= a.ways; way++ {
				done := a.explain(t, way)
				if changed := done.After != found.After; changed == a.silent {
					t.Errorf("way %d: the value is %s, and was %s; the verdict was\n%s", way, done.After.Text, found.After.Text, verdict)
				}
				if text := strings.Join(done.Verdict, "\n"); strings.Contains(text, a.says) {
					t.Errorf("way %d is advised again:\n%s", way, text)
				}
			}
		})
	}
}

// The level of detail that a verdict says there would be without a bias is there without it.
func TestAdvice_WithoutTheBias(t *testing.T) {
	steps := func(bias float32) (e *explain.Explanation, text string) {
		f := fault{draw: func(b *board, p *pumice.Pass, _ bool) {
			im := must(b.dev.NewImageFrom(image.NewNRGBA(image.Rect(0, 0, 64, 64)), &pumice.ImageDesc{MipLevels: pumice.AllMips}))(b.t)
			s := pumice.LinearSampler(vk.SamplerAddressModeRepeat)
			s.MipLodBias = bias
			b.draw(p, 1, 1, &pumice.Texture{View: im, Sampler: must(b.dev.NewSampler(s))(b.t)}, faultSquare(0.5, 1, color.NRGBA{255, 255, 255, 255})...)
		}}
		b, cmd, target := drawFault(t, &f, false)
		e = must(b.dev.Explain(ctx, []pumice.WatchPoint{{Image: target, X: 7, Y: 7, Shader: true}}, cmd))(t)[0]
		for _, v := range e.Events {
			if v.Draw == nil {
				continue
			}
			for _, f := range v.Draw.Fragments {
				for _, m := range f.Images {
					for _, s := range m.Steps {
						text += s.Rule + " " + s.Text + "\n"
					}
				}
			}
		}
		return e, text
	}
	e, _ := steps(2)
	m := regexp.MustCompile(`without it λ would be (\S+), not (\S+)`).FindStringSubmatch(strings.Join(e.Verdict, "\n"))
	if m == nil {
		t.Fatalf("the verdict tells of no bias:\n%s", strings.Join(e.Verdict, "\n"))
	}
	// 64 texels on 16 pixels are 4 a pixel, so that λ is 2 without a bias.
	if m[1] != "2" || m[2] != "4" {
		t.Errorf("λ would be %s, not %s; want 2, not 4", m[1], m[2])
	}
	if _, text := steps(0); !strings.Contains(text, fmt.Sprintf("IMG-451 λ = %s: ", m[1])) || strings.Contains(text, "IMG-446") {
		t.Errorf("without the bias\n%s", text)
	}
}
