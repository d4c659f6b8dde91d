#version 450
// Fans of small triangle strips around the corners of each triangle, in three
// invocations; the second cuts its strips, the third now and then emits nothing.
layout(triangles, invocations = 3) in;
layout(triangle_strip, max_vertices = 32) out;
layout(location = 0) in vec4 color[]; // that of vertices, or of a tessellator
layout(location = 0) out vec4 shade;
layout(location = 1) flat out uint mark;
void main() {
	int n = 12 + 4 * gl_InvocationID;
	if (gl_InvocationID == 2 && gl_PrimitiveIDIn % 3 == 0)
		return;
	vec4 at = gl_in[gl_InvocationID].gl_Position;
	vec4 to = gl_in[(gl_InvocationID + 1) % 3].gl_Position;
	for (int i = 0; i < n; i++) {
		float f = float(i) / float(n);
		vec2 side = vec2(to.y - at.y, at.x - to.x) * (0.05 * float(i & 1));
		gl_Position = vec4(mix(at.xy, to.xy, f) + side, 0.5, 1.0);
		shade = mix(color[gl_InvocationID], color[(gl_InvocationID + 1) % 3], f);
		mark = uint(i + gl_PrimitiveIDIn);
		gl_PrimitiveID = gl_PrimitiveIDIn * 3 + gl_InvocationID;
		EmitVertex();
		if (gl_InvocationID == 1 && i % 5 == 4)
			EndPrimitive();
	}
}
