package cmd

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/vk/sensor"
)

// sensedLimits are the flags whose limits only sensors can hold, with their quantity.
var sensedLimits = []struct {
	flag     string
	quantity sensor.Quantity
	set      func(limits) bool
}{
	{"max-temperature", sensor.Temperature, func(l limits) bool { return l.heat > 0 }},
	{"max-memory", sensor.MemoryUsed, func(l limits) bool { return l.memoryUse > 0 }},
	{"max-power", sensor.Power, func(l limits) bool { return l.power > 0 }},
}

// limitsGiven are those limits that somebody asked for, not the defaults.
func limitsGiven(f *pflag.FlagSet) (out []string) {
	for _, s := range sensedLimits {
		if f.Changed(s.flag) {
			out = append(out, s.flag)
		}
	}
	return out
}

// blind says of which devices a limit that was asked for cannot be held, since they have no
// such sensor. Read is what the sensors of each device say now.
func (l limits) blind(given []string, pool []result.Device, read []sensor.Reading) (out []result.Warning) {
	for _, s := range sensedLimits {
		var without []string
		for i, d := range pool {
			if _, known := read[i].Value(s.quantity); !known {
				without = append(without, fmt.Sprintf("%d %s", d.Index, d.Name))
			}
		}
		for _, name := range given {
			if name == s.flag && s.set(l) && len(without) > 0 {
				out = append(out, result.Warning{Code: "no-sensor", Text: fmt.Sprintf("--%s is not held: no such sensor can be read on device %s", name, strings.Join(without, ", "))})
			}
		}
	}
	return out
}
