#version 450
// Two points to stream 0, three to stream 1, in turns; stream 1 has positions.
layout(points) in;
layout(points, max_vertices = 5) out;
layout(stream = 0, location = 0, xfb_buffer = 0, xfb_stride = 4, xfb_offset = 0) out float first;
layout(stream = 1, location = 1, xfb_buffer = 1, xfb_stride = 4, xfb_offset = 0) out float second;
layout(stream = 1) out gl_PerVertex { vec4 gl_Position; };
void main() {
	for (int i = 0; i < 5; i++) {
		if (i % 2 == 1) {
			first = 10 + i;
			EmitStreamVertex(0);
			EndStreamPrimitive(0);
		} else {
			second = 20 + i;
			gl_Position = vec4((2.0 * (i + 0.5)) / 16.0 - 1.0, 1.0 / 8.0 - 1.0, 0, 1);
			EmitStreamVertex(1);
		}
	}
}
