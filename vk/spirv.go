package vk

import "fmt"

// checkSPIRV refuses words that are not a whole compute module. Drivers trust
// their input: a torn file or a shader of another stage can crash the process.
// It checks the frame of the module and that it has the named entry point, not
// the code in it.
func checkSPIRV(words []uint32, entry string) error {
	const (
		magic      = 0x07230203
		swapped    = 0x03022307
		header     = 5 // words: magic, version, generator, bound, 0
		memory     = 14
		entryPoint = 15
		function   = 54
		functEnd   = 56
		glCompute  = 5 // execution model
		v1_6       = 0x00010600
	)
	switch {
	case len(words) < header:
		return fmt.Errorf("%d words are too short for a SPIR-V module", len(words))
	case words[0] == swapped:
		return fmt.Errorf("SPIR-V of the other byte order")
	case words[0] != magic:
		return fmt.Errorf("no SPIR-V: it starts with %#08x", words[0])
	case words[1] > v1_6 || words[1] < 0x00010000:
		return fmt.Errorf("SPIR-V version word %#08x, Vulkan 1.3 takes 1.0 to 1.6", words[1])
	case words[3] == 0 || words[4] != 0:
		return fmt.Errorf("damaged SPIR-V header")
	}
	var models, entries, functions, open int
	for at := header; at < len(words); {
		op, n := words[at]&0xffff, int(words[at]>>16)
		if n == 0 || at+n > len(words) {
			return fmt.Errorf("SPIR-V ends in the middle: the instruction at word %d is %d words long, %d are left", at, n, len(words)-at)
		}
		switch op {
		case memory:
			models++
		case entryPoint:
			if n >= 4 && words[at+1] == glCompute && literal(words[at+3:at+n]) == entry {
				entries++
			}
		case function:
			functions++
			open++
		case functEnd:
			open--
		}
		at += n
	}
	switch {
	case entries != 1:
		return fmt.Errorf("SPIR-V has %d compute entry points named %s", entries, entry)
	case models != 1 || functions == 0 || open != 0:
		return fmt.Errorf("damaged SPIR-V: %d memory models, %d functions of which %d do not end", models, functions, open)
	}
	return nil
}

// literal decodes a string: bytes in little-endian words, ended by a zero.
func literal(words []uint32) string {
	var b []byte
	for _, w := range words {
		for range 4 {
			if byte(w) == 0 {
				return string(b)
			}
			b = append(b, byte(w))
			w >>= 8
		}
	}
	return string(b)
}
