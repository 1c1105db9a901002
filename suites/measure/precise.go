package measure

import "github.com/amgpu/amgpu/report/stat"

// precise tells whether the order-statistic 95 % interval of the median has a
// half-width of at most h of the median. Up to 5 samples have no such
// interval.
func precise(samples []float64, h float64) bool {
	m, ok := stat.MedianInterval(samples)
	return ok && m.Low != nil && (*m.High-*m.Low)/2 <= h*m.Median
}
