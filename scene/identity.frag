#version 460
// Says which fragment a sample got: draw, primitive, and where the fragment is.
layout(push_constant) uniform P { vec2 size; float pointSize; uint number; } p;
layout(location = 0) out uvec4 identity;
void main() {
	identity = uvec4(p.number + 1, gl_PrimitiveID, floatBitsToUint(gl_FragCoord.xy));
}
