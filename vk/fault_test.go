package vk_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/soft"
	"github.com/amgpu/amgpu/vk/vktest"
)

// injected opens two devices of which calls fail as text says.
func injected(t *testing.T, text string, o vk.DeviceOptions) []*vk.Device {
	t.Helper()
	t.Setenv("AMGPU_FAULT", "vulkan:"+text)
	_, adapters := vktest.Team(t, "2")
	var devices []*vk.Device
	for _, a := range adapters {
		d, err := a.Open(o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := d.Close(); err != nil && !errors.Is(err, vk.ErrStuck) && !d.Lost() {
				t.Error(err)
			}
		})
		devices = append(devices, d)
	}
	return devices
}

// A call fails once, names itself and its device, and works again.
func TestInjectedFailure(t *testing.T) {
	devices := injected(t, "call=vkAllocateMemory,nth=1,device=1,result=VK_ERROR_OUT_OF_DEVICE_MEMORY", vk.DeviceOptions{})
	if b, err := devices[0].NewBuffer(1<<10, vk.DeviceLocal); err != nil {
		t.Fatal(err)
	} else {
		closes(t, b)
	}
	// The first try is for a whole block, the next for the buffer alone.
	b, err := devices[1].NewBuffer(100<<20, vk.DeviceLocal)
	var call *vk.CallError
	if !errors.Is(err, vk.ErrOutOfMemory) || !errors.As(err, &call) || call.Index != 1 {
		t.Fatalf("%v %v", b, err)
	}
	if b, err = devices[1].NewBuffer(100<<20, vk.DeviceLocal); err != nil {
		t.Fatal(err)
	}
	closes(t, b)
}

// A device that is lost stays so, and the device beside it works on.
func TestInjectedLoss(t *testing.T) {
	devices := injected(t, "call=vkQueueSubmit2,nth=2,device=0", vk.DeviceOptions{})
	for i, want := range []error{nil, vk.ErrDeviceLost, vk.ErrDeviceLost} {
		if err := fillOnce(t, devices[0]); !errors.Is(err, want) {
			t.Errorf("submission %d: %v, want %v", i+1, err, want)
		}
	}
	if !devices[0].Lost() {
		t.Error("the device does not know that it is lost")
	}
	if err := fillOnce(t, devices[1]); err != nil {
		t.Errorf("the other device: %v", err)
	}
}

func fillOnce(t *testing.T, d *vk.Device) error {
	t.Helper()
	b, err := d.NewBuffer(1<<10, vk.DeviceLocal)
	if err != nil {
		return err
	}
	defer closes(t, b)
	c, err := d.Record([]vk.Op{fill(b, 7)})
	if err != nil {
		return err
	}
	defer closes(t, c)
	return d.Do(limit(t), c)
}

// A device that does not come to the barrier ends the run in time; the error names it
// and the phase, and what it holds is left alone.
func TestBarrierTimeout(t *testing.T) {
	devices := injected(t, "call=vkSignalSemaphore,device=1,result=VK_SUCCESS,times=99", vk.DeviceOptions{SyncTimeout: time.Second})
	var phase vk.Phase
	for _, d := range devices {
		b, err := d.NewBuffer(1<<10, vk.DeviceLocal)
		if err != nil {
			t.Fatal(err)
		}
		c, err := d.Record([]vk.Op{fill(b, 7)})
		if err != nil {
			t.Fatal(err)
		}
		phase.Submissions = append(phase.Submissions, []*vk.Commands{c})
	}
	s, err := vk.NewSchedule(devices, []vk.Phase{phase})
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Run(limit(t))
	var call *vk.CallError
	if !errors.Is(err, vk.ErrTimeout) || !errors.As(err, &call) || call.Index != 1 {
		t.Fatalf("%v", err)
	}
	if !strings.Contains(err.Error(), "phase 1 of 1: barrier time-out of 1s on device 1") {
		t.Errorf("%v", err)
	}
	if devices[0].Stuck() || !devices[1].Stuck() {
		t.Errorf("stuck: %v %v", devices[0].Stuck(), devices[1].Stuck())
	}
	if err := devices[1].Close(); !errors.Is(err, vk.ErrStuck) {
		t.Errorf("closing it: %v", err)
	}
}

