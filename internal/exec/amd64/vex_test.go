package amd64

import (
	"encoding/binary"
	"fmt"
	"slices"
	"testing"
)

// vexTable is what the encoder writes on 256 bits under a name of its own: operands as text, the last
// operand's registers first. Rows of table that have such a form are tested, too.
var vexTable = []struct {
	name string
	op   Op
	form form
	imm  int
}{
	{"vpandn", VPANDN, formRVX, -1}, {"vminps", VMINPS, formRVX, -1},
	{"vpcmpeqd", VPCMPEQD, formRVX, -1}, {"vpcmpgtd", VPCMPGTD, formRVX, -1}, {"vpcmpeqq", VPCMPEQQ, formRVX, -1}, {"vpcmpgtq", VPCMPGTQ, formRVX, -1}, {"vptest", VPTEST, formRX, -1},
	{"vpmaskmovd", VPMASKMOVD, formEach, -1}, {"vpmaskmovq", VPMASKMOVQ, formEach, -1}, {"vpmaskmovd", VPMASKMOVDTo, formKVX, -1}, {"vpmaskmovq", VPMASKMOVQTo, formKVX, -1},
	{"vextracti128", VEXTRACT128, formQuarter, 1}, {"vinserti128", VINSERT128, formInsert, 1}, {"vpermq", VPERMQ, formRX, 0xD8}, {"vshufps", VSHUFPS, formRVX, 0x88},
	{"vunpcklps", VUNPCKLPS, formRVX, -1}, {"vunpckhps", VUNPCKHPS, formRVX, -1}, {"vunpcklpd", VUNPCKLPD, formRVX, -1}, {"vunpckhpd", VUNPCKHPD, formRVX, -1}, {"vpblendd", VPBLENDD, formRVX, 0xAA},
	{"vpmovsxdq", VPMOVSXDQ, formWide, -1}, {"vpbroadcastb", VPBROADCASTB, formWide, -1}, {"vpbroadcastd", VPBROADCASTD, formWide, -1}, {"vpbroadcastq", VPBROADCASTQ, formWide, -1},
	{"vpshufb", VPSHUFB, formRVX, -1}, {"vpackusdw", VPACKUSDW, formRVX, -1}, {"vpmaddubsw", VPMADDUBSW, formRVX, -1}, {"vpmaddwd", VPMADDWD, formRVX, -1},
	{"vmovdqu", VMOVDQU, formRX, -1}, {"vmovdqu", VMOVDQUTo, formXR, -1}, {"vpand", VPANDD, formRVX, -1}, {"vpor", VPORD, formRVX, -1}, {"vpxor", VPXORD, formRVX, -1}, {"vpand", VPANDQ, formRVX, -1}, {"vpxor", VPXORQ, formRVX, -1},
	{"vroundps", VRNDSCALEPS, formRX, 9}, {"vroundpd", VRNDSCALEPD, formRX, 9}, {"vcmpnlt_uqps", VCMPPS, formRVX, 0x15}, {"vcmpnge_uqpd", VCMPPD, formRVX, 0x19},
	{"vpmovzxbd", VPMOVZXBD, formWide, -1}, {"vpmovzxwd", VPMOVZXWD, formWide, -1}, {"vpmovzxdq", VPMOVZXDQ, formWide, -1}, {"vcvtph2ps", VCVTPH2PS, formWide, -1}, {"vcvtps2ph", VCVTPS2PH, formQuarter, 0},
	{"vcvtps2pd", VCVTPS2PD, formWide, -1}, {"vcvtdq2pd", VCVTDQ2PD, formWide, -1}, {"vcvtpd2ps", VCVTPD2PS, formHalfR, -1}, {"vcvttpd2dq", VCVTTPD2DQ, formHalfR, -1}, {"vcvtpd2dq", VCVTPD2DQ, formHalfR, -1},
	{"vpgatherdd", VPGATHERDD, formHalf, -1}, {"vpgatherdq", VPGATHERDQ, formHalf, -1},
}

