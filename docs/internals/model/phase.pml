/*
 * The phase protocol of Fagus: gather, plan, transfer, done, through rings with
 * flow control, for NODES nodes and one sync variable. README.md describes the
 * properties, the limits of the model and how to run it.
 *
 *	NODES    2 or 3
 *	K        slots of a ring, 1 or 2
 *	DIE      1: one node may die, at any step
 *	COARSE   1: larger steps, which leave out interleavings that commute
 *	FENCES   1: nodes may call Fence before any call
 *	LIVE     if defined, the model has the ltl property, which needs fairness
 *	MISTAKE  0, or one of the planted mistakes below
 */
#ifndef NODES
#define NODES 2
#endif
#ifndef K
#define K 1
#endif
#ifndef DIE
#define DIE 0
#endif
#ifndef COARSE
#define COARSE 0
#endif
#ifndef FENCES
#define FENCES 0
#endif
#ifndef MISTAKE
#define MISTAKE 0
#endif

/* The planted mistakes. Each breaks one rule of the engine. */
#define READS_AHEAD     (MISTAKE == 1)  /* polls a ring from which nothing is due */
#define EXTRA_CREDIT    (MISTAKE == 2)  /* counts one slot too many as free */
#define FINISHES_EARLY  (MISTAKE == 3)  /* finishes a phase before it has sent all frames */
#define FLAG_FIRST      (MISTAKE == 4)  /* posts the send-complete flag before the data */
#define GRANTS_TWO      (MISTAKE == 5)  /* grants two exclusive requests at once */
#define STALE_OWNER     (MISTAKE == 6)  /* an exclusive tenure does not make an owner */
#define NO_VERSIONS     (MISTAKE == 7)  /* a node with a copy of any version gets no data */
#define FREES_FIRST     (MISTAKE == 8)  /* gives a slot back before it has read the frame */
#define KEEPS_SLOT      (MISTAKE == 9)  /* ends a phase with a receive-complete flag not posted */
#define NO_TURNS        (MISTAKE == 10) /* always grants the lowest rank first */
#define STAYS_OUT       (MISTAKE == 11) /* a node that wants nothing takes no part */
#define UNNOTICED       (MISTAKE == 12) /* no node learns of a death */
#define PASSES_FENCE    (MISTAKE == 13) /* grants behind a Fence that a node has not called */
#define FORGETS_FENCE   (MISTAKE == 14) /* a list that is repeated is no longer behind the Fence */
#define KEEPS_FENCE     (MISTAKE == 15) /* a list stays behind a Fence that all have called */
#define SECOND_FENCE    (MISTAKE == 16) /* a second Fence does not wait for the first */
#define MISTAKES 16

/* Phases are numbered modulo PHASES. PHASES is at least 3, so that three phases in
 * a row have different numbers. It is a multiple of NODES, so that turns rotate as
 * in the engine. */
#if NODES == 2
#define PHASES 4
#else
#define PHASES 3
#endif
#define PIECES 2 /* data frames of the variable: more than a ring of one slot holds */

/* The access that a list wants. */
#define NOTHING 0
#define SHARED 1
#define EXCLUSIVE 2

/* A frame is the contents of a slot. */
#define LIST 1 /* arg: ENTRY */
#define DATA 2 /* arg: 1 if the piece is of the newest version */
/* age: for how many phases the want has waited. behind: the node has called Fence, and
 * not all other nodes have since. */
#define ENTRY ((want) + 4 * (age) + 16 * (behind))
#define WANT(entry) ((entry) % 4)
#define AGE(entry) ((entry) / 4 % 4)
#define BEHIND(entry) ((entry) / 16)
#define ABSENT 255 /* no list has arrived */

typedef Frame {
	byte kind; /* 0: empty, or read by the receiver */
	byte phase;
	byte arg
}

/* A PAIR is the index of the ring from one node to another. */
#define PAIR(from, to) ((from) * NODES + (to))
#define PAIRS (NODES * NODES)

Frame slot[PAIRS * K];                 /* in the receiver's memory */
chan ring[PAIRS] = [K + 1] of { byte } /* send-complete flags: numbers of slots */
byte credit[PAIRS];                    /* receive-complete flags that the sender may use up */
byte sent[PAIRS];                      /* data frames put in this phase; apply compares with got */

bool newest[NODES * PIECES]; /* by node and piece: the node's copy has the newest version */
byte held[NODES];            /* by node: the access of its present tenure, or NOTHING */

byte fences[NODES];          /* by node: Fences that it has called and another node has not */

bool died; /* a node has died */

