"""Checks events with the schemas of validation.json. Generated packages of all languages give the same verdicts."""

from __future__ import annotations

import importlib.resources
import json
import math
import operator
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias


@dataclass(frozen=True)
class Issue:
    """A part of an event that breaks the contract."""

    pointer: str
    """The JSON pointer of the part. It is empty for the whole event."""
    keyword: str
    """The keyword of JSON Schema that refuses the part."""
    message: str


class InvalidEventError(ValueError):
    """The error about a value that is not an event of the contract."""

    def __init__(self, issues: Sequence[Issue]) -> None:
        super().__init__("; ".join(f"{issue.pointer}: {issue.message}" for issue in issues))
        self.issues = tuple(issues)


def find_issues(value: Any) -> tuple[Issue, ...]:
    """Return every place at which a JSON value breaks the contract, as the reader of the contract does."""
    report = _Report()
    file = _read_file()
    kind = value.get(file["discriminator"]) if isinstance(value, dict) else None
    try:
        _get_check("envelope", "")(value, None, report, None)
        if isinstance(kind, str) and kind in file["events"]:
            _get_check("events", kind)(value, None, report, None)
    except RecursionError:
        return (Issue("", "depth", "must not be nested so deeply"),)
    # The envelope and the body may report the same.
    return tuple(dict.fromkeys(report.issues))


@cache
def _read_file() -> dict[str, Any]:
    text = importlib.resources.files(__package__ or "").joinpath("validation.json").read_text("utf-8")
    file: dict[str, Any] = json.loads(text)
    return file


@cache
def _get_check(member: str, name: str) -> _Check:
    """Return the check of the envelope, or of an event type or a definition with this name."""
    part = _read_file()[member]
    return _compile(part if member == "envelope" else part[name])


_Place: TypeAlias = "tuple[Any, str | int] | None"
"""The place of a value: that of the value around it, and its name or index there. None is the whole event."""


def _format_pointer(place: _Place) -> str:
    pointer = ""
    while place is not None:
        place, name = place
        pointer = "/" + str(name).replace("~", "~0").replace("/", "~1") + pointer
    return pointer


def _describe(keyword: str, value: Any) -> str:
    text = json.dumps(value, separators=(",", ":"))
    return f'must satisfy "{keyword}": {text if len(text) <= 200 else text[:200] + "…"}'


class _Report:
    def __init__(self) -> None:
        self.issues: list[Issue] = []
        # The issues and the evaluated parts of definitions that are checked once, by name and pointer.
        self.results: dict[tuple[str, str], tuple[Any, list[Issue], _Evaluated]] = {}

    def add(self, place: _Place, keyword: str, message: str) -> None:
        self.issues.append(Issue(_format_pointer(place), keyword, message))


class _Evaluated:
    """What `unevaluatedProperties` and `unevaluatedItems` do not check: fields, and a number of first items."""

    def __init__(self) -> None:
        self.names: set[str] = set()
        self.has_all_names = False
        self.items: float = 0

    def add(self, other: _Evaluated | None) -> None:
        if other is not None:
            self.names |= other.names
            self.has_all_names |= other.has_all_names
            self.items = max(self.items, other.items)


_Check: TypeAlias = "Callable[[Any, _Place, _Report, _Evaluated | None], None]"
_Test: TypeAlias = Callable[[Any], bool]


def _compile(schema: Any) -> _Check:
    if isinstance(schema, bool):
        return _accept if schema else _refuse
    checks = [make(schema[keyword], schema) for keyword, make in _KEYWORDS.items() if keyword in schema]
    if len(checks) == 1:
        return checks[0]

    def check(value: Any, place: _Place, report: _Report, evaluated: _Evaluated | None) -> None:
        for each in checks:
            each(value, place, report, evaluated)

    if "unevaluatedProperties" not in schema and "unevaluatedItems" not in schema:
        return check

    def check_alone(value: Any, place: _Place, report: _Report, evaluated: _Evaluated | None) -> None:
        own = _Evaluated()
        check(value, place, report, own)
        if evaluated is not None:
            evaluated.add(own)

    return check_alone


