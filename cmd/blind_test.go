package cmd

import (
	"fmt"
	"testing"

	"github.com/spf13/pflag"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/vk/sensor"
)

// A limit that was asked for, and that no sensor can hold, is told of; defaults and limits that
// are switched off are not.
func TestBlindLimits(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string
	}{
		{nil, "[]"},
		{[]string{"--max-power", "0"}, "[]"},
		{[]string{"--max-power", "300"}, "[{no-sensor --max-power is not held: no such sensor can be read on device 0 a, 1 b}]"},
		{[]string{"--max-temperature", "80", "--max-memory", "90%"}, "[{no-sensor --max-temperature is not held: no such sensor can be read on device 0 a, 1 b} {no-sensor --max-memory is not held: no such sensor can be read on device 0 a, 1 b}]"},
	} {
		var r recoveryFlags
		f := pflag.NewFlagSet("scale", pflag.ContinueOnError)
		r.add(f)
		if err := f.Parse(test.args); err != nil {
			t.Fatal(err)
		}
		l, err := r.limits()
		if err != nil {
			t.Fatal(err)
		}
		got := l.blind(limitsGiven(f), []result.Device{{Index: 0, Name: "a"}, {Index: 1, Name: "b"}}, make([]sensor.Reading, 2))
		if fmt.Sprint(got) != test.want {
			t.Errorf("%v: %v, want %s", test.args, got, test.want)
		}
	}
}
