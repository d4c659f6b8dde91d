#version 450
// Vertices of two streams, point size, layer, viewport, clip distances, an input
// block with an array, all indexed dynamically.
layout(points, invocations = 2) in;
layout(points, max_vertices = 6) out;
in gl_PerVertex {
	vec4 gl_Position;
	float gl_PointSize;
	float gl_ClipDistance[2];
} gl_in[];
layout(location = 1) in Block { vec2 a[3]; ivec2 b; } block[];
layout(location = 0, stream = 0) out vec3 zero;
layout(location = 4, stream = 1) out ivec2 one;
layout(stream = 0) out gl_PerVertex {
	vec4 gl_Position;
	float gl_PointSize;
	float gl_ClipDistance[2];
};
void main() {
	for (int i = 0; i < 3; i++) {
		gl_Position = gl_in[0].gl_Position + vec4(i, gl_InvocationID, 0, 0);
		gl_PointSize = gl_in[0].gl_PointSize;
		gl_ClipDistance[i & 1] = gl_in[0].gl_ClipDistance[1 - (i & 1)];
		zero = vec3(block[0].a[i], gl_PrimitiveIDIn);
		gl_Layer = i;
		gl_ViewportIndex = i + 1;
		EmitStreamVertex(0);
		EndStreamPrimitive(0);
		if (i != 1) {
			one = block[0].b * i;
			EmitStreamVertex(1);
			EndStreamPrimitive(1);
		}
	}
}
