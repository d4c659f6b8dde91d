#version 450
layout(location = 0) in vec4 smoothly;
layout(location = 1) noperspective in vec4 linearly;
layout(location = 2) flat in vec4 flatly;
layout(location = 3) centroid in vec4 atCentroid;
layout(location = 5) flat in ivec4 number;
layout(location = 0) out vec4 color[5];
void main() {
	color[0] = smoothly;
	color[1] = linearly;
	color[2] = flatly;
	color[3] = atCentroid;
	color[4] = vec4(number);
}
