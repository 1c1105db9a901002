package stat

import "math"

// refit is fitUSL to slightly other points, from the parameters found before: a few
// steps, exact to far more digits than a bootstrap needs.
func refit(pts []point, start usl, amdahl bool) usl {
	if p, ok := project(pts, start, amdahl); ok {
		return p
	}
	return minimise(pts, start, amdahl, effort{steps: 50, tries: 12, decrease: 1e-9, least: 1, damping: 1e-3})
}

// project minimises over sigma and kappa alone: gamma enters linearly, so that the
// best one follows (variable projection, Golub and Pereyra 1973, with the
// simplification of Kaufman 1975). Without damping it is fast near a solution, and
// ok is false where it does not get there: that is for minimise.
func project(pts []point, start usl, amdahl bool) (p usl, ok bool) {
	p = start
	top, xx := 1.0, 0.0
	for _, q := range pts {
		top, xx = max(top, q.n), xx+q.w*q.x*q.x
	}
	last := math.Inf(1)
	for range 20 {
		// h = X/gamma, u and v its derivatives by sigma and kappa; sums of products.
		var hh, hu, hv, uu, uv, vv, hx, ux, vx float64
		for _, q := range pts {
			r := 1 / (1 + (q.n-1)*(p.sigma+p.kappa*q.n))
			h := q.n * r
			u := -h * r * (q.n - 1)
			wh, wu := q.w*h, q.w*u
			hh, hu, uu = hh+wh*h, hu+wh*u, uu+wu*u
			hx, ux = hx+wh*q.x, ux+wu*q.x
			if amdahl {
				continue
			}
			v := u * q.n
			wv := q.w * v
			hv, uv, vv, vx = hv+wh*v, uv+wu*v, vv+wv*v, vx+wv*q.x
		}
		p.gamma = hx / hh
		rss := xx - p.gamma*hx
		if !(rss <= last+1e-13*xx) {
			return p, false
		}
		last = rss
		uu, uv, vv = uu-hu*hu/hh, uv-hu*hv/hh, vv-hv*hv/hh
		bu, bv := (ux-p.gamma*hu)/p.gamma, (vx-p.gamma*hv)/p.gamma
		held := func(at, b float64) bool { return at <= 0 && b < 0 || at >= 1 && b > 0 }
		var du, dv float64
		switch sigma, kappa := held(p.sigma, bu), amdahl || held(p.kappa, bv); {
		case sigma && kappa:
		case sigma:
			dv = bv / vv
		case kappa:
			du = bu / uu
		default:
			det := uu*vv - uv*uv
			if !(det > 1e-9*uu*vv) {
				return p, false
			}
			du, dv = (vv*bu-uv*bv)/det, (uu*bv-uv*bu)/det
		}
		sigma, kappa := min(max(p.sigma+du, 0), 1), min(max(p.kappa+dv, 0), 1)
		moved := (math.Abs(sigma-p.sigma) + math.Abs(kappa-p.kappa)*top) * (top - 1)
		p.sigma, p.kappa = sigma, kappa
		if moved < 1e-8 {
			return p, p.gamma > 0
		}
	}
	return p, false
}
