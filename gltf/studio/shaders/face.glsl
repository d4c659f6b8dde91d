// The direction of a place on a cube's face: 0 … 5 are +x, -x, +y, -y, +z, -z as Vulkan has them.
vec3 faceDirection(int face, vec2 st) {
    vec2 p = st * 2.0 - 1.0;
    switch (face) {
    case 0: return vec3(1.0, -p.y, -p.x);
    case 1: return vec3(-1.0, -p.y, p.x);
    case 2: return vec3(p.x, 1.0, p.y);
    case 3: return vec3(p.x, -1.0, -p.y);
    case 4: return vec3(p.x, -p.y, 1.0);
    default: return vec3(-p.x, -p.y, -1.0);
    }
}
