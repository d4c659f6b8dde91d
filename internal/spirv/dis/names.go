package dis

import (
	"fmt"
	"strconv"
	"strings"
)

// namer gives <id>s the names that the SPIR-V tools give them for people: of OpName, of built-ins, and
// of types and constants what they are. All names differ.
type namer struct {
	p     *printer
	names map[uint32]string
	used  map[string]int // how many wanted the name
}

// maxName bounds a name in bytes: those of types hold those of others.
const maxName = 256

// namesOf names the <id>s of a module.
func namesOf(words []uint32) map[uint32]string {
	n := namer{p: newPrinter(), names: map[uint32]string{}, used: map[string]int{}}
	for at := headerWords; at < len(words); {
		k := int(words[at] >> 16)
		if k == 0 || at+k > len(words) {
			break
		}
		n.instruction(words[at : at+k])
		at += k
	}
	return n.names
}

// save names an <id>, unless it has a name.
func (n *namer) save(id uint32, name string) {
	if n.names[id] != "" {
		return
	}
	name = strings.Map(func(r rune) rune {
		if r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, name)
	if name == "" {
		name = "_"
	}
	base := name[:min(len(name), maxName)]
	for name = base; n.used[name] > 0; {
		n.used[base]++
		name = base + "_" + strconv.Itoa(n.used[base]-2)
	}
	n.used[name]++
	n.names[id] = name
}

func (n *namer) of(id uint32) string {
	if name := n.names[id]; name != "" {
		return name
	}
	return strconv.FormatUint(uint64(id), 10)
}

// builtins are those whose names in GLSL differ in more than gl_.
var builtins = map[string]string{
	"VertexId": "VertexID", "InstanceId": "InstanceID", "PrimitiveId": "PrimitiveID", "InvocationId": "InvocationID", "SampleId": "SampleID",
	"NumWorkgroups": "NumWorkGroups", "WorkgroupSize": "WorkGroupSize", "WorkgroupId": "WorkGroupID",
	"LocalInvocationId": "LocalInvocationID", "GlobalInvocationId": "GlobalInvocationID",
}

func (n *namer) instruction(words []uint32) {
	info := grammarOf().ops[words[0]&0xFFFF]
	args := words[1:]
	has := func(k int) bool { return len(args) >= k }
	switch info.name {
	case "OpName":
		if has(2) {
			s, _ := text(args[1:])
			n.save(args[0], s)
		}
		return
	case "OpDecorate":
		if has(3) && enumerantName("Decoration", args[1]) == "BuiltIn" {
			if name := enumerantName("BuiltIn", args[2]); name != "" && !strings.HasSuffix(name, "HeapEXT") { // spirv-dis gives heaps no names
				if glsl := builtins[name]; glsl != "" {
					name = glsl
				}
				n.save(args[0], "gl_"+name)
			}
		}
		return
	}
	// The result, as the grammar has it.
	rest, typ := info.operands, uint32(0)
	if len(rest) > 0 && rest[0].kind == "IdResultType" && has(1) {
		typ, args, rest = args[0], args[1:], rest[1:]
	}
	if len(rest) == 0 || rest[0].kind != "IdResult" || !has(1) {
		return
	}
	id := args[0]
	args = args[1:]
	n.p.words = args
	n.p.note(info.name, id)
	n.save(id, n.suggest(info.name, id, typ, args))
}

// suggest is the name of a result without OpName.
func (n *namer) suggest(op string, id, typ uint32, args []uint32) string {
	arg := func(k int) uint32 {
		if k < len(args) {
			return args[k]
		}
		return 0
	}
	switch op {
	case "OpTypeVoid":
		return "void"
	case "OpTypeBool":
		return "bool"
	case "OpTypeInt":
		name, known := map[uint32]string{8: "char", 16: "short", 32: "int", 64: "long"}[arg(0)]
		switch signed := arg(1) != 0; {
		case known && signed:
			return name
		case known:
			return "u" + name
		case signed:
			return fmt.Sprintf("i%d", arg(0))
		}
		return fmt.Sprintf("u%d", arg(0))
	case "OpTypeFloat":
		if len(args) > 1 {
			switch enumerantName("FPEncoding", arg(1)) {
			case "BFloat16KHR":
				return "bfloat16"
			case "Float8E4M3EXT":
				return "fp8e4m3"
			case "Float8E5M2EXT":
				return "fp8e5m2"
			}
		}
		if name, known := map[uint32]string{16: "half", 32: "float", 64: "double"}[arg(0)]; known {
			return name
		}
		return fmt.Sprintf("fp%d", arg(0))
	case "OpTypeVector":
		return fmt.Sprintf("v%d%s", arg(1), n.of(arg(0)))
	case "OpTypeMatrix":
		return fmt.Sprintf("mat%d%s", arg(1), n.of(arg(0)))
	case "OpTypeArray":
		return "_arr_" + n.of(arg(0)) + "_" + n.of(arg(1))
	case "OpTypeRuntimeArray":
		return "_runtimearr_" + n.of(arg(0))
	case "OpTypePointer":
		return "_ptr_" + enumerantName("StorageClass", arg(0)) + "_" + n.of(arg(1))
	case "OpTypeUntypedPointerKHR":
		return "_ptr_" + enumerantName("StorageClass", arg(0))
	case "OpTypeStruct":
		return fmt.Sprintf("_struct_%d", id)
	case "OpConstantTrue":
		return "true"
	case "OpConstantFalse":
		return "false"
	case "OpConstant":
		n.p.line, n.p.words, n.p.ok = nil, args, true
		if n.p.literal(n.p.numbers[typ]); n.p.ok {
			return n.of(typ) + "_" + strings.ReplaceAll(n.p.line[0], "-", "n")
		}
	}
	return strconv.FormatUint(uint64(id), 10)
}

func enumerantName(kind string, value uint32) string {
	return grammarOf().kinds[kind].byValue[value].name
}
