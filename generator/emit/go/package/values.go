package events

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
)

// JSON values: nil for an absent one, null{}, bool, float64, string, []any and *object.

type null struct{}

// An object with its names in the order of JavaScript: indexes first, then as they are written.
type object struct {
	names   []string
	members map[string]any
}

func (o *object) get(name string) any {
	if o == nil {
		return nil
	}
	return o.members[name]
}

func (o *object) text(name string) string { return o.members[name].(string) }

func (o *object) object(name string) *object { return o.members[name].(*object) }

func (o *object) objects(name string) []*object { return toObjects(o.members[name]) }

func toObjects(list any) []*object {
	items, _ := list.([]any)
	objects := make([]*object, len(items))
	for i, item := range items {
		objects[i] = item.(*object)
	}
	return objects
}

// Parses a JSON object.
func parseObject(data []byte) (*object, error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	value, err := parseValue(decoder)
	if err != nil {
		return nil, err
	}
	parsed, ok := value.(*object)
	if !ok {
		return nil, refuse("", "must be an object")
	}
	return parsed, nil
}

func parseValue(decoder *json.Decoder) (any, error) {
	token, err := decoder.Token()
	if err != nil {
		return nil, err
	}
	switch token := token.(type) {
	case nil:
		return null{}, nil
	case json.Number:
		// A number that is too large is infinite.
		number, _ := strconv.ParseFloat(token.String(), 64)
		return number, nil
	case json.Delim:
		if token == '[' {
			return parseItems(decoder)
		}
		return parseMembers(decoder)
	default:
		return token, nil
	}
}

func parseItems(decoder *json.Decoder) (any, error) {
	items := []any{}
	for decoder.More() {
		item, err := parseValue(decoder)
		if err != nil {
			return nil, err
		}
		items = append(items, item)
	}
	_, err := decoder.Token()
	return items, err
}

func parseMembers(decoder *json.Decoder) (any, error) {
	parsed := &object{members: map[string]any{}}
	for decoder.More() {
		token, err := decoder.Token()
		if err != nil {
			return nil, err
		}
		name := token.(string)
		value, err := parseValue(decoder)
		if err != nil {
			return nil, err
		}
		if _, ok := parsed.members[name]; !ok {
			parsed.names = append(parsed.names, name)
		}
		parsed.members[name] = value
	}
	slices.SortStableFunc(parsed.names, func(a, b string) int {
		one, other := rankName(a), rankName(b)
		switch {
		case one < other:
			return -1
		case one > other:
			return 1
		}
		return 0
	})
	_, err := decoder.Token()
	return parsed, err
}

// Returns the index that a name stands for; a greater number for other names.
func rankName(name string) uint64 {
	index, err := strconv.ParseUint(name, 10, 32)
	if err != nil || index == math.MaxUint32 || strconv.FormatUint(index, 10) != name {
		return math.MaxUint32
	}
	return index
}

// Returns an id as text. Returns false if it is neither a text nor a number.
func readID(value any) (string, bool) {
	switch value := value.(type) {
	case string:
		return value, true
	case float64:
		return formatNumber(value), true
	}
	return "", false
}

func isScalar(value any) bool {
	switch value.(type) {
	case []any, *object:
		return false
	}
	return true
}

// Returns whether two values are equal. With asSets, the order of lists does not matter.
func areEqual(one, other any, asSets bool) bool {
	if isScalar(one) || isScalar(other) {
		return isScalar(one) && isScalar(other) && one == other
	}
	return formatSorted(one, asSets) == formatSorted(other, asSets)
}

func formatSorted(value any, asSet bool) string {
	list, ok := value.([]any)
	if !ok || !asSet {
		return formatJSON(value, true)
	}
	items := make([]string, len(list))
	for i, item := range list {
		items[i] = formatJSON(item, true)
	}
	slices.Sort(items)
	return "[" + strings.Join(items, ",") + "]"
}

// Formats a value as JSON.stringify of JavaScript does.
func formatJSON(value any, isSorted bool) string {
	switch value := value.(type) {
	case string:
		return formatText(value)
	case float64:
		if math.IsInf(value, 0) || math.IsNaN(value) {
			return "null"
		}
	case []any:
		items := make([]string, len(value))
		for i, item := range value {
			items[i] = formatJSON(item, isSorted)
		}
		return "[" + strings.Join(items, ",") + "]"
	case *object:
		names := slices.Clone(value.names)
		if isSorted {
			slices.Sort(names)
		}
		members := make([]string, len(names))
		for i, name := range names {
			members[i] = formatText(name) + ":" + formatJSON(value.get(name), isSorted)
		}
		return "{" + strings.Join(members, ",") + "}"
	}
	return formatPlain(value)
}

