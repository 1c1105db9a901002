package peer

import "testing"

// UseFakeCUDA puts the CUDA transport over a made-up driver in the place of the real
// one for a test; in teams of software devices it links the first two.
func UseFakeCUDA(t *testing.T) {
	t.Helper()
	was := kinds
	kinds = append([]kind{fakeCUDA(t)}, was[1:]...)
	t.Cleanup(func() { kinds = was })
}
