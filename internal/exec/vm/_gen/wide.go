package main

import (
	"bytes"
	"fmt"
	"strings"
)

// wideOp is an operation on pairs of words that AVX2 and FMA compute bit for bit, in eight lanes:
// args and result are those of ir.WideOp, and u a constant. Lanes 0, 1, 4 and 5 stand in one
// register, the others in the next; code is for each of them, with names as simdOp has them.
type wideOp struct{ name, args, result, code string }

// canonical makes the NaN of a result that of fp.
const canonical = "; VCMPPD $3, r, r, t; VBLENDVPD t, nan64, r, r"

var wideOps = []wideOp{
	{"FAdd", "ww", "w", "VADDPD y, x, r" + canonical},
	{"FSub", "ww", "w", "VSUBPD y, x, r" + canonical},
	{"FMul", "ww", "w", "VMULPD y, x, r" + canonical},
	{"FDiv", "ww", "w", "VDIVPD y, x, r" + canonical},
	{"FmaUU", "wuu", "w", "VMOVAPD z, r; VFMADD231PD y, x, r" + canonical},
	{"FmaUV", "wuw", "w", "VMOVAPD z, r; VFMADD231PD y, x, r" + canonical},
	{"Fma", "www", "w", "VMOVAPD z, r; VFMADD231PD y, x, r" + canonical},
	{"FLt", "ww", "b", "VCMPPD $17, y, x, r"},
	{"FLe", "ww", "b", "VCMPPD $18, y, x, r"},
	{"F2D", "f", "w", "VCVTPS2PD x, r" + canonical},
	{"S2D", "i", "w", "VCVTDQ2PD x, r"},
	{"D2F", "w", "f", "VCVTPD2PSY x, r"},
	{"D2N", "w", "i", "VCVTPD2DQY x, r"},
}

// wide writes the functions of wideOps. They take their rows from a wideRows, of which n is a
// multiple of four.
func wide(s, g, fill *bytes.Buffer) {
	for _, op := range wideOps {
		fmt.Fprintf(g, "\n//go:noescape\nfunc w%s(rows *wideRows)\n", op.name)
		if form, ok := strings.CutPrefix(op.name, "FmaU"); ok {
			fmt.Fprintf(fill, "k.wideU%s = w%s\n", form, op.name)
		} else {
			fmt.Fprintf(fill, "k.wide[ir.Wide%s] = w%s\n", op.name, op.name)
		}
		fmt.Fprintf(s, "\nTEXT ·w%s(SB), NOSPLIT, $0-8\n\tMOVQ rows+0(FP), AX\n", op.name)
		fmt.Fprint(s, "\tMOVQ 0(AX), DI\n\tMOVQ 8(AX), R8\n\tMOVQ 64(AX), CX\n")
		pointers := [3][2]string{{"SI", "R9"}, {"R10", "R11"}, {"R12", "R13"}}
		for i, a := range op.args {
			if a == 'u' {
				fmt.Fprintf(s, "\tVBROADCASTSD %d(AX), Y%d\n\tVMOVAPD Y%d, Y%d\n", 72+8*i, 1+i, 1+i, 5+i)
				continue
			}
			fmt.Fprintf(s, "\tMOVQ %d(AX), %s\n", 16+16*i, pointers[i][0])
			if a == 'w' {
				fmt.Fprintf(s, "\tMOVQ %d(AX), %s\n", 24+16*i, pointers[i][1])
			}
		}
		fmt.Fprint(s, "\tVBROADCASTSD nan64<>(SB), Y14\n\tVPBROADCASTD nan<>(SB), Y15\n")
		fmt.Fprint(s, "\tXORQ DX, DX\n\tMOVQ CX, BX\n\tANDQ $~7, BX\n\tJZ four\n\nloop:\n")
		body := op.body(pointers)
		fmt.Fprint(s, body, "\tADDQ $8, DX\n\tCMPQ DX, BX\n\tJLT loop\n\nfour:\n\tTESTQ $4, CX\n\tJZ done\n")
		// Loads of half a register clear the rest of it.
		half := strings.NewReplacer("(DX*4), Y", "(DX*4), X", "VMOVDQU Y", "VMOVDQU X")
		fmt.Fprintf(s, "%s\ndone:\n\tVZEROUPPER\n\tRET\n", half.Replace(body))
	}
}

// body is the operation in eight lanes from DX on.
func (op wideOp) body(pointers [3][2]string) string {
	var b strings.Builder
	// Operands in Y1 to Y3, and those of the other lanes in Y5 to Y7.
	for i, a := range op.args {
		if a == 'u' { // is there
			continue
		}
		lo, hi := fmt.Sprintf("Y%d", 1+i), fmt.Sprintf("Y%d", 5+i)
		fmt.Fprintf(&b, "\tVMOVDQU (%s)(DX*4), Y8\n", pointers[i][0])
		if a == 'w' {
			fmt.Fprintf(&b, "\tVMOVDQU (%s)(DX*4), Y9\n", pointers[i][1])
			fmt.Fprintf(&b, "\tVPUNPCKLDQ Y9, Y8, %s\n\tVPUNPCKHDQ Y9, Y8, %s\n", lo, hi)
		} else {
			fmt.Fprintf(&b, "\tVPERMQ $0xD8, Y8, %s\n\tVEXTRACTI128 $1, %s, X%s\n", lo, lo, hi[1:])
		}
	}
	for _, names := range []*strings.Replacer{wideNames(0), wideNames(4)} {
		for _, line := range strings.Split(op.code, ";") {
			name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
			rest = names.Replace(rest)
			switch { // halves of registers
			case strings.HasPrefix(name, "VCVTPD"):
				at := strings.LastIndex(rest, "Y")
				rest = rest[:at] + "X" + rest[at+1:]
			case strings.HasPrefix(name, "VCVT"):
				rest = strings.Replace(rest, "Y", "X", 1)
			}
			fmt.Fprintf(&b, "\t%s %s\n", name, rest)
		}
	}
	switch op.result {
	case "w":
		b.WriteString("\tVSHUFPS $0x88, Y4, Y0, Y8\n\tVSHUFPS $0xDD, Y4, Y0, Y9\n")
		b.WriteString("\tVMOVDQU Y8, (DI)(DX*4)\n\tVMOVDQU Y9, (R8)(DX*4)\n")
	case "b":
		b.WriteString("\tVSHUFPS $0x88, Y4, Y0, Y8\n\tVMOVDQU Y8, (DI)(DX*4)\n")
	default:
		b.WriteString("\tVINSERTI128 $1, X4, Y0, Y0\n\tVPERMQ $0xD8, Y0, Y0\n")
		if op.result == "f" {
			b.WriteString("\tVCMPPS $3, Y0, Y0, Y8\n\tVBLENDVPS Y8, Y15, Y0, Y0\n")
		}
		b.WriteString("\tVMOVDQU Y0, (DI)(DX*4)\n")
	}
	return b.String()
}

// wideNames are registers from one on: of operands, the result, and one that is free.
func wideNames(from int) *strings.Replacer {
	y := func(n int) string { return fmt.Sprintf("Y%d", from+n) }
	return strings.NewReplacer("nan64", "Y14", "x", y(1), "y", y(2), "z", y(3), "r", y(0), "t", "Y8")
}
