package vm

import (
	"encoding/binary"

	"github.com/pumice-gpu/pumice/internal/exec/native"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// Words of records are the same in all lanes of a primitive. In portable code they are no
// registers: instructions take them as scalars, for the lanes of one record after the other, or
// from a row of all of them where each has few lanes. A register's number that is negative stands
// for the word at the offset that it is the complement of.

// recordRun are lanes up to one whose places have the same record.
type recordRun struct {
	to     int
	record uint32
}

// longRun is how many lanes records have, on an average, that are worth instructions of their own.
const longRun = 32

// byRuns makes of an instruction with words of records for scalar operands one that takes them.
func byRuns(in instr) instr {
	if min(in.a, in.b, in.c) < 0 {
		in.kind, in.imm = kindRuns, int64(in.kind)
	}
	return in
}

// wide compiles an operation on pairs.
func (c *compiler) wide(v ir.Value, in *ir.Inst) {
	if m := in.More; ir.WideOp(in.Imm) == ir.WideFma && c.recordPair(m[2], m[3]) {
		args := []int32{c.visible(m[0]), c.visible(m[1])}
		for _, a := range m[2:] {
			args = append(args, c.reg[a])
		}
		if !c.recordPair(m[4], m[5]) {
			args[4], args[5] = c.visible(m[4]), c.visible(m[5])
		}
		results := []int32{c.lane(), c.lane()}
		c.reg[v], c.results[v] = results[0], results
		c.r.aux = append(c.r.aux, auxiliary{args: args, results: results})
		c.emit(instr{kind: kindWideRuns, c: int32(len(c.r.aux) - 1), imm: int64(in.Imm)})
		return
	}
	c.listed(native.KindWide, v, in)
}

// recordPair says that two values are a binary64 of records.
func (c *compiler) recordPair(lo, hi ir.Value) bool {
	return c.reg[lo] < 0 && c.reg[hi] < 0 && ^c.reg[hi] == ^c.reg[lo]+4
}

// recordRow is a row of words of the lanes' records; or of a scalar register.
func (t *thread) recordRow(row []uint32, r int32) []uint32 {
	row = row[:t.n]
	if r >= 0 {
		fill(row, t.s[r])
		return row
	}
	from, records := 0, t.batch.Records
	for _, run := range t.strip.runs {
		w := binary.LittleEndian.Uint32(records[int(run.record)+int(^r):])
		for ; from < run.to; from += 4 {
			four := (*[4]uint32)(row[from:])
			four[0], four[1], four[2], four[3] = w, w, w, w
		}
	}
	return row
}

// byRuns executes an instruction with words of records.
func (t *thread) byRuns(in *instr) {
	v, k, of := t.v, t.r.kernels, native.Kind(in.imm)
	if of == native.KindBroadcast {
		t.recordRow(v[in.d], in.a)
		return
	}
	if t.n < longRun*len(t.strip.runs) {
		var x [3][]uint32
		for i, r := range [3]int32{in.a, in.b, in.c} {
			switch l := lanesOf[of]; {
			case l>>i&laneA != 0:
				x[i] = v[r]
			case i < 2 || of >= native.KindVVV:
				x[i] = t.recordRow(t.spare[i], r)
			}
		}
		switch d := v[in.d]; {
		case of < native.KindVVV:
			k.vv[in.op](d, x[0], x[1])
		case of < native.KindFusedVVV:
			k.vvv[in.op](d, x[0], x[1], x[2])
		default:
			k.fusedVVV[in.op](d, x[0], x[1], x[2])
		}
		return
	}
	from := 0
	for _, run := range t.strip.runs {
		record := t.batch.Records[run.record:]
		scalar := func(r int32) uint32 {
			if r < 0 {
				return binary.LittleEndian.Uint32(record[^r:])
			}
			return t.s[r]
		}
		part := func(r int32) []uint32 { return v[r][from:run.to] }
		switch d := part(in.d); of {
		case native.KindVU:
			k.vu[in.op](d, part(in.a), scalar(in.b))
		case native.KindUV:
			k.uv[in.op](d, part(in.b), scalar(in.a))
		case native.KindVVU:
			k.vvu[in.op](d, part(in.a), part(in.b), scalar(in.c))
		case native.KindVUV:
			k.vuv[in.op](d, part(in.a), part(in.c), scalar(in.b))
		case native.KindVUU:
			k.vuu[in.op](d, part(in.a), scalar(in.b), scalar(in.c))
		case native.KindFusedVVU:
			k.fusedVVU[in.op](d, part(in.a), part(in.b), scalar(in.c))
		case native.KindFusedVUV:
			k.fusedVUV[in.op](d, part(in.a), part(in.c), scalar(in.b))
		default:
			k.fusedVUU[in.op](d, part(in.a), scalar(in.b), scalar(in.c))
		}
		from = run.to
	}
}

// wideRuns executes an operation on pairs with words of records.
func (t *thread) wideRuns(in *instr) {
	x := &t.r.aux[in.c]
	if k := t.r.kernels; k.wideUU == nil || t.n < longRun*len(t.strip.runs) {
		var rows [6][]uint32
		for i, r := range x.args {
			if rows[i] = t.spare[max(i-2, 0)]; r < 0 {
				rows[i] = t.recordRow(rows[i], r)
			} else {
				rows[i] = t.v[r]
			}
		}
		t.wideRows(ir.WideOp(in.imm), rows[:], x.results)
		return
	}
	w, from := &t.pairs, 0
	for _, run := range t.strip.runs {
		record := t.batch.Records[run.record:]
		at := func(r int32) *uint32 { return &t.v[r][from:run.to][0] }
		w.d, w.dHi, w.n = at(x.results[0]), at(x.results[1]), run.to-from
		w.args[0] = [2]*uint32{at(x.args[0]), at(x.args[1])}
		w.constant[1] = binary.LittleEndian.Uint64(record[^x.args[2]:])
		if x.args[4] < 0 {
			w.constant[2] = binary.LittleEndian.Uint64(record[^x.args[4]:])
			t.r.kernels.wideUU(w)
		} else {
			w.args[2] = [2]*uint32{at(x.args[4]), at(x.args[5])}
			t.r.kernels.wideUV(w)
		}
		from = run.to
	}
}
