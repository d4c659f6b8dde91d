#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
// Numbers of 16 bits that are only moved keep all their bits, NaNs their sign and payload: from memory to memory,
// through other types and compositions. What arithmetic makes of a NaN is one.
//! in 0 u16 0x7E01 0xFE80 0x7FFF 0xFFFF 0x0001 0x83FF 0x7C00 0xBC00
//! out 1 u16 0x7E01 0xFE80 0x7FFF 0xFFFF 0x7E55 0x7E55 0x8001 0xFE80 0x7E01 0xFFFF 0x7FFF 0x7E00 0x0001 0x83FF 0x7C00 0xBC00
layout(local_size_x = 1) in;
layout(std430, set = 0, binding = 0) readonly buffer In { f16vec4 a, b; };
layout(std430, set = 0, binding = 1) writeonly buffer Out { f16vec4 whole; float16_t k; float16_t c; uint16_t den; uint16_t same; float16_t swapped[4]; f16vec4 plain; };
void main() {
    whole = a;
    k = uint16BitsToHalf(uint16_t(0x7E55us));
    c = uint16BitsToHalf(uint16_t(0x7E55us));
    den = halfBitsToUint16(uint16BitsToHalf(uint16_t(0x8001us)));
    same = float16BitsToUint16(a.y);
    swapped[0] = a.x;
    swapped[1] = a.wz.x;
    swapped[2] = a.wz.y;
    swapped[3] = a.x + 1.0hf;
    plain = b;
}
