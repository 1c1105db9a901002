package zk

import (
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/suites"
	"github.com/amgpu/amgpu/suites/suitetest"
)

// msmBuild is a request with other parameters than the defaults.
func msmBuild(n int64, count int, split string, params map[string]int64) suites.Build {
	b := suitetest.Build(msm{}, n, count)
	b.Split = split
	for name, v := range params {
		b.Params[name] = v
	}
	return b
}

func TestMSMBuild(t *testing.T) {
	for _, split := range (msm{}).Info().Splits {
		for _, n := range []int64{1, 2, 31, 32, 33, 192, 257, 1009, 1 << 20} {
			for _, window := range []int64{0, 1, 2, 4, 11, 16} {
				for _, count := range []int{1, 2, 3, 8, 70} {
					b := msmBuild(n, count, split, map[string]int64{"window": window})
					b.Limits.BindingBytes = 1 << 32
					for _, b := range []suites.Build{b, suitetest.Uneven(b)} {
						p, err := msm{}.Build(b)
						if err != nil {
							t.Fatal(err)
						}
						if err := suitetest.Invariants(p, count); err != nil {
							t.Errorf("%s, n %d on %d: %v", split, n, count, err)
						}
					}
				}
			}
		}
		for _, n := range []int64{0, -1, mostSummands + 1} {
			if _, err := (msm{}).Build(msmBuild(n, 1, split, nil)); err == nil || !strings.Contains(err.Error(), "choose 1 to 67108864") {
				t.Errorf("%d points: error %v", n, err)
			}
		}
		wide := msmBuild(100, 1, split, nil)
		wide.Tuning = map[string]int64{"wide": 1}
		if p, err := (msm{}).Build(wide); err != nil || p.Kernels[0].Shader != "zk/msm_accumulate_wide" || !slices.Equal(p.Kernels[0].Needs, []string{int64Feature}) || suitetest.Invariants(p, 1) != nil {
			t.Errorf("64 bits: %v", err)
		}
		if _, err := (msm{}).Build(msmBuild(1<<22, 1, split, nil)); err == nil || !strings.Contains(err.Error(), "fewer points") {
			t.Errorf("more points than a binding holds: %v", err)
		}
	}
}

// TestWindows: digits make up the scalar, whatever the windows; no window is longer than the
// buckets serve, nor more than a bit shorter.
func TestWindows(t *testing.T) {
	for _, kind := range []int64{0, 1, 2} {
		for bits := int64(1); bits <= mostWindow; bits++ {
			b := msmBuild(40, 1, splitPoints, map[string]int64{"window": bits, "scalars": kind})
			m, err := msmOf(b)
			if err != nil {
				t.Fatal(err)
			}
			if m.log > int(bits) || m.windows != (scalarBits+bits-1)/bits {
				t.Errorf("%d bits: %d windows of %d", bits, m.windows, m.log)
			}
			scalars := m.scalarsOf(b.Seed)
			for i := range m.n {
				var words [scalarWords]uint32
				scalars(i, words[:])
				sum := new(big.Int)
				for w := range m.windows {
					if long := int(m.first(w+1) - m.first(w)); long > m.log || long < m.log-1 {
						t.Fatalf("window %d of %d has %d bits, the longest %d", w, m.windows, long, m.log)
					}
					sum.Add(sum, new(big.Int).Lsh(big.NewInt(m.digit(words[:], w)), uint(m.first(w))))
				}
				if want := fromWords(words[:]).big(); sum.Cmp(want) != 0 {
					t.Fatalf("%d windows: scalar %v, digits make %v", m.windows, want, sum)
				}
			}
		}
	}
	if a, b := bestWindow(1), bestWindow(1<<20); a != 2 || b < 13 || b > 16 {
		t.Errorf("windows of %d and %d bits for 1 and 2^20 points", a, b)
	}
}

// left holds what devices should leave, by the reference.
func left(t *testing.T, b suites.Build) (sumOf, suitetest.Memory) {
	t.Helper()
	m, err := msmOf(b)
	if err != nil {
		t.Fatal(err)
	}
	memory := suitetest.Memory{Arrays: map[string][]uint32{}}
	put := func(array string, p affine, jacobian bool) {
		x, y := montgomery(p)
		words := append(x.words(), y.words()...)
		if jacobian && p.infinite() {
			words = append(words, limbs{}.words()...)
		} else if jacobian {
			words = append(words, bnOne.words()...)
		}
		memory.Arrays[array] = append(memory.Arrays[array], words...)
	}
	for i := range m.n {
		put("points", bnGenerator().times(big.NewInt(m.multiple(i))), false)
	}
	for _, f := range m.factors(b.Seed) {
		put("sums", bnGenerator().times(f), true)
	}
	memory.Arrays["result"] = m.finish(memory.Arrays["sums"])
	return m, memory
}

// TestGoldenMSM is the value of workloads.md 6.5: s_i = i, P_i = iG, i from 1 to 1024.
func TestGoldenMSM(t *testing.T) {
	for _, split := range (msm{}).Info().Splits {
		b := msmBuild(1024, 3, split, map[string]int64{"scalars": 2})
		m, memory := left(t, b)
		if total := m.total(m.factors(b.Seed)); total.Cmp(big.NewInt(358438400)) != 0 {
			t.Errorf("the sum is %v G", total)
		}
		if got := plainPoint(memory.Arrays["result"]); !got.equal(bnGenerator().times(big.NewInt(358438400))) {
			t.Errorf("the host makes it %v", got)
		}
	}
}

// TestMSMReference: the sum of products by the definition, term by term.
func TestMSMReference(t *testing.T) {
	for kind := range int64(6) {
		b := msmBuild(23, 2, splitPoints, map[string]int64{"scalars": kind % 3, "points": kind / 3})
		m, memory := left(t, b)
		var want affine
		scalars := m.scalarsOf(b.Seed)
		for i := range m.n {
			var words [scalarWords]uint32
			scalars(i, words[:])
			p := bnGenerator().times(big.NewInt(m.multiple(i)))
			want = want.add(p.times(fromWords(words[:]).big()))
		}
		if got := plainPoint(memory.Arrays["result"]); !got.equal(want) {
			t.Errorf("kind %d: %v, not %v", kind, got, want)
		}
	}
}

// TestMSMVerify: the reference's own results pass in whole and in samples; a wrong bit of
// them does not.
func TestMSMVerify(t *testing.T) {
	for _, split := range (msm{}).Info().Splits {
		for _, n := range []int64{1, 5, 100} {
			b := msmBuild(n, 2, split, map[string]int64{"points": n & 1})
			p, err := msm{}.Build(b)
			if err != nil {
				t.Fatal(err)
			}
			_, memory := left(t, b)
			for _, full := range []bool{true, false} {
				check := &suites.Check{Build: b, Program: p, Full: full, Out: memory}
				out, err := msm{}.Verify(check)
				if err != nil || out.Wrong != "" || out.Checked < n {
					t.Fatalf("%s, %d points: %v %s, %d checked", split, n, err, out.Wrong, out.Checked)
				}
				for _, array := range []string{"points", "sums", "result"} {
					words := memory.Arrays[array]
					words[len(words)-5] ^= 1
					if out, err := (msm{}).Verify(check); err != nil || out.Wrong == "" {
						t.Errorf("%s, %d points, full %v: a wrong bit of %s passed: %v", split, n, full, array, err)
					}
					words[len(words)-5] ^= 1
				}
			}
		}
	}
}
