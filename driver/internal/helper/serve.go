//go:build linux && (amd64 || arm64 || loong64 || ppc64le || riscv64)

package helper

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/driver/internal/icd"
	"github.com/pumice-gpu/pumice/driver/internal/wire"
	"github.com/pumice-gpu/pumice/internal/memory"
)

// A Layout says what of the shared memory is what: slots, then a buffer for the messages of each, then what the driver
// hands out.
type Layout struct {
	Data    []byte // all of it, mapped where the host has it
	Slots   int    // 1 to maxSlots
	Message int    // bytes of a buffer, whole pages
}

// Valid says whether the parts fit in.
func (l *Layout) Valid() bool {
	return l.Slots >= 1 && l.Slots <= maxSlots && l.Message >= 4096 && l.Message%4096 == 0 && len(l.Data)%4096 == 0 &&
		l.Message <= (len(l.Data)-controlBytes)/(2*l.Slots)
}

// Shared is the part that the driver hands out.
func (l *Layout) Shared() []byte { return l.Data[controlBytes+l.Slots*l.Message:] }

func (l *Layout) slot(i int) *slot { return (*slot)(unsafe.Pointer(&l.Data[i*slotBytes])) }

func (l *Layout) message(i int) []byte {
	return l.Data[controlBytes+i*l.Message:][:l.Message:l.Message]
}

// Server answers what is asked for in the slots of a layout.
type Server struct {
	layout  Layout
	driver  *icd.Driver
	windows windows
	mail    mailbox
	files   files
	serving [maxSlots]bool
}

// New makes a server with a driver of its own. cfg says how the driver works, besides what sharing
// takes; socket is where descriptors go to the host.
func New(l Layout, cfg icd.Config, claim func(offset, n int64) error, socket int) *Server {
	s := &Server{layout: l}
	s.files.init(socket)
	cfg.Region = memory.NewRegion(l.Shared(), claim)
	s.windows = windows{s, memory.New(memory.Config{Region: cfg.Region})}
	cfg.Windows = s.windows
	cfg.Message, cfg.Report, cfg.MemoryReport = s.mail.message, s.mail.report, s.mail.memoryReport
	s.driver = icd.New(cfg)
	return s
}

// Hear takes a byte that the host has sent: the number of a slot, in which the server begins to
// answer, the question whether it works, or, with a descriptor fd, for which message that is; else
// fd is -1. It is called by one goroutine.
func (s *Server) Hear(b byte, fd int) {
	i := int(b)
	if fd >= 0 {
		s.files.put(i-fileByte, fd)
	}
	if b == pulseByte {
		(*atomic.Uint32)(unsafe.Pointer(&s.layout.Data[controlBytes-slotBytes])).Add(1)
	}
	if i >= s.layout.Slots || s.serving[i] {
		return
	}
	s.serving[i] = true
	go s.serve(i)
}

// patience is how long a goroutine looks for the next message before it sleeps: programs make calls in a row.
const patience = 20 * time.Microsecond

func (s *Server) serve(i int) {
	runtime.LockOSThread() // so that what waits in the system is always this thread
	at, c := s.layout.slot(i), &call{server: s, slot: i}
	for {
		wait(at)
		c.answer(at, s.layout.message(i))
		at.state.Store(reply)
		if at.hostSleeps.Load() != 0 {
			memory.WakeWord(&at.state)
		}
	}
}

// wait returns when there is a message.
func wait(at *slot) {
	for begin := time.Now(); ; {
		for range 64 {
			if at.state.Load() == request {
				return
			}
		}
		if time.Since(begin) > patience || runtime.NumCPU() == 1 {
			break
		}
	}
	at.helperSleeps.Store(1)
	for {
		now := at.state.Load()
		if now == request {
			break
		}
		memory.WaitWord(&at.state, now, time.Hour)
	}
	at.helperSleeps.Store(0)
}

// call is what answering takes, kept from one message to the next.
type call struct {
	server *Server
	slot   int
	walk   wire.Walk
	buffer []uint64
}

// keptBuffer is the size in bytes up to which a buffer is kept.
const keptBuffer = 1 << 20

// copyIn copies the message, which the host may change meanwhile.
func (c *call) copyIn(shared []byte, size uint64) []byte {
	size = min(size, uint64(len(shared)))
	words := int(size+7) / 8
	if len(c.buffer) < words || len(c.buffer) > keptBuffer/8 && words < keptBuffer/8 {
		c.buffer = make([]uint64, max(words, 512))
	}
	own := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(c.buffer))), size)
	copy(own, shared)
	return own
}

