package event

import "github.com/fagus-dsm/fagus/dimmnet"

// Delays are the random delays of a run. The same seed, stream and index give the same delay.
type Delays struct {
	Seed uint64 // 0: no delays
	Most dimmnet.Time
}

// Of returns a stream's delay number index: half are 0, most others small.
func (d Delays) Of(stream, index uint64) dimmnet.Time {
	x := Mix(Mix(d.Seed^Mix(stream)) + index)
	if x&1 == 0 {
		return 0
	}
	u := float64(x>>11) / (1 << 53)
	return dimmnet.Time(u * u * u * float64(d.Most))
}

// Mix is the finisher of SplitMix64.
func Mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
