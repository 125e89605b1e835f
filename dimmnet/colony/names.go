package colony

// module is one of the state machines of a board. The FC interface, which sends and
// receives at a time, is two.
type module uint8

const (
	mbus     module = iota // MBus interface
	mdc                    // MBus data control
	fdc                    // FC data control
	sender                 // send data
	receiver               // receive data
	sdc                    // SSRAM data control
	sram                   // SSRAM interface
	fcOut                  // FC interface, sending
	fcIn                   // FC interface, receiving
	modules
)

func (m module) String() string {
	return [modules]string{"MBus interface", "MBus data control", "FC data control", "send data", "receive data",
		"SSRAM data control", "SSRAM interface", "FC interface, sending", "FC interface, receiving"}[m]
}

// state is a state of a module; modules share the names.
type state uint8

const (
	idle state = iota
	judge
	localWrite
	localRead
	wait
	waitLocal
	remoteAccess
	waitRemote
	replyData
	accessMDC
	send
	accessFC
	receiveAnswer
	sramRead
	sramReply
	sendReply
	sendAck
	sramWrite
	access
	makePacket
	receive
	checkHeader
	checkParity
	dataComing
	writeAccess
	readAccess
	getReply
	replyFDC
	replyMDC
	writing
	reading
	widths
	sending
	dropped
	comp
	states
)

func (s state) String() string {
	return [states]string{"idle", "judge", "local write", "local read", "wait", "wait local", "remote access",
		"wait remote", "reply data", "access from MDC", "send", "access from FC", "receive ack/reply",
		"SRAM read access", "SRAM read reply", "send reply", "send ack", "SRAM write access", "access", "make packet",
		"receive", "check header", "check parity", "data coming", "write access", "read access", "get reply",
		"reply to FDC", "reply to MDC", "write", "read", "change width", "sending", "drop", "comp"}[s]
}

// input is what a state leaves on: a signal of a module, or what the module itself
// has found. Of signals that wait, the first here is taken.
type input uint8

const (
	always input = iota // the state's time is over
	busAccess
	isLocalWrite
	isLocalRead
	isRemote
	taken
	isAck
	isData
	isNack
	timeout
	gaveUp
	sramData
	fromFC
	fromMDC
	fromFDC
	isWrite
	isRead
	isAgain
	isBad
	isAnswer
	isGood
	writeFDC
	readFDC
	writeMDC
	readMDC
	full
	short
	wake // of no module: a program goes on
	inputs
)

func (i input) String() string {
	return [inputs]string{"", "bus access", "local write", "local read", "remote", "taken", "ack", "data", "nack",
		"timeout", "too many tries", "SRAM data", "packet", "from MDC", "from FDC", "write", "read",
		"write seen before", "bad", "answer", "good", "write by FDC", "read by FDC", "write by MDC", "read by MDC",
		"96 bits", "too few bits", "wake"}[i]
}

// action is what a module does with data as it changes state.
type action uint8

const (
	nothing action = iota
	judgeAccess
	endAccess
	takeWrite
	newRequest
	startTimer
	tryAfterNack
	tryAgain
	keepRead
	replyToBus
	acceptPacket
	giveRequest
	giveAck
	giveSeen
	giveNack
	giveReply
	writeForFDC
	readForFDC
	takeAnswer
	takePacket
	encodePacket
	takeBits
	transmit
	putFIFO
	countShort
	getFIFO
	lookHeader
	lookParity
	writeForMDC
	readForMDC
	latchFDCWrite
	latchFDCRead
	latchMDCWrite
	latchMDCRead
	whoReads
	store
	load
	actions
)

func (a action) String() string {
	return [actions]string{"", "judge", "end access", "take write", "new request", "start timer", "try again",
		"try again", "keep word", "reply to bus", "accept packet", "give request", "give ack", "give ack again", "give nack",
		"give reply", "give write", "give read", "take answer", "take packet", "encode", "take bits", "transmit", "put in FIFO",
		"count", "get from FIFO", "compare header", "compute parity", "give write", "give read",
		"latch write", "latch read", "latch write", "latch read", "who reads?", "store word", "load word"}[a]
}
