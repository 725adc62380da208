/** Addresses in the memory of a scanner, and the meaning of its cells. Read by AssemblyScript and by TypeScript. */

/** Kinds of nodes. Each comment lists the cells that follow. This one admits any value. */
export const ANY = 0;
/** Admits nothing. */
export const NEVER = 1;
export const NULL = 2;
/** 1 for true and 2 for false, added. */
export const BOOLEAN = 3;
/** 1 if it has to be whole; the number of its bounds, or -1. */
export const NUMBER = 4;
/** Least length, greatest length or -1; how many patterns, and the number of each; how many texts are not admitted, and these as in ENUM. */
export const STRING = 5;
/** How many texts; for each the address of its bytes and their number, with quotation marks. */
export const ENUM = 6;
/** Least length, greatest length or -1, node of the items. */
export const ARRAY = 7;
/** View or -1, how many members, two masks of the required ones, node of the others; for each member the address and length of its name as in ENUM, its node, and 1 if its texts occur often. */
export const OBJECT = 8;
/** Nodes for null, boolean, number, string, array, object; 0 where there is none. */
export const TYPES = 9;
/** A node, how many groups; for each how many nodes, and these. The node and one of each group must admit the value. */
export const GROUPS = 10;

/** Cells of an object before its members, and of a member. */
export const OBJECT_HEAD = 6;
export const MEMBER = 4;
/** How many members an object can have. */
export const MAX_MEMBERS = 64;

/** The nodes of every program: for no value, for every value, for every object. */
export const NOTHING = 0;
export const ANYTHING = 1;
export const ANY_OBJECT = 2;

/** Cells of a member in a view: start and end of its value, the kind of a string, and how often the number of an interned string was given to another one before. */
export const FIELD = 4;
/** The string has a character beyond ASCII, or an escape. */
export const WIDE = 1;
export const ESCAPED = 2;
/** The bits above these hold the number of an interned string plus 1; 0 if it is not interned. */
export const KIND_BITS = 2;

/** How many states an automaton has at most. */
export const MAX_STATES = 250;
/** Bytes of the row with the steps of a state. A step is the offset of the next row, counted from one row before the first; 0 if it was not worked out, DEAD if no match is possible. */
export const STEP = 256;
export const DEAD = 0xffff;
/** Bytes of the cache of an automaton: the first sixteen bytes of the last text, and the row after them. */
export const BEGINNING_CELL = 32;

/** The entry of a pattern at PATTERNS: the number of its automaton plus 1; FIRST_POSITIONS plus the number of its position sets; 0 if `test` has to be called. */
export const FIRST_POSITIONS = 1 << 16;
export const MAX_PATTERNS = 4096;
export const MAX_POSITIONS = 64;
/** Bytes of position sets: the blocks of each half of a byte, lower halves first; the least length; for each position the blocks that are admitted; and the byte that is admitted, if it is only one, else 0. The last ones hold for all further positions. */
export const POSITION_MASKS = 48;
export const POSITION_BYTES = POSITION_MASKS + MAX_POSITIONS + 16;
export const POSITION_CELL = POSITION_BYTES + MAX_POSITIONS + 16;
export const MAX_POSITION_CELLS = 256;

/** Greatest nesting of a text. */
export const MAX_DEPTH = 64;
/** Most undeclared names of one object; each is compared with all others. */
export const MAX_NAMES = 64;
export const MAX_AUTOMATA = 64;
export const MAX_BOUNDS = 4096;
/** Slots of the table of types: a power of two, and more than there are types. */
export const TYPE_SLOTS = 16384;
export const INTERN_SLOTS = 4096;
/** Most bytes of an interned text, and bytes of its cell. */
export const MAX_INTERNED_LENGTH = 60;
export const INTERN_CELL = 64;

/** Further results of calls. */
export const TYPE_NUMBER = 1024;
export const TYPE_HASH = 1028;
/** Length, bytes, sum, power, and 1 if there was U+FFFD: see assembly/measure.ts. */
export const MEASURED = 1040;
/** How many lines were skipped, and 1 if the next one certainly is this thread's: see assembly/shards.ts. */
export const SKIPPED = 1072;

export const CELLS = 4096;
export const MAX_CELLS = 1 << 18;
export const BOUNDS = CELLS + MAX_CELLS * 4;
export const TEXTS = BOUNDS + MAX_BOUNDS * 16;
export const MAX_TEXTS = 1 << 18;
export const NEXT = TEXTS + MAX_TEXTS;
export const ACCEPTS = NEXT + MAX_AUTOMATA * MAX_STATES * 256;
export const POSITIONS = (ACCEPTS + MAX_AUTOMATA * MAX_STATES + 15) & ~15;
export const PATTERNS = POSITIONS + MAX_POSITION_CELLS * POSITION_CELL;
export const BEGINNINGS = PATTERNS + MAX_PATTERNS * 4;
export const NAMES = BEGINNINGS + MAX_AUTOMATA * BEGINNING_CELL;
export const FIELDS = NAMES + MAX_NAMES * (MAX_DEPTH + 1) * 8;
export const PRESENT = FIELDS + 2 * MAX_MEMBERS * FIELD * 4;
export const TYPE_TABLE = PRESENT + 16;
export const INTERNED = TYPE_TABLE + TYPE_SLOTS * 12;
/** How often each number of an interned text was given to another one. */
export const GENERATIONS = INTERNED + INTERN_SLOTS * INTERN_CELL;
/** Most ids of a generation, and most bytes of them. */
export const MAX_IDS = 24_576;
export const MAX_ID_BYTES = 1 << 20;
/** Slots of the table of ids: a power of two, and more than there are ids. A slot has two bytes. */
export const ID_SLOTS = 65_536;
/** Bytes of the cell of an id: half of its hash, the number of its stream, the address and the length of its text. */
export const ID_CELL = 16;
/** The result of `rememberId` for an id that is not there and was not added. */
export const NO_ROOM = -0x8000_0000;
export const ID_TABLE = GENERATIONS + INTERN_SLOTS * 4;
export const ID_CELLS = ID_TABLE + ID_SLOTS * 2;
export const ID_BYTES = ID_CELLS + 2 * MAX_IDS * ID_CELL;
/** The place for an id that is not part of a scanned text. */
export const SCRATCH_ID = ID_BYTES + 2 * MAX_ID_BYTES;
export const MAX_SCRATCH_ID_LENGTH = 4096;
export const INPUT = SCRATCH_ID + MAX_SCRATCH_ID_LENGTH + 8;
export const MAX_INPUT = 1 << 20;
/** Pages of 64 KiB, with a margin for reads behind the end: of a piece of a string, and of the type at its place in the event before. */
export const PAGES = ((INPUT + 2 * MAX_INPUT) >> 16) + 2;
