// Sheen (Estevez and Kulla 2017): alpha = roughness². Needs PI.

// The distribution of fibres' normals.
float charlie(float alpha, float nh) {
    float inverse = 1.0 / alpha;
    return (2.0 + inverse) * pow(max(1.0 - nh * nh, 1e-7), inverse * 0.5) / (2.0 * PI);
}

float sheenCurve(float x, float alpha) {
    float k = (1.0 - alpha) * (1.0 - alpha);
    float a = mix(21.5473, 25.3245, k), b = mix(3.82987, 3.32435, k), c = mix(0.19823, 0.16801, k);
    float d = mix(-1.97760, -1.27393, k), e = mix(-4.32054, -4.85967, k);
    return a / (1.0 + b * pow(x, c)) + d * x + e;
}

float sheenShadow(float cosTheta, float alpha) {
    return cosTheta < 0.5 ? exp(sheenCurve(cosTheta, alpha))
        : exp(2.0 * sheenCurve(0.5, alpha) - sheenCurve(1.0 - cosTheta, alpha));
}

float sheenVisibility(float alpha, float nl, float nv) {
    return clamp(1.0 / ((1.0 + sheenShadow(nv, alpha) + sheenShadow(nl, alpha)) * 4.0 * nv * nl), 0.0, 1.0);
}