/* Temporary variables of one step. */
hidden byte i, r, s, arg, taken;

#define BIT(rank) (1 << (rank))
#define NEXT(rank) (((rank) + 1) % NODES)
#define THIRD(rank) (((rank) + 2) % NODES)

/*
 * The steps of a node.
 */

/* write puts a frame into the next slot of the ring to a peer. */
inline write(to, k, a) {
	slot[PAIR(me, to) * K + pos[to]].kind = k;
	slot[PAIR(me, to) * K + pos[to]].phase = phase;
	slot[PAIR(me, to) * K + pos[to]].arg = a
}

/* flag posts the send-complete flag of a slot. */
inline flag(to) {
	ring[PAIR(me, to)] ! pos[to]
}

/* put is the first half of sending a frame; complete is the second half. */
inline put(to, k, a) {
	assert(len(ring[PAIR(me, to)]) < K); /* no overrun: a slot is free */
	credit[PAIR(me, to)]--;
	left[to]--;
	busy[to] = true;
	if
	:: FLAG_FIRST -> flag(to)
	:: else -> write(to, k, a)
	fi;
	if
	:: COARSE -> complete(to, k, a)
	:: else
	fi
}

inline complete(to, k, a) {
	if
	:: FLAG_FIRST -> write(to, k, a)
	:: else -> flag(to)
	fi;
	busy[to] = false;
	pos[to] = (pos[to] + 1) % K
}

/* take reads a slot and empties it, which is the first half of receiving a frame.
 * free is the second half: it posts the receive-complete flag. */
inline take(from, k) {
	ring[PAIR(from, me)] ? s;
	assert(slot[PAIR(from, me) * K + s].kind != 0);      /* the frame of the flag is in the slot */
	assert(slot[PAIR(from, me) * K + s].phase == phase); /* no frame of another phase */
	assert(slot[PAIR(from, me) * K + s].kind == k);
	arg = slot[PAIR(from, me) * K + s].arg;
	slot[PAIR(from, me) * K + s].kind = 0;
	slot[PAIR(from, me) * K + s].phase = 0;
	slot[PAIR(from, me) * K + s].arg = 0;
	s = 0;
	due[from]--;
	owing[from] = !FREES_FIRST;
	if
	:: COARSE -> free(from)
	:: else
	fi
}

inline free(from) {
	credit[PAIR(from, me)]++;
	owing[from] = FREES_FIRST
}

#define CANPUT(to) (left[to] > 0 && !busy[to] && credit[PAIR(me, to)] > 0)
#define CANTAKE(from) ((due[from] > 0 || READS_AHEAD) && owing[from] == FREES_FIRST && \
	len(ring[PAIR(from, me)]) > 0)
/* With the mistake FREES_FIRST, the flag is posted as soon as a frame has landed, and
 * the frame is read afterwards. Then owing is true between flag and read. */
#define CANFREE(from) (FREES_FIRST -> \
	(due[from] > 0 && !owing[from] && len(ring[PAIR(from, me)]) > 0) : owing[from])
#define OVER(peer) ((left[peer] == 0 && !busy[peer] || FINISHES_EARLY) && due[peer] == 0 && \
	(!owing[peer] || KEEPS_SLOT))
#if NODES == 2
#define QUIET OVER(NEXT(me))
#else
#define QUIET (OVER(NEXT(me)) && OVER(THIRD(me)))
#endif

/* Events that may happen at any step. A dead node takes no more steps. Some time
 * later the runtime fails every port, and a node whose port has failed stops. */
#define MISHAP \
	:: DIE && !died -> died = true; goto dead \
	:: died && !UNNOTICED -> goto stopped

inline put_list(peer) {
	put(peer, LIST, ENTRY)
}

/* The number of a piece is the number of frames that follow it. */
#define PIECE(number) newest[me * PIECES + (number)]

inline put_piece(peer) {
	sent[PAIR(me, peer)]++;
	put(peer, DATA, PIECE(left[peer]))
}

/* If COARSE is 1, AT_ONCE puts all frames that can be put, at the start of a state. */
#if COARSE
#define TRY(peer, step) if :: CANPUT(peer) -> step(peer) :: else fi
#if NODES == 2
#define AT_ONCE(step) ; TRY(NEXT(me), step)
#else
#define AT_ONCE(step) ; TRY(NEXT(me), step); TRY(THIRD(me), step)
#endif
#else
#define AT_ONCE(step)
#endif

