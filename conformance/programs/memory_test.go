package programs

import (
	"encoding/binary"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// numbers is a storage buffer of numbers of a kind.
func (m *module) numbers(binding uint32, k kind) id {
	switch k.bits() {
	case 8:
		m.need(spirv.CapabilityStorageBuffer8BitAccess)
		m.uses("SPV_KHR_8bit_storage")
	case 16:
		m.need(spirv.CapabilityStorageBuffer16BitAccess)
		m.uses("SPV_KHR_16bit_storage")
	}
	key := "numbers " + k.String()
	if m.known[key] == 0 {
		t := m.typ(k)
		m.known[key] = m.id()
		add(&m.decorations, spirv.OpDecorate, m.known[key], uint32(spirv.DecorationArrayStride), uint32(k.bits()/8))
		add(&m.globals, spirv.OpTypeRuntimeArray, m.known[key], t)
	}
	return m.bind(binding, m.known[key])
}

// at points to an element of a buffer of numbers.
func (m *module) at(k kind, buffer, index id) id {
	return m.value(spirv.OpAccessChain, m.pointer(spirv.StorageClassStorageBuffer, m.typ(k)), buffer, m.word(0), index)
}

// pattern is a byte of memory by its place.
func pattern(i int) byte { return byte(i*37 + i/7 + 1) }

func patterned(n int) []byte {
	data := make([]byte, n)
	for i := range data {
		data[i] = pattern(i)
	}
	return data
}

// element is a number in memory, 0 where not all of it is there.
func element(data []byte, k kind, index int) uint64 {
	n := k.bits() / 8
	if index < 0 || (index+1)*n > len(data) {
		return 0
	}
	var b [8]byte
	copy(b[:], data[index*n:][:n])
	return binary.LittleEndian.Uint64(b[:])
}

// Loads and stores of every width, at indices of each invocation, of all and of the program, up to the end of the buffer and
// beyond: loads give 0 there, and stores leave nothing. Invocations in between take no part.
func TestMemory_WidthsAndBounds(t *testing.T) {
	rules.Covers(t, "RAS-001")
	const lanes = 100
	for _, k := range []kind{i8, i16, i32, i64} {
		n := k.bits() / 8
		for _, size := range []int{n, 61 * n, 61*n + n/2, 96 * n} {
			if n == 8 && size%8 != 0 {
				continue // in two words, one of which is there
			}
			for _, how := range []string{"in a row", "turned", "scattered"} {
				index := make([]uint32, lanes)
				for i := range index {
					switch how {
					case "in a row":
						index[i] = uint32(i)
					case "turned":
						index[i] = uint32(lanes - 1 - i)
					default:
						index[i] = uint32(i * 37 % 101)
					}
					if how == "scattered" && i%11 == 5 {
						index[i] = []uint32{1 << 20, 1<<26 + uint32(i), 1 << 28}[i%3]
					}
				}
				m := newModule(lanes, lanes)
				m.pushed(1)
				from, to := m.numbers(2, k), m.numbers(3, k)
				at := m.invocation()
				own := m.operand(i32, 0, at)
				m.store(k, 0, at, m.of(spirv.OpLoad, k, m.at(k, from, own)))
				m.store(k, 1, at, m.of(spirv.OpLoad, k, m.at(k, from, m.parameter(0))))
				m.store(k, 2, at, m.of(spirv.OpLoad, k, m.at(k, from, m.word(60))))
				m.store(k, 3, at, m.of(spirv.OpLoad, k, m.at(k, from, m.of(spirv.OpIAdd, i32, own, m.word(1)))))
				m.when(m.of(spirv.OpINotEqual, boolean, m.of(spirv.OpUMod, i32, at, m.word(5)), m.word(2)), func() {
					m.store(k, 4, at, m.of(spirv.OpLoad, k, m.at(k, from, own)))
					m.do(spirv.OpStore, m.at(k, to, own), m.operand(k, 1, at))
				}, nil)
				in := make([]uint32, 4*lanes)
				value := func(i int) uint64 { return uint64(i+1) * 0x0123456789ABCDEF }
				for i := range lanes {
					in[2*i] = index[i]
					in[2*(lanes+i)], in[2*(lanes+i)+1] = uint32(value(i)), uint32(value(i)>>32)
				}
				source := patterned(size)
				for _, dev := range engines(t) {
					for _, uniform := range []uint32{0, 60, 61, 95, 96, 1 << 27} {
						p := load(t, dev, m, inBytes(in), make([]byte, 8*5*lanes), source, patterned(size))
						p.run(1, uniform)
						out, after := p.bytes(1, 8*5*lanes), p.bytes(3, size)
						p.close()
						left := patterned(size)
						for i := range lanes {
							want := []uint64{element(source, k, int(index[i])), element(source, k, int(uniform)), element(source, k, 60), element(source, k, int(index[i])+1), 0}
							if i%5 != 2 {
								want[4] = want[0]
								if o := int(index[i]) * n; o+n <= size {
									var b [8]byte
									binary.LittleEndian.PutUint64(b[:], value(i))
									copy(left[o:o+n], b[:])
								}
							}
							for j, w := range want {
								if got := binary.LittleEndian.Uint64(out[8*(j*lanes+i):]); got != w {
									t.Fatalf("%s: %v in %d bytes, %s, uniform %d: load %d of invocation %d: %#x, want %#x", dev.Engine(), k, size, how, uniform, j, i, got, w)
								}
							}
						}
						for i := range left {
							if after[i] != left[i] {
								t.Fatalf("%s: %v in %d bytes, %s: byte %d is %#x, want %#x", dev.Engine(), k, size, how, i, after[i], left[i])
							}
						}
					}
				}
			}
		}
	}
}

// Loads, stores and atomics at device addresses, of one buffer or of two in turn, in some invocations; nothing is at address 0.
func TestMemory_Addresses(t *testing.T) {
	rules.Covers(t, "RAS-001")
	const lanes, count = 72, 128
	for _, k := range []kind{i8, i16, i32, i64, f32} {
		for _, both := range []bool{false, true} {
			m := newModule(lanes, lanes)
			m.need(spirv.CapabilityPhysicalStorageBufferAddresses, spirv.CapabilityInt64, spirv.CapabilityInt64Atomics)
			m.uses("SPV_KHR_physical_storage_buffer")
			m.numbers(2, k) // for the capabilities
			m.pushed(4)
			at := m.invocation()
			pair := func(a, b id) id {
				return m.of(spirv.OpBitcast, i64, m.value(spirv.OpCompositeConstruct, m.vector(i32, 2), a, b))
			}
			first, second := pair(m.parameter(0), m.parameter(1)), pair(m.parameter(2), m.parameter(3))
			base := first
			if both {
				base = m.value(spirv.OpSelect, m.typ(i64), m.of(spirv.OpIEqual, boolean, m.of(spirv.OpUMod, i32, at, m.word(3)), m.word(1)), second, first)
			}
			size := k.bits() / 8
			index := m.of(spirv.OpUMod, i32, m.of(spirv.OpIMul, i32, at, m.word(5)), m.word(count))
			address := m.of(spirv.OpIAdd, i64, base, m.of(spirv.OpUConvert, i64, m.of(spirv.OpIMul, i32, index, m.word(size))))
			pointer := m.value(spirv.OpConvertUToPtr, m.pointer(spirv.StorageClassPhysicalStorageBuffer, m.typ(k)), address)
			const aligned = 2
			m.when(m.of(spirv.OpINotEqual, boolean, m.of(spirv.OpUMod, i32, at, m.word(7)), m.word(4)), func() {
				m.store(k, 0, at, m.of(spirv.OpLoad, k, pointer, aligned, uint32(size)))
				m.do(spirv.OpStore, pointer, m.operand(k, 0, at), aligned, uint32(size))
				if k == i32 || k == i64 {
					m.store(k, 1, at, m.of(spirv.OpAtomicIAdd, k, pointer, m.word(1), m.word(0), m.constant(k, 3)))
				} else {
					m.store(k, 1, at, m.of(spirv.OpLoad, k, pointer, aligned, uint32(size)))
				}
			}, nil)
			none := m.value(spirv.OpConvertUToPtr, m.pointer(spirv.StorageClassPhysicalStorageBuffer, m.typ(k)), m.of(spirv.OpISub, i64, first, first))
			m.store(k, 2, at, m.of(spirv.OpLoad, k, none, aligned, uint32(size)))
			in := make([]uint32, 2*lanes)
			value := func(i int) uint64 { return (uint64(i+1) * 0x0123456789ABCDEF) & k.mask() }
			for i := range lanes {
				in[2*i], in[2*i+1] = uint32(value(i)), uint32(value(i)>>32)
			}
			m.addresses = true
			for _, dev := range engines(t) {
				starts := [][]byte{patterned(count * size), patterned(count*size + 64)[64:]}
				p := load(t, dev, m, inBytes(in), make([]byte, 8*3*lanes))
				var push []uint32
				for _, data := range starts {
					a, err := p.more(data).DeviceAddress()
					if err != nil {
						t.Fatal(err)
					}
					push = append(push, uint32(a), uint32(a>>32))
				}
				p.run(1, push...)
				out := p.bytes(1, 8*3*lanes)
				for i := range lanes {
					which, index := 0, i*5%count
					if both && i%3 == 1 {
						which = 1
					}
					want := []uint64{element(starts[which], k, index), value(i), 0}
					if i%7 == 4 {
						want = []uint64{0, 0, 0}
					}
					for j, w := range want {
						if got := binary.LittleEndian.Uint64(out[8*(j*lanes+i):]); got != w {
							t.Fatalf("%s: %v at addresses, result %d of invocation %d: %#x, want %#x", dev.Engine(), k, j, i, got, w)
						}
					}
				}
				for which := range 2 {
					after := p.bytes(2+which, count*size)
					left := append([]byte(nil), starts[which]...)
					for i := range lanes {
						if i%7 == 4 || (which == 1) != (both && i%3 == 1) {
							continue
						}
						v := value(i)
						if k == i32 || k == i64 {
							v += 3
						}
						var b [8]byte
						binary.LittleEndian.PutUint64(b[:], v)
						copy(left[i*5%count*size:][:size], b[:])
					}
					if string(after) != string(left) {
						t.Errorf("%s: %v at addresses: buffer %d is\n%x, want\n%x", dev.Engine(), k, which, after, left)
					}
				}
				p.close()
			}
		}
	}
}

// Buffers of an array that each invocation chooses, or all of them, and how large they are.
func TestMemory_ArraysOfBuffers(t *testing.T) {
	rules.Covers(t, "RAS-001")
	const lanes, buffers = 72, 3
	m := newModule(lanes, lanes)
	m.need(spirv.CapabilityShaderNonUniform, spirv.CapabilityStorageBufferArrayNonUniformIndexing, spirv.CapabilityStorageBufferArrayDynamicIndexing)
	m.uses("SPV_EXT_descriptor_indexing")
	m.pushed(1)
	block := m.block()
	array := m.global(spirv.OpTypeArray, 0, block, m.word(buffers))
	list := m.variable(spirv.StorageClassStorageBuffer, array)
	add(&m.decorations, spirv.OpDecorate, list, uint32(spirv.DecorationDescriptorSet), 0)
	add(&m.decorations, spirv.OpDecorate, list, uint32(spirv.DecorationBinding), 2)
	at := m.invocation()
	own := m.of(spirv.OpUMod, i32, at, m.word(buffers))
	word := func(n, index id) id {
		p := m.value(spirv.OpAccessChain, m.pointer(spirv.StorageClassStorageBuffer, m.typ(i32)), list, n, m.word(0), index)
		add(&m.decorations, spirv.OpDecorate, p, uint32(spirv.DecorationNonUniform))
		return p
	}
	length := func(n id) id {
		p := m.value(spirv.OpAccessChain, m.pointer(spirv.StorageClassStorageBuffer, block), list, n)
		return m.value(spirv.OpArrayLength, m.typ(i32), p, 0)
	}
	m.store(i32, 0, at, m.of(spirv.OpLoad, i32, word(own, at)))
	m.store(i32, 1, at, m.of(spirv.OpLoad, i32, word(m.parameter(0), at)))
	m.store(i32, 2, at, length(own))
	m.store(i32, 3, at, length(m.parameter(0)))
	m.when(m.of(spirv.OpINotEqual, boolean, m.of(spirv.OpUMod, i32, at, m.word(5)), m.word(1)), func() {
		m.store(i32, 4, at, m.of(spirv.OpAtomicIAdd, i32, word(own, m.of(spirv.OpIAdd, i32, at, m.word(100))), m.word(1), m.word(0), at))
		m.do(spirv.OpStore, word(own, m.of(spirv.OpIAdd, i32, at, m.word(200))), m.of(spirv.OpIMul, i32, at, at))
	}, nil)
	for _, dev := range engines(t) {
		for uniform := range buffers {
			p := load(t, dev, m, nil, make([]byte, 8*5*lanes))
			var starts [buffers][]byte
			var bound [buffers]*pumice.Buffer
			for n := range buffers {
				starts[n] = patterned(4 * (250 + 8*n))
				starts[n][0] = byte(n)
				b, err := dev.NewBufferFrom(starts[n])
				if err != nil {
					t.Fatal(err)
				}
				bound[n] = b
				if err := p.set.BindAt(2, uint32(n), b); err != nil {
					t.Fatal(err)
				}
			}
			p.run(1, uint32(uniform))
			out := p.words(1, 2*5*lanes)
			var after [buffers][]byte
			for n := range buffers {
				after[n] = make([]byte, len(starts[n]))
				if err := bound[n].Read(t.Context(), 0, after[n]); err != nil {
					t.Fatal(err)
				}
				bound[n].Close()
			}
			p.close()
			for i := range lanes {
				n := i % buffers
				want := []uint64{element(starts[n], i32, i), element(starts[uniform], i32, i), uint64(250 + 8*n), uint64(250 + 8*uniform), 0}
				if i%5 != 1 {
					want[4] = element(starts[n], i32, 100+i)
					binary.LittleEndian.PutUint32(starts[n][4*(100+i):], uint32(want[4])+uint32(i))
					if 4*(201+i) <= len(starts[n]) {
						binary.LittleEndian.PutUint32(starts[n][4*(200+i):], uint32(i*i))
					}
				}
				for j, w := range want {
					if got := uint64(out[2*(j*lanes+i)]); got != w {
						t.Fatalf("%s: uniform %d, result %d of invocation %d: %#x, want %#x", dev.Engine(), uniform, j, i, got, w)
					}
				}
			}
			for n := range buffers {
				if string(after[n]) != string(starts[n]) {
					t.Errorf("%s: buffer %d is\n%x, want\n%x", dev.Engine(), n, after[n], starts[n])
				}
			}
		}
	}
}
