// Package stat turns trials into what may be said about them: medians, rates,
// speedup and efficiency with intervals, scaling laws, and where the lost time
// went. It is pure: the same result gives the same numbers, bootstrap included.
//
// The unit of replication is the launch: launch medians decide. Only the quick
// preset, which has too few launches, pools samples, and says so in Basis.
package stat

// level is the confidence of every interval printed.
const level = 0.95
