#version 450
// Shadow on what is behind the picture: black, as far as light is kept off.
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 color;

layout(set = 1, binding = 0) uniform sampler2D shade;
layout(push_constant) uniform Push {
    vec4 ground;
    float strength;
    float model; // how far from the middle the model reaches, of the square's half
} push;

// A level of the map, smoothed: the weights of a cubic B-spline in four reads.
float smoothLevel(vec2 uv, float lod) {
    vec2 size = vec2(textureSize(shade, int(lod)));
    vec2 at = uv * size - 0.5;
    vec2 f = fract(at);
    at -= f;
    vec2 w0 = (1.0 - f) * (1.0 - f) * (1.0 - f) / 6.0;
    vec2 w1 = (4.0 - 6.0 * f * f + 3.0 * f * f * f) / 6.0;
    vec2 w3 = f * f * f / 6.0;
    vec2 w2 = 1.0 - w0 - w1 - w3;
    vec2 low = w0 + w1, high = w2 + w3;
    vec2 a = (at - 0.5 + w1 / low) / size, b = (at + 1.5 + w3 / high) / size;
    return low.y * (low.x * textureLod(shade, a, lod).r + high.x * textureLod(shade, vec2(b.x, a.y), lod).r) +
        high.y * (low.x * textureLod(shade, vec2(a.x, b.y), lod).r + high.x * textureLod(shade, b, lod).r);
}

void main() {
    float away = length(at);
    float fade = 1.0 - smoothstep(0.5, 1.0, away); // no edge
    // What is far from the model is thrown from high up, along few directions: it is blurred.
    float lod = 2.0 + 3.0 * clamp((away - push.model) / (1.0 - push.model), 0.0, 1.0);
    float whole = floor(lod);
    vec2 uv = at * 0.5 + 0.5;
    float s = mix(smoothLevel(uv, whole), smoothLevel(uv, whole + 1.0), lod - whole);
    color = vec4(0.0, 0.0, 0.0, push.strength * fade * s);
}
