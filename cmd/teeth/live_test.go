package main

import "testing"

// TestFirstFailing checks which test is named as the one that found a mistake.
func TestFirstFailing(t *testing.T) {
	for _, c := range []struct{ out, want string }{
		{"--- FAIL: TestA (0.10s)\n    --- FAIL: TestA/b (0.05s)\n    --- FAIL: TestA/b/c (0.05s)\nFAIL\n", "TestA/b/c"},
		{"--- FAIL: TestA (0.10s)\n--- FAIL: TestB (0.10s)\n", "TestA"},
		{"panic: test timed out after 3m0s\n\trunning tests:\n\t\tTestA/b (2m59s)\n", "TestA/b (hangs)"},
		{"panic: test timed out after 3m0s\n", "(hangs)"},
		{"x\nfatal error: all goroutines are asleep\n", "fatal error: all goroutines are asleep"},
		{"exit status 3\n", "(no test fails, but the process does)"},
	} {
		if got := firstFailing(c.out); got != c.want {
			t.Errorf("firstFailing(%q) = %q, want %q", c.out, got, c.want)
		}
	}
}
