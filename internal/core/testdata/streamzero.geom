#version 450
// Points to two streams: the second, third, fourth and sixth to stream 0, which has positions.
layout(points) in;
layout(points, max_vertices = 6) out;
layout(stream = 0, location = 0, xfb_buffer = 0, xfb_stride = 4, xfb_offset = 0) out float first;
layout(stream = 1, location = 1, xfb_buffer = 1, xfb_stride = 4, xfb_offset = 0) out float second;
layout(stream = 0) out gl_PerVertex { vec4 gl_Position; };
void main() {
	for (int i = 0; i < 6; i++) {
		if (i % 4 == 0) {
			second = 20 + i;
			EmitStreamVertex(1);
		} else {
			first = 10 + i;
			gl_Position = vec4((2.0 * (i + 0.5)) / 16.0 - 1.0, 1.0 / 8.0 - 1.0, 0, 1);
			EmitStreamVertex(0);
		}
	}
}
