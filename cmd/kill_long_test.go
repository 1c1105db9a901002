//go:build long

package cmd

import "testing"

// Fifty random moments.
func TestKilledFifty(t *testing.T) { killedAt(t, 50) }
