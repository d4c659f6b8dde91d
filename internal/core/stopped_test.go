package core

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pumice-gpu/pumice/vk"
)

//go:generate glslangValidator -V --target-env vulkan1.2 -o testdata/forever.comp.spv testdata/forever.comp
//go:generate glslangValidator -V --target-env vulkan1.2 -o testdata/forever.vert.spv testdata/forever.vert
//go:generate glslangValidator -V --target-env vulkan1.2 -o testdata/forever.frag.spv testdata/forever.frag
//go:generate glslangValidator -V --target-env vulkan1.2 -o testdata/forever.tesc.spv testdata/forever.tesc
//go:generate glslangValidator -V --target-env vulkan1.2 -o testdata/forever.tese.spv testdata/forever.tese
//go:generate glslangValidator -V --target-env vulkan1.2 -o testdata/forever.geom.spv testdata/forever.geom
//go:generate glslangValidator -V --target-env vulkan1.2 -o testdata/forever.task.spv testdata/forever.task
//go:generate glslangValidator -V --target-env vulkan1.2 -o testdata/forever.mesh.spv testdata/forever.mesh

// foreverKit is a device with work that does not end within a person's life.
type foreverKit struct {
	d                                           *Device
	view                                        *ImageView
	compute, draw, strip, tess, geom, mesh      *Pipeline
	few, records, indices, counts, restarts, to *Buffer
}

func newForeverKit(t *testing.T, cfg Config) *foreverKit {
	t.Helper()
	cfg.HeapMemory, cfg.Threads, cfg.LoopBudget = true, 2, math.MaxInt64
	k := &foreverKit{d: must(Open(cfg))(t)}
	t.Cleanup(func() { _ = k.d.Close() })
	stage := func(name string) Stage { return Stage{Code: shaderCode(t, "forever."+name)} }
	k.compute = must(k.d.NewComputePipeline(&ComputePipelineInfo{Stage: stage("comp"), Name: "particles"}))(t)
	with := func(f func(i *GraphicsPipelineInfo)) *Pipeline {
		return fullscreen(t, k.d, "forever.frag", numberFormats, func(i *GraphicsPipelineInfo) {
			i.Vertex, i.Name = stage("vert"), "terrain"
			if f != nil {
				f(i)
			}
		})
	}
	k.draw = with(nil)
	k.strip = with(func(i *GraphicsPipelineInfo) {
		i.InputAssembly = vk.PipelineInputAssemblyStateCreateInfo{Topology: vk.PrimitiveTopologyTriangleStrip, PrimitiveRestartEnable: true}
	})
	k.tess = with(func(i *GraphicsPipelineInfo) {
		i.Control, i.Evaluation, i.PatchControlPoints = stage("tesc"), stage("tese"), 3
		i.InputAssembly.Topology = vk.PrimitiveTopologyPatchList
	})
	k.geom = with(func(i *GraphicsPipelineInfo) { i.Geometry = stage("geom") })
	k.mesh = with(func(i *GraphicsPipelineInfo) { i.Vertex, i.Task, i.Mesh = Stage{}, stage("task"), stage("mesh") })
	_, k.view = target(t, k.d, numbers, 1, 1)
	k.records = bufferOf(t, k.d, math.MaxUint32, 1, 0, 0, 3, 1, 0, 0)
	k.few = bufferOf(t, k.d, 65535, 65535, 65535)
	k.counts = bufferOf(t, k.d, 1)
	k.indices = bufferOf(t, k.d, 0, 1, 2)
	restarts := slices.Repeat([]uint32{math.MaxUint32}, 1<<20)
	restarts[len(restarts)-1] = 0x020100ff
	k.restarts, k.to = bufferOf(t, k.d, restarts...), bufferOf(t, k.d, make([]uint32, len(restarts))...)
	return k
}

