/**
 * Packs long lists of numbers in the code of a package. refa contains the properties of all characters as JSON: 800 KB that
 * compress badly, because each number stands alone. The distances between them take a fraction.
 */
import { parseAst } from "rolldown/parseAst";

/** Texts below this number of characters stay as they are. */
const MIN_LENGTH = 200;

/**
 * Returns the code of a script with its long calls of `JSON.parse` for numbers replaced by calls of `unpackNumbers`. Sets of
 * texts become empty: they are properties of several characters, which only patterns with the flag v have.
 */
export function packNumbers(code) {
  const edits = [];
  visit(parseAst(code, { sourceType: "script" }), ({ type, callee, arguments: values, start, end }) => {
    if (type !== "CallExpression" || callee.type !== "MemberExpression") return;
    const [value] = values;
    if (callee.object.name !== "JSON" || callee.property.name !== "parse" || value?.type !== "Literal")
      return;
    if (value.value.length < MIN_LENGTH) return;
    const data = JSON.parse(value.value);
    if (Array.isArray(data) && data.every(isNumbers)) {
      edits.push({ start, end, text: "[]" });
      return;
    }
    const shape = SHAPES.find(({ fits }) => fits(data));
    if (shape === undefined) return;
    const packed = pack(shape.list(data));
    if (JSON.stringify(unpackNumbers(shape.name, packed)) !== JSON.stringify(data))
      throw new Error("Numbers were packed wrongly.");
    edits.push({
      start,
      end,
      text: `unpackNumbers(${JSON.stringify(shape.name)},${JSON.stringify(packed)})`,
    });
  });
  if (edits.length === 0) throw new Error("The package holds no list of numbers: is it another version?");
  const replace = (text, { start, end, text: now }) => text.slice(0, start) + now + text.slice(end);
  return `${unpackNumbers}\n${edits.sort((a, b) => b.start - a.start).reduce(replace, code)}`;
}

const isNumbers = (value) => Array.isArray(value) && value.every((each) => typeof each === "number");
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** The shapes of data that are packed, each with a function that returns it as lists of numbers. */
const SHAPES = [
  {
    name: "ranges",
    fits: (data) =>
      Array.isArray(data) && data.every((each) => isObject(each) && Object.keys(each).join() === "min,max"),
    list: (data) => data.map(({ min, max }) => (max === min ? [min] : [min, max])),
  },
  {
    name: "map",
    fits: (data) => isObject(data) && Object.values(data).every(isNumbers),
    list: (data) => Object.entries(data).map(([key, values]) => [Number(key), ...values]),
  },
];

/** Returns lists of numbers as a text: each number as its distance from the one before, the first from that of the list before. */
function pack(lists) {
  let first = 0;
  return lists
    .map((list) => {
      let last = first;
      first = list[0];
      return list
        .map((number) => {
          const distance = number - last;
          last = number;
          return distance.toString(36);
        })
        .join(",");
    })
    .join(" ");
}

/** Returns the data of a packed text. The text of this function is a part of the packed code. */
function unpackNumbers(shape, packed) {
  let first = 0;
  const lists = packed.split(" ").map((words) => {
    let last = first;
    const list = words.split(",").map((word) => {
      last += parseInt(word, 36);
      return last;
    });
    first = list[0];
    return list;
  });
  if (shape === "ranges") return lists.map(([min, max = min]) => ({ min, max }));
  return Object.fromEntries(lists.map(([key, ...values]) => [key, values]));
}

function visit(node, see) {
  if (node === null || typeof node !== "object") return;
  if (typeof node.type === "string") see(node);
  for (const child of Object.values(node)) if (typeof child === "object") visit(child, see);
}
