#version 450
#extension GL_NV_viewport_array2 : require
void main() {
	gl_Position = vec4(gl_VertexIndex == 1 ? 3 : -1, gl_VertexIndex == 2 ? 3 : -1, 0, 1);
	gl_ViewportMask[0] = gl_InstanceIndex;
}
