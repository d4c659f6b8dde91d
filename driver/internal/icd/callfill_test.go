package icd

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/memory"
	"github.com/pumice-gpu/pumice/vk"
)

// lengths are the lengths of arrays behind pointers, as the comments of package abi have
// them from the registry: by struct and field.
type lengths map[string]map[string]string

func readLengths(t testing.TB) lengths {
	t.Helper()
	out := lengths{}
	names, err := filepath.Glob("../abi/*_gen.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			if s, ok := spec.Type.(*ast.StructType); ok {
				for _, field := range s.Fields.List {
					if text, found := strings.CutPrefix(field.Comment.Text(), "len: "); found {
						if out[spec.Name.Name] == nil {
							out[spec.Name.Name] = map[string]string{}
						}
						out[spec.Name.Name][field.Names[0].Name] = strings.TrimSpace(text)
					}
				}
			}
			return false
		})
	}
	if len(out) < 200 {
		t.Fatalf("lengths of %d structs", len(out))
	}
	return out
}

// clientPage is the memory that an argument is given: it ends at a page that cannot be touched.
const (
	clientPage  = 4096
	clientPages = 1024
	arrayCount  = 4   // elements of an array, and the most that a count says
	arrayBytes  = 256 // bytes of data without a type
)

// client is the memory of a program: structs and arrays that end at clientPages that cannot be
// touched. It is zeroed for each run.
type client struct {
	blocks []*memory.Block
	next   int
}

func newClient(t testing.TB) *client {
	t.Helper()
	c, a := &client{}, memory.New(memory.Config{Mode: memory.Guard})
	for range clientPages {
		b, err := a.Alloc(clientPage)
		if err != nil {
			t.Fatal(err)
		}
		c.blocks = append(c.blocks, b)
	}
	return c
}

func (c *client) reset() {
	for _, b := range c.blocks[:c.next] {
		clear(b.Bytes())
	}
	c.next = 0
}

// array returns memory for n values of a type; nil if there is none left.
func (c *client) array(typ reflect.Type, n int) unsafe.Pointer {
	size := int(typ.Size()) * n
	if c.next == len(c.blocks) || size > clientPage || size == 0 {
		return nil
	}
	b := c.blocks[c.next].Bytes()
	c.next++
	return unsafe.Pointer(&b[clientPage-size])
}

// filler fills the arguments of calls from the bytes of an input. What pointers point to
// is as long as counts say: the rest may be anything.
type filler struct {
	left    []byte
	lengths lengths
	client  *client
	live    map[reflect.Type][]uint64 // handles that were given out, by type
	chain   []reflect.Type            // structs that a chain may have
	wild    bool                      // handles that lead nowhere are among the arguments
	small   bool                      // numbers are small: the call does as much work as they say
}

func (f *filler) byte() byte {
	if len(f.left) == 0 {
		return 0
	}
	b := f.left[0]
	f.left = f.left[1:]
	return b
}

func (f *filler) below(n int) int {
	v := int(f.byte())
	if n > 256 {
		v = v<<8 | int(f.byte())
	}
	return v % n
}

var odd = [...]uint64{1, 2, 4, 16, 63, 64, 65, 255, 256, 4096, 1 << 16, 1<<31 - 1, 1 << 31, 1<<32 - 1, 1 << 32, 1 << 40, 1<<63 - 1, 1<<64 - 4, 1<<64 - 1}

func (f *filler) number() uint64 {
	if v := f.byte(); f.small || v < 160 {
		return uint64(f.below(40))
	}
	return odd[f.below(len(odd))]
}

