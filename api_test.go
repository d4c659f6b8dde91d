package pumice_test

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"image/color"
	"math"
	"path/filepath"
	"reflect"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/vk"
)

// objects are one of each type with methods that a device makes, or that makes something of itself.
type objects struct {
	dev     *pumice.Device
	cmd     *pumice.CommandBuffer
	plain   *pumice.GraphicsPipeline // that needs nothing bound
	members []any
}

func newObjects(t *testing.T) *objects {
	t.Helper()
	dev := must(pumice.Open(nil))(t)
	q := newQuad(t, dev, target(t, dev, 4, 4), nil)
	buf := must(dev.NewBuffer(pumice.BufferDesc{Size: 256}))(t)
	im := target(t, dev, 4, 4)
	saxpy := must(dev.NewComputePipeline(pumice.ComputePipelineDesc{Compute: pumice.Shader{Code: spv(t, "saxpy.comp")}}))(t)
	layout := q.pipeline.DescriptorSetLayout(0)
	cmd := dev.NewCommandBuffer()
	drawing := dev.NewCommandBuffer()
	pass := drawing.BeginRendering(pumice.ClearTo(target(t, dev, 4, 4), color.Black))
	fence := must(dev.Queue().Submit())(t)
	if err := fence.Wait(ctx); err != nil {
		t.Fatal(err)
	}
	return &objects{dev: dev, cmd: cmd, plain: colorPipeline(t, dev, nil), members: []any{
		dev, dev.Queue(), fence, cmd, pass, buf, im, q.set, q.pipeline, saxpy, layout,
		must(dev.NewMemory(1024))(t), must(dev.NewBufferView(buf, vk.FormatR32Sfloat, 0, 0))(t), must(im.NewView(pumice.ViewDesc{}))(t), must(dev.NewSampler(pumice.SamplerDesc{}))(t),
		must(dev.NewShaderModule(spv(t, "saxpy.comp")))(t), must(dev.NewPipelineLayout(layout))(t), must(dev.NewQueryPool(vk.QueryTypeOcclusion, 1))(t),
		must(dev.Watch(pumice.WatchPoint{Image: im}))(t), pumice.Texel{}, pumice.Constants{}, pumice.Rendering{}, buf.Range(0, 4), pumice.Texture{View: im}, pumice.SeverityInfo, &pumice.Error{},
	}}
}

// own are the objects that parameters can be given, by type.
func (o *objects) own(t reflect.Type) (reflect.Value, bool) {
	for _, m := range o.members {
		if v := reflect.ValueOf(m); v.Kind() == reflect.Pointer && v.Type().AssignableTo(t) && t != reflect.TypeFor[any]() {
			return v, true
		}
	}
	return reflect.Value{}, false
}

// fresh is the method of an empty command buffer, or of its pass, where v is one of those: the first error
// would keep others from being found. It comes with what submits it.
func (o *objects) fresh(v any, method reflect.Value, name string) (reflect.Value, func() error) {
	cmd := o.dev.NewCommandBuffer()
	switch v.(type) {
	case *pumice.CommandBuffer:
		if name != "BeginRendering" {
			cmd.BindPipeline(own[*pumice.ComputePipeline](o))
		}
		return reflect.ValueOf(cmd).MethodByName(name), func() error { return o.dev.Submit(ctx, cmd) }
	case *pumice.Pass:
		pass := cmd.BeginRendering(pumice.ClearTo(own[*pumice.Image](o), color.Black))
		pass.BindPipeline(o.plain)
		pass.BindIndexBuffer(own[*pumice.Buffer](o), 0, vk.IndexTypeUint16)
		pass.SetViewport(vk.Viewport{Width: 4, Height: 4, MaxDepth: 1})
		return reflect.ValueOf(pass).MethodByName(name), func() error {
			if name != "End" {
				pass.End()
			}
			gone, cancel := context.WithTimeout(ctx, 20*time.Millisecond) // of endless draws
			defer cancel()
			err := o.dev.Submit(gone, cmd)
			return err
		}
	}
	return method, func() error { return nil }
}

