package cli

import (
	"errors"
	"flag"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// badValue matches the texts of package flag about a value that cannot be parsed.
var badValue = regexp.MustCompile(`(?s)^invalid (?:boolean )?value "(.*)" for (?:flag )?-(\S+): `)

var noValue = regexp.MustCompile(`^flag needs an argument: -(\S+)$`)

// Explain returns an error that says which values a flag takes, for err, an error of package flag.
// wanted returns the flag as users type it, and describes its values.
func Explain(err error, wanted func(name string) (typed, values string)) error {
	if m := noValue.FindStringSubmatch(err.Error()); m != nil {
		name, want := wanted(m[1])
		return fmt.Errorf("%s: want %s after it", name, want)
	}
	if m := badValue.FindStringSubmatch(err.Error()); m != nil {
		name, want := wanted(m[2])
		if strings.HasSuffix(err.Error(), strconv.ErrRange.Error()) {
			want += " of at most 64 bits"
		}
		return fmt.Errorf("%s %q: want %s", name, m[1], want)
	}
	return errors.New(err.Error())
}

// ExplainSet is Explain for the flags of a set.
func ExplainSet(err error, set *flag.FlagSet) error {
	return Explain(err, func(name string) (string, string) {
		values := "a value"
		if f := set.Lookup(name); f != nil {
			values = ValuesOf(Kind(f.Value))
		}
		return "--" + name, values
	})
}

// ValuesOf describes the values of a flag that has values like v.
func ValuesOf(v any) string {
	switch v.(type) {
	case int, int64:
		return "a whole number"
	case uint, uint64:
		return "a whole number, 0 or more"
	case float64:
		return "a number"
	case time.Duration:
		return "a time with its unit, such as 1.5s or 20ms"
	case bool:
		return "true or false"
	}
	return "a value"
}

// Nearest returns the name that is most similar to word: it begins with word, or at most a third of
// the letters differ. It is "" if there is none. A name of one letter is similar to many words.
func Nearest(word string, names []string) (best string) {
	word = strings.ToLower(word)
	least := 1 << 20
	for _, name := range names {
		d := distance(word, name)
		if len(word) > 2 && strings.HasPrefix(name, word) {
			d = min(d, 1)
		}
		if len(name) > 1 && 3*d <= max(len(word), len(name)) && d < least {
			best, least = name, d
		}
	}
	return best
}

// distance returns how many letters must be added, removed, replaced or exchanged with the next one
// to make b of a.
func distance(a, b string) int {
	rows := [3][]int{make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)}
	before, last, now := rows[0], rows[1], rows[2]
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		now[0] = i + 1
		for j := range len(b) {
			replaced := last[j]
			if a[i] != b[j] {
				replaced++
			}
			now[j+1] = min(replaced, last[j+1]+1, now[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				now[j+1] = min(now[j+1], before[j-1]+1)
			}
		}
		before, last, now = last, now, before
	}
	return last[len(b)]
}

// OtherWords returns the names of flags by what other systems call them.
func OtherWords() map[string]string {
	return map[string]string{
		"np": "nodes", "ranks": "nodes", "procs": "nodes", "processes": "nodes", "workers": "nodes", "ntasks": "nodes",
		"transport": "net", "network": "net", "hostfile": "hosts", "output": "out", "input": "in", "size": "n",
	}
}

// LikelyFlag returns the name of the flag that is likely meant, or "".
func LikelyFlag(word string, names []string) string {
	names = append([]string{"help"}, names...)
	if other := OtherWords()[word]; slices.Contains(names, other) {
		return other
	}
	return Nearest(word, names)
}

// Dashed returns a flag as users type it.
func Dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}