// pass records a pass with one draw, of which the shaders in mask loops do not end.
func (k *foreverKit) pass(p *Pipeline, loops uint32, draw func(c *CommandBuffer)) *CommandBuffer {
	c := k.d.NewCommandBuffer()
	c.BeginRendering(RenderingInfo{Color: []RenderingAttachment{{View: k.view}}})
	c.BindPipeline("bind", vk.PipelineBindPointGraphics, p)
	c.PushConstants("push", 0, binary.LittleEndian.AppendUint32(nil, loops))
	draw(c)
	c.EndRendering("end")
	return c
}

// dispatch records dispatches.
func (k *foreverKit) dispatch(loops uint32, dispatch func(c *CommandBuffer)) *CommandBuffer {
	c := k.d.NewCommandBuffer()
	c.BindPipeline("bind", vk.PipelineBindPointCompute, k.compute)
	c.PushConstants("push", 0, binary.LittleEndian.AppendUint32(nil, loops))
	dispatch(c)
	return c
}

// works are the kinds of work without end, and how messages name it.
func (k *foreverKit) works() []foreverWork {
	one := func(c *CommandBuffer) { c.Draw("vkCmdDraw", 3, 1, 0, 0) }
	tasks := func(c *CommandBuffer) { c.DrawMeshTasks("vkCmdDrawMeshTasksEXT", [3]uint32{65535, 64, 1}) }
	const most = math.MaxUint32
	return []foreverWork{
		{"workgroups", "dispatch 0 (65535×65535×65535 workgroups; compute pipeline \"particles\")",
			k.dispatch(0, func(c *CommandBuffer) { c.Dispatch("vkCmdDispatch", [3]uint32{}, [3]uint32{65535, 65535, 65535}) })},
		{"indirect workgroups", "dispatch 0 (65535×65535×65535 workgroups",
			k.dispatch(0, func(c *CommandBuffer) { c.DispatchIndirect("vkCmdDispatchIndirect", k.few, 0) })},
		{"a loop of a compute shader", "dispatch 0 (1×1×1 workgroups",
			k.dispatch(1, func(c *CommandBuffer) { c.Dispatch("vkCmdDispatch", [3]uint32{}, [3]uint32{1, 1, 1}) })},
		{"vertices", "render pass 0, draw 0 (4294967295 vertices, 1 instances; graphics pipeline \"terrain\")",
			k.pass(k.draw, 0, func(c *CommandBuffer) { c.Draw("vkCmdDraw", most, 1, 0, 0) })},
		{"instances", "draw 0 (3 vertices, 4294967295 instances",
			k.pass(k.draw, 0, func(c *CommandBuffer) { c.Draw("vkCmdDraw", 3, most, 0, 0) })},
		{"indices", "draw 1 (4294967295 indices, 4294967295 instances; graphics pipeline \"terrain\"), in frame / trees was stopped", k.pass(k.draw, 0, func(c *CommandBuffer) {
			c.BeginLabel("frame")
			c.Draw("vkCmdDraw", 3, 1, 0, 0)
			c.BeginLabel("trees")
			c.BindIndexBuffer(k.indices, 0, vk.WholeSize, vk.IndexTypeUint32)
			c.DrawIndexed("vkCmdDrawIndexed", most, most, 0, 0, 0)
			c.EndLabel()
			c.EndLabel()
			c.EndLabel() // of nothing
		})},
		{"an indirect draw", "draw 0 (an indirect draw, the first of 4294967295 vertices and 1 instances",
			k.pass(k.draw, 0, func(c *CommandBuffer) { c.DrawIndirect("vkCmdDrawIndirect", false, k.records, 0, 1, 16, nil, 0) })},
		{"an indirect count", "draw 0 (an indirect draw, the first of 4294967295 vertices",
			k.pass(k.draw, 0, func(c *CommandBuffer) {
				c.DrawIndirectCount("vkCmdDrawIndirectCount", false, k.records, 0, k.counts, 0, 2, 16)
			})},
		{"restarts", "draw 0 (4194304 indices, 4294967295 instances", k.pass(k.strip, 0, func(c *CommandBuffer) {
			c.BindIndexBuffer(k.restarts, 0, vk.WholeSize, vk.IndexTypeUint8)
			c.DrawIndexed("vkCmdDrawIndexed", 4<<20, most, 0, 0, 0)
		})},
		{"copies", "transfer 1 (CommandBuffer.CopyBuffer)", k.dispatch(0, func(c *CommandBuffer) {
			c.FillBuffer(k.to, 0, vk.WholeSize, 7)
			c.CopyBuffer(k.restarts, k.to, slices.Repeat([]vk.BufferCopy{{Size: 4 << 20}}, 1<<20))
		})},
		{"patches", "draw 0 (4294967295 vertices", k.pass(k.tess, 0, func(c *CommandBuffer) { c.Draw("vkCmdDraw", most, 1, 0, 0) })},
		{"primitives of a geometry shader", "draw 0 (4294967295 vertices", k.pass(k.geom, 0, func(c *CommandBuffer) { c.Draw("vkCmdDraw", most, 1, 0, 0) })},
		{"mesh tasks", "draw 0 (65535×64×1 mesh workgroups", k.pass(k.mesh, 0, tasks)},
		{"a loop of a vertex shader", "draw 0 (3 vertices, 1 instances", k.pass(k.draw, 1, one)},
		{"a loop of a fragment shader", "draw 0 (3 vertices, 1 instances", k.pass(k.draw, 2, one)},
		{"a loop of a control shader", "draw 0 (3 vertices", k.pass(k.tess, 4, one)},
		{"a loop of an evaluation shader", "draw 0 (3 vertices", k.pass(k.tess, 8, one)},
		{"a loop of a geometry shader", "draw 0 (3 vertices", k.pass(k.geom, 16, one)},
		{"a loop of a task shader", "draw 0 (65535×64×1 mesh workgroups", k.pass(k.mesh, 32, tasks)},
		{"a loop of a mesh shader", "draw 0 (65535×64×1 mesh workgroups", k.pass(k.mesh, 64, tasks)},
	}
}

