package gate

import "github.com/amgpu/amgpu/report/result"

// memoryUsed is the share of the devices' memory budgets in use after the samples: the
// interval is from the least to the most over devices and launches, the value its middle.
func memoryUsed(s *side) *Effect {
	m := s.row.Memory
	if m == nil || m.Used == nil {
		return nil
	}
	return within(*m.Used)
}

func within(r result.Range) *Effect {
	return &Effect{Value: (r.Least + r.Most) / 2, Low: &r.Least, High: &r.Most, Unit: "1"}
}

// memorySaved is what the fullest device has less than with every array on every device,
// in the launch in which that is least.
func memorySaved(s *side) *Effect {
	m := s.row.Memory
	if m == nil || m.Saved == nil {
		return nil
	}
	return within(result.Range{Least: *m.Saved, Most: *m.Saved})
}

// decision is the time in seconds below which 99 % of decisions stay who gets what, of the
// launch in which it is largest, with its interval of order statistics.
func decision(s *side) *Effect {
	var worst *result.Decision
	for _, t := range s.row.Trials {
		if d := t.Decision; d != nil && (worst == nil || d.P99 > worst.P99) {
			worst = d
		}
	}
	if worst == nil {
		return nil
	}
	return &Effect{Value: worst.P99, Low: worst.Low, High: worst.High, Unit: "s"}
}
