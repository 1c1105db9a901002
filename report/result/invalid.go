package result

// Reasons that make a sample invalid: each is something physical that happened
// while it was taken. A sample is never invalid for its value.
const (
	// InvalidThrottled: a throttle reason of a device was set.
	InvalidThrottled = "throttled"
	// InvalidDevice: a device counted an uncorrected memory error (ECC), or its driver reported
	// another critical one (Xid).
	InvalidDevice = "device-error"
	// InvalidLost: a device was lost in the same launch.
	InvalidLost = "device-lost"
	// InvalidMismatch: the outputs of the launch were wrong.
	InvalidMismatch = "validation-mismatch"
)

// InvalidSample is one sample that stays in the file and out of every statistic.
type InvalidSample struct {
	Index  int    `json:"index"`            // in Trial.Samples
	Reason string `json:"reason"`           // one of the Invalid constants
	Detail string `json:"detail,omitempty"` // which throttle reason, how many errors, on which device
}

// InvalidCount is how many samples of a row are invalid for one reason.
type InvalidCount struct {
	Reason string `json:"reason"`
	Count  int    `json:"count"`
}

// Validity tells, by index, during which samples nothing physical happened.
type Validity []bool

// Of says whether sample i is valid.
func (v Validity) Of(i int) bool { return v == nil || i < len(v) && v[i] }

// Valid is the validity of the samples of t.
func (t *Trial) Valid() Validity {
	if len(t.Invalid) == 0 {
		return nil
	}
	v := make(Validity, len(t.Samples))
	for i := range v {
		v[i] = true
	}
	for _, x := range t.Invalid {
		if x.Index >= 0 && x.Index < len(v) {
			v[x.Index] = false
		}
	}
	return v
}

// Void marks all samples that are still valid as invalid for a reason that holds
// for the whole launch.
func (t *Trial) Void(reason, detail string) {
	valid := t.Valid()
	for i := range t.Samples {
		if valid.Of(i) {
			t.Invalid = append(t.Invalid, InvalidSample{i, reason, detail})
		}
	}
}
