package program

// Matrix is a product of matrices that invocations make together, A of M x K by B of K x N
// with sums in another type: what a kernel needs, or what a device offers. Types are named
// as `amgpu devices --json` names them: float16, bfloat16, sint8, float32, sint32.
type Matrix struct {
	M, N, K int64
	A, Sum  string // of A and B, of the sums
	// Invocations is the size of the work-group that makes a product together; 0: a
	// subgroup makes it. What a device offers to work-groups has as M, N and K what the
	// sizes must be multiples of.
	Invocations int64
}

// In says whether one of the offered products serves a kernel that needs this one.
func (m Matrix) In(offered []Matrix) bool {
	for _, o := range offered {
		same := o.A == m.A && o.Sum == m.Sum && o.Invocations == m.Invocations
		if same && (o == m || m.Invocations > 0 && m.M%o.M == 0 && m.N%o.N == 0 && m.K%o.K == 0) {
			return true
		}
	}
	return false
}