/* The steps of a node that gathers, for one peer. */
#define LISTS(peer) \
	:: d_step { CANPUT(peer) -> put_list(peer) } \
	:: d_step { busy[peer] -> complete(peer, LIST, ENTRY) } \
	:: d_step { CANTAKE(peer) -> take(peer, LIST); list[peer] = arg; arg = 0 } \
	:: d_step { CANFREE(peer) -> free(peer) }

/* The steps of a node that transfers, for one peer. */
#define PIECES_OF(peer) \
	:: d_step { CANPUT(peer) -> put_piece(peer) } \
	:: d_step { busy[peer] -> complete(peer, DATA, PIECE(left[peer])) } \
	:: d_step { CANTAKE(peer) -> take(peer, DATA); PIECE(due[peer]) = arg; arg = 0; got++ } \
	:: d_step { CANFREE(peer) -> free(peer) }

/* begin begins a phase: the node owes a list to each peer, and each peer owes it a list. */
inline begin() {
	held[me] = NOTHING; /* a release needs no message */
	list[me] = ENTRY;
	i = 0;
	do
	:: i < NODES ->
		if
		:: i != me -> left[i] = 1; due[i] = 1; owing[i] = (KEEPS_SLOT -> false : owing[i])
		:: else
		fi;
		i++
	:: else -> break
	od;
	i = 0
}

/* fence is the call of Fence. It sends nothing: the node's next list is behind it. */
inline fence() {
	behind = true;
	fences[me]++;
	i = 0;
	do
	:: i < NODES && fences[i] > 0 -> i++
	:: else -> break
	od;
	if
	:: i == NODES -> /* all nodes have called it */
		do
		:: i > 0 -> i--; fences[i]--
		:: else -> break
		od
	:: else -> i = 0
	fi
}

/* pass decides whether the Fence is passed: in the phase in which all lists are behind it.
 * In any other phase nothing behind it is granted. */
inline pass() {
	arg = 0;
	i = 0;
	do
	:: i < NODES -> arg = arg + BEHIND(list[i]); i++
	:: else -> break
	od;
	i = 0
}

#define OPEN (arg == NODES)

/* grant decides which requests are granted. Older requests come first. Requests of the
 * same age come in the order of the ranks, rotated by the phase number. */
inline grant() {
	granted = 0;
	taken = NOTHING;
	pass();
	do
	:: i < NODES * NODES ->
		r = (NO_TURNS -> i % NODES : (phase + i) % NODES);
		if
		:: AGE(list[r]) == NODES - 1 - i / NODES || (NO_TURNS && i < NODES) ->
			if
			:: BEHIND(list[r]) && !OPEN && !PASSES_FENCE
			:: WANT(list[r]) == EXCLUSIVE && (taken == NOTHING || GRANTS_TWO) ->
				granted = granted | BIT(r); taken = EXCLUSIVE
			:: WANT(list[r]) == SHARED && taken != EXCLUSIVE ->
				granted = granted | BIT(r); taken = SHARED
			:: else
			fi
		:: else
		fi;
		i++
	:: else -> break
	od;
	if
	:: OPEN || FORGETS_FENCE -> behind = KEEPS_FENCE && want != NOTHING && !(granted & BIT(me))
	:: else
	fi;
	r = 0; taken = NOTHING; i = 0; arg = 0
}

/* schedule: the owner sends data to the granted nodes that lack the newest version. */
inline schedule() {
	i = 0;
	do
	:: i < NODES ->
		if
		:: (granted & BIT(i)) && i != owner && !(fresh & BIT(i)) ->
			if
			:: me == owner -> left[i] = PIECES
			:: me == i -> due[owner] = PIECES
			:: else
			fi
		:: else
		fi;
		i++
	:: else -> break
	od;
	i = 0
}

/* apply records the grants of the phase in the node's table. */
inline apply() {
	i = 0;
	do
	:: i < NODES ->
		if
		:: !(granted & BIT(i))
		:: else ->
			if
			:: WANT(list[i]) == EXCLUSIVE ->
				owner = (STALE_OWNER -> owner : i);
				fresh = (NO_VERSIONS -> fresh | BIT(i) : BIT(i))
			:: else -> fresh = fresh | BIT(i)
			fi
		fi;
		list[i] = ABSENT;
		/* All frames that node i has put have arrived: no ring holds a frame. */
		if
		:: i != me && sent[PAIR(i, me)] > 0 ->
			assert(sent[PAIR(i, me)] == got);
			sent[PAIR(i, me)] = 0;
			got = 0
		:: else
		fi;
		i++
	:: else -> break
	od;
	assert(got == 0);
	i = 0
}

