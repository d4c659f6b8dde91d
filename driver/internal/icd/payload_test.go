package icd

import (
	"testing"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
)

// A fence that Go sees signaled and resets at once, while whoever signals it is still at
// it, is not signaled afterwards for C, which looks at it without entering Go. Nor is
// anything lost when C is no longer to see it.
func TestPayload_WhatCSeesIsWhatGoSees(t *testing.T) {
	const rounds = 200_000
	list := new([abi.Polls]abi.Poll)
	p := newPayload(payloadFence, 0)
	p.show(list, 1<<32|7)
	begin, done := make(chan struct{}), make(chan struct{})
	go func() {
		for range begin {
			p.signal(0)
			done <- struct{}{}
		}
	}()
	defer close(begin)
	for n := range rounds {
		begin <- struct{}{}
		for p.value() == 0 {
		}
		p.set(0)
		<-done
		if v := list[6].Value.Load(); v != 0 || p.value() != 0 {
			t.Fatalf("round %d: reset, and C sees %d, Go %d", n, v, p.value())
		}
	}
	p.signal(0)
	if list[6].Handle.Load() != 1<<32|7 || list[6].Value.Load() != 1 {
		t.Fatalf("C sees handle %#x with %d", list[6].Handle.Load(), list[6].Value.Load())
	}
	p.hide()
	if list[6].Handle.Load() != 0 || p.value() != 1 {
		t.Errorf("hidden: C sees handle %#x, Go %d", list[6].Handle.Load(), p.value())
	}
	p.set(0)
	if list[6].Value.Load() != 1 || p.value() != 0 {
		t.Errorf("hidden and reset: the slot has %d, Go %d", list[6].Value.Load(), p.value())
	}
}
