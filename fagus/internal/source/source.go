package source

import (
	"context"
	"fmt"
	"path"
	"reflect"
	"runtime"
	"slices"
	"strings"
)

// module is the path of this module, with a slash at the end.
const module = "github.com/fagus-dsm/fagus/"

// Unknown is what Line returns if a stack has no line of the program.
const Unknown = "unknown line"

// Here returns the line of the program that is being executed.
func Here() string { return Line(Frames(Callers())) }

// Line returns the first line of frames, innermost first, that belongs neither to this library,
// nor to Go's, nor to a library that this one calls. It returns Unknown if there is none.
func Line(frames []runtime.Frame) string {
	library := goLibrary(Frames(Callers()))
	for _, f := range frames {
		if ours(f.Function) || inOurs(f.File) || strings.HasPrefix(f.Function, "runtime.") || library != "" && strings.HasPrefix(f.File, library) {
			continue
		}
		return short(f.File, f.Line)
	}
	return Unknown
}

// Function returns the line at which a function begins.
func Function(f any) string {
	at := runtime.FuncForPC(reflect.ValueOf(f).Pointer())
	file, line := at.FileLine(at.Entry())
	return short(file, line)
}

// Part returns the type or function of package parts that the program called, such as "Queue", or
// "" if it called none.
func Part(frames []runtime.Frame) (part string) {
	for _, f := range frames {
		name, ok := strings.CutPrefix(f.Function, module+"fagus/parts.")
		switch {
		case ok:
			name = strings.TrimPrefix(name, "(*")
			part = name[:strings.IndexAny(name+".", ".[)")]
		case !ours(f.Function) && !inOurs(f.File) && !strings.HasPrefix(f.Function, "runtime."):
			return part
		}
	}
	return part
}

type programKey struct{}

// WithProgram returns a context in which Program returns f.
func WithProgram(ctx context.Context, f any) context.Context {
	return context.WithValue(ctx, programKey{}, f)
}

// Program returns the function that a wrapper of the function f calls, or f if ctx knows none.
func Program(ctx context.Context, f any) any {
	if inner := ctx.Value(programKey{}); inner != nil {
		return inner
	}
	return f
}

// short returns a line with the base name of its folder.
func short(file string, line int) string {
	dir, base := path.Split(file)
	return fmt.Sprintf("%s:%d", path.Join(path.Base(dir), base), line)
}

// OfParts reports whether the running call comes from package region, or from package parts, which
// the program called.
func OfParts() bool { return ofParts(Frames(Callers())) }

func ofParts(frames []runtime.Frame) bool {
	for _, f := range frames {
		switch {
		case strings.HasPrefix(f.Function, module+"fagus/parts."), strings.HasPrefix(f.Function, module+"fagus/region."):
			return true
		case !ours(f.Function) && !strings.HasPrefix(f.Function, "runtime."):
			return false
		}
	}
	return false
}

// Callers returns the stack of the calling goroutine, innermost frame first, up to 256
// frames. While a panic is being recovered, it contains the frames that caused the panic.
func Callers() []uintptr {
	pcs := make([]uintptr, 256)
	return pcs[:runtime.Callers(2, pcs)]
}

// Frames returns the functions and lines of a stack.
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

// ours reports whether a function belongs to this library or to one that it calls. The tests of
// this library are programs.
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
	if last := rest[strings.LastIndexByte(rest, '/')+1:]; strings.HasSuffix(last[:strings.IndexByte(last+".", '.')], "_test") {
		return false
	}
	return inLibrary(rest)
}

// inOurs reports whether a file belongs to this library. Where the program inlines a function of
// the library, closures of this function have the program's name, but stay in their file.
func inOurs(file string) bool {
	_, own, _, _ := runtime.Caller(0)
	rest, ok := strings.CutPrefix(file, strings.TrimSuffix(own, "fagus/internal/source/source.go"))
	return ok && !strings.HasSuffix(file, "_test.go") && inLibrary(rest)
}

// inLibrary reports whether a package or file, without the path of the module, is not a program.
func inLibrary(rest string) bool {
	pkg := rest[:strings.IndexAny(rest+"/", "./")]
	return slices.Contains([]string{"fagus", "internal", "phase", "ringbuf", "syncvar", "consistency", "dimmnet"}, pkg)
}

// goLibrary returns the folder of Go's library with a final slash, or "". It takes the folder
// from a frame of package runtime, in which every goroutine starts.
func goLibrary(frames []runtime.Frame) string {
	for _, f := range frames {
		if dir, ok := strings.CutSuffix(path.Dir(f.File), "/runtime"); ok && strings.HasPrefix(f.Function, "runtime.") {
			return dir + "/"
		}
	}
	return ""
}
