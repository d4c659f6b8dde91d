#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
// Buffer addresses as numbers and back. An address that leads to no buffer reads as zero, and writes there go nowhere.
//! in 1 u64 4660
//! out 0 u64 4660 0 0 4676
layout(local_size_x = 1) in;
layout(buffer_reference) buffer Node;
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Node { Node next; uint value; };
layout(std430, binding = 0) writeonly buffer O { uint64_t o[]; };
layout(std430, binding = 1) readonly buffer A { uint64_t a[]; };
void main() {
	Node n = Node(a[0]);
	o[0] = uint64_t(n);
	o[1] = n.value;
	n.value = 7;
	o[2] = uint64_t(n.next) + n.value;
	o[3] = uint64_t(n) + 16ul;
}
