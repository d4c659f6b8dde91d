#version 450
// Two strips of stream 1 between the vertices of stream 0's strip; a strip of one
// vertex vanishes.
layout(points) in;
layout(line_strip, max_vertices = 12) out;
layout(stream = 0, location = 0, xfb_buffer = 0, xfb_stride = 4, xfb_offset = 0) out float first;
layout(stream = 1, location = 1, xfb_buffer = 1, xfb_stride = 4, xfb_offset = 0) out float second;
layout(stream = 1) out gl_PerVertex { vec4 gl_Position; };
void emit1(float v, float x, float y) {
	second = v;
	gl_Position = vec4(2.0 * x / 16.0 - 1.0, 2.0 * y / 8.0 - 1.0, 0, 1);
	EmitStreamVertex(1);
}
void emit0(float v) {
	first = v;
	EmitStreamVertex(0);
}
void main() {
	emit1(20, 0, 0.5);
	emit0(10);
	emit1(21, 4, 0.5);
	emit0(11);
	EndStreamPrimitive(1);
	emit1(22, 0, 4.5);
	EndStreamPrimitive(1);
	emit1(23, 0, 2.5);
	emit0(12);
	emit1(24, 2, 2.5);
	emit1(25, 4, 2.5);
	EndStreamPrimitive(0);
	emit0(13);
}
