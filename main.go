// Command amgpu measures how work scales over the Vulkan GPUs of a machine.
package main

import (
	"os"

	"github.com/amgpu/amgpu/cmd"
)

func main() { os.Exit(cmd.Main(os.Args[1:], os.Stdout, os.Stderr)) }
