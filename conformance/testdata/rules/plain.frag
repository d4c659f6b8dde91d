#version 450
// A value, interpolated in three ways, where no sample has another place than the rest.
layout(location = 0) in vec4 smoothly;
layout(location = 1) noperspective in vec4 linearly;
layout(location = 2) flat in vec4 flatly;
layout(location = 0) out vec4 color[4];
void main() {
	color[0] = smoothly;
	color[1] = linearly;
	color[2] = flatly;
	color[3] = smoothly;
}
