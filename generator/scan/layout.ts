/** Addresses in the memory of a scanner, and the meaning of its cells. Compiled by AssemblyScript and by TypeScript. */

/**
 * The kinds of nodes. The first cell of a node is its kind. Each comment lists the cells after it. A node admits a value if
 * the value is valid for it. ANY admits every value.
 */
export const ANY = 0;
/** NEVER admits no value. */
export const NEVER = 1;
export const NULL = 2;
/** The sum of 1 if true is admitted, and 2 if false is admitted. */
export const BOOLEAN = 3;
/** 1 if only integers are admitted; the number of the bounds, or -1. */
export const NUMBER = 4;
/**
 * The least length; the greatest length or -1; the count of patterns, and their numbers; the texts that are not admitted, as
 * in ENUM.
 */
export const STRING = 5;
/** The count of texts; for each text its address and its number of bytes, quotation marks included. */
export const ENUM = 6;
/** The least length; the greatest length or -1; the node of the items. */
export const ARRAY = 7;
/**
 * The number of the view or -1; the count of members; two masks of the required members; the node of undeclared members; for
 * each member its name as in ENUM, its node, and 1 if its texts occur often.
 */
export const OBJECT = 8;
/** The nodes for null, boolean, number, string, array and object; NOTHING for a type that is not admitted. */
export const TYPES = 9;
/**
 * A node; the count of groups; for each group the count of its nodes, and these nodes. The node and one node of each group
 * must admit the value.
 */
export const GROUPS = 10;

/** The cells of a node STRING. The patterns begin at STRING_HEAD. */
export const STRING_MIN = 1;
export const STRING_MAX = 2;
export const STRING_PATTERN_COUNT = 3;
export const STRING_HEAD = 4;
/** The cells of a node ARRAY. */
export const ARRAY_MIN = 1;
export const ARRAY_MAX = 2;
export const ARRAY_ITEMS = 3;
/** The cells of a node GROUPS. The groups begin at GROUPS_HEAD. */
export const GROUPS_NODE = 1;
export const GROUP_COUNT = 2;
export const GROUPS_HEAD = 3;
/** The cells of a node OBJECT. The members begin at OBJECT_HEAD. */
export const OBJECT_VIEW = 1;
export const OBJECT_MEMBER_COUNT = 2;
export const OBJECT_REQUIRED = 3;
export const OBJECT_UNDECLARED = 5;
export const OBJECT_HEAD = 6;
/** The number of cells of a member. The first cell is the address of its name. */
export const MEMBER = 4;
export const MEMBER_NAME_LENGTH = 1;
export const MEMBER_NODE = 2;
export const MEMBER_IS_COMMON = 3;
/** The greatest number of declared members of an object. */
export const MAX_MEMBERS = 64;

/** The nodes of every program: for no value, for every value, for every object. */
export const NOTHING = 0;
export const ANYTHING = 1;
export const ANY_OBJECT = 2;

/** The number of cells of a member in a view: start, end, bits and generation. */
export const FIELD = 4;
/** The start and the end of the value. */
export const FIELD_START = 0;
export const FIELD_STOP = 1;
/** The bits of a string: see WIDE, ESCAPED and KIND_BITS. */
export const FIELD_BITS = 2;
/** The generation of the number of an interned string. */
export const FIELD_GENERATION = 3;
/** The bit of a string with a character beyond ASCII, and the bit of a string with an escape. */
export const WIDE = 1;
export const ESCAPED = 2;
/** The number of these bits. The bits above them are the number of an interned string plus 1; 0 if it is not interned. */
export const KIND_BITS = 2;

/** The greatest number of states of an automaton. */
export const MAX_STATES = 250;
/**
 * The number of bytes of the row with the steps of a state. A step is the offset of the next row, counted from one row before
 * the first row. It is 0 if it has not been computed, and DEAD if no match is possible.
 */
export const STEP = 256;
export const DEAD = 0xffff;
/** The bytes of the cache of an automaton: the first sixteen bytes of the last text, and the row to which they lead. */
export const BEGINNING_CELL = 32;

/**
 * The entry of a pattern at PATTERNS is the number of its automaton plus 1, or FIRST_POSITIONS plus the number of its position
 * sets, or 0 if `test` has to be called.
 */
export const FIRST_POSITIONS = 1 << 16;
export const MAX_PATTERNS = 4096;
export const MAX_POSITIONS = 64;
/**
 * The bytes of position sets: the blocks of each half of a byte, lower halves first; the least length; for each position the
 * blocks that are admitted; for each position the only admitted byte, or 0. The last position stands for all later
 * positions.
 */
export const POSITION_MASKS = 48;
export const POSITION_BYTES = POSITION_MASKS + MAX_POSITIONS + 16;
export const POSITION_CELL = POSITION_BYTES + MAX_POSITIONS + 16;
export const MAX_POSITION_CELLS = 256;

/** The greatest nesting of a text. */
export const MAX_DEPTH = 64;
/** The greatest number of undeclared names of one object. Each is compared with all others. */
export const MAX_NAMES = 64;
export const MAX_AUTOMATA = 64;
export const MAX_BOUNDS = 4096;
/** The slots of the table of types: a power of two, and more than the number of types. */
export const TYPE_SLOTS = 16384;
export const INTERN_SLOTS = 4096;
/** The greatest number of bytes of an interned text, and the bytes of its cell. */
export const MAX_INTERNED_LENGTH = 60;
export const INTERN_CELL = 64;

/** Further results of calls. */
export const TYPE_NUMBER = 1024;
export const TYPE_HASH = 1028;
/** Length, bytes, sum, power, and 1 for a text with U+FFFD: see assembly/measure.ts. */
export const MEASURED = 1040;
/** The number of skipped lines, and 1 if the next line certainly belongs to this thread: see assembly/shards.ts. */
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
/** The generation of each number of an interned text: how often it was given to another text. */
export const GENERATIONS = INTERNED + INTERN_SLOTS * INTERN_CELL;
/** The greatest number of ids of a generation, and of their bytes. */
export const MAX_IDS = 24_576;
export const MAX_ID_BYTES = 1 << 20;
/** The slots of the table of ids: a power of two, and more than the number of ids. A slot has two bytes. */
export const ID_SLOTS = 65_536;
/** Bytes of the cell of an id: half of its hash, the number of its stream, the address and the length of its text. */
export const ID_CELL = 16;
/** The result of `rememberId` for an id that is new and was not added. */
export const NO_ROOM = -0x8000_0000;
/** The table of assembly/checksum.ts. */
export const CHECKSUMS = GENERATIONS + INTERN_SLOTS * 4;
export const ID_TABLE = CHECKSUMS + 8 * 256 * 4;
export const ID_CELLS = ID_TABLE + ID_SLOTS * 2;
export const ID_BYTES = ID_CELLS + 2 * MAX_IDS * ID_CELL;
/** The address for an id that is not part of a scanned text. */
export const SCRATCH_ID = ID_BYTES + 2 * MAX_ID_BYTES;
export const MAX_SCRATCH_ID_LENGTH = 4096;
export const INPUT = SCRATCH_ID + MAX_SCRATCH_ID_LENGTH + 8;
export const MAX_INPUT = 1 << 20;
/**
 * The number of pages of 64 KiB. The last one is a margin for reads after the end: the scanner reads strings in pieces, and
 * looks for the type at its position in the event before.
 */
export const PAGES = ((INPUT + 2 * MAX_INPUT) >> 16) + 2;