// answer carries out what the message of a slot asks for.
func (c *call) answer(at *slot, shared []byte) {
	op, size := at.op, at.size
	own := c.copyIn(shared, size)
	p := unsafe.Pointer(unsafe.SliceData(own))
	switch {
	case op == opLookup && len(own) >= int(unsafe.Sizeof(lookupMessage{})):
		c.lookup((*lookupMessage)(p))
	case op == opGrow && len(own) >= int(unsafe.Sizeof(growMessage{})):
		c.grow((*growMessage)(p))
	case op == opTemplate && len(own) >= int(unsafe.Sizeof(templateMessage{})):
		m := (*templateMessage)(p)
		m.bytes = 0
		if c.server.driver.Handle(uintptr(m.object)) {
			m.bytes = c.server.driver.TemplateOf(pointer(uintptr(m.object)), abi.DescriptorUpdateTemplate(m.template))
		}
	case op == opTexels && len(own) >= int(unsafe.Sizeof(texelsMessage{})):
		m := (*texelsMessage)(p)
		m.bytes = 0
		if c.server.driver.Handle(uintptr(m.device)) {
			m.bytes = c.server.driver.HostBytes(pointer(uintptr(m.device)), abi.Image(m.image), m.region)
		}
	case op < uint32(abi.OpCount):
		c.command(abi.Op(op), own, shared)
		c.walk.Restore()
	}
	copy(shared, own)
	at.mail = c.server.mail.deliver(shared, (len(own)+7)&^7)
	runtime.KeepAlive(c.buffer)
}

func (c *call) lookup(m *lookupMessage) {
	clear(m.there[:])
	object := uintptr(m.object)
	if object != 0 && !c.server.driver.Handle(object) {
		return
	}
	for i, e := range abi.EntryPoints() {
		if op := c.server.driver.Lookup(icd.Scope(m.scope), pointer(object), e.Name); op != 0 && !refused[op] {
			m.there[i/8] |= 1 << (i % 8)
		}
	}
}

func (c *call) grow(m *growMessage) {
	m.at = 0
	if s := uintptr(m.stream); c.server.driver.Handle(s) {
		stream := (*abi.Stream)(pointer(s))
		m.at = uint64(uintptr(c.server.driver.Grow(stream, m.copies != 0, m.bytes)))
	}
}

// pointer is an address of the shared memory, which lies outside the Go heap.
func pointer(at uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&at)) }

// command calls an entry point.
func (c *call) command(op abi.Op, own, shared []byte) {
	c.walk.Begin(c.server.driver.Handle, wire.Section{From: uintptr(unsafe.Pointer(unsafe.SliceData(shared))), Copy: own})
	if refused[op] || op.Level() == abi.LevelRecorder {
		return // the result is what the host has put there: VK_ERROR_DEVICE_LOST
	}
	p, err := c.walk.Arguments(op)
	if err != nil {
		c.server.driver.Distrust(op, err)
		return
	}
	if n, ok := c.server.driver.TemplateBytes(op, p); ok {
		if data, left := c.walk.Template(); data != nil && n > uint64(left) {
			c.server.driver.Distrust(op, &wire.Error{What: "the data of a template are cut off"})
			return
		}
	}
	if !c.server.driver.HostBytesFit(op, p, c.walk.Texels()) {
		c.server.driver.Distrust(op, &wire.Error{What: "texels are cut off"})
		return
	}
	c.server.files.around(op, p, c.slot, c.walk.Files(), func() { c.server.driver.Call(op, p) })
}

// refused are the commands of extensions that are not offered here, and those that the host answers by itself.
var refused = func() (r [abi.OpCount]bool) {
	for _, op := range []abi.Op{
		abi.OpGetInstanceProcAddr, abi.OpGetDeviceProcAddr,
		abi.OpGetMemoryHostPointerPropertiesEXT, abi.OpConvertCooperativeVectorMatrixNV,
		abi.OpGetBufferOpaqueCaptureDescriptorDataEXT, abi.OpGetImageOpaqueCaptureDescriptorDataEXT,
		abi.OpGetImageViewOpaqueCaptureDescriptorDataEXT, abi.OpGetSamplerOpaqueCaptureDescriptorDataEXT,
		abi.OpGetPhysicalDeviceDisplayPropertiesKHR, abi.OpGetPhysicalDeviceDisplayPlanePropertiesKHR,
	} {
		r[op] = true
	}
	return r
}()

// mailbox holds what functions of the host are to be told until the host looks: with the reply to a call.
type mailbox struct {
	mu    sync.Mutex
	items []item
	bytes int
}
