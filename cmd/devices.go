package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/vk"
	"github.com/amgpu/amgpu/vk/diagnose"
)

func devicesCommand(s streams) *cobra.Command {
	var pool poolFlags
	var asJSON, topology, watch bool
	c := &cobra.Command{
		Use:   "devices",
		Short: "List what can be used here, what cannot, and why",
		Example: `  amgpu devices
  amgpu devices --json
  amgpu devices --topology
  amgpu devices --watch
  amgpu devices --software 2`,
		Args: noSuch,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := pool.check(); err != nil {
				return err
			}
			if inJob() && watch {
				return usage("devices --watch shows the sensors of one machine: start it there without mpirun or srun, or list the job without --watch")
			}
			if inJob() {
				return listJob(c.Context(), s, pool, asJSON, topology)
			}
			if watch {
				return watchDevices(c.Context(), s, pool, asJSON)
			}
			return listDevices(c.Context(), s, pool, asJSON, topology)
		},
	}
	pool.add(c.Flags())
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	c.Flags().BoolVar(&topology, "topology", false, "print how the devices are connected: a matrix of links, their bandwidth and latency")
	c.Flags().BoolVar(&watch, "watch", false, "print what the devices' sensors say, each second until Ctrl-C")
	return c
}

// listDevices prints what there is; it fails only when nothing can be used.
func listDevices(ctx context.Context, s streams, pool poolFlags, asJSON, topology bool) error {
	doc := devicesJSON{Devices: []deviceJSON{}, Links: []result.Link{}, Problems: []diagnose.Problem{}, Selection: selected(nil)}
	r, openErr := pool.openRig()
	var selectErr error
	if openErr == nil {
		selectErr = doc.add(ctx, r, pool)
	} else if codeFor(openErr) == codeUsage {
		return openErr
	}
	doc.Problems = append(doc.Problems, problems(doc.Devices, openErr, pool.software != "")...)
	printed := doc.print
	if topology {
		printed = doc.printTopology
	}
	if err := printed(s.Out, asJSON, s); err != nil {
		return errors.Join(err, r.closeIfOpen())
	}
	if openErr == nil {
		for _, w := range unmetFault(r, nil) {
			s.say("amgpu: %s", w.Text)
		}
	}
	if err := r.closeIfOpen(); err != nil {
		return err
	}
	return errors.Join(openErr, selectErr)
}

// add lists all devices of the rig and the links between those of the pool. The
// error says why the pool is empty.
func (doc *devicesJSON) add(ctx context.Context, r *rig, pool poolFlags) error {
	chosen, _, err := r.pool(pool)
	doc.Loader = r.instance.LoaderVersion()
	usable := map[int]bool{}
	for _, a := range chosen {
		usable[a.Info().Index] = true
	}
	sensors := openSensors(r.adapters)
	defer sensors.Close()
	for i, a := range r.adapters {
		d := describeDevice(a, r.entries[i], usable[r.entries[i].Index])
		d.placeJSON = placeOf(sensors, i)
		d.Score = scoreOf(a, d.Error == "", loadOf(sensors.Devices[i]))
		doc.Devices = append(doc.Devices, d)
	}
	doc.Selection = selected(doc.Devices)
	if len(chosen) > 1 {
		links, err := surveyLinks(ctx, chosen)
		if err != nil {
			doc.Problems = append(doc.Problems, diagnose.Problem{Code: "links", Subject: "links", Text: err.Error(), Fix: "measure with --transport staging"})
		}
		doc.Links = append(doc.Links, links...)
	}
	return err
}

func (r *rig) closeIfOpen() error {
	if r == nil {
		return nil
	}
	return r.close()
}

// problems joins what failed in Vulkan with what the system's files say.
func problems(devices []deviceJSON, openErr error, software bool) []diagnose.Problem {
	var out []diagnose.Problem
	if openErr != nil {
		fix := "look at the driver files named below, and at those in VK_DRIVER_FILES and VK_ICD_FILENAMES if they are set"
		switch {
		case software && !is(openErr, vk.ErrNoLoader):
			fix = "make what this message names usable, then try again"
		case errors.Is(openErr, vk.ErrNoLoader) && os.Getenv("AMGPU_VULKAN_LIBRARY") != "":
			fix = "unset AMGPU_VULKAN_LIBRARY, or let it name a Vulkan loader"
		case errors.Is(openErr, vk.ErrNoLoader):
			fix = "install the Vulkan loader (`apt-get install libvulkan1`)"
		case errors.Is(openErr, vk.ErrNoDriver) && os.Getenv("VK_DRIVER_FILES")+os.Getenv("VK_ICD_FILENAMES") != "":
			fix = "correct or unset VK_DRIVER_FILES and VK_ICD_FILENAMES: only the drivers named there are looked for"
		case errors.Is(openErr, vk.ErrNoDriver):
			fix = "install a Vulkan driver; `apt-get install mesa-vulkan-drivers` brings those for AMD, Intel and the CPU"
		}
		out = append(out, diagnose.Problem{Code: "vulkan", Subject: "Vulkan", Text: openErr.Error(), Fix: fix})
	}
	var shown []string
	for _, d := range devices {
		if d.PCI != "" {
			shown = append(shown, d.PCI)
		}
		if d.Error != "" {
			out = append(out, diagnose.Problem{Code: "device", Subject: fmt.Sprintf("device %d %s", d.Index, d.Name), Text: d.Error,
				Fix: "update its driver, or leave it out with --exclude"})
		}
	}
	if software { // the loader was told to look at nothing else
		return out
	}
	return append(out, diagnose.System{}.Check(shown)...)
}
