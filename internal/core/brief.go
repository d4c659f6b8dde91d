package core

import (
	"context"

	"github.com/pumice-gpu/pumice/vk"
)

// Work that ends within some ten microseconds is brief. To hand it to another thread, and to be told
// of its end, would take longer than to do it, so one worker does it, on the thread that submits it,
// if nothing is before it. What is brief is known ahead: dispatches of programs without loops, and
// small copies between buffers.
//
// The unit is an operation of an invocation, or a byte that is copied. 16 take about a nanosecond as
// machine code, one takes some nanoseconds in the portable machine.
const (
	briefWork   = 1 << 16 // of a submission at most
	commandWork = 1 << 9  // of a command, besides invocations
)

// brief says whether command buffers are brief work, which takes from *left what it does.
func (d *Device) brief(cmds []*CommandBuffer, left *int) bool {
	if d.watcher != nil {
		return false
	}
	for _, c := range cmds {
		if c == nil || c.err != nil || c.dev != d || !c.brief(left) {
			return false
		}
	}
	return true
}

func (c *CommandBuffer) brief(left *int) bool {
	var p *Pipeline // of compute
	for words := c.words; len(words) > 0; {
		op, n := opcode(words[0]>>24), words[0]&0xFFFFFF
		a := words[1 : 1+n]
		words = words[1+n:]
		*left -= commandWork
		switch op {
		case opBindPipeline:
			if o := c.table[a[0]].(*Pipeline); o.point == vk.PipelineBindPointCompute {
				p = o
			}
		case opDispatch:
			*left -= p.work([3]uint32(a[3:6]), *left)
		case opTransfer:
			bytes := c.table[a[1]].(*about).bytes
			if bytes == 0 || bytes > briefWork {
				return false
			}
			*left -= int(bytes)
		case opBindSet, opPush, opBarrier, opLabel, opTimestamp:
		default:
			return false
		}
		if *left < 0 {
			return false
		}
	}
	return true
}

// work is what a dispatch of workgroups does, or more than most.
func (p *Pipeline) work(groups [3]uint32, most int) int {
	if p == nil {
		return most + 1
	}
	p.measuring.Do(func() { p.longest, p.bounded = p.programs[0].Longest() })
	if !p.bounded {
		return most + 1
	}
	work := p.longest
	for _, list := range [2][3]uint32{groups, p.programs[0].LocalSize} {
		for _, n := range list {
			if n != 0 && work > most/int(n) {
				return most + 1
			}
			work *= int(n)
		}
	}
	return work
}

// SubmitBrief submits command buffers and carries them out itself, if they are brief and would not
// wait for anything. Else nothing has happened, and done is false. *left is how brief they have to
// be, and those that follow.
func (q *Queue) SubmitBrief(op Op, cmds []*CommandBuffer, left *Brief) (done bool, err error) {
	if !q.dev.brief(cmds, (*int)(left)) || !q.enter() {
		return false, nil
	}
	j, err := q.prepare(context.Background(), op, cmds)
	if err != nil {
		q.leave()
		return true, err
	}
	j.atOnce = true
	if err = q.carryOut(j); err == errOthersTurn {
		return false, nil
	}
	return true, err
}

// Brief is how much brief work may follow.
type Brief int

// NewBrief is as much as one call may do.
func NewBrief() Brief { return briefWork }
