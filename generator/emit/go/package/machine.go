package events

// Interprets machines: what the stream rules of the contract remember and report. machines.json describes them.

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
)

// The greatest number of rows of a table. Beyond it, the oldest one is forgotten.
const maxRows = 10_000

// An event in its stream, as machines see it.
type step struct {
	event, payload *object
	eventType      string
	carrier        any
	sequence       any
	gapAfter       any
	gapBefore      any
	stream         *openStream
	report         func(rule, message, pointer string, index int)
}

// Returns the name of the event in messages: its type, and its number if it has one.
func (s *step) name() string { return nameEvent(s.eventType, s.sequence) }

func nameEvent(eventType string, sequence any) string {
	if sequence == nil {
		return eventType
	}
	return eventType + " #" + formatPlain(sequence)
}

// Reports that the stream has reached a limit, once for each stream.
func (s *step) reportLimit(limit int) {
	if !s.stream.isLimitReported {
		message := fmt.Sprintf("The stream has more than %d ids that a rule has to remember.", limit)
		s.report("stream-limit-reached", message, "", s.stream.index)
	}
	s.stream.isLimitReported = true
}

// The cells of a row. A cell holds a JSON value, a textSum or ranges; nil if it is empty.
type row []any

// The rows of one table by their groups and keys. A table that is not grouped has the group "".
type rows = ordered[*ordered[row]]

// The memory of a machine: the rows of each of its tables.
type memory []*rows

// The length of texts in UTF-16 units, and a hash of these units.
type textSum struct {
	units int
	sum   uint32
}

type numberRange struct{ first, last float64 }

type table struct {
	keys, limit, width int
	isGrouped          bool
	cells              map[string]int
	index              int
}

// A row that has a name at the moment. The row is nil if it does not exist.
type namedRow struct {
	table      *table
	row        row
	group, key string
}

// A value that has a name at the moment, and its JSON pointer within the value that holds it.
type namedItem struct {
	value any
	path  string
}

// A machine that can check events. All of its functions share the names and the event.
type machine struct {
	source   *object
	isShared bool
	tables   map[string]*table
	rows     map[string]*namedRow
	items    map[string]*namedItem
	memory   memory
	step     *step
}

// Runs statements. Returns true if the innermost loop, or the clause, has to stop.
type run func() bool

// Returns a value; nil if it is absent.
type read func() any

type test func() bool

type clause struct {
	// Event types, or "every", "after-terminal", "refused" or "end".
	on  any
	run run
}

// Compiles a machine to functions, one for each clause.
func compileMachine(source *object) (*machine, []clause) {
	m := &machine{
		source:   source,
		isShared: source.get("shared") == true,
		tables:   map[string]*table{},
		rows:     map[string]*namedRow{},
		items:    map[string]*namedItem{},
	}
	tables := source.object("tables")
	for index, name := range tables.names {
		definition := tables.object(name)
		limit := maxRows
		if value, ok := definition.get("limit").(float64); ok {
			limit = int(value)
		}
		cells := map[string]int{}
		for i, cell := range definition.object("cells").names {
			cells[cell] = i
		}
		keys := int(definition.get("keys").(float64))
		m.tables[name] = &table{keys, limit, len(cells), definition.get("grouped") == true, cells, index}
	}
	var clauses []clause
	for _, each := range source.objects("clauses") {
		clauses = append(clauses, clause{each.get("on"), m.compileBody(each.get("do"))})
	}
	return m, clauses
}

func (m *machine) start() memory {
	start := make(memory, len(m.tables))
	for i := range start {
		start[i] = &rows{}
	}
	return start
}

func (m *machine) compileBody(body any) run {
	var runs []run
	for _, statement := range toObjects(body) {
		runs = append(runs, m.compileStatement(statement))
	}
	return func() bool {
		for _, run := range runs {
			if run() {
				return true
			}
		}
		return false
	}
}

// Gives a row of a table a name, which it keeps for the statements that are compiled next.
func (m *machine) nameRow(node *object) *namedRow {
	named := &namedRow{table: m.tables[node.text("table")]}
	m.rows[node.text("row")] = named
	return named
}

