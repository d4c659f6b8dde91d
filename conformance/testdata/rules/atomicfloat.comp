#version 450
#extension GL_EXT_shader_atomic_float : require
#extension GL_EXT_shader_atomic_float2 : require
// One atomic operation a texel, on numbers that come as bits; what it returns.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, r32f) uniform image1D texels;
layout(set = 0, binding = 1) readonly buffer Operands { uint operand[]; };
layout(set = 0, binding = 2) writeonly buffer Before { uint before[]; };
layout(push_constant) uniform Push { int how; };
void main() {
	int i = int(gl_GlobalInvocationID.x);
	float v = uintBitsToFloat(operand[i]), was = 0;
	if (how == 0)
		was = imageAtomicMin(texels, i, v);
	else if (how == 1)
		was = imageAtomicMax(texels, i, v);
	else
		was = imageAtomicAdd(texels, i, v);
	before[i] = floatBitsToUint(was);
}
