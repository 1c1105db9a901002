package result

// Link is an ordered pair of devices: how they are wired, which transport carries
// data between them, and how fast.
type Link struct {
	From      int      `json:"from"`
	To        int      `json:"to"`
	Transport string   `json:"transport"`
	Verified  bool     `json:"verified"`            // random data arrived unharmed
	Bandwidth *float64 `json:"bandwidth"`           // bytes per second of a large copy one way
	BothWays  *float64 `json:"both_ways,omitempty"` // bytes per second, sum of both directions at once
	Latency   *float64 `json:"latency"`             // seconds of a small copy
	Reason    string   `json:"reason,omitempty"`    // why there is no verified link
	Excluded  []string `json:"excluded,omitempty"`  // transports passed over, and why
	// Kind is NV and the number of NVLinks, else the distance over PCIe: INT (one
	// board), PIX (one switch), PXB (several), PHB (host bridge), NODE, SYS. Empty
	// where not known.
	Kind       string    `json:"kind,omitempty"`
	Distance   string    `json:"distance,omitempty"`
	NVLink     *NVLink   `json:"nvlink,omitempty"`
	PCIe       *PCIeLink `json:"pcie,omitempty"` // narrowest on the way that both do not share
	SameNUMA   *bool     `json:"same_numa,omitempty"`
	SameSocket *bool     `json:"same_socket,omitempty"`
	// Slow: below 80 % of Typical, the median bandwidth of the links of its kind.
	Slow    bool     `json:"slow,omitempty"`
	Typical *float64 `json:"typical,omitempty"`
}

// NVLink is the NVLinks between two devices.
type NVLink struct {
	Version   string  `json:"version,omitempty"` // such as 4.0
	Links     int     `json:"links"`
	Switched  bool    `json:"switched"`            // through NVSwitch
	Bandwidth float64 `json:"bandwidth,omitempty"` // nominal, bytes per second one way
}

// PCIeLink is a link of the PCI Express bus as it was trained when looked at.
type PCIeLink struct {
	Generation int     `json:"generation"`
	Width      int     `json:"width"`     // lanes
	Bandwidth  float64 `json:"bandwidth"` // nominal, bytes per second one way
}
