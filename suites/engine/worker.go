package engine

import (
	"errors"
	"runtime"
	"sync"

	"github.com/amgpu/amgpu/vk"
)

// worker owns one device on one locked OS thread: everything but the samples
// themselves (opening, allocating, recording, filling, reading back) runs there.
type worker struct {
	device *vk.Device
	jobs   chan func()
}

// startWorker opens the adapter's device on a thread of its own.
func startWorker(a *vk.Adapter, o vk.DeviceOptions) (*worker, error) {
	w := &worker{jobs: make(chan func())}
	if a.Absent() {
		var err error
		w.device, err = a.Open(o)
		return w, err
	}
	opened := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread() // the next launch takes the thread over
		var err error
		w.device, err = a.Open(o)
		opened <- err
		for job := range w.jobs {
			job()
		}
	}()
	if err := <-opened; err != nil {
		close(w.jobs)
		return nil, err
	}
	return w, nil
}

// do runs f on the device's thread and returns its error. A device of another process does
// nothing here.
func (w *worker) do(f func(*vk.Device) error) error {
	if w.device.Absent() {
		return nil
	}
	done := make(chan error, 1)
	w.jobs <- func() { done <- f(w.device) }
	return <-done
}

// stop closes the device and ends the thread.
func (w *worker) stop() error {
	err := w.do(func(d *vk.Device) error { return d.Close() })
	close(w.jobs)
	return err
}

// everywhere is each, and for the devices of other processes it names what these make.
func (s *Session) everywhere(f func(i int, d *vk.Device) error) error {
	err := s.each(f)
	for i, d := range s.team {
		if err == nil && d.Absent() {
			err = f(i, d)
		}
	}
	return err
}

// each runs f on the threads of all devices of this process at once and joins the errors.
func (s *Session) each(f func(i int, d *vk.Device) error) error {
	errs := make([]error, len(s.workers))
	var wg sync.WaitGroup
	for i, w := range s.workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			errs[i] = w.do(func(d *vk.Device) error { return f(i, d) })
		}()
	}
	wg.Wait()
	return errors.Join(errs...)
}

// startTeam opens all adapters at once; on an error it closes those opened.
func startTeam(adapters []*vk.Adapter, o vk.DeviceOptions) ([]*worker, error) {
	workers := make([]*worker, len(adapters))
	errs := make([]error, len(adapters))
	var wg sync.WaitGroup
	for i, a := range adapters {
		wg.Add(1)
		go func() {
			defer wg.Done()
			workers[i], errs[i] = startWorker(a, o)
		}()
	}
	wg.Wait()
	err := errors.Join(errs...)
	if err == nil {
		return workers, nil
	}
	for _, w := range workers {
		if w != nil {
			err = errors.Join(err, w.stop())
		}
	}
	return nil, err
}
