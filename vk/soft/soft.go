// Package soft makes software Vulkan devices out of the drivers installed on
// this machine: N copies of Mesa lavapipe, and SwiftShader as an unequal
// partner. The Vulkan loader reads its list of drivers from the environment, so
// devices are prepared before an instance is opened.
package soft

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Errors of Prepare; test with errors.Is.
var (
	ErrNoLavapipe    = errors.New("no usable Mesa lavapipe driver on this machine (apt-get install mesa-vulkan-drivers)")
	ErrNoSwiftShader = errors.New("no usable SwiftShader driver on this machine (apt-get install chromium, or set AMGPU_SWIFTSHADER_DIR to a folder with libvk_swiftshader.so and vk_swiftshader_icd.json)")
	// ErrSpec is returned for a description that Parse does not understand.
	ErrSpec = errors.New("bad description of software devices")
)

// MaxDevices is the largest team of software devices.
const MaxDevices = 64

const swiftShaderTerm = "swiftshader"

// Spec says how many devices of each driver to make.
type Spec struct {
	Lavapipe, SwiftShader int
}

// Devices is the size of the team.
func (s Spec) Devices() int { return s.Lavapipe + s.SwiftShader }

// String writes the spec as Parse reads it.
func (s Spec) String() string {
	var terms []string
	if s.Lavapipe > 0 || s.SwiftShader == 0 {
		terms = append(terms, strconv.Itoa(s.Lavapipe))
	}
	for range s.SwiftShader {
		terms = append(terms, swiftShaderTerm)
	}
	return strings.Join(terms, "+")
}

// Parse reads "2" (lavapipe devices), "1+swiftshader" or "swiftshader"; the word
// may be repeated for more devices of that driver.
func Parse(text string) (Spec, error) {
	bad := func(why string) (Spec, error) {
		return Spec{}, fmt.Errorf("%w %q: %s; write a number such as 2, or 1+swiftshader", ErrSpec, text, why)
	}
	var s Spec
	for i, term := range strings.Split(text, "+") {
		term = strings.TrimSpace(term)
		if term == swiftShaderTerm {
			s.SwiftShader++
			continue
		}
		if i > 0 {
			return bad(fmt.Sprintf("%q after + is not %s", term, swiftShaderTerm))
		}
		n, err := strconv.Atoi(term)
		if err != nil {
			return bad(fmt.Sprintf("%q is not a number", term))
		}
		if n < 0 {
			return bad("the number is negative")
		}
		s.Lavapipe = n
	}
	return s, s.check()
}

// check refuses an empty or huge team.
func (s Spec) check() error {
	if s.Lavapipe < 0 || s.SwiftShader < 0 || s.Devices() < 1 || s.Lavapipe > MaxDevices || s.SwiftShader > MaxDevices || s.Devices() > MaxDevices {
		return fmt.Errorf("%w: 1 to %d devices can be made, not %s", ErrSpec, MaxDevices, s)
	}
	return nil
}
