#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 64) in;
struct S { uint8_t b; int8_t sb; uint16_t h; f16vec3 v; u8vec4 q; };
layout(set = 0, binding = 0) readonly buffer In { uint a[]; };
layout(set = 0, binding = 1) writeonly buffer Out { uint r[]; };
layout(set = 0, binding = 2, std430) buffer Bytes { uint8_t bytes[]; };
layout(set = 0, binding = 3) buffer Halves { float16_t halves[]; };
layout(set = 0, binding = 4, std430) readonly buffer Structs { S s[2]; };
layout(push_constant) uniform P { uint8_t p0; int8_t p1; uint16_t p2; float16_t p3; } push;
layout(constant_id = 3) const int16_t spec = int16_t(-5);
shared uint8_t sh[64];
uint n;
void put(uint v) { r[n++] = v; }
void put(float16_t v) { put(uint(float16BitsToUint16(v))); }
void main() {
    uint lane = gl_LocalInvocationIndex, x = a[lane];
    n = lane * 40u;
    int8_t i8 = int8_t(x); uint8_t u8 = uint8_t(x >> 8); int16_t i16 = int16_t(x); uint16_t u16 = uint16_t(x >> 12);
    put(uint(i8 + int8_t(100))); put(uint(u8 * u8)); put(uint(i16 / int16_t(7))); put(uint(i16 % int16_t(9)));
    put(uint(int(i8 >> 2s))); put(uint(u8 << 3us)); put(uint(i8 < int8_t(3))); put(uint(u8 < 3us));
    put(uint(int(min(i8, int8_t(-3))))); put(uint(max(u16, 77us))); put(uint(int(abs(i16)))); put(uint(int(sign(i8)))); put(uint(int(-i8)));
    put(uint(int(spec))); put(uint(~u8));
    // 15
    float16_t h = float16_t(float(int(x) % 2000) * 0.37), g = float16_t(i8);
    put(h); put(h + g); put(h * g); put(h / g); put(sqrt(abs(h))); put(fma(h, g, h)); put(float16_t(u16)); put(floatBitsToUint(float(h)));
    put(uint(int(h))); put(uint(h < g)); put(dot(f16vec2(h, g), f16vec2(g, h))); put(mix(h, g, 0.25hf)); put(floor(h));
    // 28
    uint w = bytes[lane] + bytes[lane + 1u];
    memoryBarrier(); barrier();
    bytes[lane] = uint8_t(x); halves[lane] = h;
    sh[63u - lane] = u8;
    barrier();
    put(w); put(uint(sh[lane])); put(halves[lane ^ 1u]); put(uint(bytes[lane ^ 1u]));
    S t = s[x & 1u];
    put(uint(t.b) + uint(t.sb) * 256u); put(uint(t.h)); put(t.v.z); put(uint(t.q.w));
    put(uint(push.p0) + uint(int(push.p1)) * 1000u + uint(push.p2)); put(push.p3);
    put(pack32(u8vec4(u8, i8, 1, 2))); put(uint(unpack16(x).y) + uint(unpack8(x).z));
    // 40
}
