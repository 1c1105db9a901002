package result_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/amgpu/amgpu/report/result"
)

// TestWeakSizes: files hold the total size of weak rows beside that of one GPU;
// in memory all counts of a series share a key.
func TestWeakSizes(t *testing.T) {
	key := result.Key{Workload: "memory/triad", Mode: "weak", Size: result.Size{Label: "S", N: 1000}}
	for _, v := range []any{
		&result.Trial{Key: key, Count: 4, Total: 4000, Samples: []float64{1}},
		&result.Summary{Key: key, Count: 4, Total: 4000},
		&result.PlannedCell{Key: key, Count: 4, Total: 4000},
	} {
		var buf bytes.Buffer
		if err := json.NewEncoder(&buf).Encode(v); err != nil {
			t.Fatal(err)
		}
		if text := buf.String(); !strings.Contains(text, `"size":{"label":"S","n":4000,"per_gpu":1000}`) {
			t.Errorf("%T: %s", v, text)
		}
		back := reflect.New(reflect.TypeOf(v).Elem()).Interface()
		if err := json.Unmarshal(buf.Bytes(), back); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(v, back); d != "" {
			t.Errorf("%T changes on the way: %s", v, d)
		}
	}
	strong := key
	strong.Mode = "strong"
	out, err := json.Marshal(result.Trial{Key: strong, Count: 4, Total: 1000})
	if err != nil || !strings.Contains(string(out), `"size":{"label":"S","n":1000}`) {
		t.Errorf("strong: %s %v", out, err)
	}
}
