package vk

// NewPollingSchedule is NewSchedule with the way of waiting that GPUs get, for
// tests on software devices.
func NewPollingSchedule(devices []*Device, phases []Phase) (*Schedule, error) {
	return newSchedule(devices, phases, false)
}

// LeastStep is leastStep.
var LeastStep = leastStep
