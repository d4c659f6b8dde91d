#version 460
#extension GL_ARB_sparse_texture2 : require
layout(local_size_x = 2) in;
layout(set = 0, binding = 0) buffer Out { vec4 result[2]; };
layout(set = 0, binding = 1) uniform sampler2D list[3];
layout(set = 0, binding = 2) uniform samplerBuffer read;
layout(set = 0, binding = 3, rgba8) uniform imageBuffer written;
layout(set = 0, binding = 4) uniform texture2D plain[2];
layout(set = 0, binding = 5) uniform sampler samplers[2];
layout(push_constant) uniform Push { uint what, element; };
void main() {
	uint i = gl_LocalInvocationIndex;
	vec4 v = vec4(0);
	if (what == 1)
		v = textureLod(list[1], vec2(0), 0);
	else if (what == 2)
		v = textureLod(list[element], vec2(0), 0);
	else if (what == 3)
		v = texelFetch(read, 0);
	else if (what == 4)
		imageStore(written, 0, vec4(1));
	else if (what == 5)
		sparseTextureLodARB(list[2], vec2(0), 0, v);
	else if (what == 6)
		v = textureLod(sampler2D(plain[element & 1], samplers[element >> 1]), vec2(0), 0);
	else if (what == 7 && result[i].x == element)
		v = textureLod(list[i], vec2(0), 0);
	result[i] = v + 1;
}
