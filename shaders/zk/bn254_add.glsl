// Sum of two Jacobian points, add-2007-bl: 11 products and 5 squares; the double of p,
// dbl-2009-l: 2 and 5, also where p and q are the same. p = -q gives infinity by itself.
Point point_add(Point p, Point q, bool twice) {
    const uint DOUBLING = 32u;
    bool p_zero = fe_is_zero(p.z), q_zero = fe_is_zero(q.z);
    Fe a, b, m, zz1, zz2, u, s, h, r, v;
    a = FE_ZERO; b = FE_ZERO; m = FE_ZERO; zz1 = FE_ZERO; zz2 = FE_ZERO;
    u = FE_ZERO; s = FE_ZERO; h = FE_ZERO; r = FE_ZERO; v = FE_ZERO;
    Point sum = INFINITY;
    uint mode = twice ? DOUBLING : 0u;
    [[dont_unroll]] for (uint turn = twice ? 8u : 0u; turn <= 16u; turn++) {
        switch (turn + mode) { // takes the last product, sets the factors of the next
        case 0: a = p.z; b = p.z; break;
        case 1: zz1 = m; a = q.z; b = q.z; break;
        case 2: zz2 = m; a = p.x; b = m; break;
        case 3: u = m; a = q.x; b = zz1; break;
        case 4: h = fe_sub(m, u); a = q.z; b = zz2; break;
        case 5: a = p.y; b = m; break;
        case 6: s = m; a = p.z; b = zz1; break;
        case 7: a = q.y; b = m; break;
        case 8:
            r = fe_sub(m, s);
            if (fe_is_zero(h) && fe_is_zero(r) && !p_zero && !q_zero) {
                mode = DOUBLING;
                a = p.x; b = p.x;
                break;
            }
            r = fe_double(r);
            a = fe_double(h); b = a;
            break;
        case 9: v = m; a = h; b = m; break;                           // I = (2H)^2
        case 10: b = v; v = m; a = u; break;                          // J = H I
        case 11: u = m; a = r; b = r; break;                          // V = U1 I
        case 12: sum.x = fe_sub(fe_sub(m, v), fe_double(u)); a = r; b = fe_sub(u, sum.x); break;
        case 13: sum.y = m; a = s; b = v; break;
        case 14: sum.y = fe_sub(sum.y, fe_double(m)); a = fe_add(p.z, q.z); b = a; break;
        case 15: a = fe_sub(fe_sub(m, zz1), zz2); b = h; break;
        case 16: sum.z = m; break;
        case 40: a = p.x; b = p.x; break;
        case 41: u = m; a = p.y; b = p.y; break;                      // A
        case 42: v = m; a = m; b = m; break;                          // B
        case 43: s = m; a = fe_add(p.x, v); b = a; break;             // C
        case 44:
            r = fe_double(fe_sub(fe_sub(m, u), s));                   // D
            u = fe_add(fe_double(u), u);                              // E
            a = u; b = u;
            break;
        case 45: sum.x = fe_sub(m, fe_double(r)); a = u; b = fe_sub(r, sum.x); break;
        case 46: sum.y = fe_sub(m, fe_double(fe_double(fe_double(s)))); a = p.y; b = p.z; break;
        case 47: sum.z = fe_double(m); break;
        }
        if (turn == 16u || turn + mode == 47u) break;
        m = fe_mul(a, b);
    }
    if (twice) return sum;
    if (p_zero) return q;
    if (q_zero) return p;
    return sum;
}
