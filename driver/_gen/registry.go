package main

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"

	kh "github.com/pumice-gpu/pumice/internal/registry"
)

// decl is a member of a struct or a parameter of a command.
type decl struct {
	c        string // the C declaration
	name     string
	typ      string   // the C type without const and *
	stars    int      // levels of pointers
	dims     []string // of an array, constants resolved to numbers
	len      string   // the registry's len, as C (altlen)
	values   string   // of sType
	selector string   // of a union: the sibling whose value says which member counts
	selected []string // of a union's member: the values that select it
	optional bool
}

// typ is a type of the registry.
type typ struct {
	name, category, alias string
	node                  *node
	members               []decl
	extends               []string // structs in whose pNext chain it may stand
	wide                  bool     // bitmask of 64 bits
}

// command is an entry point. Its aliases share everything but the name.
type command struct {
	name, ret string
	params    []decl
	op        int
}

// provider says where a name of an entry point comes from.
type provider struct {
	version    string   // "1.1", or "" if no version has it
	extensions []string // sorted
	device     bool     // only device extensions or versions bring it
}

// registry is what the generator needs of vk.xml.
type registry struct {
	types     map[string]*typ
	order     []string // of types
	commands  map[string]*command
	aliases   map[string]string // of commands
	constants map[string]string // API constants, as C
	numbers   map[string]string // API constants, as decimal numbers
	values    map[string]int64  // of enumerators
	enums     map[string][]string
	provided  map[string]*provider // by name of the entry point, aliases too
	names     []string             // sorted keys of provided
	needed    map[string]bool      // types
	wide      map[string]bool      // enums of 64 bits
	extension map[string]string    // kind ("instance", "device") of the extensions taken
	other     map[string]string    // enumerators by their aliases
	texts     map[string]string    // VK_…_EXTENSION_NAME, quoted

	registered []*node // versions and extensions taken, as they stand there
}

// excluded are extensions that this driver will not offer: video, ray tracing,
// other systems' windows and the like.
var excluded = regexp.MustCompile(`video|acceleration|_ray_|micromap|NV_device_generated|cooperative_matrix_|_win32\b|win32_keyed|android|metal|fuchsia|portability|data_graph|tensor|displacement|xlib_xrandr|directfb|drm_display|memory_decompression|device_fault|shader_instrumentation|_sc_`)

// vendors are the extensions of single vendors that this driver offers or may come to
// offer: those about what the engine has (drawing, sampling), without "VK_".
var vendors = strings.Fields(`
	AMD_buffer_marker AMD_draw_indirect_count AMD_gcn_shader AMD_gpu_shader_half_float AMD_gpu_shader_int16 AMD_mixed_attachment_samples AMD_negative_viewport_height AMD_rasterization_order AMD_shader_ballot AMD_shader_core_properties AMD_shader_early_and_late_fragment_tests AMD_shader_explicit_vertex_parameter AMD_shader_fragment_mask AMD_shader_image_load_store_lod AMD_shader_trinary_minmax AMD_texture_gather_bias_lod
	ARM_rasterization_order_attachment_access
	GOOGLE_decorate_string GOOGLE_display_timing GOOGLE_hlsl_functionality1 GOOGLE_user_type
	IMG_filter_cubic IMG_relaxed_line_rasterization
	NV_clip_space_w_scaling NV_compute_shader_derivatives NV_cooperative_matrix NV_cooperative_matrix2 NV_cooperative_vector NV_corner_sampled_image NV_coverage_reduction_mode NV_dedicated_allocation NV_device_diagnostic_checkpoints NV_fill_rectangle NV_fragment_coverage_to_color NV_fragment_shader_barycentric NV_fragment_shading_rate_enums NV_framebuffer_mixed_samples NV_geometry_shader_passthrough NV_inherited_viewport_scissor NV_linear_color_attachment NV_raw_access_chains NV_representative_fragment_test NV_sample_mask_override_coverage NV_scissor_exclusive NV_shader_image_footprint NV_shader_subgroup_partitioned NV_shading_rate_image NV_viewport_array2 NV_viewport_swizzle
	NVX_multiview_per_view_attributes
	QCOM_filter_cubic_clamp QCOM_filter_cubic_weights QCOM_fragment_density_map_offset QCOM_image_processing QCOM_image_processing2 QCOM_image_processing3 QCOM_multiview_per_view_render_areas QCOM_multiview_per_view_viewports QCOM_render_pass_shader_resolve QCOM_render_pass_store_ops QCOM_rotated_copy_commands QCOM_ycbcr_degamma
	VALVE_fragment_density_map_layered VALVE_mutable_descriptor_type
`)

