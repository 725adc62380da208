/** What stands where in the memory of a scanner, and what its cells mean. Read by AssemblyScript and by TypeScript. */

/** What a node is; the cells after it are told with each. */
export const ANY = 0;
/** Admits nothing. */
export const NEVER = 1;
export const NULL = 2;
/** 1 for true and 2 for false, added. */
export const BOOLEAN = 3;
/** Whether it has to be whole; where its bounds stand, or -1. */
export const NUMBER = 4;
/** Least length, greatest length or -1, how many patterns, and the number of each; how many texts are not admitted, and these as with AMONG. */
export const STRING = 5;
/** How many texts, and of each where its bytes stand and how many they are, quotation marks included. */
export const AMONG = 6;
/** Least length, greatest length or -1, node of the items. */
export const ARRAY = 7;
/** View or -1, how many members, two masks of the required ones, node of the others; of each member its name's place and length, as with AMONG, its node, and 1 if its texts come again and again. */
export const OBJECT = 8;
/** Nodes for null, boolean, number, string, array, object; 0 where there is none. */
export const TYPES = 9;
/** A node, how many groups; of each how many nodes, and these: of each group one must admit the value. */
export const ALSO = 10;

/** Cells of an object before its members, and of a member. */
export const OBJECT_HEAD = 6;
export const MEMBER = 4;
/** How many members an object can have. */
export const MOST_MEMBERS = 64;

/** The nodes that every program has: of nothing, of every value, of every object. */
export const NOTHING = 0;
export const ANYTHING = 1;
export const ANY_OBJECT = 2;

/** Cells of a member in a view: where its value begins and ends, for strings of what kind they are, and how often the number of a remembered one was given away before. */
export const FIELD = 4;
/** The string has a character beyond ASCII, or an escape. */
export const WIDE = 1;
export const ESCAPED = 2;
/** The string is remembered under the number that is so many bits up, less 1. */
export const KIND_BITS = 2;

/** How many states an automaton has at most. */
export const MOST_STATES = 250;
/** Bytes of the row that has the steps of a state. A step is told as the row that it leads to: where that begins in bytes, counted from one row before the first; 0 if it was not worked out, DEAD if there is none. */
export const STEP = 256;
export const DEAD = 0xffff;
/** Bytes of what is remembered of the text that an automaton read last: its first sixteen, and the row after them. */
export const BEGINNING_CELL = 32;

/** What stands at PATTERNS for a pattern: one more than the number of its automaton; FIRST_POSITIONS, or more, if it is told by positions; 0 if `test` has to be asked. */
export const FIRST_POSITIONS = 1 << 16;
export const MOST_PATTERNS = 4096;
export const MOST_POSITIONS = 64;
/** Bytes of such a pattern: the blocks that each half of a byte belongs to, the lower ones first; the least length; for each place the blocks that are admitted there; and the byte that is, if there is only one, else 0. The last ones hold for all places behind. */
export const POSITION_MASKS = 48;
export const POSITION_BYTES = POSITION_MASKS + MOST_POSITIONS + 16;
export const POSITION_CELL = POSITION_BYTES + MOST_POSITIONS + 16;
export const MOST_POSITION_CELLS = 256;

/** How deep a text may nest. */
export const DEEPEST = 64;
/** How many undeclared names one object may have, so that each can be compared with all. */
export const MOST_NAMES = 64;
export const MOST_AUTOMATA = 64;
export const MOST_BOUNDS = 4096;
/** How many types can be told apart: a power of two, and more than are learnt. */
export const TYPE_SLOTS = 16384;
export const INTERN_SLOTS = 4096;
/** Bytes of a text that is remembered, and of its cell. */
export const LONGEST_INTERNED = 60;
export const INTERN_CELL = 64;

/** What a call says besides its result. */
export const TYPE = 1024;
export const HASH = 1028;
/** Length, bytes, sum, power, and 1 if there was U+FFFD: see assembly/measure.ts. */
export const MEASURED = 1040;
/** How many lines were passed over, and whether the next one is surely this thread's: see assembly/share.ts. */
export const PASSED = 1072;

export const CELLS = 4096;
export const MOST_CELLS = 1 << 18;
export const BOUNDS = CELLS + MOST_CELLS * 4;
export const TEXTS = BOUNDS + MOST_BOUNDS * 16;
export const MOST_TEXTS = 1 << 18;
export const NEXT = TEXTS + MOST_TEXTS;
export const ACCEPTS = NEXT + MOST_AUTOMATA * MOST_STATES * 256;
export const POSITIONS = (ACCEPTS + MOST_AUTOMATA * MOST_STATES + 15) & ~15;
export const PATTERNS = POSITIONS + MOST_POSITION_CELLS * POSITION_CELL;
export const BEGINNINGS = PATTERNS + MOST_PATTERNS * 4;
export const NAMES = BEGINNINGS + MOST_AUTOMATA * BEGINNING_CELL;
export const FIELDS = NAMES + MOST_NAMES * (DEEPEST + 1) * 8;
export const PRESENT = FIELDS + 2 * MOST_MEMBERS * FIELD * 4;
export const TYPE_TABLE = PRESENT + 16;
export const INTERNED = TYPE_TABLE + TYPE_SLOTS * 12;
/** How often each number of a remembered text was given away. */
export const GENERATIONS = INTERNED + INTERN_SLOTS * INTERN_CELL;
/** How many ids a generation of them has at most, and how many bytes these have. */
export const MOST_IDS = 24_576;
export const MOST_ID_BYTES = 1 << 20;
/** Where ids are looked for: a power of two, more than there are, and their numbers need two bytes. */
export const ID_SLOTS = 65_536;
/** Bytes of the cell of an id: half of its hash, the number of its stream, where its text begins and how long that is. */
export const ID_CELL = 16;
/** What `meetId` says if an id is not there and was not added. */
export const NO_ROOM = -0x8000_0000;
export const ID_TABLE = GENERATIONS + INTERN_SLOTS * 4;
export const ID_CELLS = ID_TABLE + ID_SLOTS * 2;
export const ID_BYTES = ID_CELLS + 2 * MOST_IDS * ID_CELL;
/** For an id that stands in no text that is scanned. */
export const LOOSE_ID = ID_BYTES + 2 * MOST_ID_BYTES;
export const LONGEST_LOOSE_ID = 4096;
export const INPUT = LOOSE_ID + LONGEST_LOOSE_ID + 8;
export const MOST_INPUT = 1 << 20;
/** Pages of 64 KiB, with a margin for what is read behind the end: a piece of a string, and the type as far from the beginning as in the event before. */
export const PAGES = ((INPUT + 2 * MOST_INPUT) >> 16) + 2;
