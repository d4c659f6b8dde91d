#version 450
// A value, interpolated in every way that needs no sample shading.
layout(constant_id = 1) const int sampleNumber = 0;
layout(location = 0) in vec4 smoothly;
layout(location = 1) noperspective in vec4 linearly;
layout(location = 3) centroid in vec4 atCentroid;
layout(location = 0) out vec4 color[8];
void main() {
	color[0] = smoothly;
	color[1] = linearly;
	color[2] = atCentroid;
	color[3] = interpolateAtCentroid(linearly);
	color[4] = interpolateAtOffset(smoothly, vec2(.25, -.125));
	color[5] = interpolateAtSample(linearly, sampleNumber);
	color[6] = gl_FragCoord;
	color[7] = vec4(dFdx(linearly.x), dFdy(linearly.y), dFdx(linearly.z), dFdy(linearly.w));
}
