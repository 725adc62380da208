//! Interprets machines: what the stream rules of the contract remember and report. `machines.json` describes them.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::checker::Finding;
use super::values::{
    find_part, format_number, format_plain, is_equal, join_pointer, quote_value, read_id,
    split_pointer, Json, Object,
};

/// The greatest number of rows of a table. Beyond it, the oldest one is forgotten.
const MAX_ROWS: usize = 10_000;

/// A map that keeps the order in which its keys were added.
pub struct Ordered<T> {
    places: BTreeMap<u64, Arc<str>>,
    entries: HashMap<Arc<str>, (u64, T)>,
    next: u64,
}

impl<T> Default for Ordered<T> {
    fn default() -> Self {
        Ordered {
            places: BTreeMap::new(),
            entries: HashMap::new(),
            next: 0,
        }
    }
}

impl<T> Ordered<T> {
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn has(&self, key: &str) -> bool {
        self.entries.contains_key(key)
    }

    pub fn get(&self, key: &str) -> Option<&T> {
        self.entries.get(key).map(|(_, value)| value)
    }

    pub fn get_mut(&mut self, key: &str) -> Option<&mut T> {
        self.entries.get_mut(key).map(|(_, value)| value)
    }

    /// Adds a value under a key that is not there.
    pub fn add(&mut self, key: &Arc<str>, value: T) {
        self.places.insert(self.next, key.clone());
        self.entries.insert(key.clone(), (self.next, value));
        self.next += 1;
    }

    pub fn remove(&mut self, key: &str) -> Option<T> {
        let (place, value) = self.entries.remove(key)?;
        self.places.remove(&place);
        Some(value)
    }

    pub fn remove_oldest(&mut self) -> Option<T> {
        let key = self.places.values().next()?.clone();
        self.remove(&key)
    }

    /// Returns the keys in their order.
    pub fn keys(&self) -> Vec<Arc<str>> {
        self.places.values().cloned().collect()
    }
}

/// What a cell holds: a JSON value, the length and the hash of texts, or ranges of whole numbers.
#[derive(Clone)]
pub enum Cell {
    Empty,
    Value(Json),
    Text(TextSum),
    Ranges(Vec<(f64, f64)>),
}

type Row = Arc<Mutex<Vec<Cell>>>;

/// The memory of a machine: the rows of each of its tables by their groups and keys. A table that is not grouped has the
/// group "".
pub type Memory = Vec<Ordered<Ordered<Row>>>;

/// An event in its stream, as machines see it.
#[derive(Default)]
pub struct Step {
    pub event: Arc<Object>,
    pub payload: Arc<Object>,
    pub event_type: Arc<str>,
    pub carrier: Option<Arc<str>>,
    pub sequence: Option<f64>,
    pub gap_after: Option<f64>,
    pub gap_before: Option<f64>,
    pub stream: StreamState,
}

/// The state of a stream that its machines share.
#[derive(Default, Clone)]
pub struct StreamState {
    /// A number that increases where events may be missing.
    pub epoch: u64,
    /// The epoch while no event can be missing since the start.
    pub complete_epoch: u64,
    /// The index of the last event.
    pub index: usize,
    pub has_ended: bool,
    pub is_limit_reported: bool,
}

/// Returns the name of an event in messages: its type, and its number if it has one.
pub fn name_event(event_type: &str, sequence: Option<f64>) -> String {
    match sequence {
        Some(number) => format!("{event_type} #{}", format_number(number)),
        None => event_type.to_owned(),
    }
}

/// A row that has a name at the moment. The row is `None` if it does not exist.
#[derive(Default, Clone)]
struct NamedRow {
    row: Option<Row>,
    group: Arc<str>,
    key: Arc<str>,
}

