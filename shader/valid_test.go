package shader_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/outside"
	"github.com/pumice-gpu/pumice/shader"
)

// bits are words of numbers that are no integers.
func bits(values ...float32) (words []uint32) {
	for _, v := range values {
		words = append(words, math.Float32bits(v))
	}
	return words
}

// programs are compute shaders on a storage buffer at set 0, binding 0, with types that buffers share with other
// memory. What each computes was worked out by hand.
var programs = map[string]struct {
	source   string
	in, want []uint32
}{
	"tile.wgsl": {`
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
var<workgroup> tile: array<u32, 4>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
	let zero = tile[i]; // workgroup memory begins with zeros
	workgroupBarrier();
	tile[i] = data[i] + zero;
	workgroupBarrier();
	data[i] = tile[3 - i];
}`, []uint32{1, 2, 3, 4}, []uint32{4, 3, 2, 1}},
	"structures.wgsl": {`
struct Item { a: u32, v: vec3u } // 32 bytes, v at 16
@group(0) @binding(0) var<storage, read_write> data: array<Item>;
var<workgroup> tile: array<Item, 2>;
@compute @workgroup_size(2) fn main(@builtin(local_invocation_index) i: u32) {
	let whole = data[i];
	tile[i] = whole;
	workgroupBarrier();
	data[i] = tile[1 - i];
	data[i].v.y += tile[i].a + arrayLength(&data);
}`, []uint32{1, 0, 0, 0, 2, 3, 4, 0, 5, 0, 0, 0, 6, 7, 8, 0}, []uint32{5, 0, 0, 0, 6, 7 + 1 + 2, 8, 0, 1, 0, 0, 0, 2, 3 + 5 + 2, 4, 0}},
	"whole.wgsl": {`
struct Item { n: u32, list: array<u32, 3> }
struct Box { items: array<Item, 2>, more: array<array<u32, 2>, 2> }
@group(0) @binding(0) var<storage, read_write> data: Box;
var<workgroup> box: Box;
var<workgroup> items: array<Item, 2>;
var<private> kept: Box;
fn changed(b: Box) -> Box { var c = b; c.items[1].list[2] += 100; return c; }
fn first(p: ptr<function, Box>) -> u32 { return (*p).items[0].n; }
@compute @workgroup_size(1) fn main() {
	box = data;                 // from the buffer
	kept = box;                 // to memory of the invocation
	var local = changed(kept);
	items = local.items;
	let loaded = items;
	local.items[0] = loaded[1]; // the two are the same now
	box.more[1] = local.more[0];
	local.more = box.more;
	local.items[1].n = first(&local);
	box = local;
	data = box;
}`, []uint32{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, []uint32{5, 6, 7, 108, 5, 6, 7, 108, 9, 10, 9, 10}},
	"constants.wgsl": {`
struct S { a: u32, b: array<vec2u, 2> } // 24 bytes, b at 8
const table = array<vec2u, 2>(vec2u(1, 2), vec2u(3, 4));
@group(0) @binding(0) var<storage, read_write> data: array<S, 2>;
var<workgroup> w: array<S, 2>;
var<private> start: S = S(7, table);
@compute @workgroup_size(1) fn main() {
	w = array<S, 2>();
	w[0] = S(9, table);
	w[1].b = table;
	w[1].a = start.b[1].x + w[0].b[1].y;
	data = w;
}`, []uint32{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, []uint32{9, 1, 1, 2, 3, 4, 3 + 4, 1, 1, 2, 3, 4}},
	"atomics.wgsl": {`
struct A { n: atomic<u32>, list: array<atomic<u32>, 4> }
@group(0) @binding(0) var<storage, read_write> data: A;
var<workgroup> w: A;
var<workgroup> turn: u32;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
	atomicAdd(&w.n, i + 1);
	atomicMax(&w.list[i], 10 * i);
	if i == 2 { turn = 5; }
	let five = workgroupUniformLoad(&turn);
	atomicAdd(&data.n, five * atomicLoad(&w.n));
	atomicStore(&data.list[i], atomicLoad(&w.list[3 - i]));
}`, []uint32{1, 0, 0, 0, 0}, []uint32{1 + 4*5*10, 30, 20, 10, 0}},
	"matrices.wgsl": {`
struct M { a: mat2x2f, b: mat3x3f, list: array<mat2x2f, 2>, deep: array<array<mat2x2f, 1>, 2> }
@group(0) @binding(0) var<storage, read_write> data: M; // a at 0, b at 16, list at 64, deep at 96
var<workgroup> w: M;
@compute @workgroup_size(1) fn main() {
	w = data;
	w.list[1] = transpose(w.a);
	w.deep[1][0] = w.list[1] * w.deep[0][0];
	w.b[2] = w.b[0] + w.b[1];
	data = w;
}`, bits(1, 2, 3, 4, 1, 2, 3, 0, 4, 5, 6, 0, 7, 8, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 3, 0, 0, 0, 0),
		// The columns of the transpose are (1, 3) and (2, 4); deep[0][0] doubles the first and triples the second.
		bits(1, 2, 3, 4, 1, 2, 3, 0, 4, 5, 6, 0, 5, 7, 9, 0, 0, 0, 0, 0, 1, 3, 2, 4, 2, 0, 0, 3, 2, 6, 6, 12)},
	"pointers.wgsl": {`
struct S { v: array<u32, 4>, n: u32 }
@group(0) @binding(0) var<storage, read_write> data: array<S>;
var<workgroup> w: S;
var<private> q: S;
fn bump(p: ptr<function, u32>) { *p += 1; }
fn fill(p: ptr<function, array<u32, 4>>, x: u32) { for (var i = 0u; i < 4; i++) { (*p)[i] = x + i; } }
fn third(p: ptr<private, S>) -> u32 { return (*p).v[2]; }
fn one(at: u32) -> array<u32, 4> { var r: array<u32, 4>; r[at] = 40; return r; }
@compute @workgroup_size(1) fn main() {
	var list: array<u32, 4>;
	fill(&list, 10);          // 10 11 12 13
	var zeroth = list[0];
	bump(&zeroth);
	list[0] = zeroth;
	var local: S;
	local.v = list;
	let element = &local.v[3];
	*element *= 2;            // 11 11 12 26
	q = local;
	w = q;
	let inside = &w.v;
	(*inside)[1] = third(&q); // 11 12 12 26
	let out = &data[1];
	(*out).v = *inside;
	(*out).n = data[0].n;
	data[0].v = one(data[0].n);
}`, []uint32{0, 0, 0, 0, 2, 0, 0, 0, 0, 0}, []uint32{0, 0, 40, 0, 2, 11, 12, 12, 26, 2}},
	"halves.wgsl": {`
enable f16;
struct H { a: vec4h, b: array<f16, 4> }
@group(0) @binding(0) var<storage, read_write> data: H;
var<workgroup> w: H;
@compute @workgroup_size(1) fn main() {
	w = data;
	w.b[1] = w.a.y * 2h + w.b[3];
	data = w;
}`, []uint32{0x40003C00, 0, 0, 0x3C000000}, []uint32{0x40003C00, 0, 0x45000000, 0x3C000000}}, // 2·2 + 1 is 5, 0x4500
	"structures.comp": {`#version 450
struct S { uint a; uint v[3]; };
layout(local_size_x = 2) in;
layout(std430, set = 0, binding = 0) buffer Data { S s[2]; };
shared S w[2];
S kept;
void main() {
	uint i = gl_LocalInvocationIndex;
	S l = s[i];
	w[i] = l;
	barrier();
	kept = w[1 - i];
	uint list[3] = s[i].v;
	kept.v[i] += list[2];
	barrier();
	s[i] = kept;
}`, []uint32{1, 2, 3, 4, 5, 6, 7, 8}, []uint32{5, 6 + 4, 7, 8, 1, 2, 3 + 8, 4}},
	"laid.comp": {`#version 450
struct S { float f; vec3 v[2]; }; // 48 bytes, v at 16
layout(local_size_x = 1) in;
layout(std140, set = 0, binding = 0) buffer Data { S s[2]; };
void main() {
	s[0].v[0].y += s[1].f; // glslang takes the array's type from the buffer now
	S l = s[0];
	l.v[1] += s[1].v[int(l.f)];
	s[1] = l;
}`, bits(1, 0, 0, 0, 2, 3, 4, 0, 5, 6, 7, 0, 10, 0, 0, 0, 20, 30, 40, 0, 50, 60, 70, 0),
		bits(1, 0, 0, 0, 2, 13, 4, 0, 5, 6, 7, 0, 1, 0, 0, 0, 2, 13, 4, 0, 55, 66, 77, 0)},
}

// compiled calls f with every module that is made of programs and sources: for all targets where the language has them.
func compiled(t *testing.T, f func(key, name string, target shader.Target, code []byte)) {
	t.Helper()
	all := maps.Clone(sources)
	for name, p := range programs {
		all[name] = p.source
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		for target := shader.Vulkan10; target <= shader.Vulkan13; target++ {
			for _, debug := range []bool{false, true} {
				wgsl := strings.HasSuffix(name, ".wgsl")
				if wgsl && target > shader.Vulkan10 || target < needs[name] {
					continue
				}
				code := mustCompile(t, all[name], shader.Options{Name: name, Target: target, Debug: debug})
				f(fmt.Sprintf("%s, Vulkan 1.%d, debug %v", name, target-shader.Vulkan10, debug), name, target, code)
			}
		}
	}
}

// needs has the targets that sources need at least.
var needs = map[string]shader.Target{"one.comp": shader.Vulkan11, "one.mesh": shader.Vulkan12, "one.task": shader.Vulkan12}

// Programs compute what they say, with types of buffers in all kinds of memory, for each version of Vulkan.
func TestCompile_TypesSharedWithBuffers(t *testing.T) {
	dev := device(t)
	compiled(t, func(key, name string, _ shader.Target, code []byte) {
		p, ok := programs[name]
		if !ok {
			return
		}
		if got := compute(t, dev, code, "main", p.in); !slices.Equal(got, p.want) {
			t.Errorf("%s: %v, want %v", key, got, p.want)
		}
	})
}

// validated has the digests of modules that spirv-val takes, for Vulkan of their target and of all later versions, and the version
// that was asked.
const validated = "testdata/spirv-val.txt"

func digests(t *testing.T) (list []outside.Line) {
	t.Helper()
	compiled(t, func(key, _ string, _ shader.Target, code []byte) {
		sum := sha256.Sum256(code)
		list = append(list, outside.Line{Key: key, Value: hex.EncodeToString(sum[:8])})
	})
	return list
}

// Modules are those that spirv-val has taken.
func TestCompile_IsValidAsRecorded(t *testing.T) {
	outside.ReadRecord(t, validated).Compare(t, digests(t), func(line string) string { digest, _, _ := strings.Cut(line, " "); return digest })
}

// What cannot be a module of the version asked for is refused, with what to do.
func TestCompile_RefusesWhatVulkanHasNot(t *testing.T) {
	const subgroups = "#version 450\n#extension GL_KHR_shader_subgroup_basic : require\nvoid main() { if (gl_SubgroupSize == 4) return; }"
	for _, c := range []struct {
		source  string
		options shader.Options
		want    string
	}{
		{"fn f() {}", shader.Options{Name: "x.wgsl"}, "x.wgsl: there is no entry point: a function needs @vertex, @fragment or @compute"},
		{subgroups, shader.Options{Name: "x.comp", Target: shader.Vulkan10}, "x.comp: subgroup operations need SPIR-V 1.3: set Options.Target to Vulkan11 or later"},
		{subgroups, shader.Options{Name: "x.comp", Target: shader.Vulkan11}, ""},
		{`@group(0) @binding(0) var<storage, read_write> data: array<u32, 70000>;
var<workgroup> w: array<u32, 70000>;
@compute @workgroup_size(1) fn main() { w = data; }`, shader.Options{Name: "x.wgsl"}, "copy elements in a loop"},
	} {
		_, err := compiler(t).Compile(context.Background(), c.source, c.options)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.40q: %v, want %s", c.source, err, c.want)
		}
	}
}
