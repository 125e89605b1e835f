package tree

// Followed returns how many variables the ranks of the process follow.
func (r *Replica) Followed() int { return r.followed.count }
