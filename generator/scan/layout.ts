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
/** Least length, greatest length or -1, how many patterns, and of each the number of its automaton, or, if it has none, one below 0; how many texts are not admitted, and these as with AMONG. */
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

export const CELLS = 4096;
export const MOST_CELLS = 1 << 18;
export const BOUNDS = CELLS + MOST_CELLS * 4;
export const TEXTS = BOUNDS + MOST_BOUNDS * 16;
export const MOST_TEXTS = 1 << 18;
export const NEXT = TEXTS + MOST_TEXTS;
export const ACCEPTS = NEXT + MOST_AUTOMATA * MOST_STATES * 256;
export const NAMES = ACCEPTS + MOST_AUTOMATA * MOST_STATES;
export const FIELDS = NAMES + MOST_NAMES * (DEEPEST + 1) * 8;
export const PRESENT = FIELDS + 2 * MOST_MEMBERS * FIELD * 4;
export const TYPE_TABLE = PRESENT + 16;
export const INTERNED = TYPE_TABLE + TYPE_SLOTS * 12;
/** How often each number of a remembered text was given away. */
export const GENERATIONS = INTERNED + INTERN_SLOTS * INTERN_CELL;
export const INPUT = GENERATIONS + INTERN_SLOTS * 4;
export const MOST_INPUT = 1 << 20;
/** Pages of 64 KiB, with a margin for what is read behind the end: a piece of a string, and the type as far from the beginning as in the event before. */
export const PAGES = ((INPUT + 2 * MOST_INPUT) >> 16) + 2;