// same are the operations that have one name and one form on both widths.
var sameNames = []string{"vaddps", "vmulps", "vsubps", "vdivps", "vmaxps", "vsqrtps", "vfmadd213ps", "vfmadd231ps", "vcvttps2dq", "vcvtdq2ps", "vpaddd", "vpsubd", "vpmulld", "vpmuludq", "vpmuldq",
	"vpminsd", "vpminud", "vpmaxsd", "vpmaxud", "vpsllvd", "vpsrlvd", "vpsravd", "vpslld", "vpsrld", "vpsrad", "vpsllq", "vpsrlq", "vpshufd", "vpermd",
	"vaddpd", "vmulpd", "vsubpd", "vminpd", "vdivpd", "vmaxpd", "vsqrtpd", "vfmadd213pd", "vfmadd231pd", "vpaddq", "vpsubq", "vpsllvq", "vpsrlvq"}

// vexInstructions are all operations on 256 bits, and those on fewer, with random registers and displacements.
func vexInstructions() (l listing) {
	rows := slices.Clone(vexTable)
	for _, row := range table {
		if row.op.HasVEX() && slices.Contains(sameNames, row.name) {
			rows = append(rows, row)
		}
	}
	r := seeded("vex", "", 0)
	memory := func() (Arg, string) {
		g, d := bases[r.IntN(len(bases))], []int{0, 32, -64, 127, 128, 4096, -129, 1 << 20}[r.IntN(8)]
		text := ""
		if d > 0 {
			text = fmt.Sprintf("0x%x", d)
		} else if d < 0 {
			text = fmt.Sprintf("-0x%x", -d)
		}
		return M(g, d), fmt.Sprintf("%s(%%%s)", text, generalNames[g])
	}
	for _, row := range rows {
		r = seeded("vex", row.name, row.form)
		for range 20 {
			reg, v, z := Z(r.IntN(16)), Z(r.IntN(16)), Z(r.IntN(16))
			if row.op == VMOVDQU && reg == z { // not written: see TestAsm_MovesToThemselves
				z ^= 1
			}
			vector, to := "ymm", "ymm"
			switch row.form {
			case formWide, formInsert, formQuarter:
				vector = "xmm"
			case formHalfR:
				to = "xmm"
			}
			x, text := R(z), fmt.Sprintf("%%%s%d", vector, z)
			switch row.form {
			case formVX, formHalfR:
			case formEach, formKVX, formXR:
				x, text = memory()
			case formHalf: // a gather
				g, index := bases[r.IntN(len(bases))], "ymm"
				if row.op.Wide() {
					index = "xmm"
				}
				reg, v, z = 1, 2+Z(r.IntN(6)), 8+z%8
				x, text = Each(g, z), fmt.Sprintf("(%%%s,%%%s%d,1)", generalNames[g], index, z)
			default:
				if r.IntN(2) == 0 {
					x, text = memory()
				}
			}
			imm := ""
			if row.imm >= 0 && row.op != VCMPPS && row.op != VCMPPD {
				imm = fmt.Sprintf("$0x%x,", row.imm)
			}
			operands := fmt.Sprintf("%s%s,%%ymm%d,%%ymm%d", imm, text, v, reg)
			switch row.form {
			case formRX, formWide, formVX, formHalfR:
				v, operands = 0, fmt.Sprintf("%s%s,%%%s%d", imm, text, to, reg)
			case formXR, formQuarter:
				v, operands = 0, fmt.Sprintf("%s%%ymm%d,%s", imm, reg, text)
			case formKVX:
				operands = fmt.Sprintf("%%ymm%d,%%ymm%d,%s", reg, v, text)
			case formHalf:
				operands = fmt.Sprintf("%%ymm%d,%s,%%ymm%d", v, text, reg)
			}
			l.YI(row.op, reg, v, x, row.imm)
			l.add("%s %s", row.name, operands)
		}
	}
	r = seeded("general", "", 0)
	for range 20 {
		z, v, m := Z(r.IntN(16)), Z(r.IntN(16)), Z(r.IntN(16))
		g, h, k := bases[r.IntN(len(bases))], bases[r.IntN(len(bases))], bases[r.IntN(len(bases))]
		low := func(x G) string {
			if x >= R8 {
				return generalNames[x] + "d"
			}
			return "e" + generalNames[x][1:]
		}
		at, text := memory()
		l.YBlend(z, v, at, m)
		l.add("vblendvps %%ymm%d,%s,%%ymm%d,%%ymm%d", m, text, v, z)
		l.YSigns(g, z)
		l.add("vmovmskps %%ymm%d,%%%s", z, low(g))
		l.X(VMOVDQU, z, 0, at)
		l.add("vmovdqu %s,%%xmm%d", text, z)
		l.X(VMOVD, z, 0, at)
		l.add("vmovd %s,%%xmm%d", text, z)
		l.X(VMOVQ, z, 0, at)
		l.add("vmovq %s,%%xmm%d", text, z)
		l.XI(VPINSRD, z, z, at, 1)
		l.add("vpinsrd $0x1,%s,%%xmm%d,%%xmm%d", text, z, z)
		l.XI(VPINSRQ, z, z, at, 1)
		l.add("vpinsrq $0x1,%s,%%xmm%d,%%xmm%d", text, z, z)
		l.X(VMOVDTo, z, 0, at)
		l.add("vmovd %%xmm%d,%s", z, text)
		l.X(VMOVQTo, z, 0, at)
		l.add("vmovq %%xmm%d,%s", z, text)
		l.X(VMOVD, z, 0, GArg(g))
		l.add("vmovd %%%s,%%xmm%d", low(g), z)
		l.X(VMOVDTo, z, 0, GArg(g))
		l.add("vmovd %%xmm%d,%%%s", z, low(g))
		l.BLSR(g, h)
		l.add("blsr %%%s,%%%s", low(h), low(g))
		l.W(TZCNT, g, GArg(h))
		l.add("tzcnt %%%s,%%%s", low(h), low(g))
		scale := byte(r.IntN(4))
		l.At(Loads(1), g, h, k, scale, 0x1234)
		l.add("movzbl 0x1234(%%%s,%%%s,%d),%%%s", generalNames[h], generalNames[k], 1<<scale, low(g))
		l.At(Loads(2), g, h, k, scale, 0x1234)
		l.add("movzwl 0x1234(%%%s,%%%s,%d),%%%s", generalNames[h], generalNames[k], 1<<scale, low(g))
		l.At(Loads(4), g, h, k, scale, 0x1234)
		l.add("mov 0x1234(%%%s,%%%s,%d),%%%s", generalNames[h], generalNames[k], 1<<scale, low(g))
		l.At(Stores(4), g, h, k, scale, 0x1234)
		l.add("mov %%%s,0x1234(%%%s,%%%s,%d)", low(g), generalNames[h], generalNames[k], 1<<scale)
		l.At(Stores(2), RCX, h, k, scale, 0x1234)
		l.add("mov %%cx,0x1234(%%%s,%%%s,%d)", generalNames[h], generalNames[k], 1<<scale)
		l.At(Stores(1), R13, h, k, scale, 0x1234)
		l.add("mov %%r13b,0x1234(%%%s,%%%s,%d)", generalNames[h], generalNames[k], 1<<scale)
		l.W(MOVBTo, R12, at)
		l.add("mov %%r12b,%s", text)
		l.WI(CMPBImm, at, 0x7F)
		l.add("cmpb $0x7f,%s", text)
	}
	indexedInstructions(&l)
	return l
}

