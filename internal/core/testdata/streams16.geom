#version 450
// Stream s gets s + 1 points, the last stream first; what is captured of vertex v of stream s
// is 100 s + v. Streams 0 to 6 have the buffers of those numbers, and stream 15 the last one.
layout(points) in;
layout(points, max_vertices = 136) out;
layout(stream = 0, location = 0, xfb_buffer = 0, xfb_stride = 4, xfb_offset = 0) out float s0;
layout(stream = 1, location = 1, xfb_buffer = 1, xfb_stride = 4, xfb_offset = 0) out float s1;
layout(stream = 2, location = 2, xfb_buffer = 2, xfb_stride = 4, xfb_offset = 0) out float s2;
layout(stream = 3, location = 3, xfb_buffer = 3, xfb_stride = 4, xfb_offset = 0) out float s3;
layout(stream = 4, location = 4, xfb_buffer = 4, xfb_stride = 4, xfb_offset = 0) out float s4;
layout(stream = 5, location = 5, xfb_buffer = 5, xfb_stride = 4, xfb_offset = 0) out float s5;
layout(stream = 6, location = 6, xfb_buffer = 6, xfb_stride = 8, xfb_offset = 4) out float s6;
layout(stream = 15, location = 7, xfb_buffer = 7, xfb_stride = 8192, xfb_offset = 8188) out float s15;
layout(stream = 15) out gl_PerVertex { vec4 gl_Position; };
#define EMIT(s) for (int v = 0; v <= s; v++) { EmitStreamVertex(s); EndStreamPrimitive(s); }
#define CAPTURE(s, out) for (int v = 0; v <= s; v++) { out = 100 * s + v; EmitStreamVertex(s); EndStreamPrimitive(s); }
void main() {
	for (int v = 0; v <= 15; v++) {
		s15 = 1500 + v;
		gl_Position = vec4(2.0 * (v + 0.5) / 16.0 - 1.0, 1.0 / 8.0 - 1.0, 0, 1);
		EmitStreamVertex(15);
	}
	EMIT(14) EMIT(13) EMIT(12) EMIT(11) EMIT(10) EMIT(9) EMIT(8) EMIT(7)
	CAPTURE(6, s6) CAPTURE(5, s5) CAPTURE(4, s4) CAPTURE(3, s3) CAPTURE(2, s2) CAPTURE(1, s1) CAPTURE(0, s0)
}