// Compiles the statements of a node in which a row has a name. An outer row may have the same name.
func (m *machine) compileWithRow(node *object) (*namedRow, run) {
	outer := m.rows[node.text("row")]
	named := m.nameRow(node)
	body := m.compileBody(node.get("do"))
	m.rows[node.text("row")] = outer
	return named, body
}

func (m *machine) nameItem(name string) *namedItem {
	m.items[name] = &namedItem{}
	return m.items[name]
}

// Returns the row and the index of the cell that a node names.
func (m *machine) findCell(node *object) (*namedRow, int) {
	named := m.rows[node.text("row")]
	return named, named.table.cells[node.text("cell")]
}

func (m *machine) compileStatement(node *object) run {
	switch op := node.text("op"); op {
	case "if":
		when, then, otherwise := m.compileCondition(node.object("when")), m.compileBody(node.get("do")), m.compileBody(node.get("else"))
		return func() bool {
			if when() {
				return then()
			}
			return otherwise()
		}
	case "find":
		return m.compileFind(node)
	case "rows":
		key := m.compileOptional(node, "key")
		named, body := m.compileWithRow(node)
		return func() bool {
			group, ok := "", true
			if named.table.isGrouped {
				group, ok = readID(key())
			}
			if !ok {
				return false
			}
			for _, each := range m.memory[named.table.index].value(group).list() {
				named.row, named.group, named.key = each.value, group, each.key
				if !each.isRemoved && body() {
					break
				}
			}
			return false
		}
	case "each":
		return m.compileEach(node)
	case "uncovered":
		first, last := m.compileRange(node)
		target, index := m.findCell(node)
		from, to := m.nameItem(node.text("item")), m.nameItem(node.text("end"))
		body := m.compileBody(node.get("do"))
		return m.withRange(first, last, func(first, last float64) {
			for _, each := range listUncovered(target.ranges(index), first, last) {
				from.value, to.value = each.first, each.last
				if body() {
					break
				}
			}
		})
	case "stop":
		return func() bool { return true }
	case "set":
		return m.compileSet(node)
	case "append":
		text := m.compileValue(node.object("text"))
		target, index := m.findCell(node)
		return func() bool {
			if text, ok := text().(string); ok && target.row != nil {
				target.row[index] = target.sum(index).add(text)
			}
			return false
		}
	case "cover":
		first, last := m.compileRange(node)
		target, index := m.findCell(node)
		return m.withRange(first, last, func(first, last float64) {
			if target.row != nil {
				target.row[index] = addRange(target.ranges(index), first, last)
			}
		})
	case "drop":
		target := m.rows[node.text("row")]
		return func() bool {
			target.row = nil
			groups := m.memory[target.table.index]
			if group := groups.value(target.group); group != nil {
				group.remove(target.key)
				if group.len() == 0 {
					groups.remove(target.group)
				}
			}
			return false
		}
	case "clear":
		index := m.tables[node.text("table")].index
		key := m.compileOptional(node, "key")
		return func() bool {
			if node.get("key") == nil {
				m.memory[index] = &rows{}
			} else if group, ok := readID(key()); ok {
				m.memory[index].remove(group)
			}
			return false
		}
	case "report":
		rule, message, place := node.text("finding"), m.compileMessage(node.get("message")), m.compilePlace(node)
		index := m.compileOptional(node, "index")
		return func() bool {
			at, ok := index().(float64)
			if !ok {
				at = float64(m.step.stream.index)
			}
			m.step.report(rule, message(), place(), int(at))
			return false
		}
	default:
		panic("unknown statement " + op)
	}
}

func (m *machine) compileFind(node *object) run {
	keys := m.compileValues(node.get("key"))
	named, body := m.compileWithRow(node)
	return func() bool {
		ids := make([]string, len(keys))
		for i, key := range keys {
			id, ok := readID(key())
			if !ok {
				return false
			}
			ids[i] = id
		}
		named.group = ""
		if named.table.isGrouped {
			named.group, ids = ids[0], ids[1:]
		}
		named.key = strings.Join(ids, "\n")
		named.row = nil
		if group := m.memory[named.table.index].value(named.group); group != nil {
			named.row = group.value(named.key)
		}
		return body()
	}
}

