package cmd

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/suites/cluster"
	"github.com/amgpu/amgpu/suites/engine"
	"github.com/amgpu/amgpu/suites/scale"
	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/peer"
	"github.com/amgpu/amgpu/vk/sensor"
)

// recoveryFlags say what a device may do and what happens when it fails.
type recoveryFlags struct {
	memoryPool, syncTimeout, retryWait string
	rankTimeout                        string
	retries                            int
	maxTemperature, maxPower           float64
	maxMemory                          string
}

func (r *recoveryFlags) add(f *pflag.FlagSet) {
	f.StringVar(&r.memoryPool, "memory-pool", "", "most memory to take of each device, such as 4GiB (default: what it has)")
	f.StringVar(&r.syncTimeout, "sync-timeout", "", "how long a device may take for one submission or hand-over (default: 30s on GPUs, 10m on software devices)")
	f.StringVar(&r.rankTimeout, "rank-timeout", cluster.DefaultSilence.String(), "a rank of an MPI job that gives no sign of life for this long is lost, and the job ends")
	f.IntVar(&r.retries, "retries", scale.DefaultRecovery.Retries, "tries after a launch has failed; then the device is out and the others do its work")
	f.StringVar(&r.retryWait, "retry-wait", scale.DefaultRecovery.Backoff.String(), "wait before the first of them; it doubles")
	f.Float64Var(&r.maxTemperature, "max-temperature", 85, "a device that stays at this many degrees Celsius between launches is out; 0: no limit")
	f.StringVar(&r.maxMemory, "max-memory", "95%", "a device of whose memory this much stays in use between launches is out; 0: no limit")
	f.Float64Var(&r.maxPower, "max-power", 0, "a device that stays at this many watts between launches is out; 0: no limit")
}

// limits are the flags once read.
type limits struct {
	memory    uint64        // bytes of each device; 0: what it has
	sync      time.Duration // 0: by the kind of device
	silence   time.Duration // after which a rank of a job is lost
	recovery  scale.Recovery
	heat      float64 // degrees Celsius; 0: none
	power     float64 // W; 0: none
	memoryUse float64 // share; 0: none
}

// Default sync time-outs: CPU drivers may take minutes for one iteration.
const (
	syncGPU      = 30 * time.Second
	syncSoftware = 10 * time.Minute
)

func (r *recoveryFlags) limits() (limits, error) {
	l := limits{recovery: scale.Recovery{Retries: r.retries}, heat: r.maxTemperature, power: r.maxPower}
	var err error
	if r.memoryPool != "" {
		if l.memory, err = parseBytes(r.memoryPool); err != nil {
			return l, usage("--memory-pool %w", err)
		}
	}
	if r.syncTimeout != "" {
		if l.sync, err = parseSeconds(r.syncTimeout); err != nil {
			return l, usage("--sync-timeout %w", err)
		}
	}
	l.silence = cluster.DefaultSilence
	if r.rankTimeout != "" {
		if l.silence, err = parseSeconds(r.rankTimeout); err != nil {
			return l, usage("--rank-timeout %w", err)
		}
	}
	if d, err := time.ParseDuration(r.retryWait); r.retryWait != "" && (err != nil || d != 0) {
		if l.recovery.Backoff, err = parseSeconds(r.retryWait); err != nil {
			return l, usage("--retry-wait %w, or 0", err)
		}
	}
	if r.maxMemory != "" && r.maxMemory != "0" {
		if l.memoryUse, err = parseFraction(r.maxMemory); err != nil {
			return l, usage("--max-memory %w", err)
		}
	}
	if r.retries < 0 || r.retries > 20 {
		return l, usage("--retries %d: use 0 to 20", r.retries)
	}
	for name, v := range map[string]float64{"max-temperature": l.heat, "max-power": l.power} {
		if !(v >= 0) || math.IsInf(v, 0) {
			return l, usage("--%s %g: use a number above 0, or 0 for no limit", name, v)
		}
	}
	return l, nil
}

// timeout is the sync time-out of a pool.
func (l limits) timeout(software bool) time.Duration {
	switch {
	case l.sync > 0:
		return l.sync
	case software:
		return syncSoftware
	}
	return syncGPU
}

// byteUnits are the suffixes of parseBytes, the longest first.
var byteUnits = []struct {
	suffix string
	factor float64
}{
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40},
	{"Ki", 1 << 10}, {"Mi", 1 << 20}, {"Gi", 1 << 30}, {"Ti", 1 << 40},
	{"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12},
	{"k", 1e3}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12}, {"B", 1},
}

