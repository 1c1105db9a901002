package result

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

// slow is a trial as encoding/json alone reads it, which takes null for 0.
func slow(data []byte) (Trial, error) {
	var p listed
	err := json.Unmarshal(data, &p)
	if err == nil {
		err = refuseNull(data)
	}
	return p.trial(), err
}

// oddTrials are written in ways that reading by hand must leave to encoding/json, or
// must read as it does.
var oddTrials = []string{
	`{}`, ` { } `, `null`, `[]`, `{`, ``, `{"samples":[1,2]`, `{"samples":[1,2]}x`, `{"samples":[1,2],}`,
	`{"samples":[0.01,1e-7,12,-0,1E+2,0.1000000000000000055511151231257827],"reps":3}`,
	`{"samples":[],"times":[]}`, `{"samples":null,"times":null}`, "{\"samples\" : [ 1 ,\n2 ] , \"times\" : [ { \"compute\" : [ ] } ] }",
	`{"samples":[01]}`, `{"samples":[1.]}`, `{"samples":[.5]}`, `{"samples":[1e]}`, `{"samples":[+1]}`, `{"samples":[0x1]}`, `{"samples":[1_0]}`, `{"samples":[Inf]}`,
	`{"samples":[1e999]}`, `{"samples":[1 2]}`, `{"samples":[1,]}`, `{"samples":[null,1]}`, `{"samples":["1"]}`, `{"samples":{}}`,
	`{"samples":[1],"samples":[2]}`, `{"samples":[1],"Samples":[2]}`, `{"Samples":[2],"samples":[1]}`, `{"s\u0061mples":[3]}`, `{"ſamples":[4]}`,
	`{"times":[{"compute":[1,2],"transfer":[0.5],"critical":1,"device":2,"skew":3},{"transfer":[],"compute":[]},{}]}`,
	`{"times":[{"compute":[1],"transfer":[2]},{"transfer":[3]},{"compute":[4]},{"critical":5}]}`,
	`{"times":[{"compute":null}]}`, `{"times":[{"telescope":1}]}`, `{"times":[{"compute":[1],"compute":[2]}]}`, `{"times":[{"critical":"1"}]}`, `{"times":[1]}`, `{"times":[{}`,
	`{"telescope":{"samples":[1],"a":"]}\""},"samples":[2],"reason":"\u00e9 \\ \" ,"}`,
	`{"workload":"a","mode":"weak","size":{"n":8,"per_gpu":4},"samples":[1],"total":8}`,
	`{"count":"x","samples":[1]}`, `{"reason":"` + "\n" + `"}`, `{"x":[}]}`, `{"x":1"y","samples":[1]}`,
}

// FuzzTrial: a trial is read as encoding/json reads it, whatever is read by hand; a sample
// that is null is refused.
func FuzzTrial(f *testing.F) {
	for _, text := range oddTrials {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		want, wantErr := slow(data)
		var got Trial
		err := got.UnmarshalJSON(data)
		if (err == nil) != (wantErr == nil) || err != nil && err.Error() != wantErr.Error() {
			t.Fatalf("error %v, encoding/json says %v", err, wantErr)
		}
		if err == nil && !reflect.DeepEqual(got, want) {
			t.Fatalf("read %+v\nwant %+v", got, want)
		}
		want.Times, want.Spans = Times{}, nil
		if lean := (Trial{}); err == nil && (lean.read(data, true) != nil || !reflect.DeepEqual(lean, want)) {
			t.Fatalf("without times and spans %+v\nwant %+v", lean, want)
		}
	})
}

// TestNumberNearest: numbers are those of strconv to the last bit, and nothing is one
// that encoding/json takes for none.
func TestNumberNearest(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	texts := []string{"0", "-0", "-0.0", "9007199254740991", "9007199254740993", "9007199254740992e22", "1e22", "1e23", "1e-22", "1e-23", "123456789012345678901234567890",
		"0.000000000000000000000000000001", "18446744073709551616", "184467440737095516150e-1", "5e-324", "2.2250738585072011e-308", "1e308", "1.7976931348623157e308", "1e0000000000000000000001", "0e99999999999"}
	for range 20_000 {
		v := math.Float64frombits(random.Uint64())
		if math.IsNaN(v) || math.IsInf(v, 0) {
			continue
		}
		texts = append(texts, strconv.FormatFloat(v, "eEfg"[random.IntN(4)], -1, 64), strconv.FormatFloat(random.Float64(), 'g', 1+random.IntN(18), 64),
			strconv.FormatFloat(float64(random.IntN(1e9))*1e-9, 'f', -1, 64))
	}
	for _, text := range texts {
		c := cursor{text: []byte(text + ",")}
		got, ok := c.number()
		want, err := strconv.ParseFloat(text, 64)
		if err != nil || !ok || math.Float64bits(got) != math.Float64bits(want) || c.at != len(text) {
			t.Errorf("%s is read as %v (%t, %d characters), want %v", text, got, ok, c.at, want)
		}
	}
	for _, text := range []string{"", "-", "01", "1.", ".5", "1e", "1e+", "+1", "NaN", "x", "1e309", "-1e400"} {
		c := cursor{text: []byte(text)}
		if v, ok := c.number(); ok {
			t.Errorf("%q is taken for %v", text, v)
		}
	}
}

// TestQuickly: trials as Encode writes them need encoding/json for what is left only.
func TestQuickly(t *testing.T) {
	raw, err := marshalTrial(Trial{Key: Key{Workload: "a/b", Mode: "strong"}, Count: 2, Devices: []int{0, 1}, Status: OK, Samples: []float64{0.01, 1e-9},
		Times: TimesOf(SampleTimes{Compute: []float64{1, 2}, Transfer: []float64{0, 0}, Critical: 1, Device: 1, Skew: 1e-6}, SampleTimes{})})
	if err != nil {
		t.Fatal(err)
	}
	q := new(quick)
	// The lists of the second sample are null.
	if !q.read([]byte(strings.Replace(string(raw), `,{"compute":null,"transfer":null,"critical":0,"device":0}`, "", 1))) || !q.found.samples || !q.found.times {
		t.Fatalf("%s was left to encoding/json", raw)
	}
	if strings.Contains(string(q.rest), "0.01") || !strings.Contains(string(q.rest), `"samples":null,`) {
		t.Errorf("left over: %s", q.rest)
	}
	if got := q.taken(); got.Len() != 1 || got.At(0).Compute[1] != 2 || cap(got.At(0).Compute) != 2 || got.At(0).Skew != 1e-6 {
		t.Errorf("%+v", got)
	}
}
