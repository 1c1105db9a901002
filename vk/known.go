package vk

// Capability is what a card's maker publishes of it; 0: not known.
type Capability struct {
	BytesPerSecond float64 // of device memory
	Flops          float64 // fp32 fused multiply-adds, two operations each, per second at boost clock
	Cache          int64   // last-level cache, bytes
}

// known lists cards by PCI vendor and device id. A card that is missing here only
// means that rates above its peak are not noticed.
var known = map[[2]uint32]Capability{
	// NVIDIA H100 and H200 data sheets: 3.35 and 4.8 TB/s; H100 architecture white
	// paper: 132 multiprocessors of 128 lanes at 1.98 GHz, 50 MB of L2 (H200: 60 MB reported).
	{0x10de, 0x2330}: {3.35e12, 66.9e12, 50e6}, // H100 SXM5 80GB
	{0x10de, 0x2335}: {4.8e12, 66.9e12, 60e6},  // H200 SXM 141GB
}

// Capability returns what is published of the device; ok is false for cards
// that are not listed.
func (i *Info) Capability() (c Capability, ok bool) {
	c, ok = known[[2]uint32{i.VendorID, i.DeviceID}]
	return c, ok
}
