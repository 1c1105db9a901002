//go:build long

package cmd

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestScriptsOfAnIdleMachine runs the scripts whose outcome hangs on how long things
// take by less than what a busy machine adds.
func TestScriptsOfAnIdleMachine(t *testing.T) {
	testscript.Run(t, scripts("testdata/long"))
}
