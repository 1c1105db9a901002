// Package gate compares results: is the new one slower than the baseline, and does
// it meet stated limits? It is pure: results in, verdicts out, and every verdict is
// recomputed from the samples. The rule, its error rates and its reasons are those
// of measurement.md section 4.
//
// The unit that is compared is the launch (against one earlier occasion) or the
// occasion (against several): Hodges-Lehmann with Mann-Whitney for the former, a
// prediction interval for the latter. SAME must be proved; what is neither proved
// the same nor proved different is inconclusive.
package gate
