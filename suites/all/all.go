// Package all registers every workload of every family: import it for its effect.
package all

import (
	_ "github.com/amgpu/amgpu/suites/automata"    // registers
	_ "github.com/amgpu/amgpu/suites/comm"        // registers
	_ "github.com/amgpu/amgpu/suites/dual"        // registers
	_ "github.com/amgpu/amgpu/suites/enumerative" // registers
	_ "github.com/amgpu/amgpu/suites/fusion"      // registers
	_ "github.com/amgpu/amgpu/suites/ga"          // registers
	_ "github.com/amgpu/amgpu/suites/hash"        // registers
	_ "github.com/amgpu/amgpu/suites/infogeo"     // registers
	_ "github.com/amgpu/amgpu/suites/linalg"      // registers
	_ "github.com/amgpu/amgpu/suites/memory"      // registers
	_ "github.com/amgpu/amgpu/suites/network"     // registers
	_ "github.com/amgpu/amgpu/suites/pac"         // registers
	_ "github.com/amgpu/amgpu/suites/peak"        // registers
	_ "github.com/amgpu/amgpu/suites/pinn"        // registers
	_ "github.com/amgpu/amgpu/suites/relativity"  // registers
	_ "github.com/amgpu/amgpu/suites/tropical"    // registers
	_ "github.com/amgpu/amgpu/suites/zk"          // registers
)
