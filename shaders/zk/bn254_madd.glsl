// Sum of a Jacobian and an affine point, madd-2007-bl: 7 products and 4 squares; the double
// of p, dbl-2009-l, where both are the same. p = -q gives infinity by itself.
Point point_madd(Point p, Affine q) {
    const uint DOUBLING = 16u;
    bool p_zero = fe_is_zero(p.z), q_zero = fe_is_zero(q.x) && fe_is_zero(q.y);
    Fe a, b, m, zz, h, hh, r, v;
    a = FE_ZERO; b = FE_ZERO; m = FE_ZERO; zz = FE_ZERO; h = FE_ZERO; hh = FE_ZERO; r = FE_ZERO; v = FE_ZERO;
    Point sum = INFINITY;
    uint mode = 0u;
    [[dont_unroll]] for (uint turn = 0u; turn <= 11u; turn++) {
        switch (turn + mode) { // takes the last product, sets the factors of the next
        case 0: a = p.z; b = p.z; break;
        case 1: zz = m; a = q.x; b = m; break;
        case 2: h = fe_sub(m, p.x); a = p.z; b = zz; break;
        case 3: a = q.y; b = m; break;
        case 4:
            r = fe_sub(m, p.y);
            if (fe_is_zero(h) && fe_is_zero(r) && !p_zero && !q_zero) {
                mode = DOUBLING;
                a = p.x; b = p.x;
                break;
            }
            r = fe_double(r);
            a = h; b = h;
            break;
        case 5: hh = m; a = h; b = fe_double(fe_double(m)); v = b; break; // I = 4 HH
        case 6: b = v; v = m; a = p.x; break;                             // J = H I
        case 7: sum.z = m; a = r; b = r; break;                           // V = X1 I
        case 8: sum.x = fe_sub(fe_sub(m, v), fe_double(sum.z)); a = r; b = fe_sub(sum.z, sum.x); break;
        case 9: sum.y = m; a = p.y; b = v; break;
        case 10: sum.y = fe_sub(sum.y, fe_double(m)); a = fe_add(p.z, h); b = a; break;
        case 11: sum.z = fe_sub(fe_sub(m, zz), hh); break;
        case 21: zz = m; a = p.y; b = p.y; break;                         // A
        case 22: v = m; a = m; b = m; break;                              // B
        case 23: hh = m; a = fe_add(p.x, v); b = a; break;                // C
        case 24:
            r = fe_double(fe_sub(fe_sub(m, zz), hh));                     // D
            zz = fe_add(fe_double(zz), zz);                               // E
            a = zz; b = zz;
            break;
        case 25: sum.x = fe_sub(m, fe_double(r)); a = zz; b = fe_sub(r, sum.x); break;
        case 26: sum.y = fe_sub(m, fe_double(fe_double(fe_double(hh)))); a = p.y; b = p.z; break;
        case 27: sum.z = fe_double(m); break;
        }
        if (turn == 11u) break;
        m = fe_mul(a, b);
    }
    if (p_zero) return q_zero ? INFINITY : Point(q.x, q.y, FE_ONE);
    if (q_zero) return p;
    return sum;
}
