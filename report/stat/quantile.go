package stat

// quantileSorted interpolates between order statistics (type 7 of Hyndman and
// Fan 1996); s is sorted and not empty.
func quantileSorted(s []float64, p float64) float64 {
	at := p * float64(len(s)-1)
	i := int(at)
	if i+1 >= len(s) {
		return s[len(s)-1]
	}
	return s[i] + (at-float64(i))*(s[i+1]-s[i])
}

// quantiles are quantileSorted of xs at p <= q without sorting all of it: four order
// statistics are all that is needed. xs is reordered; it holds no NaN.
func quantiles(xs []float64, p, q float64) (lo, hi float64) {
	n := len(xs)
	from := 0 // what lies before is in its place
	for _, at := range []int{rank(n, p), rank(n, p) + 1, rank(n, q), rank(n, q) + 1} {
		if at >= from && at < n {
			place(xs[from:], at-from)
			from = at + 1
		}
	}
	return quantileSorted(xs, p), quantileSorted(xs, q)
}

func rank(n int, p float64) int { return int(p * float64(n-1)) }

// place puts the k-th smallest value (from 0) at xs[k], smaller ones before it and
// larger ones behind (Hoare's quickselect, pivot of three).
func place(xs []float64, k int) {
	for lo, hi := 0, len(xs)-1; lo < hi; {
		a, b, c := xs[lo], xs[lo+(hi-lo)/2], xs[hi]
		pivot := max(min(a, b), min(max(a, b), c))
		i, j := lo, hi
		for i <= j {
			for xs[i] < pivot {
				i++
			}
			for xs[j] > pivot {
				j--
			}
			if i <= j {
				xs[i], xs[j] = xs[j], xs[i]
				i, j = i+1, j-1
			}
		}
		switch {
		case k <= j:
			hi = j
		case k >= i:
			lo = i
		default:
			return
		}
	}
}
