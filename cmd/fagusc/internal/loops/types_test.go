package loops

import "testing"

// TestIdempotent: combining a value with itself gives the value for these operators, and for no
// others: then every rank may begin with what a reduced array had before.
func TestIdempotent(t *testing.T) {
	for op, want := range map[string]bool{
		"+": false, "*": false, "^": false, "-": false, "&": true, "|": true, "&&": true, "||": true,
		"max": true, "min": true, "math.Max": true, "math.Min": true, "<": true, ">": true,
	} {
		if Idempotent(op) != want {
			t.Errorf("%s is idempotent: %t, want %t", op, !want, want)
		}
	}
}
