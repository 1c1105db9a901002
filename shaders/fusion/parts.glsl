// The parts of a product of tropical-dual-Clifford elements; include common/order.glsl
// first. `precise` throughout: the pipeline's kernels and the one of the data split must
// give the same bits, however a driver fuses.

// c_k = max over i of (a_i + b_(i^k)): 64 additions, 56 maxima.
void tropical_product(const float a[8], const float b[8], out float c[8]) {
    for (uint k = 0u; k < 8u; k++) {
        precise float most = a[0] + b[k];
        for (uint i = 1u; i < 8u; i++) {
            precise float sum = a[i] + b[i ^ k];
            most = ordered_max(most, sum);
        }
        c[k] = most;
    }
}

// The geometric product a b of Cl(3,0) in bitmask order, every product and sum rounded.
void clifford_product(const float a[8], const float b[8], out float c[8]) {
    precise float c0 = a[0]*b[0] + a[1]*b[1] + a[2]*b[2] - a[3]*b[3] + a[4]*b[4] - a[5]*b[5] - a[6]*b[6] - a[7]*b[7];
    precise float c1 = a[0]*b[1] + a[1]*b[0] - a[2]*b[3] + a[3]*b[2] - a[4]*b[5] + a[5]*b[4] - a[6]*b[7] - a[7]*b[6];
    precise float c2 = a[0]*b[2] + a[1]*b[3] + a[2]*b[0] - a[3]*b[1] - a[4]*b[6] + a[5]*b[7] + a[6]*b[4] + a[7]*b[5];
    precise float c3 = a[0]*b[3] + a[1]*b[2] - a[2]*b[1] + a[3]*b[0] + a[4]*b[7] - a[5]*b[6] + a[6]*b[5] + a[7]*b[4];
    precise float c4 = a[0]*b[4] + a[1]*b[5] + a[2]*b[6] - a[3]*b[7] + a[4]*b[0] - a[5]*b[1] - a[6]*b[2] - a[7]*b[3];
    precise float c5 = a[0]*b[5] + a[1]*b[4] - a[2]*b[7] + a[3]*b[6] - a[4]*b[1] + a[5]*b[0] - a[6]*b[3] - a[7]*b[2];
    precise float c6 = a[0]*b[6] + a[1]*b[7] + a[2]*b[4] - a[3]*b[5] - a[4]*b[2] + a[5]*b[3] + a[6]*b[0] + a[7]*b[1];
    precise float c7 = a[0]*b[7] + a[1]*b[6] - a[2]*b[5] + a[3]*b[4] + a[4]*b[3] - a[5]*b[2] + a[6]*b[1] + a[7]*b[0];
    c = float[8](c0, c1, c2, c3, c4, c5, c6, c7);
}

// The dual part r d' + d r' of a product, s and e the second factor's: two geometric
// products and 8 additions.
void dual_product(const float r[8], const float d[8], const float s[8], const float e[8], out float c[8]) {
    float p[8], q[8];
    clifford_product(r, e, p);
    clifford_product(d, s, q);
    for (uint k = 0u; k < 8u; k++) {
        precise float sum = p[k] + q[k];
        c[k] = sum;
    }
}