impl NamedRow {
    fn cells(&self) -> Option<MutexGuard<'_, Vec<Cell>>> {
        let row = self.row.as_ref()?;
        Some(row.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn value(&self, cell: usize) -> Option<Json> {
        match &self.cells()?[cell] {
            Cell::Value(value) => Some(value.clone()),
            _ => None,
        }
    }

    fn sum(&self, cell: usize) -> TextSum {
        match self.cells().as_deref().map(|cells| &cells[cell]) {
            Some(Cell::Text(sum)) => *sum,
            _ => TextSum::default(),
        }
    }

    fn ranges(&self, cell: usize) -> Vec<(f64, f64)> {
        match self.cells().as_deref().map(|cells| &cells[cell]) {
            Some(Cell::Ranges(ranges)) => ranges.clone(),
            _ => Vec::new(),
        }
    }

    fn set(&self, cell: usize, value: Cell) {
        if let Some(mut cells) = self.cells() {
            cells[cell] = value;
        }
    }
}

/// A value that has a name at the moment, and its JSON pointer within the value that holds it.
#[derive(Default, Clone)]
struct NamedItem {
    value: Option<Json>,
    path: String,
}

/// What the functions of all machines share.
#[derive(Default)]
pub struct Context {
    pub step: Step,
    pub memory: Memory,
    /// The severities and hints of the findings that are not off.
    pub kinds: HashMap<String, (String, String)>,
    pub findings: Vec<Finding>,
    rows: Vec<NamedRow>,
    items: Vec<NamedItem>,
}

impl Context {
    /// Adds a finding, unless its rule is off. Two declarations that report the same give one finding.
    pub fn report(&mut self, rule: &str, message: String, pointer: String, index: usize) {
        let Some((severity, hint)) = self.kinds.get(rule).cloned() else {
            return;
        };
        let rule = rule.to_owned();
        let finding = Finding {
            rule,
            severity,
            message,
            hint,
            pointer,
            index,
        };
        if self.findings.last() != Some(&finding) {
            self.findings.push(finding);
        }
    }

    /// Reports that the stream has reached a limit, once for each stream.
    fn report_limit(&mut self, limit: usize) {
        let StreamState {
            index,
            is_limit_reported,
            ..
        } = self.step.stream;
        if !is_limit_reported {
            let message =
                format!("The stream has more than {limit} ids that a rule has to remember.");
            self.report("stream-limit-reached", message, String::new(), index);
        }
        self.step.stream.is_limit_reported = true;
    }
}

type Function<T> = Box<dyn Fn(&mut Context) -> T + Send + Sync>;
/// Runs statements. Returns true if the innermost loop, or the clause, has to stop.
type Run = Function<bool>;
type Read = Function<Option<Json>>;
type Test = Function<bool>;
type Write = Function<String>;
type TextTest = Box<dyn Fn(&str, &mut Context) -> bool + Send + Sync>;

/// A machine that can check events.
pub struct Machine {
    pub is_shared: bool,
    /// Event types, or "every", "after-terminal", "refused" or "end", and the function that checks such an event.
    pub clauses: Vec<(Json, Run)>,
    tables: usize,
}

impl Machine {
    /// Compiles a machine. Makes room in the context for the rows and items that have names.
    pub fn compile(source: &Object, context: &mut Context) -> Machine {
        let tables = source.object("tables");
        let tables = tables.members().enumerate();
        let mut compiler = Compiler {
            source,
            tables: tables
                .map(|(index, (name, table))| (name.clone(), Table::new(index, table)))
                .collect(),
            rows: HashMap::new(),
            items: HashMap::new(),
            row_count: 0,
        };
        let clauses = source.objects("clauses").into_iter();
        let clauses = clauses
            .map(|clause| (clause.value("on"), compiler.compile_body(&clause, "do")))
            .collect();
        context.rows.resize(
            context.rows.len().max(compiler.row_count),
            NamedRow::default(),
        );
        context.items.resize(
            context.items.len().max(compiler.items.len()),
            NamedItem::default(),
        );
        Machine {
            is_shared: source.flag("shared"),
            clauses,
            tables: compiler.tables.len(),
        }
    }

    /// Returns the memory before the first event.
    pub fn start(&self) -> Memory {
        (0..self.tables).map(|_| Ordered::default()).collect()
    }
}

struct Table {
    index: usize,
    limit: usize,
    is_grouped: bool,
    cells: Vec<Arc<str>>,
}

impl Table {
    fn new(index: usize, definition: &Json) -> Arc<Table> {
        let definition = definition.as_object();
        let number = |name| {
            definition
                .get(name)
                .and_then(|value| value.as_number())
                .map(|value| value as usize)
        };
        Arc::new(Table {
            index,
            limit: number("limit").unwrap_or(MAX_ROWS),
            is_grouped: definition.flag("grouped"),
            cells: definition
                .object("cells")
                .members()
                .map(|(name, _)| name.clone())
                .collect(),
        })
    }

    fn find_cell(&self, name: &str) -> usize {
        self.cells
            .iter()
            .position(|cell| **cell == *name)
            .expect("the table has the cell")
    }

