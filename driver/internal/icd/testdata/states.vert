#version 450
#extension GL_ARB_shader_viewport_layer_array : require
// Triangles that cover everything: vertices 0 to 2 counterclockwise, 3 to 5 clockwise. The instance's number is its viewport.
void main() {
	int n = gl_VertexIndex;
	int corner = n < 3 ? n : 5 - n;
	gl_Position = vec4(corner == 2 ? 3 : -1, corner == 1 ? 3 : -1, 0.5, 1);
	gl_ViewportIndex = gl_InstanceIndex;
}
