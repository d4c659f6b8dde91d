#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
layout(location = 0) in f16vec2 h;
layout(location = 1) flat in i16vec2 i;
layout(location = 2) flat in uint16_t u;
layout(location = 0) out f16vec2 o;
layout(location = 1) out i16vec2 oi;
layout(location = 2) out uint16_t ou;
void main() { o = h * 2.0hf; oi = i - 10s; ou = u + 1us; }
