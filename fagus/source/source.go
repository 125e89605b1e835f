package guard

import (
	"fmt"
	"path"
	"runtime"
	"strings"
)

// module is the path of the runtime's own packages, whose lines nobody wants to see.
const module = "github.com/fagus-dsm/fagus/fagus"

// source is the line of the program that is being executed.
func source() string { return sourceOf(callers()) }

// sourceOf is the innermost line of a stack that is neither of this library, nor of
// Go's.
func sourceOf(pcs []uintptr) string {
	frames := framesOf(pcs)
	library := goLibrary(frames)
	for _, f := range frames {
		if ours(f.Function) || strings.HasPrefix(f.Function, "runtime.") || library != "" && strings.HasPrefix(f.File, library) {
			continue
		}
		dir, file := path.Split(f.File)
		return fmt.Sprintf("%s:%d", path.Join(path.Base(dir), file), f.Line)
	}
	return "unknown line"
}

// callers is the calling goroutine's stack, innermost first, as deep as it is needed.
// While a panic is being recovered the frames that caused it are still there.
func callers() []uintptr {
	pcs := make([]uintptr, 64)
	return pcs[:runtime.Callers(2, pcs)]
}

// framesOf is callers in names and lines.
func framesOf(pcs []uintptr) (frames []runtime.Frame) {
	more := runtime.CallersFrames(pcs)
	for {
		f, again := more.Next()
		frames = append(frames, f)
		if !again {
			return frames
		}
	}
}

// ours says whether a function is of this library.
func ours(function string) bool {
	rest, ok := strings.CutPrefix(function, module)
	return ok && (strings.HasPrefix(rest, ".") || strings.HasPrefix(rest, "/guard."))
}

// goLibrary is the folder of Go's own packages, if the binary knows it.
func goLibrary(frames []runtime.Frame) string {
	for _, f := range frames {
		if dir, ok := strings.CutSuffix(path.Dir(f.File), "/runtime"); ok && strings.HasPrefix(f.Function, "runtime.") {
			return dir + "/"
		}
	}
	return ""
}