    /// Adds the row of a name under its key. Forgets the oldest group or row of a full table.
    fn add_row(&self, slot: usize, context: &mut Context) {
        let row: Row = Arc::new(Mutex::new(vec![Cell::Empty; self.cells.len()]));
        context.rows[slot].row = Some(row.clone());
        let NamedRow { group, key, .. } = context.rows[slot].clone();
        let groups = &mut context.memory[self.index];
        let mut forgotten = 0;
        if !groups.has(&group) {
            if self.is_grouped && groups.len() >= self.limit {
                groups.remove_oldest();
                forgotten += 1;
            }
            groups.add(&group, Ordered::default());
        }
        let rows = groups.get_mut(&group).expect("the group was added");
        if rows.len() >= self.limit {
            rows.remove_oldest();
            forgotten += 1;
        }
        rows.add(&key, row);
        for _ in 0..forgotten {
            context.report_limit(self.limit);
        }
    }
}

/// The names that the nodes of a machine may use.
struct Compiler<'a> {
    source: &'a Object,
    tables: HashMap<Arc<str>, Arc<Table>>,
    rows: HashMap<String, (usize, Arc<Table>)>,
    items: HashMap<String, usize>,
    row_count: usize,
}

impl Compiler<'_> {
    fn compile_body(&mut self, node: &Object, name: &str) -> Run {
        let statements = node.objects(name).into_iter();
        let runs: Vec<Run> = statements
            .map(|statement| self.compile_statement(&statement))
            .collect();
        Box::new(move |context| runs.iter().any(|run| run(context)))
    }

    /// Gives a row of a table a name, which it keeps for the nodes that are compiled next.
    fn name_row(&mut self, node: &Object) -> (usize, Arc<Table>) {
        let table = self.tables[node.text("table")].clone();
        let named = (self.row_count, table);
        self.row_count += 1;
        self.rows.insert(node.text("row").to_owned(), named.clone());
        named
    }

    /// Compiles the statements of a node in which a row has a name. An outer row may have the same name.
    fn compile_with_row(&mut self, node: &Object) -> (usize, Arc<Table>, Run) {
        let outer = self.rows.get(node.text("row")).cloned();
        let (slot, table) = self.name_row(node);
        let body = self.compile_body(node, "do");
        if let Some(outer) = outer {
            self.rows.insert(node.text("row").to_owned(), outer);
        }
        (slot, table, body)
    }

    fn name_item(&mut self, name: &str) -> usize {
        let next = self.items.len();
        *self.items.entry(name.to_owned()).or_insert(next)
    }

    fn find_row(&self, node: &Object) -> usize {
        self.rows[node.text("row")].0
    }

    /// Returns the row and the index of the cell that a node names.
    fn find_cell(&self, node: &Object) -> (usize, usize) {
        let (slot, table) = &self.rows[node.text("row")];
        (*slot, table.find_cell(node.text("cell")))
    }

    fn compile_statement(&mut self, node: &Object) -> Run {
        match node.text("op") {
            "if" => {
                let when = self.compile_condition(&node.object("when"));
                let (then, otherwise) = (
                    self.compile_body(node, "do"),
                    self.compile_body(node, "else"),
                );
                Box::new(move |context| {
                    if when(context) {
                        then(context)
                    } else {
                        otherwise(context)
                    }
                })
            }
            "find" => self.compile_find(node),
            "rows" => self.compile_rows(node),
            "each" => self.compile_each(node),
            "uncovered" => {
                let range = self.compile_range(node);
                let (slot, cell) = self.find_cell(node);
                let (first, last) = (
                    self.name_item(node.text("item")),
                    self.name_item(node.text("end")),
                );
                let body = self.compile_body(node, "do");
                Box::new(move |context| {
                    let Some((from, to)) = range(context) else {
                        return false;
                    };
                    for (from, to) in list_uncovered(&context.rows[slot].ranges(cell), from, to) {
                        context.items[first].value = Some(Json::Number(from));
                        context.items[last].value = Some(Json::Number(to));
                        if body(context) {
                            break;
                        }
                    }
                    false
                })
            }
            "stop" => Box::new(|_| true),
            "set" => self.compile_set(node),
            "append" => {
                let text = self.compile_value(&node.object("text"));
                let (slot, cell) = self.find_cell(node);
                Box::new(move |context| {
                    if let Some(Json::Text(text)) = text(context) {
                        let sum = context.rows[slot].sum(cell).add(text.encode_utf16());
                        context.rows[slot].set(cell, Cell::Text(sum));
                    }
                    false
                })
            }
            "cover" => {
                let range = self.compile_range(node);
                let (slot, cell) = self.find_cell(node);
                Box::new(move |context| {
                    if let Some((first, last)) = range(context) {
                        let ranges = add_range(context.rows[slot].ranges(cell), first, last);
                        context.rows[slot].set(cell, Cell::Ranges(ranges));
                    }
                    false
                })
            }
            "drop" => {
                let (slot, table) = self.rows[node.text("row")].clone();
                Box::new(move |context| {
                    let NamedRow { group, key, .. } = context.rows[slot].clone();
                    context.rows[slot].row = None;
                    let groups = &mut context.memory[table.index];
                    if let Some(rows) = groups.get_mut(&group) {
                        rows.remove(&key);
                        if rows.len() == 0 {
                            groups.remove(&group);
                        }
                    }
                    false
                })
            }
            "clear" => {
                let index = self.tables[node.text("table")].index;
                let key = self.compile_optional(node, "key");
                Box::new(move |context| {
                    match &key {
                        Some(key) => {
                            if let Some(group) = key(context).and_then(|key| read_id(&key)) {
                                context.memory[index].remove(&group);
                            }
                        }
                        None => context.memory[index] = Ordered::default(),
                    }
                    false
                })
            }
            "report" => {
                let rule = node.text("finding").to_owned();
                let (message, place) = (self.compile_message(node), self.compile_place(node));
                let index = self.compile_optional(node, "index");
                Box::new(move |context| {
                    let at = index.as_ref().and_then(|index| index(context)?.as_number());
                    let index = at.map_or(context.step.stream.index, |at| at as usize);
                    let (message, pointer) = (message(context), place(context));
                    context.report(&rule, message, pointer, index);
                    false
                })
            }
            op => panic!("unknown statement {op}"),
        }
    }

    fn compile_find(&mut self, node: &Object) -> Run {
        let keys = self.compile_values(node, "key");
        let (slot, table, body) = self.compile_with_row(node);
        Box::new(move |context| {
            let ids = keys
                .iter()
                .map(|key| key(context).and_then(|id| read_id(&id)));
            let Some(mut ids) = ids.collect::<Option<Vec<Arc<str>>>>() else {
                return false;
            };
            let named = NamedRow {
                group: if table.is_grouped {
                    ids.remove(0)
                } else {
                    Arc::default()
                },
                key: match ids.as_slice() {
                    [id] => id.clone(),
                    ids => ids.join("\n").into(),
                },
                row: None,
            };
            let rows = context.memory[table.index].get(&named.group);
            let row = rows.and_then(|rows| rows.get(&named.key)).cloned();
            context.rows[slot] = NamedRow { row, ..named };
            body(context)
        })
    }

    fn compile_rows(&mut self, node: &Object) -> Run {
        let key = self.compile_optional(node, "key");
        let (slot, table, body) = self.compile_with_row(node);
        Box::new(move |context| {
            let group = match &key {
                Some(key) if table.is_grouped => key(context).and_then(|key| read_id(&key)),
                _ => Some(Arc::default()),
            };
            let Some(group) = group else {
                return false;
            };
            let keys = context.memory[table.index].get(&group).map(Ordered::keys);
            for key in keys.unwrap_or_default() {
                let rows = context.memory[table.index].get(&group);
                let Some(row) = rows.and_then(|rows| rows.get(&key)).cloned() else {
                    continue;
                };
                context.rows[slot] = NamedRow {
                    row: Some(row),
                    group: group.clone(),
                    key,
                };
                if body(context) {
                    break;
                }
            }
            false
        })
    }

    fn compile_each(&mut self, node: &Object) -> Run {
        let of = self.compile_value(&node.object("of"));
        let parts = node.text("parts").to_owned();
        let item = self.name_item(node.text("item"));
        let body = self.compile_body(node, "do");
        Box::new(move |context| {
            let entries: Vec<(String, Json)> = match of(context) {
                None => return false,
                Some(Json::Object(object)) if parts == "numbers" => {
                    let members = object.members();
                    members
                        .map(|(name, value)| (join_pointer(name), value.clone()))
                        .collect()
                }
                Some(Json::List(list)) if parts != "numbers" => {
                    let items = list.iter().enumerate();
                    items
                        .map(|(index, value)| (format!("/{index}"), value.clone()))
                        .collect()
                }
                Some(value) => vec![(String::new(), value)],
            };
            for (path, value) in entries {
                let part = match (parts.as_str(), &value) {
                    ("ids", value) => read_id(value).map(Json::Text),
                    ("numbers", Json::Number(_)) | ("items", _) => Some(value),
                    _ => None,
                };
                if part.is_some() {
                    context.items[item] = NamedItem { value: part, path };
                    if body(context) {
                        break;
                    }
                }
            }
            false
        })
    }

    fn compile_set(&mut self, node: &Object) -> Run {
        let (slot, table) = self.rows[node.text("row")].clone();
        let cells = node.object("cells");
        let updates: Vec<(usize, Read)> = cells
            .members()
            .map(|(name, value)| (table.find_cell(name), self.compile_value(value.as_object())))
            .collect();
        Box::new(move |context| {
            if context.rows[slot].row.is_none() {
                table.add_row(slot, context);
            }
            for (cell, value) in &updates {
                let value = value(context).map_or(Cell::Empty, Cell::Value);
                context.rows[slot].set(*cell, value);
            }
            false
        })
    }

    fn compile_values(&mut self, node: &Object, name: &str) -> Vec<Read> {
        let values = node.objects(name).into_iter();
        values.map(|value| self.compile_value(&value)).collect()
    }

    /// Compiles a value that a node may have.
    fn compile_optional(&mut self, node: &Object, name: &str) -> Option<Read> {
        node.get(name)
            .map(|value| self.compile_value(value.as_object()))
    }

    fn compile_pair(&mut self, node: &Object) -> (Read, Read) {
        let mut values = self.compile_values(node, "of").into_iter();
        match (values.next(), values.next()) {
            (Some(one), Some(other)) => (one, other),
            _ => panic!("a node has two values"),
        }
    }

    fn compile_range(&mut self, node: &Object) -> Function<Option<(f64, f64)>> {
        let first = self.compile_value(&node.object("first"));
        let last = self.compile_value(&node.object("last"));
        Box::new(move |context| Some((first(context)?.as_number()?, last(context)?.as_number()?)))
    }

    fn compile_value(&mut self, node: &Object) -> Read {
        let op = node.text("op");
        match op {
            "constant" => {
                let value = node.value("value");
                Box::new(move |_| Some(value.clone()))
            }
            "payload" => {
                let field = node.text("field").to_owned();
                Box::new(move |context| context.step.payload.get(&field).cloned())
            }
            "envelope" => {
                let field = node.text("field").to_owned();
                Box::new(move |context| context.step.event.get(&field).cloned())
            }
            "type" => Box::new(|context| Some(Json::Text(context.step.event_type.clone()))),
            "sequence" => Box::new(|context| context.step.sequence.map(Json::Number)),
            "epoch" => Box::new(|context| Some(Json::Number(context.step.stream.epoch as f64))),
            "event" => Box::new(|context| {
                let name = name_event(&context.step.event_type, context.step.sequence);
                Some(Json::Text(name.into()))
            }),
            "index" => Box::new(|context| Some(Json::Number(context.step.stream.index as f64))),
            "gap" if node.text("side") == "after" => {
                Box::new(|context| context.step.gap_after.map(Json::Number))
            }
            "gap" => Box::new(|context| context.step.gap_before.map(Json::Number)),
            "item" => {
                let item = self.items[node.text("item")];
                Box::new(move |context| context.items[item].value.clone())
            }
            "path" => {
                let item = self.items[node.text("item")];
                Box::new(move |context| Some(Json::Text(context.items[item].path.as_str().into())))
            }
            "counterpart" => {
                let item = self.items[node.text("item")];
                let of = self.compile_value(&node.object("of"));
                Box::new(move |context| {
                    find_part(&of(context)?, &split_pointer(&context.items[item].path))
                })
            }
            "key" => {
                let slot = self.find_row(node);
                Box::new(move |context| Some(Json::Text(context.rows[slot].key.clone())))
            }
            "cell" => {
                let (slot, cell) = self.find_cell(node);
                Box::new(move |context| context.rows[slot].value(cell))
            }
            "first" => {
                let values = self.compile_values(node, "of");
                Box::new(move |context| values.iter().find_map(|value| value(context)))
            }
            "bytes" | "units" => {
                let (of, is_bytes) = (self.compile_value(&node.object("of")), op == "bytes");
                Box::new(move |context| match of(context)? {
                    Json::Text(text) if is_bytes => Some(Json::Number(text.len() as f64)),
                    Json::Text(text) => Some(Json::Number(text.encode_utf16().count() as f64)),
                    _ => None,
                })
            }
            "textUnits" => {
                let (slot, cell) = self.find_cell(node);
                Box::new(move |context| {
                    Some(Json::Number(context.rows[slot].sum(cell).units as f64))
                })
            }
            "join" => {
                let values = self.compile_values(node, "of");
                Box::new(move |context| {
                    let texts = values.iter().map(|value| match value(context) {
                        Some(Json::Text(text)) => Some(text),
                        _ => None,
                    });
                    Some(Json::Text(
                        texts.collect::<Option<Vec<_>>>()?.concat().into(),
                    ))
                })
            }
            "covered" => {
                let range = self.compile_range(node);
                let (slot, cell) = self.find_cell(node);
                Box::new(move |context| {
                    let (first, last) = range(context)?;
                    Some(Json::Number(count_covered(
                        &context.rows[slot].ranges(cell),
                        first,
                        last,
                    )))
                })
            }
            "keys" => self.compile_keys(node),
            _ => self.compile_arithmetic(node),
        }
    }

    fn compile_arithmetic(&mut self, node: &Object) -> Read {
        let values = self.compile_values(node, "of");
        let combine: fn(f64, f64) -> f64 = match node.text("op") {
            "add" => |a, b| a + b,
            "multiply" => |a, b| a * b,
            "subtract" => |a, b| a - b,
            "divide" => |a, b| a / b,
            "minimum" => f64::min,
            op => panic!("unknown value {op}"),
        };
        Box::new(move |context| {
            let operands = values.iter().map(|value| value(context)?.as_number());
            let operands = operands.collect::<Option<Vec<f64>>>()?;
            operands.into_iter().reduce(combine).map(Json::Number)
        })
    }

    fn compile_keys(&mut self, node: &Object) -> Read {
        let (slot, table) = self.name_row(node);
        let when = self.compile_condition(&node.object("when"));
        Box::new(move |context| {
            let mut ids = Vec::new();
            for key in context.memory[table.index].get("")?.keys() {
                let row = context.memory[table.index].get("")?.get(&key).cloned();
                context.rows[slot] = NamedRow {
                    row,
                    group: Arc::default(),
                    key,
                };
                if when(context) {
                    ids.push(Json::Text(context.rows[slot].key.clone()));
                }
            }
            (!ids.is_empty()).then(|| Json::List(ids.into()))
        })
    }

    fn compile_condition(&mut self, node: &Object) -> Test {
        let op = node.text("op");
        match op {
            "not" => {
                let of = self.compile_condition(&node.object("of"));
                Box::new(move |context| !of(context))
            }
            "all" | "any" => {
                let conditions = node.objects("of").into_iter();
                let tests: Vec<Test> = conditions
                    .map(|each| self.compile_condition(&each))
                    .collect();
                let is_any = op == "any";
                Box::new(move |context| tests.iter().any(|test| test(context) == is_any) == is_any)
            }
            "equal" | "differ" => {
                let ((one, other), expected) = (self.compile_pair(node), op == "equal");
                let as_sets = node.flag("asSets");
                Box::new(move |context| match (one(context), other(context)) {
                    (Some(one), Some(other)) => is_equal(&one, &other, as_sets) == expected,
                    _ => false,
                })
            }
            "less" | "atMost" => {
                let ((one, other), is_strict) = (self.compile_pair(node), op == "less");
                Box::new(move |context| match (one(context), other(context)) {
                    (Some(Json::Number(a)), Some(Json::Number(b))) => {
                        a < b || (!is_strict && a == b)
                    }
                    _ => false,
                })
            }
            "exists" => {
                let slot = self.find_row(node);
                Box::new(move |context| context.rows[slot].row.is_some())
            }
            "related" => {
                let relation = self
                    .source
                    .object("relations")
                    .object(node.text("relation"));
                let (one, other) = self.compile_pair(node);
                Box::new(move |context| {
                    let (Some(Json::Text(from)), Some(to)) = (one(context), other(context)) else {
                        return false;
                    };
                    match relation.get(&from) {
                        Some(Json::List(others)) => {
                            others.iter().any(|each| is_equal(each, &to, false))
                        }
                        _ => false,
                    }
                })
            }
            "current" => {
                let (slot, cell) = self.find_cell(node);
                Box::new(move |context| {
                    let epoch = context.rows[slot]
                        .value(cell)
                        .and_then(|epoch| epoch.as_number());
                    epoch == Some(context.step.stream.epoch as f64)
                })
            }
            "seenFromStart" => {
                Box::new(|context| context.step.stream.epoch == context.step.stream.complete_epoch)
            }
            "ended" => Box::new(|context| context.step.stream.has_ended),
            "present" => {
                let of = self.compile_value(&node.object("of"));
                Box::new(move |context| of(context).is_some())
            }
            "is" => {
                let (of, expected) = (
                    self.compile_value(&node.object("of")),
                    node.text("type").to_owned(),
                );
                Box::new(move |context| {
                    of(context).is_some_and(|value| has_type(&value, &expected))
                })
            }
            "in" => {
                let (of, values) = (self.compile_value(&node.object("of")), node.list("values"));
                Box::new(move |context| {
                    of(context).is_some_and(|value| {
                        value.is_scalar() && values.iter().any(|each| is_equal(each, &value, false))
                    })
                })
            }
            "lists" => {
                let (of, values) = (self.compile_value(&node.object("of")), node.list("values"));
                Box::new(move |context| {
                    let is_named =
                        |each: &Json| values.iter().any(|other| is_equal(other, each, false));
                    matches!(of(context), Some(Json::List(list)) if list.iter().any(is_named))
                })
            }
            _ => self.compile_text_test(node),
        }
    }

    /// Compiles a condition about a text.
    fn compile_text_test(&mut self, node: &Object) -> Test {
        let of = self.compile_value(&node.object("of"));
        let test: TextTest = match node.text("op") {
            "matches" if node.text("pattern") == ABSOLUTE_PATH => {
                Box::new(|text, _| is_absolute_path(text))
            }
            "hasReplacement" => Box::new(|text, _| text.contains('\u{fffd}')),
            "hasPath" => Box::new(|text, context| find_path(&context.step.payload, text).is_some()),
            "hasMember" => {
                let except = node.list("except");
                Box::new(move |text, context| {
                    let payload = &context.step.payload;
                    let is_listed =
                        |name: &Arc<str>| except.iter().any(|each| each.as_text() == Some(name));
                    payload.get(text).is_some()
                        || payload
                            .members()
                            .any(|(name, value)| !is_listed(name) && has_member(value, text))
                })
            }
            "sameText" => {
                let (slot, cell) = self.find_cell(node);
                Box::new(move |text, context| {
                    TextSum::default().add(text.encode_utf16()) == context.rows[slot].sum(cell)
                })
            }
            "endsWithText" => {
                let (slot, cell) = self.find_cell(node);
                Box::new(move |text, context| {
                    let (sent, units) = (context.rows[slot].sum(cell), text.encode_utf16());
                    let excess = units.clone().count().checked_sub(sent.units);
                    excess.is_some_and(|excess| TextSum::default().add(units.skip(excess)) == sent)
                })
            }
            op => panic!("unknown condition {op}"),
        };
        Box::new(move |context| match of(context) {
            Some(Json::Text(text)) => test(&text, context),
            _ => false,
        })
    }

    fn compile_message(&mut self, node: &Object) -> Write {
        let parts = node.list("message");
        let writers: Vec<Write> = parts
            .iter()
            .map(|part| self.compile_message_part(part))
            .collect();
        Box::new(move |context| writers.iter().map(|write| write(context)).collect())
    }

    fn compile_message_part(&mut self, part: &Json) -> Write {
        let Json::Object(node) = part else {
            let text = format_plain(Some(part));
            return Box::new(move |_| text.clone());
        };
        if let Some(value) = self.compile_optional(node, "quote") {
            return Box::new(move |context| quote_value(value(context).as_ref()));
        }
        if let Some(value) = self.compile_optional(node, "plain") {
            return Box::new(move |context| format_plain(value(context).as_ref()));
        }
        if let Some(value) = self.compile_optional(node, "count") {
            let (noun, plural) = (node.text("noun").to_owned(), node.text("plural").to_owned());
            return Box::new(move |context| {
                let count = value(context);
                let is_one = count.as_ref().and_then(Json::as_number) == Some(1.0);
                format!(
                    "{} {}",
                    format_plain(count.as_ref()),
                    if is_one { &noun } else { &plural }
                )
            });
        }
        if let Some(value) = self.compile_optional(node, "list") {
            return Box::new(move |context| match value(context) {
                Some(Json::List(ids)) => format_ids(&ids),
                _ => String::new(),
            });
        }
        let (field, item) = (node.text("field").to_owned(), self.items[node.text("item")]);
        Box::new(move |context| {
            let names = split_pointer(&context.items[item].path);
            names
                .iter()
                .fold(field.clone(), |path, name| path + "." + name)
        })
    }

    fn compile_place(&mut self, node: &Object) -> Write {
        let Some(Json::Object(place)) = node.get("at") else {
            return Box::new(|_| String::new());
        };
        let (pointer, is_in_payload) = (
            join_pointer(place.text("field")),
            place.text("in") == "payload",
        );
        let item = place.get("item").map(|_| self.items[place.text("item")]);
        Box::new(move |context| {
            let carrier = context.step.carrier.as_deref().filter(|_| is_in_payload);
            let path = item.map_or("", |item| &context.items[item].path);
            format!(
                "{}{pointer}{path}",
                carrier.map(join_pointer).unwrap_or_default()
            )
        })
    }
}

