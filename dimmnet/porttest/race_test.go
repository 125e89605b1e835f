//go:build race

package porttest

// raceDetector is on: ports that reorder are races, and it says so itself.
const raceDetector = true
