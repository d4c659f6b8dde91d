#version 460
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_atomic_int64 : require
// Each lane follows an address of the list and reports what it finds there. What
// lies in the buffer is read, counted with atomics of both sizes, and overwritten.
layout(local_size_x = 1) in;
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Cell { uint64_t sum; uint word; uint16_t half_; uint8_t byte_; };
layout(set = 0, binding = 0) buffer List { uint64_t at[]; } list;
layout(set = 0, binding = 1) buffer Out { uint v[]; } outs;
void main() {
    uint i = gl_GlobalInvocationID.x;
    Cell c = Cell(list.at[i]);
    outs.v[4 * i] = c.word;
    outs.v[4 * i + 1] = uint(c.half_) << 16 | uint(c.byte_);
    outs.v[4 * i + 2] = uint(atomicAdd(c.sum, 0x100000001ul) >> 32);
    outs.v[4 * i + 3] = atomicExchange(c.word, 77u);
    c.byte_ = uint8_t(9);
}