/// The pattern of absolute paths, the only one of the language of machines.
const ABSOLUTE_PATH: &str = r"^(?:[/\\]|[A-Za-z]:[/\\])";

fn is_absolute_path(path: &str) -> bool {
    let is_separator = |byte: Option<&u8>| matches!(byte, Some(b'/' | b'\\'));
    let bytes = path.as_bytes();
    let has_drive =
        bytes.first().is_some_and(u8::is_ascii_alphabetic) && bytes.get(1) == Some(&b':');
    is_separator(bytes.first()) || (has_drive && is_separator(bytes.get(2)))
}

fn has_type(value: &Json, expected: &str) -> bool {
    match (expected, value) {
        ("text", Json::Text(_)) | ("list", Json::List(_)) | ("number", Json::Number(_)) => true,
        ("integer", Json::Number(number)) => number.fract() == 0.0,
        ("safe", Json::Number(number)) => {
            number.fract() == 0.0 && number.abs() < 9_007_199_254_740_992.0
        }
        _ => false,
    }
}

/// Returns whether an object in a value, at any depth, has a member.
fn has_member(value: &Json, name: &str) -> bool {
    match value {
        Json::List(items) => items.iter().any(|item| has_member(item, name)),
        Json::Object(object) => {
            object.get(name).is_some() || object.members().any(|(_, value)| has_member(value, name))
        }
        _ => false,
    }
}

