package source

import (
	"fmt"
	"path"
	"runtime"
	"slices"
	"strings"
)

// module is the path of this library.
const module = "github.com/fagus-dsm/fagus/"

// Here is the line of the program that is being executed.
func Here() string { return Line(Frames(Callers())) }

// Line is the innermost line of a stack, innermost frame first, that is neither of this
// library, nor of Go's, nor of those that this one calls.
func Line(frames []runtime.Frame) string {
	library := goLibrary(Frames(Callers()))
	for _, f := range frames {
		if ours(f.Function) || strings.HasPrefix(f.Function, "runtime.") || library != "" && strings.HasPrefix(f.File, library) {
			continue
		}
		dir, file := path.Split(f.File)
		return fmt.Sprintf("%s:%d", path.Join(path.Base(dir), file), f.Line)
	}
	return "unknown line"
}

// Callers is the calling goroutine's stack, innermost first, as deep as it may be needed.
// While a panic is being recovered the frames that caused it are still there.
func Callers() []uintptr {
	pcs := make([]uintptr, 256)
	return pcs[:runtime.Callers(2, pcs)]
}

// Frames is a stack in names and lines.
func Frames(pcs []uintptr) (frames []runtime.Frame) {
	more := runtime.CallersFrames(pcs)
	for {
		f, again := more.Next()
		frames = append(frames, f)
		if !again {
			return frames
		}
	}
}

// ours says whether a function is of the library's own or of one that it calls, not of an app
// or a command.
func ours(function string) bool {
	for _, called := range []string{"github.com/google/btree.", "golang.org/x/sys/"} {
		if strings.HasPrefix(function, called) {
			return true
		}
	}
	rest, ok := strings.CutPrefix(function, module)
	if !ok {
		return false
	}
	pkg := rest[:strings.IndexAny(rest+"/", "./")]
	return slices.Contains([]string{"fagus", "phase", "ringbuf", "syncvar", "consistency", "dimmnet"}, pkg)
}

// goLibrary is the folder of Go's own packages, if the stack shows it: where every
// goroutine begins is one of them.
func goLibrary(frames []runtime.Frame) string {
	for _, f := range frames {
		if dir, ok := strings.CutSuffix(path.Dir(f.File), "/runtime"); ok && strings.HasPrefix(f.Function, "runtime.") {
			return dir + "/"
		}
	}
	return ""
}
