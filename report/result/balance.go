package result

// Balance says how evenly the devices of a row were busy, by the four definitions of the
// projects that name targets for it: means over launches, fractions. Null: not known.
type Balance struct {
	UtilizationSD  *float64 `json:"utilization_sd"`  // standard deviation of compute time over wall time (Amari design)
	LoadCV         *float64 `json:"load_cv"`         // standard deviation of compute time over its mean (kwavers)
	CountDeviation *float64 `json:"count_deviation"` // largest deviation of the units from their mean, over the mean (gocuda)
	MaxMin         *float64 `json:"max_min"`         // (max - min) / max of compute time (SuperVM)
	// Expected is the time in seconds after which the last device was expected to be done,
	// and Error by how much that was beyond the time measured, over the latter; null where
	// the devices' rates were not known before.
	Expected *float64 `json:"expected"`
	Error    *float64 `json:"error"`
}
