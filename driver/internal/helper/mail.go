//go:build linux && (amd64 || arm64 || loong64 || ppc64le || riscv64)

package helper

import (
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/driver/internal/icd"
	"github.com/pumice-gpu/pumice/vk"
)

// item is what a function of the host is told. It lies behind the message of a reply, one behind the other; link.h has the
// same struct. Texts follow it, each with a zero.
type item struct {
	header itemHeader
	texts  []byte
}

type itemHeader struct {
	bytes, kind      uint32 // of the item, a multiple of 8
	function, user   uint64
	a, b, c, d, e, f uint64 // by kind
	first, second    uint32 // lengths of the texts with their zeros; 0: there is none
}

const (
	itemMessage = iota // a: severity, b: types, c: 1 + object type of what it is about, d: the object, e: number; name and text
	itemReport         // a: flags, b: object type, c: object, d: location, e: code; prefix and text
	itemMemory         // a: type, b: memory, c: size, d: object type, e: object, f: heap
)

// maxMail bounds what waits in bytes: who makes no calls is told nothing more.
const maxMail = 1 << 20

func (m *mailbox) put(h itemHeader, first, second *byte) {
	var it item
	text := func(p *byte) uint32 {
		if p == nil {
			return 0
		}
		s := abi.String(p)
		it.texts = append(append(it.texts, s...), 0)
		return uint32(len(s) + 1)
	}
	it.header = h
	it.header.first, it.header.second = text(first), text(second)
	it.header.bytes = uint32((int(unsafe.Sizeof(h)) + len(it.texts) + 7) &^ 7)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.bytes+int(it.header.bytes) > maxMail {
		return
	}
	m.bytes += int(it.header.bytes)
	m.items = append(m.items, it)
}

// deliver writes what fits to shared from at on, and returns how many bytes that is. The rest comes with the next reply.
func (m *mailbox) deliver(shared []byte, at int) uint64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	from, n := at, 0
	for i := range m.items {
		it := &m.items[i]
		size := int(it.header.bytes)
		if size > len(shared)-at {
			if at == from && size > len(shared) { // it never will
				n++
				m.bytes -= size
				continue
			}
			break
		}
		*(*itemHeader)(unsafe.Pointer(&shared[at])) = it.header
		copy(shared[at+int(unsafe.Sizeof(it.header)):], it.texts)
		at += size
		n++
		m.bytes -= size
	}
	if m.items = m.items[n:]; len(m.items) == 0 {
		m.items = nil
	}
	return uint64(at - from)
}

// message implements icd.MessageFunc.
func (m *mailbox) message(function uintptr, severity vk.DebugUtilsMessageSeverityFlagsEXT, types vk.DebugUtilsMessageTypeFlagsEXT, data, user unsafe.Pointer) {
	d := (*abi.DebugUtilsMessengerCallbackDataEXT)(data)
	h := itemHeader{kind: itemMessage, function: uint64(function), user: uint64(uintptr(user)), a: uint64(severity), b: uint64(types), e: uint64(uint32(d.MessageIdNumber))}
	if d.ObjectCount > 0 && d.PObjects != nil {
		h.c, h.d = 1+uint64(uint32(d.PObjects.ObjectType)), d.PObjects.ObjectHandle
	}
	m.put(h, d.PMessageIdName, d.PMessage)
}

// report implements icd.ReportFunc.
func (m *mailbox) report(function uintptr, r *icd.Report, user unsafe.Pointer) {
	m.put(itemHeader{kind: itemReport, function: uint64(function), user: uint64(uintptr(user)), a: uint64(r.Flags), b: uint64(r.Type),
		c: r.Object, d: r.Location, e: uint64(uint32(r.Code))}, r.Prefix, r.Text)
}

// memoryReport implements icd.MemoryReportFunc.
func (m *mailbox) memoryReport(function uintptr, data, user unsafe.Pointer) {
	d := (*abi.DeviceMemoryReportCallbackDataEXT)(data)
	m.put(itemHeader{kind: itemMemory, function: uint64(function), user: uint64(uintptr(user)), a: uint64(d.Type), b: d.MemoryObjectId,
		c: d.Size, d: uint64(d.ObjectType), e: d.ObjectHandle, f: uint64(d.HeapIndex)}, nil, nil)
}
