package colony

// stop is a state on the path of an access. A path lists the states from bus access to end, while
// other modules may work. The wire is no module: its time is added to the path's.
type stop struct {
	module module
	state  state
}

// sramPath returns the states of an SSRAM read. reply is the state that passes the word on.
func sramPath(reply state) []stop {
	return []stop{{sdc, idle}, {sdc, dataComing}, {sram, idle}, {sram, reading}, {sdc, readAccess}, {sdc, getReply}, {sdc, reply}}
}

// packetPath returns a packet's states from one FC data control to another, without the wire.
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

// wire returns the clocks that the request and the answer of an access spend on the wire.
func (l Link) wire() int { return 2*l.flights()[0] - l.ahead(KindAnswer) }

// Remote returns the clocks of a remote access without damaged packets or other requests. They are
// those of the loop (docs/lab/papers.md, Computer Colony, Figures).
func (l Link) Remote() (write, read int) {
	t := tables(l)
	return sum(t, remotePath(KindWrite)) + l.wire(), sum(t, remotePath(KindRead)) + l.wire()
}
