package vk

import (
	"fmt"
	"os"
)

// loaderFix is what to do when no Vulkan loader can be opened: of one that was chosen, its
// variable is the cause, and installing another would change nothing.
func loaderFix() string {
	if chosen := os.Getenv(libraryEnv); chosen != "" {
		return fmt.Sprintf("%s=%s is set: unset it or name a Vulkan loader", libraryEnv, chosen)
	}
	return "install it (Debian: apt-get install libvulkan1)"
}

// driverFiles names the variables that bound where the Vulkan loader looks for drivers, if
// one is set. VK_DRIVER_FILES outweighs VK_ICD_FILENAMES.
func driverFiles() string {
	for _, name := range []string{"VK_DRIVER_FILES", "VK_ICD_FILENAMES"} {
		if files := os.Getenv(name); files != "" {
			return fmt.Sprintf(" among %s=%s", name, files)
		}
	}
	return ""
}
