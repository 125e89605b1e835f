package colony

// stop is a state on the path of an access; the wire is none of the modules.
type stop struct {
	module module
	state  state
}

// paths.go lists the states that an access passes one after the other, from the bus
// access to its end. What others do meanwhile is not on the path.

func localWritePath() []stop {
	return []stop{{mbus, idle}, {mbus, judge}, {mdc, idle}, {mbus, localWrite}, {mbus, comp}}
}

func localReadPath() []stop {
	path := []stop{{mbus, idle}, {mbus, judge}, {mdc, idle}, {mdc, localRead}}
	path = append(path, sramPath(replyMDC)...)
	return append(path, stop{mdc, waitLocal}, stop{mdc, replyData}, stop{mbus, wait}, stop{mbus, replyData}, stop{mbus, comp})
}

// sramPath is a read from being asked to being told.
func sramPath(told state) []stop {
	return []stop{{sdc, idle}, {sdc, dataComing}, {sram, idle}, {sram, reading}, {sdc, readAccess}, {sdc, getReply}, {sdc, told}}
}

// packetPath is a packet from one FC data control to another, without the wire.
func packetPath() []stop {
	return []stop{{sender, idle}, {sender, access}, {sender, makePacket}, {fcOut, idle}, {fcOut, widths},
		{fcIn, idle}, {fcIn, widths}, {receiver, idle}, {receiver, receive}, {receiver, checkHeader}, {receiver, checkParity},
		{fdc, idle}, {fdc, accessFC}}
}

func remotePath(kind Kind) []stop {
	path := []stop{{mbus, idle}, {mbus, judge}, {mdc, idle}, {mdc, remoteAccess}, {fdc, idle}, {fdc, accessMDC}}
	path = append(path, packetPath()...)
	if kind == KindRead {
		path = append(path, sramPath(replyFDC)...)
		path = append(path, stop{fdc, sramRead}, stop{fdc, sramReply})
	}
	path = append(path, packetPath()...)
	path = append(path, stop{fdc, receiveAnswer}, stop{mdc, waitRemote}, stop{mdc, replyData}, stop{mbus, wait})
	if kind == KindRead {
		path = append(path, stop{mbus, replyData})
	}
	return append(path, stop{mbus, comp})
}

// sum is the clocks of a path.
func sum(tables [modules]table, path []stop) (clocks int) {
	for _, s := range path {
		for _, r := range tables[s.module].stay {
			if r.state == s.state {
				clocks += r.clocks
			}
		}
	}
	return clocks
}

// wire is how long the packets of an access are on the wire, there and back.
func (l Link) wire() int { return 2*l.flights()[0] - l.ahead(KindAnswer) }

// Local are the clocks of accesses to the own memory (spec/50: 5 and 27).
func Local() (write, read int) {
	t := tables(Burst)
	return sum(t, localWritePath()), sum(t, localReadPath())
}

// Remote are the clocks of a remote access when nothing is damaged and nobody else
// is served (spec/50's loops).
func (l Link) Remote() (write, read int) {
	t := tables(l)
	return sum(t, remotePath(KindWrite)) + l.wire(), sum(t, remotePath(KindRead)) + l.wire()
}
