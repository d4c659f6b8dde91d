#version 450
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
// Narrow scalars of push constants, at all places of a word.
layout(push_constant, scalar) uniform P {
	uint16_t halves[3]; // bytes 0 to 5
	uint8_t bytes[3]; // 6 to 8
	int8_t small; // 9
	float16_t part; // 10
	uint index; // 12
} p;
layout(location = 0) flat in uint lane;
layout(location = 0) out uvec4 a;
layout(location = 1) out uvec4 b;
layout(location = 2) out uvec4 c;

void main() {
	a = uvec4(p.halves[0], p.halves[1], p.halves[2], p.bytes[0]);
	b = uvec4(p.bytes[1], p.bytes[2], int(p.small), floatBitsToUint(float(p.part)));
	c = uvec4(p.halves[p.index], p.bytes[p.index], p.halves[lane], p.bytes[lane]);
}