// Work that is queued and can never be let go, as every signal fails, does not hold up the
// end of a run or of the device.
func TestSignalsThatFailForEver(t *testing.T) {
	devices := injected(t, "call=vkSignalSemaphore,device=1,result=VK_ERROR_OUT_OF_HOST_MEMORY,times=99", vk.DeviceOptions{SyncTimeout: time.Second})
	var phase vk.Phase
	for _, d := range devices {
		phase.Submissions = append(phase.Submissions, []*vk.Commands{record(t, d)})
	}
	s, err := vk.NewSchedule(devices, []vk.Phase{phase})
	if err != nil {
		t.Fatal(err)
	}
	var call *vk.CallError
	if _, err = s.Run(limit(t)); !errors.As(err, &call) || call.Index != 1 || call.Result != vk.OutOfHostMemory {
		t.Errorf("%v", err)
	}
	if devices[0].Stuck() || !devices[1].Stuck() {
		t.Errorf("stuck: %v %v", devices[0].Stuck(), devices[1].Stuck())
	}
	if err := devices[1].Close(); !errors.Is(err, vk.ErrStuck) {
		t.Errorf("closing it: %v", err)
	}
}

// A device that is lost while the data of a pipeline cache is read says so at once, not
// only at the next call, and is closed without waiting for it.
func TestLossWithCacheData(t *testing.T) {
	for nth := 1; nth <= 2; nth++ { // the size, the data
		devices := injected(t, fmt.Sprintf("call=vkGetPipelineCacheData,device=0,nth=%d", nth), vk.DeviceOptions{CacheDir: t.TempDir()})
		_, err := devices[0].NewKernel(spirv(t, "step"), vk.KernelOptions{Name: "step", Bindings: 1, PushBytes: 4, Spec: []vk.SpecConst{{ID: 0, Value: groupSize}}, Hash: "step"})
		if !errors.Is(err, vk.ErrDeviceLost) || !devices[0].Lost() {
			t.Errorf("call %d: %v, lost %v", nth, err, devices[0].Lost())
		}
		kernel(t, devices[1], "step", 1, 1)
	}
}

// The log lists every call site and what was left behind, here nothing.
func TestFaultLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	t.Run("calls", func(t *testing.T) {
		devices := injected(t, "log="+path, vk.DeviceOptions{})
		if err := fillOnce(t, devices[0]); err != nil {
			t.Fatal(err)
		}
	})
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"call vkCreateDevice ", "call vkQueueSubmit2 ", "call vkWaitSemaphores ", "hits 0\n"} {
		if !strings.Contains(string(raw), want) {
			t.Errorf("no %q in\n%s", want, raw)
		}
	}
	if strings.Contains(string(raw), "alive") {
		t.Errorf("objects are left:\n%s", raw)
	}
}

// What cannot be carried out is refused with what was meant or what there is.
func TestFaultRefused(t *testing.T) {
	for text, want := range map[string]string{
		"call=vkQueueSubmit": "did you mean vkQueueSubmit2?", "call=melt": "there is vkEnumeratePhysicalDevices, ", "call=": "vkCreateDevice",
		"nth=x": "above 0", "nth=0": "above 0", "times=-1": "above 0", "times=1e3": "above 0", "site=zz": "hexadecimal", "device=a": "from 0", "device=-1": "from 0",
		"result=VK_ERROR_DEVICE_LOS": "did you mean VK_ERROR_DEVICE_LOST?", "result=99999999999": "VkResult", "log=": "file", "log=/no/such/folder/calls": "open /no/such/folder/calls: no such file", "log=/": "open /: is a directory", "log=" + strings.Repeat("x", 2000): "at most",
		"cal=vkQueueSubmit2": "did you mean call?", "melt=1": "there is call, nth", "": "there is call, nth",
	} {
		t.Setenv("AMGPU_FAULT", "vulkan:"+text)
		in, err := vk.Open(vk.Options{})
		if err == nil || !errors.Is(err, vk.ErrFault) || !strings.HasPrefix(err.Error(), "AMGPU_FAULT=vulkan:"+text+": ") || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "strconv") {
			t.Errorf("%s: %v", text, err)
		}
		if closing := in.Close(); closing != nil {
			t.Error(closing)
		}
	}
	log := filepath.Join(t.TempDir(), "calls")
	t.Setenv("AMGPU_FAULT", "vulkan:log="+log+",nth=0")
	if _, err := vk.Open(vk.Options{}); !errors.Is(err, vk.ErrFault) {
		t.Error(err)
	}
	if _, err := os.Stat(log); err == nil {
		t.Error("a fault that is refused made its log")
	}
}

