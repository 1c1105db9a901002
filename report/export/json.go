package export

import (
	"io"

	"github.com/amgpu/amgpu/report/result"
)

// JSON writes res in its own schema with the summary, laws and warnings given,
// which take the place of the stored ones.
func JSON(w io.Writer, res *result.Result, summary []result.Summary, laws []result.Law, warnings []result.Warning) error {
	out := *res
	out.Summary, out.Laws, out.Warnings = summary, laws, warnings
	return result.Encode(w, &out)
}
