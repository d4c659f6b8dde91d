#version 450
// Outputs of vertices and of the patch, in blocks and arrays, read back from other
// invocations after a barrier.
layout(vertices = 3) out;
layout(location = 0) in vec2 a[];
layout(location = 2) out Block { vec2 b[2]; int c; } block[];
layout(location = 6) patch out Patch { vec3 d; float e[2]; } patched;
layout(location = 0) out dvec2 f[];
void main() {
	int i = gl_InvocationID;
	gl_out[gl_InvocationID].gl_Position = gl_in[i].gl_Position + vec4(gl_PrimitiveID, gl_PatchVerticesIn, 0, 0);
	gl_out[gl_InvocationID].gl_PointSize = gl_in[gl_in.length() - 1].gl_PointSize;
	block[gl_InvocationID].b[i & 1] = a[i];
	block[gl_InvocationID].c = 100 + i;
	f[gl_InvocationID] = dvec2(a[i]);
	barrier();
	if (i == 1) {
		patched.d = vec3(block[0].c, block[1].c, block[2].c);
		patched.e[gl_PatchVerticesIn & 1] = block[2].b[0].y;
	}
	gl_TessLevelOuter[i] = float(block[(i + 1) % 3].c);
	gl_TessLevelInner[0] = 5.0;
}