func (m *machine) compileEach(node *object) run {
	of, parts := m.compileValue(node.object("of")), node.text("parts")
	item := m.nameItem(node.text("item"))
	body := m.compileBody(node.get("do"))
	// Runs the body for a part of the value. Other values are skipped.
	visit := func(value any, path string) bool {
		number, isNumber := value.(float64)
		_, isText := value.(string)
		if parts != "items" && !isNumber && (parts == "numbers" || !isText) {
			return false
		}
		if parts == "ids" && isNumber {
			value = formatNumber(number)
		}
		item.value, item.path = value, path
		return body()
	}
	return func() bool {
		value := of()
		if value == nil {
			return false
		}
		members, isObject := value.(*object)
		list, isList := value.([]any)
		switch {
		case isObject && parts == "numbers":
			for _, name := range members.names {
				if visit(members.get(name), joinPointer(name)) {
					break
				}
			}
		case isList && parts != "numbers":
			for i, each := range list {
				if visit(each, joinPointer(strconv.Itoa(i))) {
					break
				}
			}
		default:
			visit(value, "")
		}
		return false
	}
}

func (m *machine) compileSet(node *object) run {
	target := m.rows[node.text("row")]
	cells := node.object("cells")
	var indexes []int
	var values []read
	for _, name := range cells.names {
		indexes = append(indexes, target.table.cells[name])
		values = append(values, m.compileValue(cells.object(name)))
	}
	return func() bool {
		if target.row == nil {
			target.row = make(row, target.table.width)
			m.addRow(target)
		}
		for i, value := range values {
			target.row[indexes[i]] = value()
		}
		return false
	}
}

// Adds a row under its key. Forgets the oldest group or row of a full table.
func (m *machine) addRow(target *namedRow) {
	groups := m.memory[target.table.index]
	if target.table.isGrouped {
		forgetOldest(groups, target.group, target.table.limit, m.step)
	}
	group := groups.value(target.group)
	if group == nil {
		group = &ordered[row]{}
		groups.add(target.group, group)
	}
	forgetOldest(group, target.key, target.table.limit, m.step)
	group.add(target.key, target.row)
}

func forgetOldest[T any](entries *ordered[T], key string, limit int, step *step) {
	if entries.len() < limit || entries.has(key) {
		return
	}
	entries.removeOldest()
	step.reportLimit(limit)
}

func (m *machine) compileValues(values any) []read {
	var reads []read
	for _, value := range toObjects(values) {
		reads = append(reads, m.compileValue(value))
	}
	return reads
}

// Compiles a value that a node may have. Without it, the value is absent.
func (m *machine) compileOptional(node *object, name string) read {
	if node.get(name) == nil {
		return func() any { return nil }
	}
	return m.compileValue(node.object(name))
}

func (m *machine) compileRange(node *object) (first, last read) {
	return m.compileValue(node.object("first")), m.compileValue(node.object("last"))
}

func (m *machine) withRange(first, last read, use func(first, last float64)) run {
	return func() bool {
		from, isNumber := first().(float64)
		to, areNumbers := last().(float64)
		if isNumber && areNumbers {
			use(from, to)
		}
		return false
	}
}

