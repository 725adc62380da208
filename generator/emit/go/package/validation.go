package events

import (
	"bytes"
	_ "embed" // for validation.json
	"encoding/json"
	"errors"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// Checks events with the schemas of validation.json. Generated packages of all languages give the same verdicts.

//go:embed validation.json
var validationText []byte

// Issue is a part of an event that breaks the contract.
type Issue struct {
	// Pointer is the JSON pointer of the part. It is empty for the whole event.
	Pointer string

	// Keyword is the keyword of JSON Schema that refuses the part.
	Keyword string

	// Message says what is wrong.
	Message string
}

// The compiled schemas of validation.json.
type schemaSet struct {
	Discriminator string
	Envelope      any
	Events        map[string]any
	Definitions   map[string]any
	Patterns      map[string][]textTest
	Formats       map[string][]textTest

	envelope    schemaCheck
	events      map[string]schemaCheck
	definitions map[string]schemaCheck
}

// Compiles the schemas once. Those of the package itself are always sound.
var loadSchemas = sync.OnceValue(func() *schemaSet {
	c := &schemaSet{}
	if err := json.Unmarshal(validationText, c); err != nil {
		panic(err)
	}
	c.envelope = c.compile(c.Envelope)
	c.events, c.definitions = c.compileAll(c.Events), c.compileAll(c.Definitions)
	return c
})

// Returns a *DecodeError with every place at which an event breaks the contract; nil if it breaks nothing.
func validateEvent(data []byte) error {
	c := loadSchemas()
	if c.Envelope == true {
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var event any
	if err := decoder.Decode(&event); err != nil {
		return &DecodeError{Err: err}
	}
	r := &report{}
	c.envelope(event, nil, r, nil)
	if members, ok := event.(map[string]any); ok {
		if eventType, ok := members[c.Discriminator].(string); ok && c.events[eventType] != nil {
			c.events[eventType](event, nil, r, nil)
		}
	}
	if len(r.issues) == 0 {
		return nil
	}
	issues := make([]Issue, 0, len(r.issues))
	for _, issue := range r.issues {
		// The envelope and the body may report the same.
		if !slices.Contains(issues, issue) {
			issues = append(issues, issue)
		}
	}
	return &DecodeError{Pointer: issues[0].Pointer, Err: errors.New(issues[0].Message), Issues: issues}
}

// The place of a value: that of the value around it, and its name or index there. nil is the whole event.
type place struct {
	parent *place
	name   string
	index  int
}

func (p *place) format() string {
	if p == nil {
		return ""
	}
	if p.index >= 0 {
		return p.parent.format() + "/" + strconv.Itoa(p.index)
	}
	return appendPointer(p.parent.format(), p.name)
}

func (p *place) field(name string) *place { return &place{p, name, -1} }

func (p *place) item(index int) *place { return &place{p, "", index} }

type report struct {
	issues []Issue

	// The results of definitions that are checked once, by name and pointer.
	results map[[2]string]onceResult
}

type onceResult struct {
	issues    []Issue
	evaluated *evaluated
}

func (r *report) add(at *place, keyword, message string) {
	r.issues = append(r.issues, Issue{at.format(), keyword, message})
}

// What unevaluatedProperties and unevaluatedItems do not check: fields, and a number of first items.
type evaluated struct {
	names       map[string]bool
	hasAllNames bool
	items       int
}

func (e *evaluated) addName(name string) {
	if e != nil {
		e.names[name] = true
	}
}

func (e *evaluated) addItems(count int) {
	if e != nil {
		e.items = max(e.items, count)
	}
}

func (e *evaluated) merge(other *evaluated) {
	if e == nil || other == nil {
		return
	}
	for name := range other.names {
		e.names[name] = true
	}
	e.hasAllNames = e.hasAllNames || other.hasAllNames
	e.items = max(e.items, other.items)
}

func newEvaluated() *evaluated { return &evaluated{names: map[string]bool{}} }

// Reports what a schema refuses in a value, and adds what it evaluates unless that is nil.
type schemaCheck func(value any, at *place, r *report, seen *evaluated)

// Runs the check of a branch, and returns whether it accepts the value. Only then its evaluated parts count.
func (check schemaCheck) accepts(value any, at *place, r *report, seen *evaluated) bool {
	var branch *evaluated
	if seen != nil {
		branch = newEvaluated()
	}
	start := len(r.issues)
	check(value, at, r, branch)
	if len(r.issues) > start {
		return false
	}
	seen.merge(branch)
	return true
}

func (c *schemaSet) compile(schema any) schemaCheck {
	members, ok := schema.(map[string]any)
	if !ok {
		if schema == true {
			return func(any, *place, *report, *evaluated) {}
		}
		return func(_ any, at *place, r *report, _ *evaluated) {
			r.add(at, "false schema", "is not allowed here")
		}
	}
	var checks []schemaCheck
	for _, keyword := range keywords {
		if wanted, ok := members[keyword.name]; ok {
			checks = append(checks, keyword.compile(c, wanted, members))
		}
	}
	check := func(value any, at *place, r *report, seen *evaluated) {
		for _, each := range checks {
			each(value, at, r, seen)
		}
	}
	if members["unevaluatedProperties"] == nil && members["unevaluatedItems"] == nil {
		return check
	}
	return func(value any, at *place, r *report, seen *evaluated) {
		own := newEvaluated()
		check(value, at, r, own)
		seen.merge(own)
	}
}

func (c *schemaSet) compileAll(schemas any) map[string]schemaCheck {
	members, _ := schemas.(map[string]any)
	checks := make(map[string]schemaCheck, len(members))
	for name, schema := range members {
		checks[name] = c.compile(schema)
	}
	return checks
}

func (c *schemaSet) compileList(schemas any) []schemaCheck {
	var checks []schemaCheck
	for _, schema := range toList(schemas) {
		checks = append(checks, c.compile(schema))
	}
	return checks
}

// Returns the names of members in an order that is always the same, so that issues have one, too.
func listNames[T any](members map[string]T) []string {
	names := make([]string, 0, len(members))
	for name := range members {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

func toList(value any) []any {
	items, _ := value.([]any)
	return items
}

// A keyword of JSON Schema.
type schemaKeyword struct {
	name    string
	compile func(c *schemaSet, wanted any, schema map[string]any) schemaCheck
}

// The keywords in the order in which they are checked: those that depend on the parts that others evaluate are the last.
var keywords []schemaKeyword

func init() {
	keywords = []schemaKeyword{
		assert("type", compileTypes),
		assert("const", func(_ *schemaSet, wanted any) valueTest { return compileValues(wanted) }),
		assert("enum", func(_ *schemaSet, wanted any) valueTest { return compileValues(toList(wanted)...) }),
		limit("minimum", toNumber, func(number, limit float64) bool { return number >= limit }),
		limit("maximum", toNumber, func(number, limit float64) bool { return number <= limit }),
		limit("exclusiveMinimum", toNumber, func(number, limit float64) bool { return number > limit }),
		limit("exclusiveMaximum", toNumber, func(number, limit float64) bool { return number < limit }),
		limit("multipleOf", toNumber, isMultiple),
		limit("minLength", countCharacters, func(count, limit float64) bool { return count >= limit }),
		limit("maxLength", countCharacters, func(count, limit float64) bool { return count <= limit }),
		limit("minItems", countItems, func(count, limit float64) bool { return count >= limit }),
		limit("maxItems", countItems, func(count, limit float64) bool { return count <= limit }),
		limit("minProperties", countFields, func(count, limit float64) bool { return count >= limit }),
		limit("maxProperties", countFields, func(count, limit float64) bool { return count <= limit }),
		assert("pattern", func(c *schemaSet, wanted any) valueTest { return testText(c.Patterns[wanted.(string)]) }),
		assert("format", func(c *schemaSet, wanted any) valueTest { return testText(c.Formats[wanted.(string)]) }),
		assert("uniqueItems", compileUnique),
		{"$ref", compileReference},
		{"required", compileRequired},
		{"properties", compileProperties},
		{"patternProperties", compilePatternProperties},
		{"additionalProperties", compileOtherProperties("additionalProperties")},
		{"propertyNames", compilePropertyNames},
		{"dependentRequired", compileDependentRequired},
		{"dependentSchemas", compileDependentSchemas},
		{"prefixItems", compilePrefixItems},
		{"items", compileItems("items")},
		{"contains", compileContains},
		{"allOf", compileAllOf},
		{"anyOf", compileAlternatives("anyOf")},
		{"oneOf", compileAlternatives("oneOf")},
		{"not", compileNot},
		{"if", compileCondition},
		{"unevaluatedProperties", compileOtherProperties("unevaluatedProperties")},
		{"unevaluatedItems", compileItems("unevaluatedItems")},
	}
}

type valueTest func(value any) bool

// Returns the keyword that reports each value which does not pass a test.
func assert(name string, compile func(c *schemaSet, wanted any) valueTest) schemaKeyword {
	return schemaKeyword{name, func(c *schemaSet, wanted any, _ map[string]any) schemaCheck {
		test := compile(c, wanted)
		message := describeKeyword(name, wanted)
		return func(value any, at *place, r *report, _ *evaluated) {
			if !test(value) {
				r.add(at, name, message)
			}
		}
	}}
}

// Returns a keyword that limits a size. Values without this size pass.
func limit(name string, measure func(value any) (float64, bool), fits func(size, limit float64) bool) schemaKeyword {
	return assert(name, func(_ *schemaSet, wanted any) valueTest {
		limit, _ := toNumber(wanted)
		return func(value any) bool {
			size, ok := measure(value)
			return !ok || fits(size, limit)
		}
	})
}

func describeKeyword(name string, wanted any) string {
	text, _ := json.Marshal(wanted)
	if len(text) > 200 {
		text = append(text[:200:200], "…"...)
	}
	return "must satisfy " + strconv.Quote(name) + ": " + strings.ToValidUTF8(string(text), "")
}

// Returns a number as JavaScript has it; false for any other value, and for a number that is too large.
func toNumber(value any) (float64, bool) {
	switch value := value.(type) {
	case json.Number:
		number, err := strconv.ParseFloat(string(value), 64)
		return number, err == nil
	case float64:
		return value, true
	}
	return 0, false
}

func countCharacters(value any) (float64, bool) {
	text, ok := value.(string)
	return float64(utf8.RuneCountInString(text)), ok
}

func countItems(value any) (float64, bool) {
	items, ok := value.([]any)
	return float64(len(items)), ok
}

func countFields(value any) (float64, bool) {
	members, ok := value.(map[string]any)
	return float64(len(members)), ok
}

func isMultiple(number, step float64) bool {
	quotient := number / step
	return math.Abs(quotient) < 1e21 && quotient == math.Trunc(quotient)
}

func hasJSONType(value any, name string) bool {
	switch value.(type) {
	case nil:
		return name == "null"
	case bool:
		return name == "boolean"
	case string:
		return name == "string"
	case []any:
		return name == "array"
	case map[string]any:
		return name == "object"
	}
	number, ok := toNumber(value)
	return ok && (name == "number" || (name == "integer" && number == math.Trunc(number)))
}

func compileTypes(_ *schemaSet, wanted any) valueTest {
	if name, ok := wanted.(string); ok {
		return func(value any) bool { return hasJSONType(value, name) }
	}
	return func(value any) bool {
		return slices.ContainsFunc(toList(wanted), func(name any) bool { return hasJSONType(value, name.(string)) })
	}
}

// Returns a text that is equal for equal JSON values only.
func freeze(value any) string {
	switch value := value.(type) {
	case string:
		return strconv.Quote(value)
	case []any:
		var items []string
		for _, item := range value {
			items = append(items, freeze(item))
		}
		return "[" + strings.Join(items, ",") + "]"
	case map[string]any:
		var members []string
		for name, member := range value {
			members = append(members, strconv.Quote(name)+":"+freeze(member))
		}
		sort.Strings(members)
		return "{" + strings.Join(members, ",") + "}"
	case bool:
		return strconv.FormatBool(value)
	}
	if number, ok := toNumber(value); ok {
		// -0 is 0.
		return strconv.FormatFloat(number+0, 'g', -1, 64)
	}
	return "null"
}

func compileValues(values ...any) valueTest {
	known := map[string]bool{}
	for _, value := range values {
		known[freeze(value)] = true
	}
	return func(value any) bool { return known[freeze(value)] }
}

func compileUnique(_ *schemaSet, wanted any) valueTest {
	return func(value any) bool {
		items := toList(value)
		known := make(map[string]bool, len(items))
		for _, item := range items {
			known[freeze(item)] = true
		}
		return wanted == false || len(known) == len(items)
	}
}

// A condition on a text, as generator/contain/regex/portable-pattern.ts describes it.
type textTest struct {
	Negate    bool
	Min       int
	Max       *int
	Automaton automaton
}

type automaton struct {
	starts, classes []int
	steps           [][]int
	accepting       []int
}

// UnmarshalJSON reads the list of tables.
func (a *automaton) UnmarshalJSON(data []byte) error {
	return json.Unmarshal(data, &[]any{&a.starts, &a.classes, &a.steps, &a.accepting})
}

func (a *automaton) accepts(text string) bool {
	state := 0
	for _, char := range text {
		class := sort.SearchInts(a.starts, int(char)+1) - 1
		state = a.steps[state][a.classes[class]]
		if state < 0 {
			return state == -1
		}
	}
	return a.accepting[state] == 1
}

func matchText(tests []textTest, text string) bool {
	for _, test := range tests {
		if test.Min > 0 || test.Max != nil {
			if count := utf8.RuneCountInString(text); count < test.Min || (test.Max != nil && count > *test.Max) {
				return false
			}
		}
		if test.Automaton.accepts(text) == test.Negate {
			return false
		}
	}
	return true
}

func testText(tests []textTest) valueTest {
	return func(value any) bool {
		text, ok := value.(string)
		return !ok || matchText(tests, text)
	}
}

func compileReference(c *schemaSet, wanted any, _ map[string]any) schemaCheck {
	name := strings.TrimPrefix(wanted.(string), "#/$defs/")
	definition, _ := c.Definitions[name].(map[string]any)
	if definition["x-accrete-once"] == nil {
		return func(value any, at *place, r *report, seen *evaluated) { c.definitions[name](value, at, r, seen) }
	}
	return func(value any, at *place, r *report, seen *evaluated) {
		key := [2]string{name, at.format()}
		result, ok := r.results[key]
		if ok {
			r.issues = append(r.issues, result.issues...)
		} else {
			start := len(r.issues)
			result.evaluated = newEvaluated()
			c.definitions[name](value, at, r, result.evaluated)
			result.issues = slices.Clone(r.issues[start:min(len(r.issues), start+50)])
			if r.results == nil {
				r.results = map[[2]string]onceResult{}
			}
			r.results[key] = result
		}
		seen.merge(result.evaluated)
	}
}

func compileRequired(_ *schemaSet, wanted any, _ map[string]any) schemaCheck {
	return func(value any, at *place, r *report, _ *evaluated) {
		members, ok := value.(map[string]any)
		for _, name := range toList(wanted) {
			if _, has := members[name.(string)]; ok && !has {
				r.add(at, "required", describeKeyword("required", name))
			}
		}
	}
}

func compileDependentRequired(_ *schemaSet, wanted any, _ map[string]any) schemaCheck {
	dependents := wanted.(map[string]any)
	names := listNames(dependents)
	return func(value any, at *place, r *report, _ *evaluated) {
		members, _ := value.(map[string]any)
		for _, name := range names {
			if _, has := members[name]; !has {
				continue
			}
			for _, other := range toList(dependents[name]) {
				if _, has := members[other.(string)]; !has {
					r.add(at, "dependentRequired", describeKeyword("dependentRequired", other))
				}
			}
		}
	}
}

func compileDependentSchemas(c *schemaSet, wanted any, _ map[string]any) schemaCheck {
	checks := c.compileAll(wanted)
	names := listNames(checks)
	return func(value any, at *place, r *report, seen *evaluated) {
		members, _ := value.(map[string]any)
		for _, name := range names {
			if _, has := members[name]; has {
				checks[name].accepts(value, at, r, seen)
			}
		}
	}
}

func compileProperties(c *schemaSet, wanted any, _ map[string]any) schemaCheck {
	checks := c.compileAll(wanted)
	names := listNames(checks)
	return func(value any, at *place, r *report, seen *evaluated) {
		members, _ := value.(map[string]any)
		for _, name := range names {
			if member, has := members[name]; has {
				checks[name](member, at.field(name), r, nil)
				seen.addName(name)
			}
		}
	}
}

func compilePatternProperties(c *schemaSet, wanted any, _ map[string]any) schemaCheck {
	checks := c.compileAll(wanted)
	sources := listNames(checks)
	return func(value any, at *place, r *report, seen *evaluated) {
		members, _ := value.(map[string]any)
		for _, name := range listNames(members) {
			for _, source := range sources {
				if matchText(c.Patterns[source], name) {
					checks[source](members[name], at.field(name), r, nil)
					seen.addName(name)
				}
			}
		}
	}
}

func compileOtherProperties(keyword string) func(c *schemaSet, wanted any, schema map[string]any) schemaCheck {
	return func(c *schemaSet, wanted any, schema map[string]any) schemaCheck {
		declared, _ := schema["properties"].(map[string]any)
		patterns, _ := schema["patternProperties"].(map[string]any)
		isKnown := func(name string, seen *evaluated) bool {
			if keyword == "unevaluatedProperties" {
				return seen.hasAllNames || seen.names[name]
			}
			_, isDeclared := declared[name]
			for source := range patterns {
				isDeclared = isDeclared || matchText(c.Patterns[source], name)
			}
			return isDeclared
		}
		check := c.compile(wanted)
		if wanted == false {
			check = func(_ any, at *place, r *report, _ *evaluated) { r.add(at, keyword, "is not declared here") }
		}
		return func(value any, at *place, r *report, seen *evaluated) {
			members, ok := value.(map[string]any)
			if wanted != true {
				for _, name := range listNames(members) {
					if !isKnown(name, seen) {
						check(members[name], at.field(name), r, nil)
					}
				}
			}
			if ok && seen != nil {
				seen.hasAllNames = true
			}
		}
	}
}

func compilePropertyNames(c *schemaSet, wanted any, _ map[string]any) schemaCheck {
	check := c.compile(wanted)
	return func(value any, at *place, r *report, _ *evaluated) {
		members, _ := value.(map[string]any)
		for _, name := range listNames(members) {
			if !check.accepts(name, at, r, nil) {
				r.add(at.field(name), "propertyNames", "is a field whose name is not allowed")
			}
		}
	}
}

func compilePrefixItems(c *schemaSet, wanted any, _ map[string]any) schemaCheck {
	checks := c.compileList(wanted)
	return func(value any, at *place, r *report, seen *evaluated) {
		items, ok := value.([]any)
		for i, item := range items[:min(len(items), len(checks))] {
			checks[i](item, at.item(i), r, nil)
		}
		if ok {
			seen.addItems(len(checks))
		}
	}
}

func compileItems(keyword string) func(c *schemaSet, wanted any, schema map[string]any) schemaCheck {
	return func(c *schemaSet, wanted any, schema map[string]any) schemaCheck {
		isUnevaluated := keyword == "unevaluatedItems"
		prefix := len(toList(schema["prefixItems"]))
		check := c.compile(wanted)
		return func(value any, at *place, r *report, seen *evaluated) {
			items, ok := value.([]any)
			first := prefix
			if isUnevaluated {
				first = seen.items
			}
			first = min(first, len(items))
			if wanted == false && (isUnevaluated || prefix > 0) {
				if len(items) > first {
					r.add(at, keyword, "must not have so many items")
				}
			} else if wanted != true {
				for i, item := range items[first:] {
					check(item, at.item(first+i), r, nil)
				}
			}
			if ok {
				seen.addItems(math.MaxInt)
			}
		}
	}
}

func compileContains(c *schemaSet, wanted any, schema map[string]any) schemaCheck {
	check := c.compile(wanted)
	// As in the TypeScript validators, a schema that accepts everything evaluates nothing, and another one all items.
	members, isObject := wanted.(map[string]any)
	evaluates := wanted == false || (isObject && len(members) > 0)
	least, most := 1.0, math.Inf(1)
	if count, ok := toNumber(schema["minContains"]); ok {
		least = count
	}
	if count, ok := toNumber(schema["maxContains"]); ok {
		most = count
	}
	return func(value any, at *place, r *report, seen *evaluated) {
		items, ok := value.([]any)
		if !ok || (least == 0 && math.IsInf(most, 1)) {
			return
		}
		start, count := len(r.issues), 0.0
		if least <= most {
			if evaluates {
				seen.addItems(math.MaxInt)
			}
			for i, item := range items {
				if check.accepts(item, at.item(i), r, nil) {
					count++
				}
				if count > most || (math.IsInf(most, 1) && count >= least) {
					break
				}
			}
		}
		if least <= count && count <= most {
			r.issues = r.issues[:start]
		} else {
			r.add(at, "contains", "must have other items")
		}
	}
}

func compileAllOf(c *schemaSet, wanted any, _ map[string]any) schemaCheck {
	checks := c.compileList(wanted)
	return func(value any, at *place, r *report, seen *evaluated) {
		for _, check := range checks {
			check(value, at, r, seen)
		}
	}
}

func compileAlternatives(keyword string) func(c *schemaSet, wanted any, schema map[string]any) schemaCheck {
	return func(c *schemaSet, wanted any, schema map[string]any) schemaCheck {
		checks := c.compileList(wanted)
		tag, isTagged := schema["x-accrete-tag"].(map[string]any)
		tagged := map[string][]schemaCheck{}
		for i, values := range toList(tag["values"]) {
			for _, value := range toList(values) {
				tagged[freeze(value)] = checks[i : i+1]
			}
		}
		return func(value any, at *place, r *report, seen *evaluated) {
			// A value with a tag is checked with the alternative that has it.
			selected := checks
			if isTagged {
				members, _ := value.(map[string]any)
				selected = tagged[freeze(members[tag["property"].(string)])]
			}
			start, count := len(r.issues), 0
			for _, check := range selected {
				if check.accepts(value, at, r, seen) {
					count++
				}
				if (keyword == "oneOf" && count > 1) || (keyword == "anyOf" && count == 1 && seen == nil) {
					break
				}
			}
			if count == 1 || (count > 1 && keyword == "anyOf") {
				r.issues = r.issues[:start]
			} else {
				r.add(at, keyword, "must fit the alternatives of the schema")
			}
		}
	}
}

func compileNot(c *schemaSet, wanted any, _ map[string]any) schemaCheck {
	check := c.compile(wanted)
	return func(value any, at *place, r *report, _ *evaluated) {
		start := len(r.issues)
		fits := check.accepts(value, at, r, nil)
		r.issues = r.issues[:start]
		if fits {
			r.add(at, "not", "must not fit the schema below `not`")
		}
	}
}

func compileCondition(c *schemaSet, wanted any, schema map[string]any) schemaCheck {
	condition := c.compile(wanted)
	branches := map[bool]schemaCheck{}
	for fits, name := range map[bool]string{true: "then", false: "else"} {
		branch, ok := schema[name]
		if !ok {
			branch = true
		}
		branches[fits] = c.compile(branch)
	}
	return func(value any, at *place, r *report, seen *evaluated) {
		start := len(r.issues)
		fits := condition.accepts(value, at, r, seen)
		r.issues = r.issues[:start]
		if !branches[fits].accepts(value, at, r, seen) {
			r.add(at, "if", "must fit its condition")
		}
	}
}