/// Returns the value at a JSON pointer or at a path such as `$.input.headers[0].value`.
fn find_path(payload: &Arc<Object>, path: &str) -> Option<Json> {
    if let Some(value) = payload.get(path) {
        return Some(value.clone());
    }
    let document = Json::Object(payload.clone());
    if path.starts_with('/') {
        return find_part(&document, &split_pointer(path));
    }
    let mut rest = path
        .strip_prefix('$')
        .map_or(path, |rest| rest.strip_prefix('.').unwrap_or(rest));
    let mut dotted = String::new();
    while let Some(next) = rest.chars().next() {
        let index = rest
            .strip_prefix('[')
            .and_then(|inner| inner.split_once(']'));
        match index.filter(|(digits, _)| is_digits(digits)) {
            Some((digits, after)) => {
                dotted = dotted + "." + digits;
                rest = after;
            }
            None => {
                dotted.push(next);
                rest = &rest[next.len_utf8()..];
            }
        }
    }
    let mut names: Vec<String> = dotted
        .split('.')
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect();
    if names.is_empty() {
        names.push(String::new());
    }
    find_part(&document, &names)
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn format_ids(ids: &[Json]) -> String {
    let names: Vec<String> = ids.iter().take(3).map(|id| quote_value(Some(id))).collect();
    let more = match ids.len() {
        0..=3 => String::new(),
        count => format!(" and {} more", count - 3),
    };
    names.join(", ") + &more
}

/// The length of texts in UTF-16 units, and a hash of these units.
#[derive(Default, Clone, Copy, PartialEq)]
pub struct TextSum {
    units: usize,
    sum: u32,
}

impl TextSum {
    /// Continues the hash: each step multiplies it by a prime and adds the unit, modulo 2^32.
    fn add(mut self, units: impl Iterator<Item = u16>) -> TextSum {
        for unit in units {
            self.sum = self.sum.wrapping_mul(0x9e37_79b1).wrapping_add(unit.into());
            self.units += 1;
        }
        self
    }
}

/// Adds numbers to ranges that neither overlap nor touch, in ascending order.
fn add_range(ranges: Vec<(f64, f64)>, first: f64, last: f64) -> Vec<(f64, f64)> {
    if first > last {
        return ranges;
    }
    let (mut low, mut high) = (first, last);
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for range in ranges {
        if range.1 < first - 1.0 {
            before.push(range);
        } else if range.0 > last + 1.0 {
            after.push(range);
        } else {
            (low, high) = (low.min(range.0), high.max(range.1));
        }
    }
    before.push((low, high));
    before.append(&mut after);
    before
}

fn count_covered(ranges: &[(f64, f64)], first: f64, last: f64) -> f64 {
    let overlaps = ranges
        .iter()
        .filter(|(low, high)| *low <= last && *high >= first);
    overlaps
        .map(|(low, high)| high.min(last) - low.max(first) + 1.0)
        .fold(0.0, |sum, count| sum + count)
}

/// Returns the ranges of numbers from `first` to `last` that are not in `ranges`.
fn list_uncovered(ranges: &[(f64, f64)], mut first: f64, last: f64) -> Vec<(f64, f64)> {
    let mut uncovered = Vec::new();
    for &(low, high) in ranges {
        if high < first {
            continue;
        }
        if low > last {
            break;
        }
        if low > first {
            uncovered.push((first, low - 1.0));
        }
        first = high + 1.0;
    }
    if first <= last {
        uncovered.push((first, last));
    }
    uncovered
}
