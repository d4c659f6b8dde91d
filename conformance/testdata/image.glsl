// One image instruction for each lane, with operands from memory: what testdata/rules/image*.comp share.
// They define IMAGE, the sampler's type, and RESULT(v), its result as four components, and of AT (coordinates),
// D(v) (components of a derivative), I(v) (of a texel), GATHER, QUERY and SIZED(v) (a size as three components) what the image has.
#extension GL_NV_compute_shader_derivatives : require

layout(local_size_x = 64) in;
layout(derivative_group_linearNV) in;

struct Lane {
	vec4 at;
	vec4 dx; // w: level of detail, or bias
	vec4 dy; // w: reference
	ivec4 texel; // w: level, or sample
};
layout(std430, binding = 0) readonly buffer Lanes { Lane lanes[]; };
layout(std430, binding = 1) writeonly buffer Results { vec4 results[]; };
layout(binding = 2) uniform IMAGE image;
layout(push_constant) uniform Push {
	int how;
	int count;
};

void main() {
	Lane l = lanes[int(gl_GlobalInvocationID.x) % count];
	vec4 at = l.at;
	vec4 r = vec4(-1);
	switch (how) {
#ifdef D
#ifndef NO_LOD // of shadows of cubes
	case 0:
		r = RESULT(textureLod(image, AT, l.dx.w));
		break;
#endif
	case 1:
		r = RESULT(textureGrad(image, AT, D(l.dx), D(l.dy)));
		break;
	case 2:
		r = RESULT(texture(image, AT));
		break;
	case 3:
		r = RESULT(texture(image, AT, l.dx.w));
		break;
#endif
#ifdef I
	case 4:
		r = RESULT(texelFetch(image, I(l.texel), l.texel.w));
		break;
#endif
#ifdef GATHER
	case 5:
		r = GATHER;
		break;
#endif
#ifdef SIZED
	case 7:
		r = vec4(SIZED(textureSize(image, l.texel.w)), textureQueryLevels(image));
		break;
#endif
#ifdef QUERY
	case 6:
		r = vec4(textureQueryLod(image, QUERY), 0, 0);
		break;
#endif
	}
	results[gl_GlobalInvocationID.x] = r;
}