func (m *machine) compileValue(node *object) read {
	switch op := node.text("op"); op {
	case "constant":
		value := node.get("value")
		return func() any { return value }
	case "payload":
		field := node.text("field")
		return func() any { return m.step.payload.get(field) }
	case "envelope":
		field := node.text("field")
		return func() any { return m.step.event.get(field) }
	case "type":
		return func() any { return m.step.eventType }
	case "sequence":
		return func() any { return m.step.sequence }
	case "epoch":
		return func() any { return float64(m.step.stream.epoch) }
	case "event":
		return func() any { return m.step.name() }
	case "index":
		return func() any { return float64(m.step.stream.index) }
	case "gap":
		if node.text("side") == "after" {
			return func() any { return m.step.gapAfter }
		}
		return func() any { return m.step.gapBefore }
	case "item":
		item := m.items[node.text("item")]
		return func() any { return item.value }
	case "path":
		item := m.items[node.text("item")]
		return func() any { return item.path }
	case "counterpart":
		item, of := m.items[node.text("item")], m.compileValue(node.object("of"))
		return func() any { return findPart(of(), splitPointer(item.path)) }
	case "key":
		named := m.rows[node.text("row")]
		return func() any { return named.key }
	case "cell":
		target, index := m.findCell(node)
		return func() any {
			if target.row == nil {
				return nil
			}
			return target.row[index]
		}
	case "first":
		values := m.compileValues(node.get("of"))
		return func() any {
			for _, value := range values {
				if found := value(); found != nil {
					return found
				}
			}
			return nil
		}
	case "add", "multiply", "subtract", "divide", "minimum":
		return m.compileArithmetic(m.compileValues(node.get("of")), op)
	case "bytes", "units":
		of := m.compileValue(node.object("of"))
		return func() any {
			text, ok := of().(string)
			switch {
			case !ok:
				return nil
			case op == "bytes":
				return float64(len(text))
			}
			return float64(len(toUnits(text)))
		}
	case "textUnits":
		target, index := m.findCell(node)
		return func() any { return float64(target.sum(index).units) }
	case "join":
		values := m.compileValues(node.get("of"))
		return func() any {
			joined := ""
			for _, value := range values {
				text, ok := value().(string)
				if !ok {
					return nil
				}
				joined += text
			}
			return joined
		}
	case "covered":
		first, last := m.compileRange(node)
		target, index := m.findCell(node)
		return func() (count any) {
			m.withRange(first, last, func(first, last float64) {
				count = countCovered(target.ranges(index), first, last)
			})()
			return count
		}
	case "keys":
		named := m.nameRow(node)
		when := m.compileCondition(node.object("when"))
		return func() any {
			var ids []any
			for _, each := range m.memory[named.table.index].value("").list() {
				named.row, named.key = each.value, each.key
				if when() {
					ids = append(ids, each.key)
				}
			}
			if ids == nil {
				return nil
			}
			return ids
		}
	default:
		panic("unknown value " + op)
	}
}

func (m *machine) compileArithmetic(values []read, op string) read {
	combine := map[string]func(a, b float64) float64{
		"add":      func(a, b float64) float64 { return a + b },
		"multiply": func(a, b float64) float64 { return a * b },
		"subtract": func(a, b float64) float64 { return a - b },
		"divide":   func(a, b float64) float64 { return a / b },
		"minimum":  math.Min,
	}[op]
	return func() any {
		var result any
		for _, value := range values {
			operand, ok := value().(float64)
			if !ok {
				return nil
			}
			if result == nil {
				result = operand
			} else {
				result = combine(result.(float64), operand)
			}
		}
		return result
	}
}

func (m *machine) compileConditions(conditions any) []test {
	var tests []test
	for _, condition := range toObjects(conditions) {
		tests = append(tests, m.compileCondition(condition))
	}
	return tests
}

