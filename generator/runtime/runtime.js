// What every generated validator shares. No imports: runs in browsers, workers and Node alike.

const fromToken = (token) => token.replace(/~1/g, "/").replace(/~0/g, "~");
const toToken = (name) => name.replace(/~/g, "~0").replace(/\//g, "~1");

/** What a check found, as an issue; of an undeclared property the issue is at the property itself. */
function toIssue({ pointer: at, keyword, message, name }) {
  const pointer = name === undefined ? at : `${at}/${toToken(name)}`;
  return { pointer, keyword, message, path: pointer.split("/").slice(1).map(fromToken) };
}

/** A validator made of functions that Ajv compiled; a value is valid when each of them accepts it. */
export function validator(...checks) {
  const validate = (value) => checks.every((check) => check(value));
  const issues = (value) => {
    const found = checks.flatMap((check) => (check(value) ? [] : check.errors.map(toIssue)));
    // Envelope and body may both say the same of one value.
    return [...new Map(found.map((issue) => [issue.pointer + issue.message, issue])).values()];
  };
  const standard = (value) => (validate(value) ? { value } : { issues: issues(value) });
  return Object.assign(validate, {
    checks,
    issues,
    "~standard": { version: 1, vendor: "accrete", validate: standard },
  });
}

/** A validator of complete events of one type. */
export function eventValidator(discriminator, type, envelope, body) {
  const named = (value) => value?.[discriminator] === type;
  named.errors = [
    { pointer: `/${discriminator}`, keyword: "const", message: `must be ${JSON.stringify(type)}` },
  ];
  return Object.assign(validator(...envelope.checks, named, body), { body });
}

/** Returns `decodeEvent` of one profile, from the validators of the envelope and of the events by type. */
export function decoder(discriminator, { envelope, events }) {
  const decode = (value) => {
    const sound = envelope(value);
    const known = events.get(value?.[discriminator]);
    if (!known)
      return sound ? { kind: "unknown", event: value } : { kind: "invalid", issues: envelope.issues(value) };
    return sound && known.body(value)
      ? { kind: "known", event: value }
      : { kind: "invalid", issues: known.issues(value) };
  };
  return (value) => {
    try {
      return decode(value);
    } catch (error) {
      // The stack has an end, a JSON text has none.
      if (!(error instanceof RangeError)) throw error;
      return { kind: "invalid", issues: [toIssue({ pointer: "", keyword: "depth", message: TOO_DEEP })] };
    }
  };
}

/** Returns a function that decodes with the decoder of the given profile, by default with the reader's. */
export function profileDecoder({ reader, writer }) {
  return (value, { profile = "reader" } = {}) => (profile === "writer" ? writer : reader)(value);
}

const TOO_DEEP = "must not be nested so deeply";

/**
 * A regular expression for strings that come again and again, as ids do: it accepts what `pattern` accepts, and compares
 * a string with an earlier one before it searches. Keeps at most 256 short strings, by their last characters.
 */
export function matcher(pattern) {
  const accepted = [];
  const test = (text) => {
    const { length } = text;
    const slot = (text.charCodeAt(length - 1) * 31 + text.charCodeAt(length - 2) + length) & 255;
    if (accepted[slot] === text) return true;
    if (!pattern.test(text)) return false;
    if (length <= 64) accepted[slot] = text;
    return true;
  };
  return { test };
}

/**
 * A matcher that reads each character once, for a pattern on which a regular expression may take very long. `starts` and
 * `classes` divide the characters, `steps` leads from a state with a class to the next state: -1 if the pattern has matched,
 * -2 if it cannot match any longer.
 */
export function automaton(starts, classes, steps, accepting) {
  const findClass = (char) => {
    let [low, high] = [0, starts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (starts[middle] <= char) low = middle;
      else high = middle - 1;
    }
    return classes[low];
  };
  const small = Uint16Array.from({ length: 128 }, (_, char) => findClass(char));
  const test = (text) => {
    let state = 0;
    for (let i = 0; i < text.length; i++) {
      const char = text.codePointAt(i);
      if (char > 0xffff) i++;
      state = steps[state][char < 128 ? small[char] : findClass(char)];
      if (state < 0) return state === -1;
    }
    return accepting[state] === 1;
  };
  return { test };
}

/** The greatest number of errors that a function reports once more when it is called with the same part of a value again. */
const MAX_REPEATED_ERRORS = 50;

/** The results of functions for the value that is checked now: by function, and by the pointer of a part of the value. */
let results;

/**
 * A compiled function that checks each part of a value once. Alternatives that lead to the same definition would otherwise
 * check a part again, and each level of the value would double the time and the number of errors.
 */
export function once(check) {
  const checkOnce = (value, place) => {
    const isOutermost = results === undefined;
    if (isOutermost) results = new Map();
    try {
      const known = results.get(check) ?? new Map();
      results.set(check, known);
      const pointer = place?.instancePath ?? "";
      const result = known.get(pointer);
      if (result !== undefined && result.value === value) {
        checkOnce.errors = result.errors && [...result.errors];
        // What the value's fields and items are to `unevaluatedProperties` and `unevaluatedItems` around it.
        Object.assign(checkOnce.evaluated ?? {}, result.evaluated);
        return result.errors === null;
      }
      const isValid = check(value, place);
      const errors = isValid ? null : checkOnce.errors.slice(0, MAX_REPEATED_ERRORS);
      known.set(pointer, { value, errors, evaluated: { ...checkOnce.evaluated } });
      return isValid;
    } finally {
      if (isOutermost) results = undefined;
    }
  };
  return checkOnce;
}

/** The length of a string in code points, as JSON Schema counts it. */
export function codePoints(text) {
  let length = text.length;
  for (let i = 0; i < text.length - 1; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= 0xd800 && unit <= 0xdbff) {
      const next = text.charCodeAt(i + 1);
      if (next >= 0xdc00 && next <= 0xdfff) {
        length--;
        i++;
      }
    }
  }
  return length;
}

/** Whether two JSON values are equal: numbers by value, objects by their members in any order. */
export function equal(a, b) {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && equal(a[key], b[key]))
  );
}
