// What soup.vert hands to fragment shaders.
layout(location = 0) in vec4 color;
layout(location = 1) in vec2 uv;
layout(location = 2) noperspective in vec2 linear;
layout(location = 3) flat in uvec2 id;
layout(location = 4) centroid in vec4 atCentroid;

layout(push_constant) uniform Push {
    vec4 matrix;
    vec4 plane;
    vec4 misc;
} push;
