package runflags

import (
	"fmt"
	"time"
)

// firstProgress is how long a run may be in its set-up before it reports what it is doing. It does
// so again whenever the time has doubled.
const firstProgress = 5 * time.Second

// progress reports a long set-up until the run has ended.
func (g *watch) progress() {
	for wait, at := firstProgress, firstProgress; !g.ended(wait); wait, at = at, 2*at {
		if text, to := g.stage(); text != "" {
			fmt.Fprintf(to, "%s: after %v: %s\n", g.name, at, text)
		}
	}
}
