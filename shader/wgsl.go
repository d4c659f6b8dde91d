package shader

import (
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pumice-gpu/pumice/internal/spirv"
)

//go:embed naga.wasm.zst
var nagaWASM []byte

// object is a value of naga's options.
type object map[string]any

// naga is the compiler of WGSL. It was built for JavaScript, so it is given functions on
// JavaScript's values, as many as options take: references to nothing, booleans, strings and objects.
func naga() *program {
	is := func(f func(v any) bool) hostFunc {
		return function("r", "i", func(c *call, s []uint64) { s[0] = bit(f(c.object(s[0]))) })
	}
	never := func(params, results string) hostFunc {
		return function(params, results, func(*call, []uint64) { panic(errors.New("a value that its options do not have")) })
	}
	return &program{name: "naga", wasm: nagaWASM, start: "__wbindgen_start", imports: map[string]map[string]hostFunc{"./naga_bg.js": {
		"__wbindgen_init_externref_table":     function("", "", func(*call, []uint64) {}), // _gen/naga.sh did that
		"__wbindgen_generic_0000000000000001": function("ii", "r", func(c *call, s []uint64) { s[0] = c.reference(string(c.bytes(s[0], s[1]))) }),
		"__wbg_Error_67e7344beaa85059":        function("ii", "r", func(c *call, s []uint64) { s[0] = c.reference(errors.New(string(c.bytes(s[0], s[1])))) }),
		"__wbg___wbindgen_throw_5d9e815e6fdf150f": function("ii", "", func(c *call, s []uint64) {
			panic(errors.New(string(c.bytes(s[0], s[1]))))
		}),
		"__wbg_get_with_ref_key_6412cf3094599694": function("rr", "r", func(c *call, s []uint64) {
			o, _ := c.object(s[0]).(object)
			key, _ := c.object(s[1]).(string)
			s[0] = c.reference(o[key])
		}),
		"__wbg___wbindgen_in_50072d4d6e45c193": function("rr", "i", func(c *call, s []uint64) {
			key, _ := c.object(s[0]).(string)
			o, _ := c.object(s[1]).(object)
			_, ok := o[key]
			s[0] = bit(ok)
		}),
		"__wbg___wbindgen_is_undefined_8c687d0b90d5b524": is(func(v any) bool { return v == nil }),
		"__wbg___wbindgen_is_object_edb6b15aa3afe12e":    is(func(v any) bool { _, ok := v.(object); return ok }),
		"__wbg_instanceof_Uint8Array_598adc0fef426aa8":   is(func(any) bool { return false }),
		"__wbg_instanceof_ArrayBuffer_d4ff01f8247925ae":  is(func(any) bool { return false }),
		"__wbg___wbindgen_boolean_get_7a12af2b3f899c5a": function("r", "i", func(c *call, s []uint64) {
			const none = 0xffffff
			if v, ok := c.object(s[0]).(bool); ok {
				s[0] = bit(v)
			} else {
				s[0] = none
			}
		}),
		"__wbg___wbindgen_jsval_loose_eq_3c30021c243b64cd": function("rr", "i", func(c *call, s []uint64) {
			a, b := c.object(s[0]), c.object(s[1])
			x, isA := a.(bool)
			y, isB := b.(bool)
			s[0] = bit(isA && isB && x == y || a == nil && b == nil)
		}),
		"__wbg_String_8564e559799eccda":                  never("ir", ""),
		"__wbg___wbindgen_debug_string_0e68cf47c9cbd9b0": never("ir", ""),
		"__wbg___wbindgen_string_get_92ab86bb19cbc12f":   never("ir", ""),
		"__wbg___wbindgen_number_get_1dc732b810cb937c":   never("ir", ""),
		"__wbg_length_31bdaf014f5fbde2":                  never("r", "i"),
		"__wbg_new_1da3429bc3c4541c":                     never("r", "r"),
		"__wbg_prototypesetcall_ae9f5e7459250748":        never("iir", ""),
	}}}
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// reference gives a value a number; nothing is 0. naga keeps the strings that it makes, the
// names of options, from call to call; numbers of other values begin at objectBase, and hold for a call.
func (c *call) reference(v any) uint64 {
	switch v := v.(type) {
	case nil:
		return 0
	case string:
		if i := slices.Index(c.strings, v); i >= 0 {
			return uint64(i + 1)
		}
		c.strings = append(c.strings, v)
		return uint64(len(c.strings))
	default:
		c.objects = append(c.objects, v)
		return objectBase + uint64(len(c.objects)-1)
	}
}

const objectBase = 1 << 20

// object is the value of a reference.
func (c *call) object(r uint64) any {
	switch {
	case r >= objectBase && r-objectBase < uint64(len(c.objects)):
		return c.objects[r-objectBase]
	case r >= 1 && r <= uint64(len(c.strings)):
		return c.strings[r-1]
	default:
		return nil
	}
}

// compileWGSL has naga parse, validate and write.
func compileWGSL(c *call, o *Options, source string) (*result, error) {
	module := wgslOverrides(source)
	if module == nil {
		if len(o.Constants) > 0 {
			return nil, o.fail("Options.Constants has values, and the source has no override")
		}
		compile := func(source string) ([]byte, error) { return c.wgsl(o, source, true) }
		code, err := compile(source)
		if err == nil && o.Debug {
			code = withLines(code, o.file(), source, source, compile)
		}
		if err == nil {
			err = hasEntry(code, o)
		}
		return &result{SPIRV: code}, err
	}
	if _, err := c.wgsl(o, source, false); err != nil {
		return nil, err
	}
	if !module.resolve(func(source string) bool { return c.reads(source) }) {
		return nil, module.fail(o, module.overrides[0], "naga writes no SPIR-V of such an override: make it a const")
	}
	if err := module.give(o); err != nil {
		return nil, err
	}
	module.number()
	fixed, edits := module.write(false)
	code, err := c.wgsl(o, fixed, true)
	if said := (*Error)(nil); errors.As(err, &said) {
		for i := range said.Diagnostics {
			module.back(&said.Diagnostics[i], fixed, edits)
			lines{o.file(): splitLines(source)}.place(&said.Diagnostics[i])
		}
	}
	if err != nil {
		return nil, err
	}
	written, compile := fixed, func(source string) ([]byte, error) { return c.wgsl(o, source, true) }
	if module.changes() {
		open, _ := module.write(true)
		specialized := func(source string) ([]byte, error) {
			code, err := c.wgsl(o, source, true)
			if err != nil {
				return nil, err
			}
			return module.specialize(code)
		}
		if changing, err := specialized(open); err == nil {
			code, written, compile = changing, open, specialized
		}
	}
	if o.Debug {
		code = withLines(code, o.file(), written, source, compile)
	}
	return &result{SPIRV: code}, hasEntry(code, o)
}

// reads says whether naga reads a source.
func (c *call) reads(source string) bool {
	module, err := c.parse(&Options{}, source)
	if err == nil {
		c.do("__wbg_module_free", module, 0)
	}
	return err == nil
}

// attempt calls a function of naga whose last two results are an error's reference in naga's table and whether it is one.
func (c *call) attempt(o *Options, source, name string, args ...uint64) ([]uint64, error) {
	c.objects = nil
	if name == "writeSpirv" {
		args = append(args, c.reference(object{"flags": object{"adjustCoordinateSpace": !o.VulkanClip, "debug": true}})) // debug: names
	}
	r := c.do(name, args...)
	if failed, ref := r[len(r)-1], r[len(r)-2]; uint32(failed) != 0 {
		c.do("__externref_table_dealloc", ref)
		for _, v := range slices.Backward(c.objects) { // the error is the last that was made
			if err, ok := v.(error); ok {
				return nil, &Error{Diagnostics: parseNaga(err.Error(), o.file(), source)}
			}
		}
		return nil, o.fail("naga fails and says not why")
	}
	return r, nil
}

// parse makes a module of a source.
func (c *call) parse(o *Options, source string) (uint64, error) {
	at := c.do("__wbindgen_malloc", uint64(max(len(source), 1)), 1)[0]
	c.put(at, []byte(source))
	module, err := c.attempt(o, source, "parseWgsl", at, uint64(len(source))) // takes the source's memory
	if err != nil {
		return 0, err
	}
	return module[0], nil
}

// wgsl has naga parse and validate a source, and write it.
func (c *call) wgsl(o *Options, source string, write bool) (code []byte, err error) {
	module, err := c.parse(o, source)
	if err != nil {
		return nil, err
	}
	defer func() { c.do("__wbg_module_free", module, 0) }()
	info, err := c.attempt(o, source, "validate", module)
	if err != nil {
		return nil, err
	}
	if write {
		var words []uint64
		if words, err = c.attempt(o, source, "writeSpirv", module, info[0]); err == nil {
			code = c.bytes(words[0], 4*words[1])
			c.do("__wbindgen_free", words[0], 4*words[1], 4)
		}
	}
	c.do("__wbg_moduleinfo_free", info[0], 0)
	return code, err
}

// hasEntry looks for the entry point that was asked for.
func hasEntry(code []byte, o *Options) error {
	if o.Entry == "" {
		return nil
	}
	m, err := spirv.ParseBytes(code)
	if err != nil {
		return o.fail(fmt.Sprintf("naga wrote what is not valid: %v", err))
	}
	var names []string
	for _, e := range m.EntryPoints {
		if e.Name == o.Entry {
			return nil
		}
		names = append(names, fmt.Sprintf("%s (%s)", e.Name, models[e.Model].stage))
	}
	return o.fail(fmt.Sprintf("there is no entry point %q; there are: %s", o.Entry, strings.Join(names, ", ")))
}
