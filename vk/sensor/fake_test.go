package sensor

import (
	"encoding/binary"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
)

// absent is a machine without NVML.
type absent struct{ library }

func (absent) Init() nvml.Return { return nvml.ERROR_LIBRARY_NOT_FOUND }

// fakeNVML is a machine with cards. Functions named in lacks are not exported.
type fakeNVML struct {
	cards  []*fakeCard
	lacks  map[string]bool
	broken bool // does not start
	open   int
	sets   int // of events, not freed
}

func (f *fakeNVML) Init() nvml.Return {
	if f.broken {
		return nvml.ERROR_DRIVER_NOT_LOADED
	}
	f.open++
	return nvml.SUCCESS
}
func (f *fakeNVML) Shutdown() nvml.Return              { f.open--; return nvml.SUCCESS }
func (f *fakeNVML) DeviceGetCount() (int, nvml.Return) { return len(f.cards), nvml.SUCCESS }
func (f *fakeNVML) EventSetCreate() (nvml.EventSet, nvml.Return) {
	f.sets++
	return &fakeEvents{of: f}, nvml.SUCCESS
}
func (f *fakeNVML) Has(function string) bool { return !f.lacks[function] }
func (f *fakeNVML) DeviceGetHandleByIndex(i int) (nvml.Device, nvml.Return) {
	if f.cards[i].lost {
		return nil, nvml.ERROR_GPU_IS_LOST
	}
	return f.cards[i], nvml.SUCCESS
}

// fakeCard answers what amgpu asks; any other call ends the test.
type fakeCard struct {
	nvml.Device
	uuid       string
	bus        uint32
	lost       bool
	clock      uint32 // MHz
	energy     uint64 // mJ
	errors     uint64 // ECC, uncorrected
	heat       func() uint32
	reasons    uint64
	noEnergy   bool
	processes  []nvml.ProcessInfo
	drawing    []nvml.ProcessInfo
	links      []uint32 // bus at the other end of each NVLink, 0: a switch
	level      nvml.GpuTopologyLevel
	p2p        nvml.GpuP2PStatus
	fieldError bool
	deaf       bool        // tells of no Xid
	events     *fakeEvents // that ask for its Xids; nil: none
}

func (c *fakeCard) GetUUID() (string, nvml.Return) { return c.uuid, nvml.SUCCESS }
func (c *fakeCard) GetPciInfo() (nvml.PciInfo, nvml.Return) {
	return nvml.PciInfo{Bus: c.bus}, nvml.SUCCESS
}

func (c *fakeCard) GetClockInfo(kind nvml.ClockType) (uint32, nvml.Return) {
	if kind == nvml.CLOCK_MEM {
		return 2619, nvml.SUCCESS
	}
	return c.clock, nvml.SUCCESS
}
func (c *fakeCard) GetPowerUsage() (uint32, nvml.Return) { return 699500, nvml.SUCCESS }
func (c *fakeCard) GetTotalEnergyConsumption() (uint64, nvml.Return) {
	if c.noEnergy {
		return 0, nvml.ERROR_NOT_SUPPORTED
	}
	return c.energy, nvml.SUCCESS
}

func (c *fakeCard) GetTemperature(nvml.TemperatureSensors) (uint32, nvml.Return) {
	if c.heat == nil {
		return 61, nvml.SUCCESS
	}
	return c.heat(), nvml.SUCCESS
}
func (c *fakeCard) GetTotalEccErrors(nvml.MemoryErrorType, nvml.EccCounterType) (uint64, nvml.Return) {
	if c.noEnergy { // a card without ECC
		return 0, nvml.ERROR_NOT_SUPPORTED
	}
	return c.errors, nvml.SUCCESS
}
func (c *fakeCard) GetEnforcedPowerLimit() (uint32, nvml.Return) { return 700000, nvml.SUCCESS }
func (c *fakeCard) GetEccMode() (current, pending nvml.EnableState, code nvml.Return) {
	return nvml.FEATURE_ENABLED, nvml.FEATURE_DISABLED, nvml.SUCCESS
}
func (c *fakeCard) GetMemoryInfo() (nvml.Memory, nvml.Return) {
	return nvml.Memory{Total: 80 << 30, Used: 3 << 30}, nvml.SUCCESS
}
func (c *fakeCard) GetUtilizationRates() (nvml.Utilization, nvml.Return) {
	return nvml.Utilization{Gpu: 97, Memory: 12}, nvml.SUCCESS
}
func (c *fakeCard) GetCurrentClocksEventReasons() (uint64, nvml.Return) {
	return c.reasons, nvml.SUCCESS
}
func (c *fakeCard) GetCurrentClocksThrottleReasons() (uint64, nvml.Return) {
	return c.reasons | uint64(SyncBoost), nvml.SUCCESS
}

