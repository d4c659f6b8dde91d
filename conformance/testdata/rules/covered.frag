#version 450
#extension GL_NV_conservative_raster_underestimation : require
layout(location = 0) out vec4 color;
void main() {
	color = vec4(1, gl_FragFullyCoveredNV, gl_FragCoord.xy);
}
