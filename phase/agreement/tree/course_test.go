package tree

import (
	"strings"
	"testing"
)

// follow adds schedules with the given letters to a course. It returns the letters that were
// expected: '.' if none was.
func (c *course) follow(known map[rune]*schedule, letters string) string {
	var expected strings.Builder
	for _, letter := range letters {
		e, _ := c.expected()
		at := '.'
		for other, s := range known {
			if s == e {
				at = other
			}
		}
		expected.WriteRune(at)
		if known[letter] == nil {
			known[letter] = &schedule{key: string(letter)}
		}
		c.add(known[letter])
	}
	return expected.String()
}

// TestCourse: the expected letter is the one that followed the longest equal past.
func TestCourse(t *testing.T) {
	for _, test := range []struct{ course, expected string }{
		{"aaaaa", "..aaa"},
		{"abababab", "...babab"},
		{"abcabcabc", "....bcabc"},
		{"aabaabaab", "..a.bbaab"},
		{"abababxababababab", "...baba.bxbxbxbab"},   // a deviation lasts for two cycles
		{"aaabaaabaaab", "..aa.bbaaaab"},             // a cycle in a cycle
		{"abcdefgh", "........"},                     // nothing comes again
		{"abxabyabxabyabxaby", "....bx.byabyabxaby"}, // a longer past decides
	} {
		c := newCourse(4)
		if got := c.follow(map[rune]*schedule{}, test.course); got != test.expected {
			t.Errorf("%s: expected %s, want %s", test.course, got, test.expected)
		}
	}
}

// TestCourseForgets: schedules behind the window count for nothing: no longer cycle is found.
func TestCourseForgets(t *testing.T) {
	c := course{past: make([]*schedule, 4)}
	known := map[rune]*schedule{}
	if got, want := c.follow(known, "abcdeabcde"), ".........."; got != want {
		t.Errorf("a cycle of 5 in a window of 4: expected %s, want %s", got, want)
	}
	if got, want := c.follow(known, "xyxyxyxyxy"), "...yxyxyxy"; got != want {
		t.Errorf("a cycle of 2 in a window of 4: expected %s, want %s", got, want)
	}
	for nodes, window := range map[int]int{1: mostWindow, 256: 655, 4096: leastWindow, 65536: leastWindow} {
		if c := newCourse(nodes); c.window() != window {
			t.Errorf("%d nodes: a window of %d phases, want %d", nodes, c.window(), window)
		}
	}
}
