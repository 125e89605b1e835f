package syncvar_test

import (
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet/porttest/frametest"
	"github.com/fagus-dsm/fagus/syncvar"
)

// TestDamagedList decodes lists with one byte changed. If the result is a list, it is within its
// limits, is encoded to the same bytes, and is not much longer than the original.
func TestDamagedList(t *testing.T) {
	for _, list := range []syncvar.List{
		{Call: syncvar.Acquire, Phase: 9, Since: 3, Declared: 99, Shared: ids(0, 3, 9), Exclusive: ids(1, 1, 2), Clean: ids(7, 1, 1)},
		{Call: syncvar.Reduce, Phase: 9, Since: 3, Declared: 99, Clean: ids(7, 1, 1), Word: 1 << 40},
	} {
		for damaged := range frametest.Every(syncvar.AppendList(nil, &list)) {
			l, err := syncvar.DecodeList(damaged)
			if err != nil {
				continue
			}
			roundTrip(t, l)
			if n := len(l.Shared) + len(l.Exclusive) + len(l.Clean); n > 3*syncvar.MaxID {
				t.Fatalf("%x has %d variables", damaged, n)
			}
		}
	}
}
