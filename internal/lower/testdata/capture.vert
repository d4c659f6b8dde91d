#version 460
// Outputs that transform feedback captures.
#extension GL_EXT_fragment_shading_rate : require
layout(xfb_buffer = 1, xfb_stride = 48) out;
layout(location = 0, xfb_buffer = 1, xfb_offset = 16) out vec3 a;
layout(location = 1) out float skipped;
layout(location = 2, xfb_buffer = 2, xfb_offset = 4, xfb_stride = 16) out float b[2];
out gl_PerVertex { layout(xfb_buffer = 1, xfb_offset = 32) vec4 gl_Position; };
layout(location = 4, xfb_buffer = 3, xfb_stride = 24) out Block { layout(xfb_offset = 8) mat2 m; } block;
struct Mixed {
	uint word;
	dvec2 doubles; // 4 bytes after word
	float last;
};
struct Outer {
	uint first;
	Mixed mixed; // and 4 after first
};
layout(location = 8, xfb_buffer = 0, xfb_stride = 48) out Doubles { layout(xfb_offset = 8) Outer outer; } doubles;
void main() {
	doubles.outer = Outer(0, Mixed(1, dvec2(2, 3), 4));
	gl_Position = vec4(1);
	a = vec3(gl_VertexIndex);
	skipped = 1;
	b[0] = 1;
	b[1] = 2;
	block.m = mat2(1);
	gl_PrimitiveShadingRateEXT = gl_ShadingRateFlag2VerticalPixelsEXT;
}