func (m *machine) compileCondition(node *object) test {
	op := node.text("op")
	switch op {
	case "not":
		of := m.compileCondition(node.object("of"))
		return func() bool { return !of() }
	case "all", "any":
		tests, isAny := m.compileConditions(node.get("of")), op == "any"
		return func() bool {
			for _, test := range tests {
				if test() == isAny {
					return isAny
				}
			}
			return !isAny
		}
	case "equal", "differ":
		values, isEqual, asSets := m.compileValues(node.get("of")), op == "equal", node.get("asSets") == true
		return func() bool {
			one, other := values[0](), values[1]()
			return one != nil && other != nil && areEqual(one, other, asSets) == isEqual
		}
	case "less", "atMost":
		values, isStrict := m.compileValues(node.get("of")), op == "less"
		return func() bool {
			one, isNumber := values[0]().(float64)
			other, areNumbers := values[1]().(float64)
			return isNumber && areNumbers && (one < other || !isStrict && one == other)
		}
	case "exists":
		named := m.rows[node.text("row")]
		return func() bool { return named.row != nil }
	case "related":
		relation, values := m.source.object("relations").object(node.text("relation")), m.compileValues(node.get("of"))
		return func() bool {
			from, isText := values[0]().(string)
			others, _ := relation.get(from).([]any)
			other := values[1]()
			return isText && slices.ContainsFunc(others, func(each any) bool { return each == other })
		}
	case "current":
		target, index := m.findCell(node)
		return func() bool {
			return target.row != nil && target.row[index] == float64(m.step.stream.epoch)
		}
	case "seenFromStart":
		return func() bool { return m.step.stream.epoch == m.step.stream.completeEpoch }
	case "ended":
		return func() bool { return m.step.stream.hasEnded }
	}
	of := m.compileValue(node.object("of"))
	switch op {
	case "present":
		return func() bool { return of() != nil }
	case "is":
		expected := node.text("type")
		return func() bool { return hasType(of(), expected) }
	case "in":
		values, _ := node.get("values").([]any)
		return func() bool {
			value := of()
			return slices.ContainsFunc(values, func(each any) bool { return isScalar(value) && each == value })
		}
	case "lists":
		values, _ := node.get("values").([]any)
		return func() bool {
			list, _ := of().([]any)
			return slices.ContainsFunc(list, func(each any) bool { return isScalar(each) && slices.Contains(values, each) })
		}
	case "sameText", "endsWithText":
		target, index := m.findCell(node)
		return func() bool {
			text, ok := of().(string)
			sum := target.sum(index)
			if !ok || op == "sameText" {
				return ok && textSum{}.add(text) == sum
			}
			units := toUnits(text)
			excess := len(units) - sum.units
			return excess >= 0 && textSum{}.addUnits(units[excess:]) == sum
		}
	}
	matches := m.compileTextTest(op, node)
	return func() bool {
		text, ok := of().(string)
		return ok && matches(text)
	}
}

// Compiles a condition about a text.
func (m *machine) compileTextTest(op string, node *object) func(text string) bool {
	switch op {
	case "matches":
		return regexp.MustCompile(node.text("pattern")).MatchString
	case "hasReplacement":
		return func(text string) bool { return strings.Contains(text, "\ufffd") }
	case "hasPath":
		return func(text string) bool { return findPath(m.step.payload, text) != nil }
	case "hasMember":
		except, _ := node.get("except").([]any)
		return func(text string) bool {
			payload := m.step.payload
			return payload.get(text) != nil || slices.ContainsFunc(payload.names, func(name string) bool {
				return !slices.Contains(except, any(name)) && hasMember(payload.get(name), text)
			})
		}
	default:
		panic("unknown condition " + op)
	}
}

func hasType(value any, expected string) bool {
	number, isNumber := value.(float64)
	switch expected {
	case "text":
		_, isText := value.(string)
		return isText
	case "list":
		_, isList := value.([]any)
		return isList
	case "number":
		return isNumber
	case "integer":
		return isNumber && number == math.Trunc(number) && !math.IsInf(number, 0)
	default: // safe
		return isNumber && number == math.Trunc(number) && math.Abs(number) < 1<<53
	}
}

// Returns whether an object in a value, at any depth, has a member.
func hasMember(value any, name string) bool {
	switch value := value.(type) {
	case []any:
		return slices.ContainsFunc(value, func(each any) bool { return hasMember(each, name) })
	case *object:
		return value.get(name) != nil || slices.ContainsFunc(value.names, func(each string) bool {
			return hasMember(value.get(each), name)
		})
	}
	return false
}

var listIndexes = regexp.MustCompile(`\[([0-9]+)\]`)

// Returns the value at a JSON pointer or at a path such as `$.input.headers[0].value`.
func findPath(payload *object, path string) any {
	if value := payload.get(path); value != nil {
		return value
	}
	if strings.HasPrefix(path, "/") {
		return findPart(payload, splitPointer(path))
	}
	if rest, ok := strings.CutPrefix(path, "$"); ok {
		path = strings.TrimPrefix(rest, ".")
	}
	names := strings.FieldsFunc(listIndexes.ReplaceAllString(path, ".$1"), func(r rune) bool { return r == '.' })
	if len(names) == 0 {
		names = []string{""}
	}
	return findPart(payload, names)
}