// indexedInstructions are those on memory at an index, and what goes with them.
func indexedInstructions(l *listing) {
	r := seeded("indexed", "", 0)
	low := func(x G) string {
		if x >= R8 {
			return generalNames[x] + "d"
		}
		return "e" + generalNames[x][1:]
	}
	for _, row := range []struct {
		name string
		op   Indexed
		from bool
	}{
		{"add", ADDTo, false}, {"and", ANDTo, false}, {"or", ORTo, false}, {"xor", XORTo, false},
		{"mov", MOVTo, false}, {"mov", MOVFrom, true}, {"xadd", XADD, false},
		{"xchg", XCHG, false}, {"lock add", LOCKADD, false}, {"lock and", LOCKAND, false},
		{"lock or", LOCKOR, false}, {"lock xor", LOCKXOR, false}, {"lock xadd", LOCKXADD, false},
		{"lock cmpxchg", LOCKCMPXCHG, false},
	} {
		for _, wide := range []bool{false, true} {
			for range 6 {
				pick := func() G { return bases[r.IntN(len(bases))] }
				g, base, index := pick(), pick(), pick()
				o, name, scale := row.op, low(g), r.IntN(4)
				if wide {
					o, name = o.Wide(), generalNames[g]
				}
				l.At(o, g, base, index, byte(scale), 0x1234)
				behind := fmt.Sprintf("%%%s,%d", generalNames[index], 1<<scale)
				at := fmt.Sprintf("0x1234(%%%s,%s)", generalNames[base], behind)
				if row.from {
					l.add("%s %s,%%%s", row.name, at, name)
				} else {
					l.add("%s %%%s,%s", row.name, name, at)
				}
			}
		}
	}
	for cond, name := range map[byte]string{
		IfLess: "cmovl", IfGreater: "cmovg", IfBelow: "cmovb", IfAbove: "cmova",
	} {
		for _, g := range bases {
			h := bases[int(g+G(cond))%len(bases)]
			l.W(CMPQ, g, GArg(h))
			l.add("cmp %%%s,%%%s", generalNames[h], generalNames[g])
			l.W(CMPL, g, GArg(h))
			l.add("cmp %%%s,%%%s", low(h), low(g))
			l.W(ANDQ, g, GArg(h))
			l.add("and %%%s,%%%s", generalNames[h], generalNames[g])
			l.W(ORQ, g, GArg(h))
			l.add("or %%%s,%%%s", generalNames[h], generalNames[g])
			l.W(XORQ, g, GArg(h))
			l.add("xor %%%s,%%%s", generalNames[h], generalNames[g])
			l.WI(SHRQ, GArg(g), int(cond))
			l.add("shr $0x%x,%%%s", cond, generalNames[g])
			l.W(CMOVL(cond).Q(), g, GArg(h))
			l.add("%s %%%s,%%%s", name, generalNames[h], generalNames[g])
			l.W(CMOVL(cond), g, GArg(h))
			l.add("%s %%%s,%%%s", name, low(h), low(g))
		}
	}
}

