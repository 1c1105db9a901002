//go:build long

package cmd

import "testing"

// Fifty random moments.
func TestKilledFifty(t *testing.T) { killedAt(t, 50) }

// Fifty before the first launch.
func TestKilledEarlyFifty(t *testing.T) { killedEarly(t, 50) }
