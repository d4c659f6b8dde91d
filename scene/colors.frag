#version 460
#extension GL_EXT_fragment_shader_barycentric : require
// The colour of the vertices, interpolated as asked for.
layout(constant_id = 0) const int values = 0;
layout(location = 0) in vec4 smoothly;
layout(location = 1) noperspective in vec4 linearly;
layout(location = 2) flat in vec4 flatly;
layout(location = 0) out vec4 color;
void main() {
	switch (values) {
	case 0: color = smoothly; break;
	case 1: color = linearly; break;
	case 2: color = flatly; break;
	default: color = vec4(gl_BaryCoordEXT, 1);
	}
}