// What 256 bits do not have is refused: operations, registers, and words for all lanes.
func TestVEX_Refuses(t *testing.T) {
	for _, row := range table {
		var a Asm
		if a.YI(row.op, 1, 2, R(3), row.imm); a.Wrong() == row.op.HasVEX() || (len(a.B) > 0) != row.op.HasVEX() {
			t.Errorf("%s: written on 256 bits: %v; it has such a form: %v", row.name, !a.Wrong(), row.op.HasVEX())
		}
	}
	for i, f := range []func(a *Asm){
		func(a *Asm) { a.Y(VADDPS, 16, 1, R(2)) }, func(a *Asm) { a.Y(VADDPS, 1, 16, R(2)) }, func(a *Asm) { a.Y(VADDPS, 1, 2, R(16)) },
		func(a *Asm) { a.Y(VPGATHERDD, 1, 2, Each(RAX, 16)) }, func(a *Asm) { a.Y(VADDPS, 1, 2, All(RAX, 0)) },
	} {
		var a Asm
		if f(&a); !a.Wrong() || len(a.B) > 0 {
			t.Errorf("case %d is written: % x", i, a.B)
		}
	}
}

// A register that becomes what it is takes no instruction, but under a mask, where others become zero.
func TestAsm_MovesToThemselves(t *testing.T) {
	var a Asm
	a.V(VMOVDQU, 3, 0, R(3))
	a.YI(VMOVDQU, 3, 0, R(3), -1)
	if code := a.Finish(); len(code) != 0 {
		t.Errorf("% x", code)
	}
	a = Asm{}
	a.VZ(VMOVDQU, 3, 0, R(3), 1)
	if code := a.Finish(); len(code) == 0 {
		t.Error("a move under a mask is gone")
	}
}

// What Touch reads is the first word behind the code and the last one, of constants and of tables.
func TestAsm_Touch(t *testing.T) {
	for name, c := range map[string]struct {
		write func(a *Asm)
		bytes int // behind the code
	}{
		"nothing":   {func(a *Asm) {}, 0},
		"constants": {func(a *Asm) { a.V(VPADDD, 1, 2, a.Pool(5)); a.V(VPADDD, 1, 2, a.Pool(6)) }, 16},
		"a table":   {func(a *Asm) { a.V(VPADDD, 1, 2, a.Table(make([]byte, 192))) }, 192},
	} {
		var a Asm
		a.Touch(RAX)
		c.write(&a)
		code := a.Finish()
		for i, want := range []int{min(len(code)-c.bytes, len(code)-4), len(code) - 4} {
			const size = 6 // MOV EAX, [RIP + distance]
			load := code[size*i : size*(i+1)]
			got := size*(i+1) + int(int32(binary.LittleEndian.Uint32(load[2:])))
			if load[0] != 0x8B || load[1] != 0x05 || got != want {
				t.Errorf("%s: load %d is % x, from %d; want %d", name, i, load, got, want)
			}
		}
	}
}