type foreverWork struct {
	name, place string
	commands    *CommandBuffer
}

// TestSubmit_ContextStopsWorkWithoutEnd: whatever it is; its error names the draw, and
// the device goes on.
func TestSubmit_ContextStopsWorkWithoutEnd(t *testing.T) {
	k := newForeverKit(t, Config{})
	for _, w := range k.works() {
		t.Run(w.name, func(t *testing.T) {
			for wait := 30 * time.Millisecond; ; wait *= 2 {
				short, cancel := context.WithTimeout(ctx, wait)
				err := k.d.queue.SubmitAndWait(short, "vkQueueSubmit", []*CommandBuffer{w.commands})
				cancel()
				if !errors.Is(err, context.DeadlineExceeded) {
					t.Fatal(err)
				}
				if strings.Contains(err.Error(), w.place) {
					return
				}
				if wait > time.Minute { // in less, a busy machine may not come to the draw
					t.Fatalf("%v, want %q", err, w.place)
				}
			}
		})
	}
	submit(t, k.d, k.dispatch(0, func(c *CommandBuffer) { c.Dispatch("vkCmdDispatch", [3]uint32{}, [3]uint32{1, 1, 1}) }))
}

// TestSubmit_TimeBudget: a submission that runs for longer than it may loses the
// device, and the message names what it was at and what to do.
func TestSubmit_TimeBudget(t *testing.T) {
	for _, name := range []string{"workgroups", "vertices", "a loop of a fragment shader"} {
		t.Run(name, func(t *testing.T) {
			var told []string
			k := newForeverKit(t, Config{SubmitTimeout: 50 * time.Millisecond, Debug: func(m Message) { told = append(told, m.Text) }})
			for _, w := range k.works() {
				if w.name != name {
					continue
				}
				start := time.Now()
				err := k.d.queue.SubmitAndWait(ctx, "vkQueueSubmit", []*CommandBuffer{w.commands})
				took := time.Since(start)
				if !errors.Is(err, ErrDeviceLost) || took < 50*time.Millisecond {
					t.Errorf("after %v: %v", took, err)
				}
				for _, part := range []string{w.place, "50ms", "PUMICE_SUBMIT_TIMEOUT"} {
					if err == nil || !strings.Contains(err.Error(), part) || len(told) != 1 || !strings.Contains(told[0], part) {
						t.Errorf("%v, told %q, want %q", err, told, part)
					}
				}
				t.Logf("after %v: %v", took, err)
				if _, err := k.d.queue.Submit(ctx, "vkQueueSubmit", nil); !errors.Is(err, ErrDeviceLost) {
					t.Errorf("afterwards: %v", err)
				}
			}
		})
	}
}