func takes(x *node) bool {
	n := x.name()
	if !x.forVulkan("supported") || excluded.MatchString(n) {
		return false
	}
	switch x.attrs["platform"] {
	case "", "xcb", "xlib", "wayland":
	case "win32":
		if n != "VK_KHR_win32_surface" { // other extensions of Windows share handles of its kernel, or its screen
			return false
		}
	default:
		return false
	}
	return strings.HasPrefix(n, "VK_KHR_") || strings.HasPrefix(n, "VK_EXT_") || slices.Contains(vendors, strings.TrimPrefix(n, "VK_"))
}

// load reads vk.xml.
func load() (*registry, error) {
	text, err := kh.Read(kh.Vulkan)
	if err != nil {
		return nil, err
	}
	root, err := parse(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	r := &registry{
		types: map[string]*typ{}, commands: map[string]*command{}, aliases: map[string]string{}, constants: map[string]string{},
		numbers: map[string]string{}, values: map[string]int64{}, enums: map[string][]string{}, provided: map[string]*provider{},
		needed: map[string]bool{}, extension: map[string]string{}, wide: map[string]bool{},
		other: map[string]string{}, texts: map[string]string{},
	}
	for _, g := range root.all("enums") {
		r.addEnums(g)
	}
	for _, g := range root.all("types") {
		for _, t := range g.all("type") {
			r.addType(t)
		}
	}
	for _, g := range root.all("commands") {
		for _, c := range g.all("command") {
			r.addCommand(c)
		}
	}
	for _, v := range root.all("feature") {
		if v.forVulkan("api") {
			r.require(v, 0)
			r.registered = append(r.registered, v)
		}
	}
	for _, g := range root.all("extensions") {
		for _, x := range g.all("extension") {
			if takes(x) {
				number, err := strconv.Atoi(x.attrs["number"])
				if err != nil {
					return nil, fmt.Errorf("extension %s: number: %w", x.name(), err)
				}
				r.extension[x.name()] = x.attrs["type"]
				r.require(x, number)
				r.registered = append(r.registered, x)
			}
		}
	}
	r.closure()
	return r, r.number()
}

func (r *registry) addEnums(g *node) {
	name := g.name()
	r.wide[name] = g.attrs["bitwidth"] == "64"
	for _, e := range g.all("enum") {
		if !e.forVulkan("api") {
			continue
		}
		if g.attrs["type"] != "constants" {
			r.addValue(name, e, 0)
			continue
		}
		v := e.attrs["value"]
		if a := e.attrs["alias"]; a != "" {
			v = r.constants[a]
		}
		r.constants[e.name()] = v
		if n, err := strconv.ParseUint(strings.Trim(v, "()UL"), 10, 64); err == nil {
			r.numbers[e.name()] = fmt.Sprint(n)
		}
	}
}

// addValue computes an enumerator, extension values as the Vulkan style guide's
// "assigning extension token values" has them.
func (r *registry) addValue(enum string, e *node, ext int) {
	if a := e.attrs["alias"]; a != "" {
		r.other[e.name()] = a
		return
	}
	if _, known := r.values[e.name()]; known {
		return
	}
	var v int64
	switch {
	case e.attrs["bitpos"] != "":
		pos, _ := strconv.Atoi(e.attrs["bitpos"])
		v = int64(uint64(1) << (pos & 63))
	case e.attrs["value"] != "":
		n, err := strconv.ParseInt(e.attrs["value"], 0, 64)
		if err != nil {
			return
		}
		v = n
	case e.attrs["offset"] != "":
		offset, _ := strconv.Atoi(e.attrs["offset"])
		if s := e.attrs["extnumber"]; s != "" {
			ext, _ = strconv.Atoi(s)
		}
		if v = 1_000_000_000 + int64(ext-1)*1000 + int64(offset); e.attrs["dir"] == "-" {
			v = -v
		}
	default:
		return
	}
	r.values[e.name()] = v
	r.enums[enum] = append(r.enums[enum], e.name())
}

func (r *registry) addType(n *node) {
	t := &typ{name: n.name(), category: n.attrs["category"], alias: n.attrs["alias"], node: n}
	if t.name == "" || !n.forVulkan("api") || r.types[t.name] != nil {
		return
	}
	for _, m := range n.all("member") {
		if m.forVulkan("api") {
			t.members = append(t.members, r.declaration(m))
		}
	}
	if s := n.attrs["structextends"]; s != "" {
		t.extends = strings.Split(s, ",")
	}
	t.wide = strings.Contains(n.content(), "VkFlags64")
	r.types[t.name] = t
	r.order = append(r.order, t.name)
}

var dimension = regexp.MustCompile(`\[(\w+)\]`)

func (r *registry) declaration(n *node) decl {
	d := decl{c: n.content(), name: n.child("name"), typ: n.child("type"), len: n.attrs["len"], values: n.attrs["values"]}
	if a := n.attrs["altlen"]; a != "" {
		d.len = a
	}
	d.selector = n.attrs["selector"]
	if s := n.attrs["selection"]; s != "" {
		d.selected = strings.Split(s, ",")
	}
	d.optional = strings.HasPrefix(n.attrs["optional"], "true")
	d.stars = strings.Count(d.c, "*")
	for _, m := range dimension.FindAllStringSubmatch(d.c, -1) {
		if v, ok := r.numbers[m[1]]; ok {
			d.dims = append(d.dims, v)
		} else {
			d.dims = append(d.dims, m[1])
		}
	}
	return d
}

func (r *registry) addCommand(n *node) {
	if !n.forVulkan("api") {
		return
	}
	if a := n.attrs["alias"]; a != "" {
		r.aliases[n.name()] = a
		return
	}
	c := &command{name: n.name(), ret: n.all("proto")[0].child("type")}
	for _, p := range n.all("param") {
		if p.forVulkan("api") {
			c.params = append(c.params, r.declaration(p))
		}
	}
	r.commands[c.name] = c
}

// require takes what a version or an extension (number > 0) brings.
func (r *registry) require(x *node, number int) {
	for _, req := range x.all("require") {
		if !req.forVulkan("api") || excluded.MatchString(req.attrs["depends"]) {
			continue
		}
		for _, t := range req.all("type") {
			if t.forVulkan("api") {
				r.need(t.name())
			}
		}
		for _, e := range req.all("enum") {
			if to := e.attrs["extends"]; to != "" && e.forVulkan("api") {
				r.addValue(to, e, number)
			}
			if strings.HasSuffix(e.name(), "_EXTENSION_NAME") {
				r.texts[e.name()] = e.attrs["value"]
			}
		}
		for _, c := range req.all("command") {
			r.provide(c.name(), x, number)
		}
	}
}

func (r *registry) provide(name string, x *node, number int) {
	p := r.provided[name]
	if p == nil {
		p = &provider{}
		r.provided[name] = p
		r.names = append(r.names, name)
	}
	switch {
	case number == 0 && p.version == "":
		p.version = x.attrs["number"]
	case number > 0 && !slices.Contains(p.extensions, x.name()):
		p.extensions = append(p.extensions, x.name())
		sort.Strings(p.extensions)
	}
}

// target follows aliases of commands.
func (r *registry) target(name string) *command {
	for r.aliases[name] != "" {
		name = r.aliases[name]
	}
	return r.commands[name]
}

// resolve follows aliases of types.
func (r *registry) resolve(name string) *typ {
	t := r.types[name]
	for t != nil && t.alias != "" {
		t = r.types[t.alias]
	}
	return t
}

// need marks a type and all that it mentions.
func (r *registry) need(name string) {
	t := r.types[name]
	if t == nil || r.needed[name] {
		return
	}
	switch t.category {
	case "struct", "union", "enum", "bitmask", "handle", "funcpointer":
	default:
		return
	}
	r.needed[name] = true
	if t.alias != "" {
		r.need(t.alias)
		return
	}
	for _, m := range t.members {
		r.need(m.typ)
	}
}

// closure marks the types of all commands, drops commands that cannot be
// called, and sorts the names.
func (r *registry) closure() {
	sort.Strings(r.names)
	for _, n := range r.names {
		c := r.target(n)
		r.need(c.ret)
		for _, p := range c.params {
			r.need(p.typ)
		}
	}
}

// number gives each command (once for all its aliases) its opcode, from 1 on,
// in the order of the canonical names.
func (r *registry) number() error {
	op := 0
	seen := map[string]bool{}
	for _, n := range r.names {
		seen[r.target(n).name] = true
	}
	for _, n := range sortedKeys(seen) {
		op++
		r.commands[n].op = op
	}
	if op == 0 {
		return fmt.Errorf("the registry has no commands")
	}
	return nil
}

// all returns the commands by opcode.
func (r *registry) all() []*command {
	var out []*command
	for _, c := range r.commands {
		if c.op > 0 {
			out = append(out, c)
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].op < out[j].op })
	return out
}

// recorded says whether the command is recorded into a command buffer by the C
// encoder.
func (c *command) recorded() bool {
	return strings.HasPrefix(c.name, "vkCmd") && !slices.Contains(direct, c.name)
}

// direct are vkCmd* that go through the door to Go, because what they copy has a
// size that only Go knows.
var direct = []string{"vkCmdPushDescriptorSetWithTemplate", "vkCmdPushDescriptorSetWithTemplate2"}

// level is the object that the command is called on.
func (c *command) level() string {
	if len(c.params) > 0 {
		switch c.params[0].typ {
		case "VkInstance", "VkPhysicalDevice", "VkDevice", "VkQueue", "VkCommandBuffer":
			return strings.TrimPrefix(c.params[0].typ, "Vk")
		}
	}
	return "Global"
}

func sortedKeys[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}
