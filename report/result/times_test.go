package result

import (
	"encoding/json"
	"reflect"
	"testing"
)

// Times of every shape come back as they were put in, and as JSON they are a list of
// each sample's.
func TestTimes(t *testing.T) {
	even := []SampleTimes{
		{Compute: []float64{1, 2}, Transfer: []float64{0.5, 0}, Critical: 2, Device: 2.5, Skew: 1e-6},
		{Compute: []float64{3, 4}, Transfer: []float64{0, 0.25}, Critical: 4, Device: 4.25},
	}
	for name, list := range map[string][]SampleTimes{
		"none":   nil,
		"even":   even,
		"empty":  {{Compute: []float64{}, Transfer: []float64{}}},
		"absent": {{Critical: 1}, {Critical: 2}},
		"half":   {{Transfer: []float64{1}}, {Transfer: []float64{2}}},
		"uneven": {even[0], {Compute: []float64{1}, Transfer: []float64{}}, {}},
	} {
		x := TimesOf(list...)
		if x.Len() != len(list) || x.IsZero() != (len(list) == 0) || !reflect.DeepEqual(x.List(), list) {
			t.Errorf("%s: %+v, want %+v", name, x.List(), list)
		}
		if (x.uneven != nil) != (name == "uneven") {
			t.Errorf("%s: kept one by one: %t", name, x.uneven != nil)
		}
		raw, err := json.Marshal(x)
		want, wantErr := json.Marshal(append([]SampleTimes{}, list...))
		if err != nil || wantErr != nil || string(raw) != string(want) {
			t.Errorf("%s: %s, want %s, %v", name, raw, want, err)
		}
		if !x.Equal(TimesOf(list...)) || len(list) > 0 && x.Equal(TimesOf(list[1:]...)) || len(list) > 0 && TimesOf(list[1:]...).Equal(x) {
			t.Errorf("%s: equal to others", name)
		}
	}
	x := TimesOf(even...)
	x.At(1).Compute[1] = 9
	if even[1].Compute[1] != 4 || x.At(1).Compute[1] != 9 || x.Equal(TimesOf(even...)) || cap(x.At(0).Compute) != 2 {
		t.Errorf("%+v of %+v", x, even)
	}
	var read Trial
	if err := read.UnmarshalJSON([]byte(`{"times":[{"compute":[1,2],"transfer":[0,0],"critical":2,"device":2},{"compute":[1,2],"transfer":[0,0],"critical":2,"device":2}]}`)); err != nil || cap(read.Times.values) != 2*7 {
		t.Errorf("%d values kept of two samples on two devices, %v", cap(read.Times.values), err)
	}
	for i := range x.All() {
		if i > 0 {
			t.Error("goes on after it was stopped")
		}
		break
	}
}

// A trial without times has no such field.
func TestNoTimes(t *testing.T) {
	raw, err := json.Marshal(Trial{})
	var fields map[string]any
	if err != nil || json.Unmarshal(raw, &fields) != nil {
		t.Fatal(err)
	}
	if v, is := fields["times"]; is {
		t.Errorf("times: %v", v)
	}
}
