package phase

import (
	"github.com/fagus-dsm/fagus/dimmnet"
)

// giftBytes is the most of a variable that is given at a time: who passes it on begins when
// that much is there.
const giftBytes = 1 << 20

// give posts what the places name that were sent last.
func (o *outbox) give(g dimmnet.Giver, to dimmnet.Rank) (progress bool) {
	for len(o.gifts) > 0 && g.Give(to, o.gifts[0]) {
		o.gifts = o.gifts[1:]
		o.gave, progress = true, true
	}
	return progress
}

// giving says whether bytes that the peer is to get are still to be read.
func (o *outbox) giving(g dimmnet.Giver, to dimmnet.Rank) bool {
	o.gave = o.gave && g.Giving(to)
	return o.gave || len(o.gifts) > 0
}

// taken notes which cuts have come.
func (in *inbox) taken(g dimmnet.Giver, from dimmnet.Rank) (progress bool) {
	for left := g.Taking(from); len(in.taking) > left; {
		in.taking[0].coming--
		in.taking = in.taking[1:]
		progress = true
	}
	return progress
}