func (m *machine) compileMessage(parts any) func() string {
	var writers []func() string
	list, _ := parts.([]any)
	for _, part := range list {
		writers = append(writers, m.compileMessagePart(part))
	}
	return func() string {
		var message strings.Builder
		for _, write := range writers {
			message.WriteString(write())
		}
		return message.String()
	}
}

func (m *machine) compileMessagePart(part any) func() string {
	node, ok := part.(*object)
	if !ok {
		return func() string { return part.(string) }
	}
	for form, format := range map[string]func(value any) string{
		"quote": quoteValue,
		"plain": formatPlain,
		"list":  formatIDs,
		"count": func(value any) string {
			if value == 1.0 {
				return "1 " + node.text("noun")
			}
			return formatPlain(value) + " " + node.text("plural")
		},
	} {
		if node.get(form) != nil {
			value := m.compileValue(node.object(form))
			return func() string { return format(value()) }
		}
	}
	item := m.items[node.text("item")]
	return func() string {
		return strings.Join(append([]string{node.text("field")}, splitPointer(item.path)...), ".")
	}
}

func (m *machine) compilePlace(report *object) func() string {
	if report.get("at") == nil {
		return func() string { return "" }
	}
	at := report.object("at")
	inPayload, pointer := at.text("in") == "payload", joinPointer(at.text("field"))
	item := &namedItem{}
	if at.get("item") != nil {
		item = m.items[at.text("item")]
	}
	return func() string {
		if carrier, ok := m.step.carrier.(string); ok && inPayload {
			return joinPointer(carrier) + pointer + item.path
		}
		return pointer + item.path
	}
}

// Texts and ranges in cells

func (n *namedRow) sum(index int) textSum {
	if n.row == nil {
		return textSum{}
	}
	sum, _ := n.row[index].(textSum)
	return sum
}

func (n *namedRow) ranges(index int) []numberRange {
	if n.row == nil {
		return nil
	}
	ranges, _ := n.row[index].([]numberRange)
	return ranges
}

func (s textSum) add(text string) textSum { return s.addUnits(toUnits(text)) }

// Continues the hash with UTF-16 units: each step multiplies it by a prime and adds the unit, modulo 2^32.
func (s textSum) addUnits(units []uint16) textSum {
	for _, unit := range units {
		s.sum = s.sum*0x9e3779b1 + uint32(unit)
	}
	s.units += len(units)
	return s
}

func toUnits(text string) []uint16 { return utf16.Encode([]rune(text)) }

// Adds the numbers from first to last to ranges that neither overlap nor touch, in ascending order.
func addRange(ranges []numberRange, first, last float64) []numberRange {
	if first > last {
		return ranges
	}
	var before, after []numberRange
	low, high := first, last
	for _, each := range ranges {
		switch {
		case each.last < first-1:
			before = append(before, each)
		case each.first > last+1:
			after = append(after, each)
		default:
			low, high = math.Min(low, each.first), math.Max(high, each.last)
		}
	}
	return append(append(before, numberRange{low, high}), after...)
}

func countCovered(ranges []numberRange, first, last float64) float64 {
	count := 0.0
	for _, each := range ranges {
		if each.first <= last && each.last >= first {
			count += math.Min(each.last, last) - math.Max(each.first, first) + 1
		}
	}
	return count
}

// Returns the ranges of numbers from first to last that are not in ranges.
func listUncovered(ranges []numberRange, first, last float64) []numberRange {
	var uncovered []numberRange
	for _, each := range ranges {
		if each.last < first {
			continue
		}
		if each.first > last {
			break
		}
		if each.first > first {
			uncovered = append(uncovered, numberRange{first, each.first - 1})
		}
		first = each.last + 1
	}
	if first <= last {
		uncovered = append(uncovered, numberRange{first, last})
	}
	return uncovered
}
