package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"syscall"
	"testing"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/suites/scale"
	"github.com/amgpu/amgpu/vk"
)

func TestCodeFor(t *testing.T) {
	for _, c := range []struct {
		err  error
		want int
	}{
		{nil, 0},
		{usage("no"), 2},
		{fmt.Errorf("x: %w", result.ErrMalformed), 2},
		{fmt.Errorf("x: %w", result.ErrNewer), 2},
		{fmt.Errorf("x: %w", result.ErrOutput), 2},
		{fmt.Errorf("x: %w", result.ErrBusy), 2},
		{fmt.Errorf("x: %w", scale.ErrConfig), 2},
		{fmt.Errorf("x: %w", vk.ErrFault), 2},
		{&vk.CallError{Call: "vkQueueSubmit2", Result: vk.DeviceLost}, 7},
		{vk.ErrTimeout, 7},
		{fmt.Errorf("x: %w", errTimeout), 7},
		{fmt.Errorf("x: %w", vk.ErrNoLoader), 8},
		{fmt.Errorf("x: %w", vk.ErrNoDriver), 8},
		{errSignal, 130},
		{context.Canceled, 130},
		{syscall.ENOSPC, 10},
		{errors.New("anything"), 10},
		{errors.Join(&exitError{code: 6, err: errors.New("wrong")}, errors.New("close")), 6},
	} {
		if got := codeFor(c.err); got != c.want {
			t.Errorf("%v: code %d, want %d", c.err, got, c.want)
		}
	}
}

func trial(status string) result.Trial { return result.Trial{Status: status, Reason: "why"} }

func TestOutcomePrecedence(t *testing.T) {
	failed := trial(result.Skipped)
	failed.Warnings = []result.Warning{{Code: scale.InternalFailure}}
	for _, c := range []struct {
		trials []result.Trial
		run    error
		want   int
	}{
		{[]result.Trial{trial(result.OK)}, nil, 0},
		{[]result.Trial{trial(result.OK), trial(result.Unsupported)}, nil, 0},
		{[]result.Trial{trial(result.OK), trial(result.DeviceLost), trial(result.WrongResult)}, nil, 6},
		{[]result.Trial{trial(result.OK), trial(result.Degraded)}, nil, 7},
		{[]result.Trial{trial(result.Unsupported), trial(result.DeviceLost)}, nil, 7},
		{[]result.Trial{trial(result.Unsupported)}, nil, 5},
		{nil, nil, 5},
		{[]result.Trial{trial(result.OK), failed}, nil, 10},
		{[]result.Trial{trial(result.OK)}, errSignal, 130},
		{[]result.Trial{trial(result.OK)}, syscall.ENOSPC, 10},
		{[]result.Trial{trial(result.OK)}, errTimeout, 7},
		{[]result.Trial{trial(result.WrongResult)}, errTimeout, 6},
		{[]result.Trial{trial(result.WrongResult)}, errSignal, 130},
	} {
		if got := codeFor(outcome(&result.Result{Trials: c.trials}, c.run)); got != c.want {
			t.Errorf("%+v, %v: code %d, want %d", c.trials, c.run, got, c.want)
		}
	}
}

// Every one of several errors begins like a single one.
func TestErrorsHaveALineEach(t *testing.T) {
	var b bytes.Buffer
	printError(&b, errors.Join(errSignal, syscall.ENOSPC), false)
	if got, want := b.String(), "amgpu: interrupted\namgpu: no space left on device\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestErrorsAsJSON(t *testing.T) {
	var b bytes.Buffer
	printError(&b, vk.ErrNoDriver, true)
	var doc struct {
		Error struct {
			Code       int
			Text, Hint string
		}
	}
	if err := json.Unmarshal(b.Bytes(), &doc); err != nil || doc.Error.Code != 8 || doc.Error.Text == "" || doc.Error.Hint == "" {
		t.Errorf("%s: %+v, %v", b.String(), doc, err)
	}
	for arg, want := range map[string]bool{"--json": true, "--json=true": true, "--json=T": true, "--json=false": false, "--json=": false, "--jsonx": false, "--json1": false} {
		if asksJSON(arg) != want {
			t.Errorf("asksJSON(%q) = %v", arg, !want)
		}
	}
}
