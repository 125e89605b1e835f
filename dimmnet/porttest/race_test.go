//go:build race

package porttest

// raceDetector is on: the ports that reorder contain data races, which it would report.
const raceDetector = true