// identifier finds the fields that a length is made of.
var identifier = regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]*`)

// goField is the name in Go of a field in C.
func goField(c string) string { return strings.ToUpper(c[:1]) + c[1:] }

const abiPath = "github.com/pumice-gpu/pumice/driver/internal/abi"

func isHandle(t reflect.Type) bool {
	return t.PkgPath() == abiPath && (t.Kind() == reflect.UnsafePointer || t.Kind() == reflect.Uint64)
}

// fill fills a value. depth is how many pointers led here.
func (f *filler) fill(v reflect.Value, depth int) {
	t := v.Type()
	switch {
	case isHandle(t):
		f.fillHandle(v)
	case t.Kind() == reflect.Struct:
		f.fillStruct(v, depth)
	case t.Kind() == reflect.Array:
		for i := range min(v.Len(), 4) {
			f.fill(v.Index(i), depth)
		}
	case t == reflect.TypeFor[vk.Format]():
		all := format.All()
		v.SetInt(int64(all[f.below(len(all))]))
	case v.CanInt():
		v.SetInt(int64(f.number()))
	case v.CanUint():
		v.SetUint(f.number())
	case v.CanFloat():
		v.SetFloat([]float64{0, 1, -1, 0.5, 100, -1e30}[f.below(6)])
	case t.Kind() == reflect.Bool:
		v.SetBool(f.below(2) == 1)
	}
}

func (f *filler) fillHandle(v reflect.Value) {
	list := f.live[v.Type()]
	h := uint64(0)
	switch n := f.below(16); {
	case n < 13 && len(list) > 0:
		h = list[f.below(len(list))]
	case n == 14:
		f.wild = true
		if v.Kind() == reflect.UnsafePointer { // to memory that is no object
			h = uint64(uintptr(f.client.array(reflect.TypeFor[abi.Stream](), 1)))
		} else {
			h = f.number()
		}
	default:
		f.wild = true
	}
	if v.Kind() == reflect.UnsafePointer {
		*(*uintptr)(v.Addr().UnsafePointer()) = uintptr(h)
	} else {
		v.SetUint(h)
	}
}

func (f *filler) fillStruct(v reflect.Value, depth int) {
	t := v.Type()
	size := f.lengths[t.Name()]
	counted := map[string]uint64{} // the most that a field may say
	for at, length := range size {
		most := uint64(arrayCount)
		if typ, ok := t.FieldByName(at); ok && typ.Type.Kind() == reflect.UnsafePointer {
			most = arrayBytes
		}
		for _, name := range identifier.FindAllString(strings.Split(length, "->")[0], -1) {
			if most < counted[goField(name)] || counted[goField(name)] == 0 {
				counted[goField(name)] = most
			}
		}
	}
	for i := range t.NumField() {
		name, fv := t.Field(i).Name, v.Field(i)
		switch {
		case name == "SType":
			if s, ok := v.Addr().Interface().(interface{ StructureType() vk.StructureType }); ok {
				fv.SetInt(int64(s.StructureType()))
			}
		case name == "PNext":
			f.fillChain(fv, depth)
		case !fv.CanSet() || name == "Ret" || name == "PAllocator" || name == "CommandHeader" || strings.HasPrefix(name, "Pfn") || strings.HasPrefix(name, "PUserData"):
		case name == "ObjectHandle": // of an object type that may be another: a pointer will do for all
			fv.SetUint(uint64(uintptr(f.client.array(reflect.TypeFor[abi.Stream](), 1))))
		case strings.Contains(name, "Timeout") && fv.CanUint():
			fv.SetUint(uint64(f.below(1000)))
		case isHandle(fv.Type()):
			f.fillHandle(fv)
		case fv.Kind() == reflect.Pointer || fv.Kind() == reflect.UnsafePointer:
			f.fillPointer(fv, size[name], counted[name], depth)
		default:
			f.fill(fv, depth)
			if most, ok := counted[name]; ok && fv.CanUint() {
				fv.SetUint(fv.Uint() % (most + 1))
			} else if ok && fv.CanInt() {
				fv.SetInt(max(0, fv.Int()) % int64(most+1))
			}
		}
	}
	for inner, outer := range size { // "pInfo->count": what the pointer leads to says how many
		if pointer, count, ok := strings.Cut(outer, "->"); ok {
			if p := v.FieldByName(goField(pointer)); p.IsValid() && p.Kind() == reflect.Pointer && !p.IsNil() {
				if c := p.Elem().FieldByName(goField(count)); c.IsValid() && v.FieldByName(inner).Kind() == reflect.Pointer {
					c.SetUint(c.Uint() % (arrayCount + 1))
				}
			}
		}
	}
}

// fillPointer gives a pointer memory: an array if it has a length, of four elements or
// 256 bytes, which counts do not pass. limit is not 0 if it points to a count.
func (f *filler) fillPointer(v reflect.Value, length string, limit uint64, depth int) {
	if v.Kind() == reflect.UnsafePointer {
		p := f.client.array(reflect.TypeFor[byte](), arrayBytes)
		v.SetPointer(p)
		return
	}
	t, n := v.Type().Elem(), 1
	if length != "" {
		n = arrayCount
	}
	if depth > 4 || t.Size()*uintptr(n) > clientPage {
		return
	}
	if strings.Contains(length, "null-terminated") {
		n = 8
	}
	p := f.client.array(t, n)
	if p == nil {
		return
	}
	*(*unsafe.Pointer)(v.Addr().UnsafePointer()) = p
	if strings.Contains(length, "null-terminated") {
		f.text(p, t, n)
		return
	}
	for i := range n {
		f.fill(reflect.NewAt(t, unsafe.Add(p, uintptr(i)*t.Size())).Elem(), depth+1)
	}
	if e := v.Elem(); limit > 0 && e.CanUint() {
		e.SetUint(e.Uint() % (limit + 1))
	}
}

// text makes a string, or an array of strings.
func (f *filler) text(p unsafe.Pointer, t reflect.Type, n int) {
	if t.Kind() != reflect.Pointer {
		copy(unsafe.Slice((*byte)(p), n), []string{"main", "", "VK_KHR"}[f.below(3)])
		return
	}
	for i := range n {
		s := f.client.array(reflect.TypeFor[byte](), 8)
		if s != nil {
			f.text(s, t.Elem(), 8)
		}
		*(*unsafe.Pointer)(unsafe.Add(p, uintptr(i)*t.Size())) = s
	}
}

// fillChain hangs up to two structs on a chain.
func (f *filler) fillChain(v reflect.Value, depth int) {
	if depth > 3 || f.below(4) != 0 {
		return
	}
	var next unsafe.Pointer
	for range f.below(3) {
		t := f.chain[f.below(len(f.chain))]
		p := f.client.array(t, 1)
		if p == nil {
			break
		}
		s := reflect.NewAt(t, p)
		f.fillStruct(s.Elem(), depth+1)
		(*abi.Structure)(p).PNext = next
		next = p
	}
	v.SetPointer(next)
}

// found notes the handles that a call has given out: those behind pointers of its
// arguments.
func (f *filler) found(args reflect.Value) {
	for i := range args.NumField() {
		v := args.Field(i)
		if v.Kind() != reflect.Pointer || !isHandle(v.Type().Elem()) || v.IsNil() {
			continue
		}
		h := *(*uint64)(v.UnsafePointer())
		if list := f.live[v.Type().Elem()]; h != 0 && len(list) < 32 {
			f.live[v.Type().Elem()] = append(list, h)
		}
	}
}

// chainTypes are the structs with an sType that arguments of calls lead to.
func chainTypes(calls []entry) (out []reflect.Type) {
	seen := map[reflect.Type]bool{}
	var walk func(t reflect.Type)
	walk = func(t reflect.Type) {
		for t.Kind() == reflect.Pointer || t.Kind() == reflect.Array {
			t = t.Elem()
		}
		if t.Kind() != reflect.Struct || seen[t] {
			return
		}
		seen[t] = true
		for i := range t.NumField() {
			walk(t.Field(i).Type)
		}
		if _, ok := reflect.PointerTo(t).MethodByName("StructureType"); ok && t.Size() <= clientPage {
			out = append(out, t)
		}
	}
	for _, c := range calls {
		walk(c.args)
	}
	return append(out,
		reflect.TypeFor[abi.MemoryDedicatedAllocateInfo](), reflect.TypeFor[abi.MemoryAllocateFlagsInfo](), reflect.TypeFor[abi.ExportMemoryAllocateInfo](),
		reflect.TypeFor[abi.ImageFormatListCreateInfo](), reflect.TypeFor[abi.ImageViewUsageCreateInfo](), reflect.TypeFor[abi.ImageStencilUsageCreateInfo](),
		reflect.TypeFor[abi.SamplerReductionModeCreateInfo](), reflect.TypeFor[abi.SamplerCustomBorderColorCreateInfoEXT](), reflect.TypeFor[abi.SamplerYcbcrConversionInfo](),
		reflect.TypeFor[abi.DescriptorSetLayoutBindingFlagsCreateInfo](), reflect.TypeFor[abi.DescriptorSetVariableDescriptorCountAllocateInfo](),
		reflect.TypeFor[abi.DescriptorPoolInlineUniformBlockCreateInfo](), reflect.TypeFor[abi.WriteDescriptorSetInlineUniformBlock](), reflect.TypeFor[abi.MutableDescriptorTypeCreateInfoEXT](),
		reflect.TypeFor[abi.SemaphoreTypeCreateInfo](), reflect.TypeFor[abi.TimelineSemaphoreSubmitInfo](), reflect.TypeFor[abi.PipelineRenderingCreateInfo](),
		reflect.TypeFor[abi.RenderPassAttachmentBeginInfo](), reflect.TypeFor[abi.RenderPassMultiviewCreateInfo](), reflect.TypeFor[abi.CommandBufferInheritanceRenderingInfo](),
		reflect.TypeFor[abi.SwapchainPresentModesCreateInfoEXT](), reflect.TypeFor[abi.PresentIdKHR](), reflect.TypeFor[abi.PhysicalDeviceDriverProperties](),
		reflect.TypeFor[abi.PhysicalDeviceVulkan11Properties](), reflect.TypeFor[abi.PhysicalDeviceVulkan12Features](), reflect.TypeFor[abi.FormatProperties3](),
		reflect.TypeFor[abi.ExternalImageFormatProperties](), reflect.TypeFor[abi.MemoryDedicatedRequirements](), reflect.TypeFor[abi.SubpassDescriptionDepthStencilResolve](),
	)
}

// readCode reads a compiled shader.
func readCode(t testing.TB, name string) []byte {
	t.Helper()
	code, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return code
}
