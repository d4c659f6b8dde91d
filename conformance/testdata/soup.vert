#version 450
// Vertices of random command streams: placed by instance, with inputs of every
// interpolation for the fragment shaders.
layout(location = 0) in vec4 inPosition; // clip space
layout(location = 1) in vec4 inColor;
layout(location = 2) in vec2 inUV;
layout(location = 3) in vec4 inInstance; // xy = offset, z = scale, w = tint

layout(push_constant) uniform Push {
    vec4 matrix; // columns of a 2×2 matrix
    vec4 plane;  // clip plane
    vec4 misc;   // x = point size, y = level of detail, z = cutoff, w = depth offset
} push;

layout(location = 0) out vec4 color;
layout(location = 1) out vec2 uv;
layout(location = 2) noperspective out vec2 linear;
layout(location = 3) flat out uvec2 id;
layout(location = 4) centroid out vec4 atCentroid;

out gl_PerVertex {
    vec4 gl_Position;
    float gl_PointSize;
    float gl_ClipDistance[1];
};

void main() {
    vec4 p = inPosition;
    p.xy = mat2(push.matrix.xy, push.matrix.zw) * p.xy * inInstance.z + inInstance.xy * p.w;
    p.z += push.misc.w;
    gl_Position = p;
    gl_PointSize = push.misc.x * (0.5 + inColor.r);
    gl_ClipDistance[0] = dot(push.plane, p);
    color = mix(inColor, vec4(inInstance.w), 0.25);
    uv = inUV + 0.125 * float(gl_InstanceIndex);
    linear = inUV * 3.0 - 1.0;
    id = uvec2(gl_VertexIndex, gl_InstanceIndex);
    atCentroid = sin(inColor * 5.0) * 0.5 + 0.5;
}