// A fault that made no call fail says why; one that did says nothing.
func TestFaultUnmet(t *testing.T) {
	for text, want := range map[string]string{
		"call=vkCreateDevice,nth=3":                "vkCreateDevice was called 2 times, and nth is 3",
		"call=vkCreateDevice,nth=2,device=1":       "vkCreateDevice on device 1 was called 1 times, and nth is 2",
		"call=vkGetMemoryFdKHR":                    "vkGetMemoryFdKHR was never called",
		"call=vkCreateDevice,nth=2":                "",
		"log=" + filepath.Join(t.TempDir(), "log"): "",
	} {
		t.Run(text, func(t *testing.T) {
			t.Setenv("AMGPU_FAULT", "vulkan:"+text)
			in, adapters := vktest.Team(t, "2")
			for _, a := range adapters {
				if d, err := a.Open(vk.DeviceOptions{}); err == nil {
					closes(t, d)
				}
			}
			if got := in.FaultUnmet(); got != want {
				t.Errorf("%q, want %q", got, want)
			}
		})
	}
}

// A log that can no longer be written is an error that names it.
func TestFaultLogGone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "gone")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("AMGPU_FAULT", "vulkan:log="+filepath.Join(dir, "calls"))
	cleanup, err := soft.Prepare(soft.Spec{Lavapipe: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cleanup)
	in, err := vk.Open(vk.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := in.Close(); err == nil || !strings.Contains(err.Error(), "the log "+filepath.Join(dir, "calls")+" cannot be written") {
		t.Error(err)
	}
}

// A device that is not there is refused with those that are, and no fault falls on another.
func TestFaultOnNoDevice(t *testing.T) {
	spec, err := soft.Parse("2")
	if err != nil {
		t.Fatal(err)
	}
	cleanup, err := soft.Prepare(spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cleanup)
	t.Setenv("AMGPU_FAULT", "vulkan:call=vkCreateDevice,device=9")
	if _, err := vk.Open(vk.Options{}); !errors.Is(err, vk.ErrFault) || !strings.Contains(err.Error(), "there are: 0 llvmpipe") || !strings.Contains(err.Error(), ", 1 llvmpipe") {
		t.Error(err)
	}
}

// What a device that is stuck may still use stays where it is, whoever closes it.
func TestStuckKeepsMemory(t *testing.T) {
	devices := injected(t, "call=vkSignalSemaphore,device=1,result=VK_SUCCESS,times=99", vk.DeviceOptions{SyncTimeout: time.Second})
	host, err := vk.NewHostBlock(1 << 16)
	if err != nil {
		t.Fatal(err)
	}
	var phase vk.Phase
	var buffers []*vk.Buffer
	for _, d := range devices {
		b, err := d.Import(host)
		if err != nil {
			t.Fatal(err)
		}
		c, err := d.Record([]vk.Op{fill(b, 7)})
		if err != nil {
			t.Fatal(err)
		}
		buffers = append(buffers, b)
		phase.Submissions = append(phase.Submissions, []*vk.Commands{c})
	}
	s, err := vk.NewSchedule(devices, []vk.Phase{phase})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Run(limit(t)); !errors.Is(err, vk.ErrTimeout) {
		t.Fatal(err)
	}
	if _, err := s.Run(limit(t)); !errors.Is(err, vk.ErrStuck) {
		t.Errorf("run again: %v", err)
	}
	bytes := host.Bytes()
	closes(t, s)
	for i, c := range phase.Submissions {
		closes(t, c[0])
		closes(t, buffers[i])
	}
	closes(t, host)
	if bytes[0] != 7 { // unmapped memory would end the program
		t.Errorf("the other device wrote %d", bytes[0])
	}
}
