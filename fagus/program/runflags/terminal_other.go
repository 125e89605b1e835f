//go:build !unix

package runflags

import "os"

// columns knows no terminals: progress is shown in lines.
func columns(*os.File) (width int, ok bool) { return 0, false }