// argument is a value of a parameter: zero but for contexts, or with objects of o in all places for them and number
// wherever there is one.
func argument(t reflect.Type, o *objects, number float64, depth int) reflect.Value {
	v := reflect.New(t).Elem()
	if t == reflect.TypeFor[context.Context]() {
		v.Set(reflect.ValueOf(ctx))
		return v
	}
	if o == nil || depth > 4 {
		return v
	}
	if own, ok := o.own(t); ok {
		v.Set(own)
		return v
	}
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			if t.Field(i).IsExported() {
				v.Field(i).Set(argument(t.Field(i).Type, o, number, depth+1))
			}
		}
	case reflect.Array:
		for i := range v.Len() {
			v.Index(i).Set(argument(t.Elem(), o, number, depth+1))
		}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		least := int64(-1) << (8*t.Size() - 1)
		v.SetInt(int64(min(max(number, float64(least)), float64(math.MaxInt32))))
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(uint64(int64(max(number, -1))))
		if number > math.MaxUint32 {
			v.SetUint(^uint64(0) >> (64 - 8*t.Size()))
		}
	case reflect.Float32:
		v.SetFloat(number)
	case reflect.Bool:
		v.SetBool(number != 0)
	case reflect.String:
		v.SetString("\xff")
	case reflect.Slice:
		v.Set(reflect.Append(v, argument(t.Elem(), o, number, depth+1)))
	}
	return v
}

// numbers are those of callAll's rounds with objects.
var numbers = [...]float64{0, 1, -1, 1e30, -1e30, math.NaN()}

// callAll calls every exported method of v: with zero values, then with those and nil contexts, then with objects of o
// where o is not nil and each of numbers. It wants errors to be *pumice.Error, and hands them to check, and no panics.
func callAll(t *testing.T, v any, o *objects, check func(method string, round int, err error)) {
	t.Helper()
	r := reflect.ValueOf(v)
	for i := range r.NumMethod() {
		m := r.Type().Method(i)
		if m.Name == "Close" || r.Type() == reflect.TypeFor[*pumice.Error]() && r.IsNil() {
			continue // at the end; who calls a method of no error deserves it
		}
		rounds := 2
		if o != nil {
			rounds += len(numbers)
		}
		for round := range rounds {
			var args []reflect.Value
			nils := false
			for k := 1; k < m.Type.NumIn(); k++ {
				in := m.Type.In(k)
				variadic := m.Type.IsVariadic() && k == m.Type.NumIn()-1
				switch {
				case round == 0 && variadic:
				case round == 1 && in == reflect.TypeFor[context.Context]():
					nils, args = true, append(args, reflect.Zero(in))
				case round >= 2 && variadic:
					args = append(args, argument(in.Elem(), o, numbers[round-2], 0))
				case round >= 2:
					args = append(args, argument(in, o, numbers[round-2], 0))
				case variadic:
					nils, args = true, append(args, reflect.Zero(in.Elem()))
				default:
					args = append(args, argument(in, nil, 0, 0))
				}
			}
			if round == 1 && !nils {
				continue
			}
			func() {
				defer func() {
					if p := recover(); p != nil {
						t.Errorf("%T.%s, round %d: panic: %v\n%s", v, m.Name, round, p, debug.Stack())
					}
				}()
				method, submit := r.Method(i), func() error { return nil }
				if o != nil {
					method, submit = o.fresh(v, method, m.Name)
				}
				for _, out := range append(method.Call(args), reflect.ValueOf(submit).Call(nil)...) {
					err, ok := out.Interface().(error)
					if !ok || out.Type() != reflect.TypeFor[error]() {
						continue
					}
					var e *pumice.Error
					if !errors.As(err, &e) || e.Op == "" || strings.TrimSpace(e.Error()) == "" {
						t.Errorf("%T.%s, round %d: %v is no *Error with an operation", v, m.Name, round, err)
					}
					if errors.Is(err, pumice.ErrDeviceLost) {
						t.Errorf("%T.%s, round %d: %v", v, m.Name, round, err)
					}
					if check != nil {
						check(m.Name, round, err)
					}
				}
			}()
		}
	}
}

