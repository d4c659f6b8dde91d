#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 64) in;
layout(buffer_reference) buffer Node;
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Node { uint value; Node next; vec4 v; };
layout(buffer_reference, scalar, buffer_reference_align = 1) buffer Bytes { uint8_t b; };
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Words { uint w[]; };
layout(set = 0, binding = 0) readonly buffer In { uint a[]; };
layout(set = 0, binding = 1) writeonly buffer Out { uint r[]; };
layout(set = 0, binding = 2) buffer Heads { Node head; uint64_t raw; uvec2 pair; };
Node walk(Node n, uint k) { for (uint i = 0u; i < k; ++i) n = n.next; return n; }
void main() {
    uint lane = gl_LocalInvocationIndex, x = a[lane];
    Node n = walk(head, x & 3u);
    r[lane * 8u] = n.value;
    r[lane * 8u + 1u] = uint(n.v.y + n.v[x % 4u]);
    Words w = Words(raw);
    r[lane * 8u + 2u] = atomicAdd(w.w[64], x);
    barrier();
    r[lane * 8u + 3u] = w.w[64];
    w.w[lane] = x;
    barrier();
    r[lane * 8u + 4u] = Words(pair).w[63u - lane];
    Bytes b = Bytes(raw);
    r[lane * 8u + 5u] = uint((b + int(lane * 4u)).b);
    uint64_t far = (uint64_t(x) << 40) | 0x8000000000000000ul, none = uint64_t(x) >> 40;
    r[lane * 8u + 6u] = Words(raw + 4096ul).w[lane] + Words(far).w[0] + Words(none).w[2];
    Words(raw + 4096ul).w[lane] = 5u;
    Node m = (x & 1u) != 0u ? head : head.next;
    r[lane * 8u + 7u] = m.value + ((uint64_t(m) == uint64_t(head)) ? 1000u : 0u);
}
