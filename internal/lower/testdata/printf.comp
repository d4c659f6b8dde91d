#version 460
#extension GL_EXT_debug_printf : require
layout(local_size_x = 4) in;
void main() {
	uint i = gl_LocalInvocationIndex;
	if (i % 2 == 1)
		debugPrintfEXT("lane %u of %v2u: %1.2f", i, uvec2(4, 1), float(i) * 0.5);
}
