package pac

import (
	"io"
	"math"

	"github.com/amgpu/amgpu/suites/input"
)

// readNpy reads an array of shape (channel, time) or (batch, channel, time).
func readNpy(f io.ReaderAt, size, free int64) (*recording, error) {
	a, err := input.ReadNpy(f, size)
	if err != nil {
		return nil, err
	}
	if n := len(a.Shape); n != 2 && n != 3 {
		return nil, input.Fault(a.ShapeAt, "shape (%.60s): channel x time or batch x channel x time belong here", a.Text)
	}
	shape := a.Shape
	r := &recording{items: 1, channels: shape[len(shape)-2], samples: shape[len(shape)-1]}
	if len(shape) == 3 {
		r.items = shape[0]
	}
	if err := fits(a.ShapeAt, r.items, r.channels, r.samples, free); err != nil {
		return nil, err
	}
	if err := a.Holds(size); err != nil {
		return nil, err
	}
	r.data = make([]float32, 0, a.Count())
	err = readBlocks(f, a.Data, size-a.Data, a.Width, func(offset int64, raw []byte) error {
		for i := int64(0); i < int64(len(raw)); i += a.Width {
			var x float32
			if a.Width == 8 {
				x = float32(math.Float64frombits(a.Order.Uint64(raw[i:])))
			} else {
				x = math.Float32frombits(a.Order.Uint32(raw[i:]))
			}
			if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
				return input.Fault(offset+i, "%v is no sample: every number must be finite in 32 bits", x)
			}
			r.data = append(r.data, x)
		}
		return nil
	})
	return r, err
}