// No method of the package panics: whatever is nil, zero, closed or another device's is an *Error, or nothing.
func TestAPI_NothingPanics(t *testing.T) {
	all := newObjects(t)
	defer all.dev.Close()
	listed := map[string]bool{}
	for _, m := range all.members {
		v := reflect.TypeOf(m)
		listed[strings.TrimPrefix(strings.TrimPrefix(v.String(), "*"), "pumice.")] = true
		if v.Kind() != reflect.Pointer {
			callAll(t, m, nil, nil)
			continue
		}
		for _, of := range []struct {
			what string
			v    any
		}{{"nil", reflect.Zero(v).Interface()}, {"zero", reflect.New(v.Elem()).Interface()}} {
			answered := map[string]bool{}
			callAll(t, of.v, nil, func(method string, _ int, err error) { answered[method] = true })
			for i := range v.NumMethod() {
				method := v.Method(i)
				fails := method.Type.NumOut() > 0 && method.Type.Out(method.Type.NumOut()-1) == reflect.TypeFor[error]()
				if fails && method.Name != "Close" && !answered[method.Name] && v != reflect.TypeFor[*pumice.Error]() {
					t.Errorf("%s %v.%s: no error", of.what, v, method.Name)
				}
			}
			if c, ok := of.v.(interface{ Close() error }); ok {
				if err := c.Close(); err != nil {
					t.Errorf("closing %s %v: %v", of.what, v, err)
				}
			}
		}
	}
	for _, name := range typesWithMethods(t) {
		if !listed[name] && name != "Error" {
			t.Errorf("this test has no %s", name)
		}
	}
	// What is in order, with arguments that are not.
	live, rules := newObjects(t), map[string]bool{}
	for _, m := range live.members {
		callAll(t, m, live, func(_ string, _ int, err error) {
			var e *pumice.Error
			if errors.As(err, &e) {
				rules[e.Rule] = true
			}
		})
	}
	if len(rules) < 80 {
		t.Errorf("arguments that are not in order broke %d rules only", len(rules))
	}
	// Objects of another device.
	mixed, other := newObjects(t), newObjects(t)
	for _, m := range mixed.members {
		callAll(t, m, other, nil)
	}
	// Closed objects of an open device, then of a closed one.
	closed := newObjects(t)
	for _, m := range closed.members {
		if c, ok := m.(interface{ Close() error }); ok && m != any(closed.dev) {
			if err := errors.Join(c.Close(), c.Close()); err != nil {
				t.Errorf("closing %T twice: %v", m, err)
			}
		}
	}
	for round := range 2 {
		for _, m := range closed.members {
			callAll(t, m, closed, nil)
		}
		if round == 0 {
			if err := errors.Join(closed.dev.Close(), closed.dev.Close()); err != nil {
				t.Error(err)
			}
		}
	}
	for _, d := range []*objects{live, mixed, other} {
		if err := d.dev.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := pumice.Open(&pumice.Config{}); err != nil {
		t.Error(err)
	}
	pumice.ClearTo(nil, nil).WithDepth(nil, 0).WithResolve(nil)
	_, _, _, _ = pumice.ClearColor(0, nil), pumice.LinearSampler(0), pumice.Opaque(), pumice.AlphaBlend()
}

// typesWithMethods are the exported types of the package that have exported methods.
func typesWithMethods(t *testing.T) (names []string) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv == nil || !fn.Name.IsExported() {
				continue
			}
			if of := strings.Trim(fmt.Sprint(fn.Recv.List[0].Type), "&{}0123456789 "); ast.IsExported(of) {
				names = append(names, of)
			}
		}
	}
	if len(names) < 50 {
		t.Fatalf("found methods of %v", names)
	}
	return names
}

