package partition

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
)

// Proportional divides in proportion to the devices' rates or, until all of them are
// known, to their scores: 10,000 units at 95 : 80 are 5,429 and 4,571.
func Proportional(r Request) ([]Share, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	weights, err := r.weights(func(Device) float64 { return 1 })
	if err != nil {
		return nil, err
	}
	return r.shares(LargestRemainder(r.granules(), weights)), nil
}

// Dynamic is where a deal begins: in proportion to rate or score times what others
// leave of the device (SuperVM's DynamicSplit).
func Dynamic(r Request) ([]Share, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	weights, err := r.weights(func(d Device) float64 { return 1 - min(max(d.Load, 0), 1) })
	if err != nil {
		return nil, err
	}
	return r.shares(LargestRemainder(r.granules(), weights)), nil
}

// weights are the rates, else the scores of all devices, times a factor.
func (r Request) weights(factor func(Device) float64) ([]float64, error) {
	out := make([]float64, r.Count)
	if r.Count == 1 { // it gets everything, whatever is known of it
		out[0] = 1
		return out, nil
	}
	for _, of := range []func(Device) float64{func(d Device) float64 { return d.Rate }, func(d Device) float64 { return d.Score }} {
		known, sum := len(r.Devices) > 0, 0.0
		for i, d := range r.Devices {
			v := of(d)
			known = known && v > 0 && !math.IsInf(v, 0)
			out[i] = v * factor(d)
			sum += out[i]
		}
		if !known {
			continue
		}
		if sum == 0 { // all are in full use by others: nobody is better than another
			for i := range out {
				out[i] = of(r.Devices[i])
			}
		}
		return out, nil
	}
	return nil, fmt.Errorf("%w: neither the rates nor the scores of all %d devices are known", ErrRequest, r.Count)
}

// weightBits is the resolution of weights: their sum is about 1<<weightBits, so that
// quotas are exact in whole numbers.
const weightBits = 32

// LargestRemainder divides n in proportion to weights: everyone gets the whole part of
// its quota, and what is left goes, one each, to the largest remainders; of equal ones
// the first. Weights are 0 or more, one of them above 0.
func LargestRemainder(n int64, weights []float64) []int64 {
	var sum float64
	for _, w := range weights {
		sum += w
	}
	whole := make([]uint64, len(weights))
	var total uint64
	for i, w := range weights {
		whole[i] = uint64(math.Round(w / sum * (1 << weightBits)))
		total += whole[i]
	}
	out := make([]int64, len(weights))
	remainder := make([]uint64, len(weights))
	order := make([]int, len(weights))
	left := n
	for i, w := range whole {
		hi, lo := bits.Mul64(uint64(n), w)
		q, rem := bits.Div64(hi, lo, total)
		out[i], remainder[i], order[i] = int64(q), rem, i
		left -= int64(q)
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case remainder[a] > remainder[b]:
			return -1
		case remainder[a] < remainder[b]:
			return 1
		}
		return 0
	})
	for _, i := range order[:left] {
		out[i]++
	}
	return out
}
