// The geometric algebra Cl(3,0) in bitmask order [1, e1, e2, e12, e3, e13, e23, e123].

// The geometric product a b. Signs: suites/ga.Sign; 64 multiplications, 56 additions.
void geometric_product(const float a[8], const float b[8], out float c[8]) {
    c[0] = a[0]*b[0] + a[1]*b[1] + a[2]*b[2] - a[3]*b[3] + a[4]*b[4] - a[5]*b[5] - a[6]*b[6] - a[7]*b[7];
    c[1] = a[0]*b[1] + a[1]*b[0] - a[2]*b[3] + a[3]*b[2] - a[4]*b[5] + a[5]*b[4] - a[6]*b[7] - a[7]*b[6];
    c[2] = a[0]*b[2] + a[1]*b[3] + a[2]*b[0] - a[3]*b[1] - a[4]*b[6] + a[5]*b[7] + a[6]*b[4] + a[7]*b[5];
    c[3] = a[0]*b[3] + a[1]*b[2] - a[2]*b[1] + a[3]*b[0] + a[4]*b[7] - a[5]*b[6] + a[6]*b[5] + a[7]*b[4];
    c[4] = a[0]*b[4] + a[1]*b[5] + a[2]*b[6] - a[3]*b[7] + a[4]*b[0] - a[5]*b[1] - a[6]*b[2] - a[7]*b[3];
    c[5] = a[0]*b[5] + a[1]*b[4] - a[2]*b[7] + a[3]*b[6] - a[4]*b[1] + a[5]*b[0] - a[6]*b[3] - a[7]*b[2];
    c[6] = a[0]*b[6] + a[1]*b[7] + a[2]*b[4] - a[3]*b[5] - a[4]*b[2] + a[5]*b[3] + a[6]*b[0] + a[7]*b[1];
    c[7] = a[0]*b[7] + a[1]*b[6] - a[2]*b[5] + a[3]*b[4] + a[4]*b[3] - a[5]*b[2] + a[6]*b[1] + a[7]*b[0];
}

// Products with an even element q = (1, e12, e13, e23 components): q a, and a rev(q), where
// reversion changes the sign of bivectors. 32 multiplications, 24 additions.
void even_left(const float q[4], const float a[8], out float c[8]) {
    c[0] = q[0]*a[0] - q[1]*a[3] - q[2]*a[5] - q[3]*a[6];
    c[1] = q[0]*a[1] + q[1]*a[2] + q[2]*a[4] - q[3]*a[7];
    c[2] = q[0]*a[2] - q[1]*a[1] + q[2]*a[7] + q[3]*a[4];
    c[3] = q[0]*a[3] + q[1]*a[0] - q[2]*a[6] + q[3]*a[5];
    c[4] = q[0]*a[4] - q[1]*a[7] - q[2]*a[1] - q[3]*a[2];
    c[5] = q[0]*a[5] + q[1]*a[6] + q[2]*a[0] - q[3]*a[3];
    c[6] = q[0]*a[6] - q[1]*a[5] + q[2]*a[3] + q[3]*a[0];
    c[7] = q[0]*a[7] + q[1]*a[4] - q[2]*a[2] + q[3]*a[1];
}

void even_right_reversed(const float a[8], const float q[4], out float c[8]) {
    c[0] = a[0]*q[0] + a[3]*q[1] + a[5]*q[2] + a[6]*q[3];
    c[1] = a[1]*q[0] + a[2]*q[1] + a[4]*q[2] + a[7]*q[3];
    c[2] = a[2]*q[0] - a[1]*q[1] - a[7]*q[2] + a[4]*q[3];
    c[3] = a[3]*q[0] - a[0]*q[1] - a[6]*q[2] + a[5]*q[3];
    c[4] = a[4]*q[0] + a[7]*q[1] - a[1]*q[2] - a[2]*q[3];
    c[5] = a[5]*q[0] + a[6]*q[1] - a[0]*q[2] - a[3]*q[3];
    c[6] = a[6]*q[0] - a[5]*q[1] + a[3]*q[2] - a[0]*q[3];
    c[7] = a[7]*q[0] - a[4]*q[1] + a[2]*q[2] - a[1]*q[3];
}
