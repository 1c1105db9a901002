// Command gen compiles shaders/*/*.comp to committed SPIR-V and records how in
// shaders/manifest.json. Run from the top folder:
//
//	go run ./shaders/internal/gen [-only family/] [-dir shaders]
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/amgpu/amgpu/shaders/internal/toolchain"
)

func main() {
	dir := flag.String("dir", "shaders", "the shader `folder`")
	only := flag.String("only", "", "compile only modules whose name starts with `prefix`, e.g. engine/")
	flag.Parse()
	if err := run(*dir, *only); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(dir, only string) error {
	c, err := toolchain.FindCompiler()
	if err != nil {
		return err
	}
	done, err := toolchain.Generate(dir, only, c)
	for _, name := range done {
		fmt.Println(name)
	}
	return err
}
