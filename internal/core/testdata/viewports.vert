#version 450
#extension GL_NV_viewport_array2 : require
layout(viewport_relative) out highp int gl_Layer;
void main() {
	gl_Position = vec4(gl_VertexIndex == 1 ? 3 : -1, gl_VertexIndex == 2 ? 3 : -1, 0, 1);
	gl_ViewportMask[0] = gl_InstanceIndex & 0xff;
	gl_Layer = gl_InstanceIndex >> 8;
}