// parseBytes reads "4GiB", "512M" or "1073741824".
func parseBytes(text string) (uint64, error) {
	number, factor := strings.TrimSpace(text), 1.0
	for _, u := range byteUnits {
		if n, ok := strings.CutSuffix(number, u.suffix); ok {
			number, factor = strings.TrimSpace(n), u.factor
			break
		}
	}
	v, err := strconv.ParseFloat(number, 64)
	if err != nil || !(v*factor >= 1) || v*factor > 1<<62 {
		return 0, badBytes(text)
	}
	return uint64(v * factor), nil
}

func badBytes(text string) error {
	return fmt.Errorf("%q: use a size such as 4GiB, 512MiB or a number of bytes", text)
}

// located says which devices of the pool a failure that may pass came from; position
// gives their places by the adapters' own indices.
func located(err error, position map[int]int) error {
	var phase *vk.PhaseError
	calls := failedCalls(err)
	var driver *peer.DriverError
	passes := errors.As(err, &driver)
	if err == nil || is(err, context.Canceled, context.DeadlineExceeded) || !passes && is(err, engine.ErrUnsupported, vk.ErrUnsupported) ||
		len(calls) == 0 && !passes && !errors.As(err, &phase) {
		return err
	}
	// Who ran out of memory is not to blame where another device is lost.
	short := func(c *vk.CallError) bool { return errors.Is(c, vk.ErrOutOfMemory) }
	calls = slices.Concat(slices.DeleteFunc(slices.Clone(calls), short), slices.DeleteFunc(calls, func(c *vk.CallError) bool { return !short(c) }))
	var at []int
	for _, c := range calls {
		place, ok := position[c.Index]
		if !ok || c.Device == "" {
			place = -1
		}
		if !slices.Contains(at, place) {
			at = append(at, place)
		}
	}
	f := &scale.Fault{Device: -1, Err: err}
	if len(at) > 0 {
		f.Device, f.Beside = at[0], slices.DeleteFunc(at[1:], func(place int) bool { return place < 0 })
	}
	var failure *scale.Failure
	if errors.As(err, &failure) { // keep the status
		f.Err = failure.Err
		return &scale.Failure{Status: failure.Status, Err: f}
	}
	return f
}

// failedCalls are the Vulkan calls whose failure an error tells of, in the order of its text.
func failedCalls(err error) (out []*vk.CallError) {
	switch e := any(err).(type) { // errors.As finds the first only
	case *vk.CallError:
		return []*vk.CallError{e}
	case interface{ Unwrap() error }:
		return failedCalls(e.Unwrap())
	case interface{ Unwrap() []error }:
		for _, part := range e.Unwrap() {
			out = append(out, failedCalls(part)...)
		}
	}
	return out
}

// unfitWaits are the waits for a device that is beyond a limit before a launch.
var unfitWaits = []time.Duration{5 * time.Second, 10 * time.Second, 20 * time.Second}

// unfit finds a device of a team that is beyond a limit and stays so; nil without
// sensors.
func (w *watch) unfit(l limits, pool []result.Device) func(context.Context, []int) (int, string, bool) {
	if w.set == nil || !w.set.Any() || l.heat+l.power+l.memoryUse == 0 {
		return nil
	}
	return func(ctx context.Context, team []int) (int, string, bool) {
		for _, at := range team {
			if why := l.beyond(w.set.Devices[at], pool[at]); why != "" {
				if why = l.settled(ctx, w.set.Devices[at], pool[at], why); why != "" {
					return at, why, true
				}
			}
		}
		return 0, "", false
	}
}

// settled waits until a device is within the limits again; empty when it is.
func (l limits) settled(ctx context.Context, s *sensor.Device, d result.Device, why string) string {
	for _, wait := range unfitWaits {
		select {
		case <-ctx.Done():
			return ""
		case <-time.After(wait):
		}
		if why = l.beyond(s, d); why == "" {
			return ""
		}
	}
	return why
}

// beyond says which limit a device is beyond now; empty: none, as far as is known.
func (l limits) beyond(s *sensor.Device, d result.Device) string {
	r := s.Read(1<<sensor.Temperature | 1<<sensor.Power | 1<<sensor.MemoryUsed)
	if v, ok := r.Value(sensor.Temperature); ok && l.heat > 0 && v >= l.heat {
		return fmt.Sprintf("%g °C while idle, --max-temperature is %g", v, l.heat)
	}
	if v, ok := r.Value(sensor.Power); ok && l.power > 0 && v >= l.power {
		return fmt.Sprintf("%.0f W while idle, --max-power is %g", v, l.power)
	}
	if v, ok := r.Value(sensor.MemoryUsed); ok && l.memoryUse > 0 && d.Memory > 0 && v >= l.memoryUse*float64(d.Memory) {
		return fmt.Sprintf("%.0f %% of its memory is in use, --max-memory is %.0f %%", 100*v/float64(d.Memory), 100*l.memoryUse)
	}
	return ""
}
