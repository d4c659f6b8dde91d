//go:build linux && (amd64 || arm64 || loong64 || ppc64le || riscv64)

// Package helper serves a host in another process: it takes messages from memory that both share, checks them
// (driver/internal/wire), and calls the driver. driver/isolate is the other side.
package helper

import (
	"sync/atomic"
	"unsafe"

	"github.com/pumice-gpu/pumice/vk"
)

// slot is where one thread of the host and one goroutine here hand messages to each other; link.h has the same struct. What
// the host writes there is read once.
type slot struct {
	state                    atomic.Uint32
	hostSleeps, helperSleeps atomic.Uint32 // on state
	op                       uint32
	size                     uint64 // of the message in bytes
	mail                     uint64 // bytes of what the host's functions are told, behind the message
	_                        [32]byte
}

// pulseByte asks on the socket whether the helper works: the answer is a count in the last record
// of the second page.
const pulseByte = 0xff

// fileByte and the number of a slot are the byte with which a descriptor comes for the message of
// that slot.
const fileByte = 0x40

// The states of a slot.
const (
	free    = 0
	request = 1
	reply   = 2
)

// controlBytes are the shared memory's first: a page with slots, and one with windows.
const (
	controlBytes = 2 * controlPage
	controlPage  = 4096
	slotBytes    = 64
	maxSlots     = controlPage / slotBytes
)

var _ [slotBytes]byte = [unsafe.Sizeof(slot{})]byte{}

// What is asked for besides commands; link.h has the same numbers and structs.
const (
	opLookup   = 0x80000000
	opGrow     = 0x80000001
	opTemplate = 0x80000002
	opTexels   = 0x80000003
)

// lookupMessage asks which of abi.EntryPoints there are for an object: a bit each.
type lookupMessage struct {
	scope, _ uint32
	object   uint64
	there    [maxNames / 8]byte
}

const maxNames = 1024

type texelsMessage struct {
	device, image uint64
	region        vk.BufferImageCopy
	bytes         uint64
}

type templateMessage struct{ object, template, bytes uint64 }

type growMessage struct {
	stream, bytes uint64
	copies, _     uint32
	at            uint64
}
