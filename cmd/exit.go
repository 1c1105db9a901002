package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/amgpu/amgpu/report"
	"github.com/amgpu/amgpu/report/gate"
	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/suites/cluster"
	"github.com/amgpu/amgpu/suites/partition"
	"github.com/amgpu/amgpu/suites/scale"
	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/peer"
)

// Exit codes; the table in the help of the root command and in the README
// explains them to users.
const (
	codeOK           = 0
	codeUsage        = 2
	codeInconclusive = 3
	codeDiffers      = 4
	codeNothing      = 5
	codeWrong        = 6
	codeLost         = 7
	codeNoGPU        = 8
	codeOther        = 10
	codeInterrupted  = 130
)

// Blank lines and four blanks or more keep lists as they stand in manual pages.
const exitCodes = `Exit codes:

      0  ok
      1  regression, or a stated requirement not met (gate)
      2  usage or invalid input: unknown flag, workload or device; malformed,
         truncated or newer file; output that cannot be created
      3  inconclusive (gate, only with --strict)
      4  not comparable: other hardware, driver or method (gate)
      5  baseline missing, a row missing, or nothing was measured
      6  wrong result
      7  device lost or failed, or time-out; partial results saved
      8  no usable GPU
     10  any other failure (disk full while measuring, out of host memory, internal)
    130  interrupted; partial results saved

When several apply: 6, 7, 5, 4, 1, 3 in that order of precedence.`

// exitError is an error with its exit code and, where one helps, what to do.
type exitError struct {
	code int
	err  error
	hint string
}

func (e *exitError) Error() string { return e.err.Error() }
func (e *exitError) Unwrap() error { return e.err }

// usage is invalid input: exit code 2.
func usage(format string, args ...any) error {
	return &exitError{code: codeUsage, err: fmt.Errorf(format, args...)}
}

// errTimeout is the cause of a context that --timeout ended; errSignal of one
// that a signal ended.
var (
	errTimeout = errors.New("time-out")
	errSignal  = errors.New("interrupted")
)

// codeFor maps an error to its exit code by its kind: the only such place.
func codeFor(err error) int {
	var exit *exitError
	switch {
	case err == nil:
		return codeOK
	case errors.As(err, &exit):
		return exit.code
	case is(err, errTimeout, context.DeadlineExceeded, vk.ErrDeviceLost, vk.ErrTimeout, cluster.ErrRankLost):
		return codeLost
	case is(err, errSignal, context.Canceled):
		return codeInterrupted
	case is(err, vk.ErrNoLoader, vk.ErrNoDriver):
		return codeNoGPU
	case is(err, scale.ErrConfig, gate.ErrRequest, partition.ErrRequest, peer.ErrUnknown, report.ErrRequest, report.ErrOutput, vk.ErrFault,
		result.ErrMalformed, result.ErrNewer, result.ErrOutput, result.ErrBusy):
		return codeUsage
	}
	return codeOther
}

func is(err error, kinds ...error) bool {
	for _, k := range kinds {
		if errors.Is(err, k) {
			return true
		}
	}
	return false
}

// hintFor is what to do next, where the error's text does not say it.
func hintFor(err error) string {
	var exit *exitError
	if errors.As(err, &exit) && exit.hint != "" {
		return exit.hint
	}
	switch {
	case codeFor(err) == codeNoGPU:
		return softwareHint
	case errors.Is(err, result.ErrMalformed):
		return resultHint
	}
	return ""
}

const resultHint = "results are the files that `amgpu run` and `amgpu scale` write (-o FILE.json)"

const softwareHint = "`--software 2` makes two software devices (needs Mesa lavapipe); `amgpu devices` explains what was found"

// printError writes the error for people, or as JSON for programs.
func printError(w io.Writer, err error, asJSON bool) {
	code, hint := codeFor(err), hintFor(err)
	if asJSON {
		type body struct {
			Code int    `json:"code"`
			Text string `json:"text"`
			Hint string `json:"hint"`
		}
		raw, _ := json.Marshal(map[string]body{"error": {code, err.Error(), hint}})
		_, _ = fmt.Fprintln(w, string(raw))
		return
	}
	_, _ = fmt.Fprintln(w, "amgpu:", strings.ReplaceAll(err.Error(), "\n", "\namgpu: ")) // several errors: a line each
	if hint != "" {
		_, _ = fmt.Fprintln(w, "hint:", hint)
	}
}
