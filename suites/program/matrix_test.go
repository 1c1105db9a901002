package program

import "testing"

func TestMatrixIn(t *testing.T) {
	offered := []Matrix{
		{M: 16, N: 16, K: 16, A: "float16", Sum: "float32"},
		{M: 32, N: 32, K: 16, A: "float16", Sum: "float32", Invocations: 256},
	}
	for _, c := range []struct {
		m    Matrix
		want bool
	}{
		{Matrix{16, 16, 16, "float16", "float32", 0}, true},
		{Matrix{32, 16, 16, "float16", "float32", 0}, false},
		{Matrix{16, 16, 16, "float16", "float16", 0}, false},
		{Matrix{16, 16, 16, "bfloat16", "float32", 0}, false},
		{Matrix{128, 256, 64, "float16", "float32", 256}, true},
		{Matrix{128, 256, 64, "float16", "float32", 128}, false},
		{Matrix{128, 48, 64, "float16", "float32", 256}, false},
		{Matrix{128, 256, 8, "float16", "float32", 256}, false},
	} {
		if got := c.m.In(offered); got != c.want {
			t.Errorf("%+v: %v", c.m, got)
		}
	}
	if (Matrix{16, 16, 16, "float16", "float32", 0}).In(nil) {
		t.Error("a device that offers nothing offers a product")
	}
}
