#version 460
layout(constant_id = 0) const uint add = 0;
layout(push_constant) uniform Push { uvec2 value; uint sequence; } push;
layout(location = 0) in uint vertex;
layout(location = 0, xfb_buffer = 0, xfb_offset = 0, xfb_stride = 16) out uvec4 captured;
void main() {
	captured = uvec4(push.value.x + push.value.y, push.sequence + 100 * add, vertex, gl_VertexIndex * 1000 + gl_InstanceIndex * 10 + gl_DrawID);
	gl_Position = vec4(2, 2, 0, 1);
}