def _accept(_value: Any, _place: _Place, _report: _Report, _evaluated: _Evaluated | None) -> None:
    pass


def _refuse(_value: Any, place: _Place, report: _Report, _evaluated: _Evaluated | None) -> None:
    report.add(place, "false schema", "is not allowed here")


def _run_branch(
    check: _Check, value: Any, place: _Place, report: _Report, evaluated: _Evaluated | None
) -> bool:
    """Run the check of a branch, and return whether it accepts the value. Only then its evaluated parts count."""
    branch = None if evaluated is None else _Evaluated()
    start = len(report.issues)
    check(value, place, report, branch)
    if len(report.issues) > start:
        return False
    if evaluated is not None:
        evaluated.add(branch)
    return True


def _to_number(value: Any) -> float | None:
    """Return a number as JavaScript has it; None for any other value, and for a number that is too large."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _freeze(value: Any) -> Any:
    """Return a hashable value that is equal for equal JSON values only."""
    if isinstance(value, bool):
        return (bool, value)
    if isinstance(value, list):
        return tuple(_freeze(each) for each in value)
    if isinstance(value, dict):
        return frozenset((name, _freeze(each)) for name, each in value.items())
    return float(value) if _to_number(value) is not None else value


_TYPES: dict[str, _Test] = {
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "number": lambda value: _to_number(value) is not None,
    "integer": lambda value: (_to_number(value) or 0.0).is_integer() and _to_number(value) is not None,
}


def _test_types(types: str | list[str]) -> _Test:
    tests = [_TYPES[each] for each in ([types] if isinstance(types, str) else types)]
    return tests[0] if len(tests) == 1 else lambda value: any(test(value) for test in tests)


def _test_values(values: list[Any]) -> _Test:
    known = frozenset(_freeze(each) for each in values)
    return lambda value: _freeze(value) in known


def _test_unique(is_wanted: bool) -> _Test:
    def is_unique(value: Any) -> bool:
        return not isinstance(value, list) or len(value) == len({_freeze(each) for each in value})

    return is_unique if is_wanted else lambda _value: True


def _is_multiple(value: float, step: float) -> bool:
    quotient = value / step
    return abs(quotient) < 1e21 and quotient.is_integer()


_LIMITS: dict[str, tuple[Callable[[Any], float | None], Callable[[float, float], bool]]] = {
    "minimum": (_to_number, operator.ge),
    "maximum": (_to_number, operator.le),
    "exclusiveMinimum": (_to_number, operator.gt),
    "exclusiveMaximum": (_to_number, operator.lt),
    "multipleOf": (_to_number, _is_multiple),
    "minLength": (lambda value: len(value) if isinstance(value, str) else None, operator.ge),
    "maxLength": (lambda value: len(value) if isinstance(value, str) else None, operator.le),
    "minItems": (lambda value: len(value) if isinstance(value, list) else None, operator.ge),
    "maxItems": (lambda value: len(value) if isinstance(value, list) else None, operator.le),
    "minProperties": (lambda value: len(value) if isinstance(value, dict) else None, operator.ge),
    "maxProperties": (lambda value: len(value) if isinstance(value, dict) else None, operator.le),
}


def _test_limit(keyword: str) -> Callable[[float], _Test]:
    measure, fits = _LIMITS[keyword]

    def make(limit: float) -> _Test:
        def test(value: Any) -> bool:
            size = measure(value)
            return size is None or fits(size, float(limit))

        return test

    return make


@cache
def _create_matcher(member: str, name: str) -> Callable[[str], bool]:
    """Return the matcher of a pattern or a format. It reads the tables of generator/contain/regex/portable-pattern.ts."""
    parts = _read_file()[member].get(name, [])
    tests = [_create_automaton(*part["automaton"]) for part in parts]

    def matches(text: str) -> bool:
        return all(
            test(text) != part.get("negate", False)
            and part.get("min", 0) <= len(text) <= part.get("max", math.inf)
            for test, part in zip(tests, parts)
        )

    return tests[0] if len(tests) == 1 and len(parts[0]) == 1 else matches


def _create_automaton(
    starts: list[int], classes: list[int], steps: list[list[int]], accepting: list[int]
) -> Callable[[str], bool]:
    small = [classes[bisect_right(starts, code) - 1] for code in range(128)]

    def accepts(text: str) -> bool:
        state = 0
        for code in map(ord, text):
            state = steps[state][small[code] if code < 128 else classes[bisect_right(starts, code) - 1]]
            if state < 0:
                return state == -1
        return accepting[state] == 1

    return accepts


def _test_text(member: str) -> Callable[[str], _Test]:
    def make(name: str) -> _Test:
        matches = _create_matcher(member, name)
        return lambda value: not isinstance(value, str) or matches(value)

    return make


_ASSERTIONS: dict[str, Callable[[Any], _Test]] = {
    "type": _test_types,
    "const": lambda value: _test_values([value]),
    "enum": _test_values,
    **{keyword: _test_limit(keyword) for keyword in _LIMITS},
    "pattern": _test_text("patterns"),
    "format": _test_text("formats"),
    "uniqueItems": _test_unique,
}


def _assert(keyword: str) -> _Make:
    """Return the keyword that reports each value which does not pass a test."""

    def make(wanted: Any, _schema: Any) -> _Check:
        test = _ASSERTIONS[keyword](wanted)
        message = _describe(keyword, wanted)

        def check(value: Any, place: _Place, report: _Report, _evaluated: _Evaluated | None) -> None:
            if not test(value):
                report.add(place, keyword, message)

        return check

    return make


def _make_reference(reference: str, _schema: Any) -> _Check:
    name = reference.removeprefix("#/$defs/")
    definition = _read_file()["definitions"][name]
    is_once = isinstance(definition, dict) and "x-accrete-once" in definition

    def check(value: Any, place: _Place, report: _Report, evaluated: _Evaluated | None) -> None:
        if not is_once:
            return _get_check("definitions", name)(value, place, report, evaluated)
        key = (name, _format_pointer(place))
        if key not in report.results or report.results[key][0] is not value:
            start = len(report.issues)
            own = _Evaluated()
            _get_check("definitions", name)(value, place, report, own)
            report.results[key] = (value, report.issues[start:][:50], own)
        else:
            report.issues += report.results[key][1]
        if evaluated is not None:
            evaluated.add(report.results[key][2])

    return check


def _make_required(names: list[str], _schema: Any) -> _Check:
    messages = [(name, _describe("required", name)) for name in names]

    def check(value: Any, place: _Place, report: _Report, _evaluated: _Evaluated | None) -> None:
        if isinstance(value, dict):
            for name, message in messages:
                if name not in value:
                    report.add(place, "required", message)

    return check


def _make_dependent_required(dependents: dict[str, list[str]], _schema: Any) -> _Check:
    def check(value: Any, place: _Place, report: _Report, _evaluated: _Evaluated | None) -> None:
        if isinstance(value, dict):
            for name, others in dependents.items():
                for other in others:
                    if name in value and other not in value:
                        report.add(place, "dependentRequired", _describe("dependentRequired", other))

    return check


def _make_dependent_schemas(dependents: dict[str, Any], _schema: Any) -> _Check:
    checks = {name: _compile(schema) for name, schema in dependents.items()}

    def check(value: Any, place: _Place, report: _Report, evaluated: _Evaluated | None) -> None:
        if isinstance(value, dict):
            for name, each in checks.items():
                if name in value:
                    _run_branch(each, value, place, report, evaluated)

    return check


def _make_properties(fields: dict[str, Any], _schema: Any) -> _Check:
    checks = [(name, _compile(schema)) for name, schema in fields.items() if schema not in (True, {})]

    def check(value: Any, place: _Place, report: _Report, evaluated: _Evaluated | None) -> None:
        if not isinstance(value, dict):
            return
        if evaluated is not None:
            evaluated.names.update(fields)
        for name, each in checks:
            if name in value:
                each(value[name], (place, name), report, None)

    return check


def _make_pattern_properties(patterns: dict[str, Any], _schema: Any) -> _Check:
    checks = [(_create_matcher("patterns", source), _compile(each)) for source, each in patterns.items()]

    def check(value: Any, place: _Place, report: _Report, evaluated: _Evaluated | None) -> None:
        if not isinstance(value, dict):
            return
        for name, field in value.items():
            for matches, each in checks:
                if matches(name):
                    each(field, (place, name), report, None)
                    if evaluated is not None:
                        evaluated.names.add(name)

    return check


def _make_other_properties(keyword: str) -> _Make:
    def make(other: Any, schema: Any) -> _Check:
        is_unevaluated = keyword == "unevaluatedProperties"
        declared: dict[str, Any] = {} if is_unevaluated else schema.get("properties", {})
        sources = [] if is_unevaluated else schema.get("patternProperties", {})
        patterns = [_create_matcher("patterns", source) for source in sources]
        each = _compile(other)

        def check(value: Any, place: _Place, report: _Report, evaluated: _Evaluated | None) -> None:
            if not isinstance(value, dict):
                return
            if evaluated is not None and is_unevaluated and evaluated.has_all_names:
                return
            names = evaluated.names if evaluated is not None and is_unevaluated else declared
            for name in [] if other is True else value:
                if name in names or any(matches(name) for matches in patterns):
                    continue
                if other is False:
                    report.add((place, name), keyword, "is not declared here")
                else:
                    each(value[name], (place, name), report, None)
            if evaluated is not None:
                evaluated.has_all_names = True

        return check

    return make


def _make_property_names(schema: Any, _schema: Any) -> _Check:
    each = _compile(schema)

    def check(value: Any, place: _Place, report: _Report, _evaluated: _Evaluated | None) -> None:
        for name in value if isinstance(value, dict) else []:
            if not _run_branch(each, name, place, report, None):
                report.add((place, name), "propertyNames", "is a field whose name is not allowed")

    return check


def _make_prefix_items(schemas: list[Any], _schema: Any) -> _Check:
    checks = [_compile(each) for each in schemas]

    def check(value: Any, place: _Place, report: _Report, evaluated: _Evaluated | None) -> None:
        if isinstance(value, list):
            if evaluated is not None:
                evaluated.items = max(evaluated.items, len(checks))
            for index, (each, item) in enumerate(zip(checks, value)):
                each(item, (place, index), report, None)

    return check


def _make_items(keyword: str) -> _Make:
    def make(item: Any, schema: Any) -> _Check:
        is_unevaluated = keyword == "unevaluatedItems"
        prefix = len(schema.get("prefixItems", []))
        each = _compile(item)

        def check(value: Any, place: _Place, report: _Report, evaluated: _Evaluated | None) -> None:
            if not isinstance(value, list):
                return
            first: float = evaluated.items if evaluated is not None and is_unevaluated else prefix
            if item is False and (is_unevaluated or "prefixItems" in schema):
                if len(value) > first:
                    report.add(place, keyword, "must not have so many items")
            elif item is not True and first < len(value):
                for index in range(int(first), len(value)):
                    each(value[index], (place, index), report, None)
            if evaluated is not None:
                evaluated.items = math.inf

        return check

    return make


def _make_contains(item: Any, schema: Any) -> _Check:
    least = schema.get("minContains", 1)
    most = schema.get("maxContains", math.inf)
    each = _compile(item)

    def check(value: Any, place: _Place, report: _Report, evaluated: _Evaluated | None) -> None:
        if not isinstance(value, list) or (least == 0 and most == math.inf):
            return
        # As in the TypeScript validators, a schema that accepts everything evaluates nothing, and another one all items.
        if evaluated is not None and least <= most and item not in (True, {}):
            evaluated.items = math.inf
        start = len(report.issues)
        count = 0
        for index, one in enumerate(value if least <= most else []):
            count += _run_branch(each, one, (place, index), report, None)
            if count > most or (most == math.inf and count >= least):
                break
        if least <= count <= most:
            del report.issues[start:]
        else:
            report.add(place, "contains", "must have other items")

    return check


def _make_all_of(schemas: list[Any], _schema: Any) -> _Check:
    checks = [_compile(each) for each in schemas]

    def check(value: Any, place: _Place, report: _Report, evaluated: _Evaluated | None) -> None:
        for each in checks:
            each(value, place, report, evaluated)

    return check


def _make_alternatives(keyword: str) -> _Make:
    def make(schemas: list[Any], schema: Any) -> _Check:
        checks = [_compile(each) for each in schemas]
        tag = schema.get("x-accrete-tag")
        tagged = {} if tag is None else dict(_list_tags(tag["values"], checks))

        def select(value: Any) -> list[_Check]:
            """Return the alternatives to try: all, or the one whose tag the value has."""
            if tag is None:
                return checks
            kind = _freeze(value.get(tag["property"])) if isinstance(value, dict) else None
            return [tagged[kind]] if kind in tagged else []

        def check(value: Any, place: _Place, report: _Report, evaluated: _Evaluated | None) -> None:
            start = len(report.issues)
            count = 0
            for each in select(value):
                count += _run_branch(each, value, place, report, evaluated)
                if count > 1 if keyword == "oneOf" else count == 1 and evaluated is None:
                    break
            if count == 1 or (count > 1 and keyword == "anyOf"):
                del report.issues[start:]
            else:
                report.add(place, keyword, "must fit the alternatives of the schema")

        return check

    return make


def _list_tags(values: list[list[Any]], checks: list[_Check]) -> Iterator[tuple[Any, _Check]]:
    for alternative, check in zip(values, checks):
        for value in alternative:
            yield _freeze(value), check


def _make_not(schema: Any, _schema: Any) -> _Check:
    each = _compile(schema)

    def check(value: Any, place: _Place, report: _Report, _evaluated: _Evaluated | None) -> None:
        start = len(report.issues)
        fits = _run_branch(each, value, place, report, None)
        del report.issues[start:]
        if fits:
            report.add(place, "not", "must not fit the schema below `not`")

    return check


def _make_condition(condition: Any, schema: Any) -> _Check:
    test = _compile(condition)
    then = _compile(schema.get("then", True))
    otherwise = _compile(schema.get("else", True))

    def check(value: Any, place: _Place, report: _Report, evaluated: _Evaluated | None) -> None:
        start = len(report.issues)
        fits = _run_branch(test, value, place, report, evaluated)
        del report.issues[start:]
        if not _run_branch(then if fits else otherwise, value, place, report, evaluated):
            report.add(place, "if", "must fit its condition")

    return check


_Make: TypeAlias = "Callable[[Any, Any], _Check]"

# Keywords that depend on the parts that others evaluate are the last.
_KEYWORDS: dict[str, _Make] = {
    **{keyword: _assert(keyword) for keyword in _ASSERTIONS},
    "$ref": _make_reference,
    "required": _make_required,
    "properties": _make_properties,
    "patternProperties": _make_pattern_properties,
    "additionalProperties": _make_other_properties("additionalProperties"),
    "propertyNames": _make_property_names,
    "dependentRequired": _make_dependent_required,
    "dependentSchemas": _make_dependent_schemas,
    "prefixItems": _make_prefix_items,
    "items": _make_items("items"),
    "contains": _make_contains,
    "allOf": _make_all_of,
    "anyOf": _make_alternatives("anyOf"),
    "oneOf": _make_alternatives("oneOf"),
    "not": _make_not,
    "if": _make_condition,
    "unevaluatedProperties": _make_other_properties("unevaluatedProperties"),
    "unevaluatedItems": _make_items("unevaluatedItems"),
}
