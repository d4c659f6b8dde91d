// Where a direction lies in a panorama: the middle is -z, its right +x, its top +y. rotation in
// radians turns the surroundings to the left. Needs PI.
vec2 panoramaUV(vec3 d, float rotation) {
    d = normalize(d);
    return vec2(0.5 + (atan(d.x, -d.z) + rotation) / (2.0 * PI), 0.5 - asin(clamp(d.y, -1.0, 1.0)) / PI);
}
