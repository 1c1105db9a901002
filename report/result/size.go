package result

import "encoding/json"

// Files say in size.n how much work a row holds in total, which in weak mode
// differs from count to count; in memory Size.N is then the size of one GPU, so
// that all counts of a series share one Key. The two meet here: weak rows are
// written with their total and size.per_gpu, and read back from it.

func (s Size) written(mode string, total int64) Size {
	if mode == "weak" && total > 0 {
		return Size{Label: s.Label, N: total, PerGPU: s.N}
	}
	return s
}

func (s Size) read() Size {
	if s.PerGPU > 0 {
		return Size{Label: s.Label, N: s.PerGPU}
	}
	return s
}

// MarshalJSON writes the total size of a weak row.
func (t Trial) MarshalJSON() ([]byte, error) {
	type plain Trial
	p := plain(t)
	p.Size = t.Size.written(t.Mode, t.Total)
	return json.Marshal(p)
}

// MarshalJSON writes the total size of a weak row.
func (s Summary) MarshalJSON() ([]byte, error) {
	type plain Summary
	p := plain(s)
	p.Size = s.Size.written(s.Mode, s.Total)
	return json.Marshal(p)
}

// UnmarshalJSON undoes MarshalJSON.
func (s *Summary) UnmarshalJSON(data []byte) error {
	type plain Summary
	var p plain
	if err := json.Unmarshal(data, &p); err != nil {
		return err
	}
	*s = Summary(p)
	s.Size = s.Size.read()
	return nil
}

// MarshalJSON writes the total size of a weak launch.
func (c PlannedCell) MarshalJSON() ([]byte, error) {
	type plain PlannedCell
	p := plain(c)
	p.Size = c.Size.written(c.Mode, c.Total)
	return json.Marshal(p)
}

// UnmarshalJSON undoes MarshalJSON.
func (c *PlannedCell) UnmarshalJSON(data []byte) error {
	type plain PlannedCell
	var p plain
	if err := json.Unmarshal(data, &p); err != nil {
		return err
	}
	*c = PlannedCell(p)
	c.Size = c.Size.read()
	return nil
}