// TestSubmit_WaitingTakesNoTime: a submission that waits for the host has its time
// still, once the event is set.
func TestSubmit_WaitingTakesNoTime(t *testing.T) {
	d := must(Open(Config{HeapMemory: true, Threads: 1, SubmitTimeout: 2 * time.Second}))(t)
	defer d.Close()
	e := must(d.NewEvent())(t)
	c := d.NewCommandBuffer()
	c.WaitEvents([]*Event{e})
	time.AfterFunc(2200*time.Millisecond, e.Set)
	submit(t, d, c)
}

// TestClose_StopsWhatRuns: closing a device does not wait for what runs, nor for what
// is to run after it.
func TestClose_StopsWhatRuns(t *testing.T) {
	for _, name := range []string{"workgroups", "instances", "copies", "a loop of a vertex shader"} {
		t.Run(name, func(t *testing.T) {
			k := newForeverKit(t, Config{})
			for _, w := range k.works() {
				if w.name != name {
					continue
				}
				first := must(k.d.queue.Submit(ctx, "vkQueueSubmit", []*CommandBuffer{w.commands}))(t)
				second := must(k.d.queue.Submit(ctx, "vkQueueSubmit", []*CommandBuffer{w.commands}))(t)
				other := must(k.d.NewQueue().Submit(ctx, "vkQueueSubmit", []*CommandBuffer{w.commands}))(t)
				time.Sleep(20 * time.Millisecond)
				if err := k.d.Close(); err != nil { // or it never ends
					t.Error(err)
				}
				for _, f := range []*Fence{first, second, other} {
					if err := f.Err(); !errors.Is(err, ErrClosed) {
						t.Errorf("the work: %v", err)
					}
				}
			}
		})
	}
}

// TestSubmit_FirstLoopWithoutEndStopsAll: a batch that spends its budget stops the
// batches beside it and all that would come after.
func TestSubmit_FirstLoopWithoutEndStopsAll(t *testing.T) {
	k := newForeverKit(t, Config{})
	k.d.cfg.LoopBudget = 200_000
	c := k.dispatch(1, func(c *CommandBuffer) {
		for range 1000 {
			c.Dispatch("vkCmdDispatch", [3]uint32{}, [3]uint32{65535, 65535, 1})
		}
	})
	err := k.d.queue.SubmitAndWait(ctx, "vkQueueSubmit", []*CommandBuffer{c})
	if err == nil || rule(err) != "loop budget" || !strings.Contains(err.Error(), "dispatch 0 (65535×65535×1 workgroups") {
		t.Error(err)
	}
	err = k.d.queue.SubmitAndWait(ctx, "vkQueueSubmit", []*CommandBuffer{k.pass(k.draw, 2, func(c *CommandBuffer) { c.Draw("vkCmdDraw", 300, math.MaxUint32, 0, 0) })})
	if rule(err) != "loop budget" || !strings.Contains(err.Error(), "draw 0 (300 vertices") {
		t.Error(err)
	}
	if text := fmt.Sprint(err); strings.Count(text, "end the loop") != 1 || strings.Count(text, "raise Config.LoopBudget") != 1 {
		t.Errorf("%s: want the hint once", text)
	}
}