func (c *fakeCard) GetComputeRunningProcesses() ([]nvml.ProcessInfo, nvml.Return) {
	return c.processes, nvml.SUCCESS
}
func (c *fakeCard) GetGraphicsRunningProcesses() ([]nvml.ProcessInfo, nvml.Return) {
	return c.drawing, nvml.SUCCESS
}

func (c *fakeCard) GetFieldValues(list []nvml.FieldValue) nvml.Return {
	if c.fieldError {
		return nvml.ERROR_UNKNOWN
	}
	for i := range list {
		f := &list[i]
		f.ValueType = uint32(nvml.VALUE_TYPE_UNSIGNED_LONG_LONG)
		value := uint64(f.FieldId)
		switch f.FieldId {
		case nvml.FI_DEV_PCIE_COUNT_RX_BYTES:
			f.NvmlReturn = uint32(nvml.ERROR_NOT_SUPPORTED)
		case nvml.FI_DEV_NVLINK_THROUGHPUT_DATA_TX:
			value = 5
			if f.ScopeId != allLinks {
				value = 0
			}
		case nvml.FI_DEV_NVLINK_GET_SPEED:
			f.NvmlReturn = uint32(nvml.ERROR_NOT_SUPPORTED)
		case nvml.FI_DEV_NVLINK_SPEED_MBPS_COMMON:
			f.ValueType, value = uint32(nvml.VALUE_TYPE_UNSIGNED_INT), 26562
		}
		binary.NativeEndian.PutUint64(f.Value[:], value)
	}
	return nvml.SUCCESS
}

func (c *fakeCard) GetTopologyCommonAncestor(nvml.Device) (nvml.GpuTopologyLevel, nvml.Return) {
	return c.level, nvml.SUCCESS
}
func (c *fakeCard) GetNvLinkState(link int) (nvml.EnableState, nvml.Return) {
	if link >= len(c.links) {
		return 0, nvml.ERROR_INVALID_ARGUMENT
	}
	if c.links[link] == down {
		return nvml.FEATURE_DISABLED, nvml.SUCCESS
	}
	return nvml.FEATURE_ENABLED, nvml.SUCCESS
}
func (c *fakeCard) GetNvLinkRemoteDeviceType(link int) (nvml.IntNvLinkDeviceType, nvml.Return) {
	if c.links[link] == 0 {
		return nvml.NVLINK_DEVICE_TYPE_SWITCH, nvml.SUCCESS
	}
	return nvml.NVLINK_DEVICE_TYPE_GPU, nvml.SUCCESS
}
func (c *fakeCard) GetNvLinkRemotePciInfo(link int) (nvml.PciInfo, nvml.Return) {
	return nvml.PciInfo{Bus: c.links[link]}, nvml.SUCCESS
}
func (c *fakeCard) GetNvLinkVersion(int) (uint32, nvml.Return) { return 6, nvml.SUCCESS }
func (c *fakeCard) GetP2PStatus(nvml.Device, nvml.GpuP2PCapsIndex) (nvml.GpuP2PStatus, nvml.Return) {
	return c.p2p, nvml.SUCCESS
}

// down marks an NVLink that is not trained.
const down = 0xff