// Objects of another device are refused by the rule of common parents, wherever they are given.
func TestAPI_AnotherDevicesObjects(t *testing.T) {
	a, b := newObjects(t), newObjects(t)
	defer a.dev.Close()
	defer b.dev.Close()
	buf, im, pipeline, set := own[*pumice.Buffer](b), own[*pumice.Image](b), own[*pumice.GraphicsPipeline](b), own[*pumice.DescriptorSet](b)
	compute, pool, module := own[*pumice.ComputePipeline](b), own[*pumice.QueryPool](b), own[*pumice.ShaderModule](b)
	layout, sampler := own[*pumice.DescriptorSetLayout](b), own[*pumice.Sampler](b)
	mine, myIm := own[*pumice.Buffer](a), own[*pumice.Image](a)
	second := func(_ any, err error) error { return err }
	record := func(f func(*pumice.CommandBuffer)) error {
		cmd := a.dev.NewCommandBuffer()
		f(cmd)
		return a.dev.Submit(ctx, cmd)
	}
	draw := func(f func(*pumice.Pass)) error {
		return record(func(c *pumice.CommandBuffer) {
			pass := c.BeginRendering(pumice.ClearTo(myIm, color.Black))
			f(pass)
			pass.End()
		})
	}
	for name, err := range map[string]error{
		"memory of a buffer":     second(a.dev.NewBuffer(pumice.BufferDesc{Size: 16, Memory: own[*pumice.Memory](b)})),
		"memory of an image":     second(a.dev.NewImage(pumice.ImageDesc{Width: 1, Memory: own[*pumice.Memory](b)})),
		"buffer of a view":       second(a.dev.NewBufferView(buf, vk.FormatR32Sfloat, 0, 0)),
		"module":                 second(a.dev.NewComputePipeline(pumice.ComputePipelineDesc{Compute: pumice.Shader{Module: module}})),
		"layout of a pipeline":   second(a.dev.NewComputePipeline(pumice.ComputePipelineDesc{Compute: pumice.Shader{Code: spv(t, "saxpy.comp")}, Layout: own[*pumice.PipelineLayout](b)})),
		"layout of a layout":     second(a.dev.NewPipelineLayout(layout)),
		"layout of a set":        second(a.dev.NewDescriptorSet(layout)),
		"buffer of a set":        own[*pumice.DescriptorSet](a).Bind(0, buf),
		"image of a set":         own[*pumice.DescriptorSet](a).Bind(1, pumice.Texture{View: im, Sampler: own[*pumice.Sampler](a)}),
		"sampler of a set":       own[*pumice.DescriptorSet](a).Bind(1, pumice.Texture{View: myIm, Sampler: sampler}),
		"command buffer":         a.dev.Submit(ctx, b.cmd),
		"command buffer, queued": second(a.dev.Queue().Submit(b.cmd)),
		"sampled image":          second(a.dev.Sample(ctx, pumice.Texture{View: im, Sampler: own[*pumice.Sampler](a)}, []pumice.Coord{{}}, pumice.SampleOptions{})),
		"sampler":                second(a.dev.Sample(ctx, pumice.Texture{View: myIm, Sampler: sampler}, []pumice.Coord{{}}, pumice.SampleOptions{})),
		"fetched image":          second(a.dev.Fetch(ctx, im, [][4]int{{}}, pumice.FetchOptions{})),
		"target":                 record(func(c *pumice.CommandBuffer) { c.BeginRendering(pumice.ClearTo(im, color.Black)).End() }),
		"resolve target": record(func(c *pumice.CommandBuffer) {
			c.BeginRendering(pumice.ClearTo(myIm, color.Black).WithResolve(im)).End()
		}),
		"depth target": record(func(c *pumice.CommandBuffer) {
			c.BeginRendering(pumice.ClearTo(myIm, color.Black).WithDepth(im, 1)).End()
		}),
		"pipeline":         draw(func(p *pumice.Pass) { p.BindPipeline(pipeline) }),
		"compute pipeline": record(func(c *pumice.CommandBuffer) { c.BindPipeline(compute) }),
		"set":              draw(func(p *pumice.Pass) { p.BindDescriptorSet(0, set) }),
		"compute's set":    record(func(c *pumice.CommandBuffer) { c.BindDescriptorSet(0, set) }),
		"vertices":         draw(func(p *pumice.Pass) { p.BindVertexBuffer(0, buf, 0) }),
		"indices":          draw(func(p *pumice.Pass) { p.BindIndexBuffer(buf, 0, vk.IndexTypeUint16) }),
		"a query":          draw(func(p *pumice.Pass) { p.BeginQuery(pool, 0) }),
		"copied":           record(func(c *pumice.CommandBuffer) { c.CopyBuffer(buf, mine) }),
		"copied to":        record(func(c *pumice.CommandBuffer) { c.CopyBuffer(mine, buf) }),
		"filled":           record(func(c *pumice.CommandBuffer) { c.FillBuffer(buf, 0, 4, 0) }),
		"updated":          record(func(c *pumice.CommandBuffer) { c.UpdateBuffer(buf, 0, []uint32{1}) }),
		"blitted":          record(func(c *pumice.CommandBuffer) { c.BlitImage(im, myIm, vk.FilterNearest) }),
		"mipmaps":          record(func(c *pumice.CommandBuffer) { c.GenerateMipmaps(im) }),
		"cleared":          record(func(c *pumice.CommandBuffer) { c.ClearColorImage(im, vk.ClearColorValue{}) }),
	} {
		var e *pumice.Error
		if !errors.As(err, &e) || e.Rule != "commonparent" {
			t.Errorf("%s: %v, want the rule of common parents", name, err)
		}
	}
}

// own is the object of a type; newObjects makes one of each.
func own[T any](o *objects) (v T) {
	for _, m := range o.members {
		if v, ok := m.(T); ok {
			return v
		}
	}
	return v
}
