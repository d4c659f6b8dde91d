// An atomic on a texel for each lane: what testdata/rules/atomic*.comp share. They define IMAGE, the image's type with its format, AT,
// the texel's coordinates (and sample) in l.texel, and TYPE, VALUE(w) and BITS(v), its numbers and how they are made of words. Tests put another instruction in the place of the
// addition.
#extension GL_KHR_memory_scope_semantics : require

layout(local_size_x = 64) in;

struct Lane {
	uvec4 at; // the value in x and y, its comparator in z and w
	vec4 dx;
	vec4 dy;
	ivec4 texel;
};
layout(std430, binding = 0) readonly buffer Lanes { Lane lanes[]; };
layout(std430, binding = 1) writeonly buffer Results { uvec4 results[]; };
IMAGE image;
layout(push_constant) uniform Push {
	int how;
	int count;
};

void main() {
	Lane l = lanes[int(gl_GlobalInvocationID.x) % count];
	TYPE r = VALUE(uvec2(77));
	TYPE v = VALUE(l.at.xy);
	// Lanes beyond the last one would do it again.
	if (gl_GlobalInvocationID.x < count) {
		switch (how) {
		case 0:
			r = imageAtomicAdd(image, AT, v);
			break;
#ifdef COMPARES
		case 1:
			r = imageAtomicCompSwap(image, AT, VALUE(l.at.zw), v);
			break;
#endif
		case 2:
			imageAtomicStore(image, AT, v, gl_ScopeDevice, gl_StorageSemanticsImage, gl_SemanticsRelease);
			break;
		}
	}
	results[gl_GlobalInvocationID.x] = uvec4(BITS(r), 0, 0);
}
