package cmd

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/suites/scale"
)

// show prints the result and renders what --report asks for.
func (m *measurement) show(res *result.Result) error {
	if m.o.asJSON {
		if err := result.Encode(m.s.Out, res); err != nil {
			return err
		}
	} else if err := render(res, []string{"text"}, "", m.s); err != nil {
		return err
	} else if err := printForecasts(m.s.Out, res.Forecasts); err != nil {
		return err
	}
	if m.o.dir == "" {
		return nil
	}
	return render(res, m.o.formatList, m.o.dir, m.s)
}

// outcome is the error of a finished command: what stopped it, else the worst
// of its rows (6 before 7 before 5). A wrong result outweighs a time-out.
func outcome(res *result.Result, runErr error) error {
	var wrong, lost, failed, ok []result.Trial
	for _, t := range res.Trials {
		switch {
		case t.Status == result.WrongResult:
			wrong = append(wrong, t)
		case t.Status == result.DeviceLost || t.Status == result.Degraded:
			lost = append(lost, t)
		case slices.ContainsFunc(t.Warnings, func(w result.Warning) bool { return w.Code == scale.InternalFailure }):
			failed = append(failed, t)
		case t.Status == result.OK || t.Status == result.Throttled:
			ok = append(ok, t)
		}
	}
	first := func(code int, what string, bad []result.Trial) error {
		t := bad[0]
		return &exitError{code: code, err: fmt.Errorf("%s in %d of %d launches; first: %s, %s, %d GPU (devices %v): %s", what, len(bad), len(res.Trials), t.Workload, t.Mode, t.Count, t.Devices, t.Reason)}
	}
	switch {
	case len(wrong) > 0 && (runErr == nil || codeFor(runErr) == codeLost):
		return errors.Join(first(codeWrong, "wrong result", wrong), runErr)
	case runErr != nil:
		return runErr
	case len(lost) > 0:
		return first(codeLost, "device lost or failed", lost)
	case slices.ContainsFunc(res.Health, func(h result.Health) bool { return h.Out }):
		return &exitError{code: codeLost, err: errors.New("degraded: " + outText(res.Health) + "; the other devices did its work")}
	case lostText(res.Tuning) != "":
		return &exitError{code: codeLost, err: errors.New(lostText(res.Tuning))}
	case len(failed) > 0:
		return first(codeOther, "failure", failed)
	case len(ok) == 0:
		text := "nothing was measured"
		if len(res.Trials) > 0 {
			text += ": " + res.Trials[0].Status + ", " + res.Trials[0].Reason
		}
		return &exitError{code: codeNothing, err: errors.New(text)}
	}
	return nil
}

// outText names the devices that are out.
func outText(list []result.Health) string {
	var out []string
	for _, h := range list {
		if h.Out {
			out = append(out, fmt.Sprintf("device %d is out: %s", h.Device, h.Last))
		}
	}
	return strings.Join(out, "; ")
}