func formatText(text string) string {
	var quoted strings.Builder
	quoted.WriteByte('"')
	for _, r := range text {
		if i := strings.IndexRune("\"\\\b\t\n\f\r", r); i >= 0 {
			quoted.WriteString(`\` + `"\btnfr`[i:i+1])
		} else if r < ' ' {
			fmt.Fprintf(&quoted, `\u%04x`, r)
		} else {
			quoted.WriteRune(r)
		}
	}
	quoted.WriteByte('"')
	return quoted.String()
}

// Formats a value as String of JavaScript does.
func formatPlain(value any) string {
	switch value := value.(type) {
	case nil:
		return "undefined"
	case null:
		return "null"
	case string:
		return value
	case bool:
		return strconv.FormatBool(value)
	case float64:
		return formatNumber(value)
	case []any:
		items := make([]string, len(value))
		for i, item := range value {
			if item != any(null{}) {
				items[i] = formatPlain(item)
			}
		}
		return strings.Join(items, ",")
	}
	return "[object Object]"
}

func formatNumber(number float64) string {
	switch {
	case math.IsNaN(number):
		return "NaN"
	case number < 0:
		return "-" + formatNumber(-number)
	case math.IsInf(number, 0):
		return "Infinity"
	case number == 0:
		return "0"
	}
	mantissa, power, _ := strings.Cut(strconv.FormatFloat(number, 'e', -1, 64), "e")
	digits := strings.Replace(mantissa, ".", "", 1)
	exponent, _ := strconv.Atoi(power)
	point := exponent + 1
	switch {
	case point > 21 || point < -5:
		return fmt.Sprintf("%se%+d", mantissa, exponent)
	case point <= 0:
		return "0." + strings.Repeat("0", -point) + digits
	case point < len(digits):
		return digits[:point] + "." + digits[point:]
	}
	return digits + strings.Repeat("0", point-len(digits))
}

// Formats a value for messages as JSON, shortened if it is long.
func quoteValue(value any) string {
	if value == nil {
		return "nothing"
	}
	text := formatJSON(value, false)
	if units := toUnits(text); len(units) > 80 {
		return string(utf16.Decode(units[:77])) + "…"
	}
	return text
}

// Formats the first ids of a list, and how many more there are.
func formatIDs(value any) string {
	ids, _ := value.([]any)
	var names []string
	for _, id := range ids[:min(len(ids), 3)] {
		names = append(names, quoteValue(id))
	}
	text := strings.Join(names, ", ")
	if len(ids) > 3 {
		text += fmt.Sprintf(" and %d more", len(ids)-3)
	}
	return text
}

func joinPointer(name string) string { return appendPointer("", name) }

func splitPointer(pointer string) []string {
	if pointer == "" {
		return nil
	}
	names := strings.Split(pointer[1:], "/")
	for i, name := range names {
		names[i] = strings.ReplaceAll(strings.ReplaceAll(name, "~1", "/"), "~0", "~")
	}
	return names
}

// Returns the part of a value that the names lead to; nil if there is none.
func findPart(value any, names []string) any {
	for _, name := range names {
		switch parent := value.(type) {
		case *object:
			value = parent.get(name)
		case []any:
			index := rankName(name)
			if index >= uint64(len(parent)) {
				return nil
			}
			value = parent[index]
		default:
			return nil
		}
	}
	return value
}

// A map that keeps the order in which its keys were added. Its zero value, and nil, are empty.
type ordered[T any] struct {
	entries []*entry[T]
	byKey   map[string]*entry[T]
	oldest  int
}

type entry[T any] struct {
	key       string
	value     T
	isRemoved bool
}

func (o *ordered[T]) len() int { return len(o.byKey) }

func (o *ordered[T]) has(key string) bool { return o.byKey[key] != nil }

func (o *ordered[T]) value(key string) (value T) {
	if o != nil && o.has(key) {
		value = o.byKey[key].value
	}
	return value
}

// Adds a value under a key that is not there.
func (o *ordered[T]) add(key string, value T) {
	if o.byKey == nil {
		o.byKey = map[string]*entry[T]{}
	}
	if len(o.entries) > 2*len(o.byKey)+16 {
		o.entries = o.list()
		o.oldest = 0
	}
	added := &entry[T]{key: key, value: value}
	o.entries = append(o.entries, added)
	o.byKey[key] = added
}

func (o *ordered[T]) remove(key string) {
	if known := o.byKey[key]; known != nil {
		known.isRemoved = true
		delete(o.byKey, key)
	}
}

// Removes and returns the value that was added first.
func (o *ordered[T]) removeOldest() (value T) {
	for ; o.oldest < len(o.entries); o.oldest++ {
		if each := o.entries[o.oldest]; !each.isRemoved {
			o.remove(each.key)
			return each.value
		}
	}
	return value
}

// Returns the entries in their order.
func (o *ordered[T]) list() []*entry[T] {
	var list []*entry[T]
	if o != nil {
		for _, each := range o.entries {
			if !each.isRemoved {
				list = append(list, each)
			}
		}
	}
	return list
}
