package cli

import (
	"context"
	"flag"
	"io"
	"time"
)

// Flag is one of the types below.
type Flag interface {
	// Apply adds the flag to a set.
	Apply(set *flag.FlagSet)
	// Names returns the name of the flag.
	Names() []string
	about() about
}

// Of is a flag with values of a type.
type Of[T any] struct {
	Name     string // without dashes
	Category string // the heading in help texts
	// Usage says what the flag does; a name in backquotes in it stands for the value.
	Usage       string
	DefaultText string // in the place of Value in help texts
	Value       T      // the default
}

// The types of flags.
type (
	// BoolFlag is a flag.
	BoolFlag = Of[bool]
	// IntFlag is a flag.
	IntFlag = Of[int]
	// Uint64Flag is a flag.
	Uint64Flag = Of[uint64]
	// Float64Flag is a flag.
	Float64Flag = Of[float64]
	// DurationFlag is a flag.
	DurationFlag = Of[time.Duration]
	// StringFlag is a flag.
	StringFlag = Of[string]
)

// Apply implements Flag.
func (f *Of[T]) Apply(set *flag.FlagSet) {
	switch v := any(f.Value).(type) {
	case bool:
		set.Bool(f.Name, v, f.Usage)
	case int:
		set.Int(f.Name, v, f.Usage)
	case uint64:
		set.Uint64(f.Name, v, f.Usage)
	case float64:
		set.Float64(f.Name, v, f.Usage)
	case time.Duration:
		set.Duration(f.Name, v, f.Usage)
	case string:
		set.String(f.Name, v, f.Usage)
	}
}

// Names implements Flag.
func (f *Of[T]) Names() []string { return []string{f.Name} }

type about struct{ name, category, defaultText string }

func (f *Of[T]) about() about { return about{f.Name, f.Category, f.DefaultText} }

// App is the program of a command line.
type App struct {
	Name      string // for messages
	Writer    io.Writer
	ErrWriter io.Writer
	Metadata  map[string]any
}

// Context is a command line that is parsed.
type Context struct {
	Values
	Context context.Context
	App     *App
}

// Values has the values of flags by their names: the zero value if there is no such flag.
type Values interface {
	// IsSet reports whether the flag is on the command line.
	IsSet(name string) bool
	Value(name string) any
	Bool(name string) bool
	Int(name string) int
	Uint64(name string) uint64
	Float64(name string) float64
	Duration(name string) time.Duration
	String(name string) string
}

// Set has the Values of a set of package flag.
type Set struct{ Of *flag.FlagSet }

// Value implements Values.
func (s Set) Value(name string) any {
	if f := s.Of.Lookup(name); f != nil {
		return Kind(f.Value)
	}
	return nil
}

// IsSet implements Values.
func (s Set) IsSet(name string) (set bool) {
	s.Of.Visit(func(f *flag.Flag) { set = set || f.Name == name })
	return set
}

// Bool implements Values.
func (s Set) Bool(name string) bool { return valueOf[bool](s, name) }

// Int implements Values.
func (s Set) Int(name string) int { return valueOf[int](s, name) }

// Uint64 implements Values.
func (s Set) Uint64(name string) uint64 { return valueOf[uint64](s, name) }

// Float64 implements Values.
func (s Set) Float64(name string) float64 { return valueOf[float64](s, name) }

// Duration implements Values.
func (s Set) Duration(name string) time.Duration { return valueOf[time.Duration](s, name) }

// String implements Values.
func (s Set) String(name string) string { return valueOf[string](s, name) }

func valueOf[T any](s Set, name string) T {
	v, _ := s.Value(name).(T)
	return v
}
