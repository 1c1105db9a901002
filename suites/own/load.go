package own

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Load makes the workload of a module and its description. Where spirv-val is
// installed the module must pass it too. Errors wrap ErrInput.
func Load(ctx context.Context, shader, description string) (*Workload, error) {
	m, err := ReadModule(shader)
	if err != nil {
		return nil, err
	}
	k, err := ReadKernel(description)
	if err != nil {
		return nil, err
	}
	if err := validate(ctx, m); err != nil {
		return nil, fmt.Errorf("%w (%s)", err, shader)
	}
	w, err := New(k, m)
	if err != nil {
		return nil, fmt.Errorf("%w (%s)", err, description)
	}
	return w, nil
}

// open opens a module or a description. What is no plain file is refused: waiting for
// whoever writes into a pipe may never end.
func open(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, bad("%v", err)
	}
	info, err := f.Stat()
	switch {
	case err != nil:
		err = bad("%v", err)
	case !info.Mode().IsRegular():
		err = bad("%s is no plain file: store what is to be read in one", path)
	default:
		return f, nil
	}
	return nil, errors.Join(err, f.Close())
}

// validatorTime bounds spirv-val.
const validatorTime = 20 * time.Second

// validate asks spirv-val, where it is installed, about the code inside the module:
// drivers trust what they are given.
func validate(ctx context.Context, m *Module) error {
	tool, err := exec.LookPath("spirv-val")
	if err != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, validatorTime)
	defer cancel()
	data := make([]byte, 0, 4*len(m.Words))
	for _, w := range m.Words {
		data = binary.LittleEndian.AppendUint32(data, w)
	}
	c := exec.CommandContext(ctx, tool, "--target-env", "vulkan1.3", "-")
	c.Stdin = bytes.NewReader(data)
	out, err := c.CombinedOutput()
	var refused *exec.ExitError
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return bad("spirv-val did not end within %s", validatorTime)
	case errors.As(err, &refused):
		said, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
		return bad("spirv-val refuses the module: %s", said)
	}
	return nil // a tool that cannot be started is as good as none
}
