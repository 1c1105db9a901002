package network

import "sync"

// kept remembers what was made last, by key.
type kept[K comparable, V any] struct {
	sync.Mutex
	keys   []K
	values []V
}

// cached is how many values are kept.
const cached = 3

// get returns the value of a key and makes it where it is not remembered. What could not be
// made is tried again the next time.
func (c *kept[K, V]) get(key K, create func() (V, error)) (V, error) {
	c.Lock()
	defer c.Unlock()
	for i, k := range c.keys {
		if k == key {
			return c.values[i], nil
		}
	}
	v, err := create()
	if err != nil {
		return v, err
	}
	if len(c.keys) == cached {
		c.keys, c.values = c.keys[1:], c.values[1:]
	}
	c.keys, c.values = append(c.keys, key), append(c.values, v)
	return v, nil
}
