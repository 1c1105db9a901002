package result

// Decision is how long it took to decide who gets what: asking every device for its
// memory, dividing by the strategy and estimating when each is done, in seconds, over many calls
// with the values of one launch.
type Decision struct {
	Calls  int     `json:"calls"`
	Median float64 `json:"median"`
	// P99 is their 99 % quantile with its 95 % interval of order statistics; the ends are
	// null where calls are too few.
	P99  float64  `json:"p99"`
	Low  *float64 `json:"low"`
	High *float64 `json:"high"`
}
