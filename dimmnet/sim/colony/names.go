package colony

// module identifies a state machine of a board. The FC interface sends and receives at the same
// time, so it is two machines.
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

// state identifies a state of a module. Modules share the names.
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

// input is the reason to leave a state: a signal from another module, or a result of the module
// itself. If several signals are pending, the one listed first here is handled first.
type input uint8

const (
	always input = iota // the clocks of the state have passed
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
	wake // not for a module: continues a program
	inputs
)
