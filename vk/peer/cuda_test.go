package peer

import (
	"errors"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/vk"
)

// A call of CUDA's driver that fails while devices are looked for is a failure, which is worth
// another try; a device that CUDA does not know is lacking.
func TestCUDAFailsOrLacks(t *testing.T) {
	fake := fakeCUDA(t)
	team := open(t, "3")
	t.Setenv("FAKECUDA_FAIL", "cuDeviceGetUuid")
	_, err := newRoutes([]kind{fake}, nil, team[:2])
	var driver *DriverError
	if !errors.As(err, &driver) || errors.Is(err, vk.ErrUnsupported) || !strings.Contains(err.Error(), "cuDeviceGetUuid: CUDA_ERROR_UNKNOWN") {
		t.Error(err)
	}
	t.Setenv("FAKECUDA_FAIL", "")
	routes(t, team[:2], fake)
	if _, err := newRoutes([]kind{fake}, nil, team); !errors.Is(err, vk.ErrUnsupported) {
		t.Error(err)
	}
}
