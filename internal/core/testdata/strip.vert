#version 450
#extension GL_NV_viewport_array2 : require
void main() {
	gl_Position = vec4(gl_VertexIndex - 1, .0625, 0, 1);
	gl_ViewportMask[0] = 3;
}
