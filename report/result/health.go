package result

// Health is what went wrong on a device while measuring.
type Health struct {
	Device int    `json:"device"` // index into Result.Devices
	Errors int    `json:"errors"` // failed tries
	Last   string `json:"last"`   // the last of them: call, device, step
	Out    bool   `json:"out"`    // it failed so often that the others took its work over
}
