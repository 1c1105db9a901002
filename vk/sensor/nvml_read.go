package sensor

import (
	"encoding/binary"
	"math"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
)

func (c *card) name() string { return "nvml" }

// read implements source. Units are those of nvml.h: MHz, mW, mJ, percent.
func (c *card) read(only Only, r *Reading) {
	set := func(q Quantity, function string, scale float64, get func() (uint64, nvml.Return)) {
		if !only.has(q) || !c.lib.Has(function) {
			return
		}
		if v, code := get(); code == nvml.SUCCESS {
			r.set(q, float64(v)*scale)
		}
	}
	clock := func(kind nvml.ClockType) func() (uint64, nvml.Return) {
		return func() (uint64, nvml.Return) { return wide(c.GetClockInfo(kind)) }
	}
	set(SMClock, "nvmlDeviceGetClockInfo", 1e6, clock(nvml.CLOCK_SM))
	set(MemoryClock, "nvmlDeviceGetClockInfo", 1e6, clock(nvml.CLOCK_MEM))
	set(Power, "nvmlDeviceGetPowerUsage", 1e-3, func() (uint64, nvml.Return) { return wide(c.GetPowerUsage()) })
	set(Energy, "nvmlDeviceGetTotalEnergyConsumption", 1e-3, c.GetTotalEnergyConsumption)
	set(Temperature, "nvmlDeviceGetTemperature", 1, func() (uint64, nvml.Return) { return wide(c.GetTemperature(nvml.TEMPERATURE_GPU)) })
	set(MemoryErrors, "nvmlDeviceGetTotalEccErrors", 1, func() (uint64, nvml.Return) {
		return c.GetTotalEccErrors(nvml.MEMORY_ERROR_TYPE_UNCORRECTED, nvml.VOLATILE_ECC)
	})
	set(MemoryUsed, "nvmlDeviceGetMemoryInfo", 1, func() (uint64, nvml.Return) {
		m, code := c.GetMemoryInfo()
		return m.Used, code
	})
	if (only.has(Utilization) || only.has(MemoryUtilization)) && c.lib.Has("nvmlDeviceGetUtilizationRates") {
		if u, code := c.GetUtilizationRates(); code == nvml.SUCCESS {
			r.set(Utilization, float64(u.Gpu)/100)
			r.set(MemoryUtilization, float64(u.Memory)/100)
		}
	}
	if only.has(XidErrors) {
		if n, ok := c.xids.fetch(); ok {
			r.set(XidErrors, float64(n))
		}
	}
	if only&Throttling != 0 {
		c.readThrottle(r)
	}
	c.readTraffic(only, r)
}

// readThrottle uses the function's name of today, else the one before driver 535.
func (c *card) readThrottle(r *Reading) {
	var bits uint64
	code := nvml.ERROR_FUNCTION_NOT_FOUND
	switch {
	case c.lib.Has("nvmlDeviceGetCurrentClocksEventReasons"):
		bits, code = c.GetCurrentClocksEventReasons()
	case c.lib.Has("nvmlDeviceGetCurrentClocksThrottleReasons"):
		bits, code = c.GetCurrentClocksThrottleReasons()
	}
	if code == nvml.SUCCESS {
		r.setThrottle(Throttle(bits))
	}
}

// allLinks asks a field for the sum over all NVLinks.
const allLinks = math.MaxUint32

// traffic lists the fields that count bytes, and the bytes of one count.
// nvmlDeviceGetPcieThroughput is not used: each call lasts 20 ms or more.
var traffic = []struct {
	q            Quantity
	field, scope uint32
	scale        float64
}{
	{PCIeSent, nvml.FI_DEV_PCIE_COUNT_TX_BYTES, 0, 1},
	{PCIeReceived, nvml.FI_DEV_PCIE_COUNT_RX_BYTES, 0, 1},
	{NVLinkSent, nvml.FI_DEV_NVLINK_THROUGHPUT_DATA_TX, allLinks, 1024},
	{NVLinkReceived, nvml.FI_DEV_NVLINK_THROUGHPUT_DATA_RX, allLinks, 1024},
}

func (c *card) readTraffic(only Only, r *Reading) {
	var wanted []nvml.FieldValue
	for _, t := range traffic {
		if only.has(t.q) {
			wanted = append(wanted, nvml.FieldValue{FieldId: t.field, ScopeId: t.scope})
		}
	}
	if len(wanted) == 0 || !c.lib.Has("nvmlDeviceGetFieldValues") || c.GetFieldValues(wanted) != nvml.SUCCESS {
		return
	}
	for _, f := range wanted {
		v, ok := fieldNumber(f)
		for _, t := range traffic {
			if ok && t.field == f.FieldId {
				r.set(t.q, v*t.scale)
			}
		}
	}
}

// fieldNumber decodes the union of a field value by its type (nvmlValueType_t).
func fieldNumber(f nvml.FieldValue) (float64, bool) {
	if nvml.Return(f.NvmlReturn) != nvml.SUCCESS {
		return 0, false
	}
	raw := binary.NativeEndian.Uint64(f.Value[:])
	low := binary.NativeEndian.Uint32(f.Value[:4])
	switch nvml.ValueType(f.ValueType) {
	case nvml.VALUE_TYPE_DOUBLE:
		return math.Float64frombits(raw), true
	case nvml.VALUE_TYPE_UNSIGNED_INT:
		return float64(low), true
	case nvml.VALUE_TYPE_UNSIGNED_LONG, nvml.VALUE_TYPE_UNSIGNED_LONG_LONG:
		return float64(raw), true
	case nvml.VALUE_TYPE_SIGNED_LONG_LONG:
		return float64(int64(raw)), true
	case nvml.VALUE_TYPE_SIGNED_INT:
		return float64(int32(low)), true
	}
	return 0, false
}

func wide(v uint32, code nvml.Return) (uint64, nvml.Return) { return uint64(v), code }