/* tenure ends the phase. If the node's list is granted, tenure checks that the node may
 * hold the variable, and begins the node's tenure. */
inline tenure() {
	if
	:: granted & BIT(me) ->
		assert(fences[me] == 0); /* all nodes have called the Fences before the tenure */
		do
		:: i < NODES ->
			assert(i == me || held[i] == NOTHING || want == SHARED && held[i] == SHARED);
			i++
		:: else -> break
		od;
		i = 0;
		do
		:: i < PIECES -> assert(newest[me * PIECES + i]); i++
		:: else -> break
		od;
		i = 0;
		held[me] = want;
		if
		:: want == EXCLUSIVE -> /* the node writes the variable, so all other copies are old */
			do
			:: i < NODES * PIECES -> newest[i] = (i / PIECES == me); i++
			:: else -> break
			od;
			i = 0;
			do
			:: i < PAIRS -> assert(sent[i] == 0); i++ /* no piece is in flight */
			:: else -> break
			od;
			i = 0
		:: else
		fi;
		want = NOTHING;
		age = 0
	:: else ->
		age = (want == NOTHING || behind -> 0 : age + 1);
		assert(age < NODES) /* a request waits for each other node at most once */
	fi;
	granted = 0;
	phase = (phase + 1) % PHASES
}

/* A node makes a call when the last one is complete. Behind a Fence this also holds for a
 * call that wants nothing. */
#define CALLS (want == NOTHING && (!behind || SECOND_FENCE))

proctype node(byte me) {
	byte phase, want, age;
	bool behind;
	byte owner, fresh = BIT(NODES) - 1; /* this node's table: all copies are of version 0 */
	byte list[NODES] = ABSENT;          /* by node: its list of this phase */
	byte granted;                       /* the set of nodes whose lists are granted */
	byte left[NODES], due[NODES];       /* by peer: frames still to put, frames still to take */
	bool busy[NODES];                   /* by peer: a frame is put and not complete */
	bool owing[NODES];                  /* by peer: a frame is taken and its slot not freed */
	byte pos[NODES];                    /* by peer: the next slot of the ring to the peer */
	byte got;                           /* data frames taken in this phase */

compute:
	atomic {
		if
		MISHAP
		:: want != NOTHING || behind && !SECOND_FENCE /* the call is not complete and is repeated */
		:: CALLS -> want = SHARED
		:: CALLS -> want = EXCLUSIVE
		:: CALLS /* the node wants nothing, and takes part all the same */
		:: FENCES && CALLS -> d_step { fence(); want = SHARED }
		:: FENCES && CALLS -> d_step { fence(); want = EXCLUSIVE }
		:: FENCES && CALLS -> d_step { fence() } /* wants nothing, or has called Fence again */
		:: STAYS_OUT && CALLS -> goto compute
		fi;
		d_step { begin() AT_ONCE(put_list) }
	};

gather:
	do
	MISHAP
	LISTS(NEXT(me))
#if NODES == 3
	LISTS(THIRD(me))
#endif
	:: d_step { QUIET -> grant(); schedule() AT_ONCE(put_piece) }; goto transfer
	od;

transfer:
	do
	MISHAP
	PIECES_OF(NEXT(me))
#if NODES == 3
	PIECES_OF(THIRD(me))
#endif
	:: d_step { QUIET -> apply(); tenure() }; goto compute
	od;

stopped: /* the node has stopped with an error, because a peer has died */
dead:
	skip;
	d_step { /* clear the state, so that fewer states differ */
		phase = 0; want = 0; age = 0; behind = 0; owner = 0; fresh = 0; granted = 0; got = 0;
		do
		:: i < NODES ->
			list[i] = 0; left[i] = 0; due[i] = 0; pos[i] = 0;
			busy[i] = false; owing[i] = false;
			i++
		:: else -> break
		od;
		i = 0
	}
}

init {
	d_step {
		i = 0;
		do
		:: i < PAIRS -> credit[i] = K + EXTRA_CREDIT; i++
		:: else -> break
		od;
		i = 0;
		do
		:: i < NODES * PIECES -> newest[i] = true; i++
		:: else -> break
		od;
		i = 0
	};
	atomic {
		run node(0);
		run node(1);
#if NODES == 3
		run node(2)
#endif
	}
}

#ifdef LIVE
#if DIE
/* A node that learns of a death stops. */
ltl live { [](died -> <>(_nr_pr <= 1)) }
#else
/* Every node keeps getting phases. */
ltl live { []<>node[1]@compute && []<>node[2]@compute }
#endif
#endif
