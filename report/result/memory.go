package result

// Memory is what a row took of the memory of its devices. Of several devices and launches
// it is the most, and for Used the range.
type Memory struct {
	// Peak is the most bytes that buffers took of a device, Replicated what that would be
	// if every device held all of each array; 0: not known.
	Peak       int64 `json:"peak"`
	Replicated int64 `json:"replicated,omitempty"`
	// Saved is 1 - Peak/Replicated of a team; null for one device.
	Saved *float64 `json:"saved"`
	// Used is the share of a device's memory budget in use after the samples, least and most over
	// devices and launches; null where no budget is known.
	Used *Range `json:"used"`
}

// Range is from Least to Most.
type Range struct {
	Least float64 `json:"least"`
	Most  float64 `json:"most"`
}
