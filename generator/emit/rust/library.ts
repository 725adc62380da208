/** Formats `lib.rs`: the types of a protocol and `decode_event`. */
import { toPascalCase } from "../../protocol/names.js";
import type { Protocol } from "../../protocol/protocol.js";
import { hasStreamChecker } from "../machines/machines-file.js";
import type { DocText } from "../plan/doc.js";
import {
  avoidNames,
  createNameAssigner,
  formatCapitalName,
  formatSnakeName,
  splitWords,
} from "../plan/names.js";
import type {
  AliasPlan,
  ClassPlan,
  EventPlan,
  FieldPlan,
  MemberPlan,
  NamingRules,
  ProtocolPlan,
  ValuePlan,
} from "../plan/plan.js";
import { findRecursiveNames } from "../plan/recursive-names.js";
import type { ListedValues } from "../plan/shape.js";
import { sortDeclarations } from "../plan/sort-declarations.js";
import { readSourceFile } from "../source-file.js";
import { formatAttributes, formatDoc, formatString } from "./text.js";
import { formatField, formatValueType } from "./types.js";

/** The names that the crate declares or uses, whatever the protocol holds. */
const TYPE_NAMES = splitWords(`
  BTreeMap Box Clone Debug DecodeError DeserializeOwned Error Position Delivery Deserialize
  Deserializer Err Event EventReader Gap Integer Issue Map None Number Ok Option PartialEq Result Self
  Serialize Serializer Some String T UnknownEvent Value Vec Send Sync Finding Profile StreamChecker
  Default Drop Fn From Into Iterator Sized ToString Unpin D S Eq Copy
`);

/** The keywords of Rust, and the field of the undeclared fields. */
const FIELD_NAMES = splitWords(`
  as async await become box break const continue crate do dyn else enum extern false final fn for gen
  if impl in let loop macro match mod move mut override priv pub ref return self static struct super
  trait true try type typeof unsafe unsized use virtual where while yield abstract extra
`);

/** How Rust names types and fields. */
export const NAMING: NamingRules = {
  envelope: "BaseEvent",
  formatTypeName: formatCapitalName,
  formatFieldName: avoidNames(FIELD_NAMES, formatSnakeName),
  reservedTypes: TYPE_NAMES,
  reservedFields: FIELD_NAMES,
  namesEnums: true,
};

/** The declarations that are formatted, and what their formatting needs. */
interface Printer {
  /** The names of types that contain themselves, which needs a box. */
  readonly recursive: ReadonlySet<string>;
  /** The names of the enums that were declared. */
  readonly declared: Set<string>;
  readonly parts: string[];
}

/** Returns the source of the library. */
export function formatLibrary(protocol: Protocol, plan: ProtocolPlan): string {
  const declarations = sortDeclarations(plan);
  const aliases = declarations.filter((each) => "value" in each);
  const printer: Printer = {
    recursive: findRecursiveNames({ classes: plan.classes, aliases }),
    declared: new Set(),
    parts: [],
  };
  const typeField = createTypeField(protocol, plan);
  for (const alias of aliases) addAlias(printer, alias);
  for (const each of plan.classes) addStruct(printer, each, []);
  const shared = plan.envelope.fields;
  addStruct(printer, { ...UNKNOWN_EVENT, fields: [...shared, ...plan.unknownEventFields] }, [typeField]);
  for (const event of plan.events)
    addStruct(printer, { ...event, fields: [...shared, ...event.fields] }, [typeField]);
  const accessors = [typeField, ...shared].map((field) => formatAccessor(printer, field));
  const source = [...printer.parts, formatEventEnum(plan, protocol, accessors)].join("\n\n");
  const [integer = "", ...readers] = readDefinitions();
  const usedReaders = readers.filter((text) => source.includes(/^fn (\w+)/m.exec(text)?.[1] ?? text));
  const prelude = formatPrelude(protocol, source.includes("BTreeMap<"));
  return `${[prelude, integer, ...usedReaders, source].join("\n\n")}\n`;
}

const UNKNOWN_EVENT: ClassPlan = {
  name: "UnknownEvent",
  doc: { text: "An event of a type that this version does not know. All its fields are kept." },
  fields: [],
  others: undefined,
};

/** Returns the field with the type of an event, as a required text. */
function createTypeField({ envelope }: Protocol, { discriminator }: ProtocolPlan): FieldPlan {
  const member: MemberPlan = { kind: "string", listed: undefined, bounds: {} };
  const value: ValuePlan = { isNullable: false, members: [member] };
  const doc = { text: "The type of the event." };
  return { name: envelope.discriminator, attribute: discriminator, value, isRequired: true, doc };
}

function addAlias(printer: Printer, { name, doc, value }: AliasPlan): void {
  const type = formatValueType(value);
  addEnums(printer, value, type === name ? doc : undefined);
  if (type !== name) printer.parts.push([...formatDoc(doc, ""), `pub type ${name} = ${type};`].join("\n"));
}

function addStruct(
  printer: Printer,
  { name, doc, fields, others }: ClassPlan,
  first: readonly FieldPlan[],
): void {
  for (const { value } of fields) addEnums(printer, value);
  if (others) addEnums(printer, others);
  const lines = [...first, ...fields].map((field) => formatStructField(printer, field));
  const extra = others === undefined ? "Map<String, Value>" : `BTreeMap<String, ${formatValueType(others)}>`;
  printer.parts.push(
    [
      ...formatDoc(doc, ""),
      "#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]",
      formatHead(`pub struct ${name}`),
      ...lines,
      "    /// Fields that this version does not know.",
      "    #[serde(flatten)]",
      `    pub extra: ${extra},`,
      "}",
    ].join("\n"),
  );
}

/** Formats the first line of a type. rustfmt puts the brace on a line of its own if there is no room for it. */
function formatHead(declaration: string): string {
  return declaration.length <= 98 ? `${declaration} {` : `${declaration}\n{`;
}

function formatStructField({ recursive }: Printer, field: FieldPlan): string {
  const { type, attributes } = formatField(field, recursive);
  const rename = field.name === field.attribute ? [] : [`rename = ${formatString(field.name)}`];
  return [
    ...formatDoc(field.doc, "    "),
    ...formatAttributes([...rename, ...attributes], "    "),
    formatMember(field.attribute, type),
  ].join("\n");
}

function formatMember(name: string, type: string): string {
  const line = `    pub ${name}: ${type},`;
  return line.length <= 100 ? line : `    pub ${name}:\n        ${type},`;
}

/** Declares the enums of lists of texts within a value. */
function addEnums(printer: Printer, { members }: ValuePlan, doc?: DocText): void {
  for (const member of members) {
    if (member.kind === "list") addEnums(printer, member.items);
    else if (member.kind === "map") addEnums(printer, member.values);
    else if ("listed" in member && member.name !== undefined && !printer.declared.has(member.name)) {
      printer.declared.add(member.name);
      printer.parts.push(formatEnum(member.name, member.listed, doc));
    }
  }
}

function formatEnum(name: string, listed: ListedValues | undefined, doc: DocText = { text: "" }): string {
  const assign = createNameAssigner(["Other", "Self"]);
  const texts = (listed?.values ?? []).filter((value) => typeof value === "string");
  const variants = [...new Set(texts.map((text) => text.toWellFormed()))].flatMap((text) => [
    ...formatAttributes([`rename = ${formatString(text)}`], "    "),
    `    ${assign(formatCapitalName(toPascalCase(text)))},`,
  ]);
  const other = [
    "    /// A value that this version does not know.",
    "    #[serde(untagged)]",
    "    Other(String),",
  ];
  const listing = listed?.isOpen ? "Known values. There may be others." : "All values.";
  return [
    ...formatDoc({ ...doc, text: doc.text === "" ? listing : doc.text }, ""),
    "#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]",
    ...(listed?.isOpen ? ["#[non_exhaustive]"] : []),
    formatHead(`pub enum ${name}`),
    ...variants,
    ...(listed?.isOpen ? other : []),
    "}",
  ].join("\n");
}

/** Formats the method of an event that returns a field which all events have. */
function formatAccessor({ recursive }: Printer, field: FieldPlan): string {
  const { attribute } = field;
  const { type } = formatField(field, recursive);
  const optional = /^Option<(.*)>$/.exec(type)?.[1];
  const result = optional === undefined ? `&${type === "String" ? "str" : type}` : `Option<&${optional}>`;
  const value = `get_shared!(self, ${attribute})${optional === undefined ? "" : ".as_ref()"}`;
  const line = `    pub fn ${attribute}(&self) -> ${result} {`;
  const head = line.length <= 100 ? line : `    pub fn ${attribute}(\n        &self,\n    ) -> ${result} {`;
  return [...formatDoc(field.doc, "    "), head, `        ${value}`, "    }"].join("\n");
}

function formatEventEnum(
  { events }: ProtocolPlan,
  { envelope }: Protocol,
  accessors: readonly string[],
): string {
  const assign = createNameAssigner(["Unknown", "Self"]);
  const rows = events.map((event) => ({ event, variant: assign(nameVariant(event)) }));
  const variants = rows.map(({ event, variant }) =>
    [...formatDoc({ text: JSON.stringify(event.type) }, "    "), `    ${variant}(Box<${event.name}>),`].join(
      "\n",
    ),
  );
  const decoders = rows.map(({ event, variant }) =>
    formatArm(`Some(${formatString(event.type)})`, `read(text).map(Event::${variant})`),
  );
  const serializers = rows.map(({ variant }) =>
    formatArm(`Event::${variant}(event)`, "event.serialize(serializer)"),
  );
  const getters = [...rows.map(({ variant }) => variant), "Unknown"].map((variant) =>
    formatArm(`Event::${variant}(event)`, "&event.$field"),
  );
  return `/// An event. Its text is the same after it was read and written, but for blanks and the order of fields.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Event {
${variants.join("\n")}
    /// An event of a type that this version does not know.
    Unknown(Box<UnknownEvent>),
}

macro_rules! get_shared {
    ($event:expr, $field:ident) => {
        match $event {
${getters.join("\n")}
        }
    };
}

/// The fields that all events have.
#[allow(clippy::wrong_self_convention, clippy::should_implement_trait)]
#[allow(clippy::len_without_is_empty, clippy::borrowed_box)]
impl Event {
${accessors.join("\n\n")}
}

impl Serialize for Event {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
${serializers.join("\n")}
            Event::Unknown(event) => event.serialize(serializer),
        }
    }
}

/// Decodes one event from its JSON text.
pub fn decode_event(text: &str) -> Result<Event, DecodeError> {
    let value: Value = serde_json::from_str(text)?;
    validation::validate_event(&value)?;
    match value.get(DISCRIMINATOR).and_then(Value::as_str) {
${decoders.join("\n")}
        _ => read(text).map(Event::Unknown),
    }
}

const DISCRIMINATOR: &str = ${formatString(envelope.discriminator)};

// A number of a \`Value\` may lose digits on its way into another type, so the text is read again.
fn read<T: DeserializeOwned>(text: &str) -> Result<Box<T>, DecodeError> {
    Ok(Box::new(serde_json::from_str(text)?))
}`;
}

function nameVariant({ eventName }: EventPlan): string {
  return formatCapitalName(toPascalCase(eventName)) || "X";
}

/** Formats an arm of a match as rustfmt does. */
function formatArm(pattern: string, body: string): string {
  const indent = " ".repeat(pattern.startsWith("Some") ? 8 : 12);
  const line = `${indent}${pattern} => ${body},`;
  return line.length <= 100 ? line : `${indent}${pattern} => {\n${indent}    ${body}\n${indent}}`;
}

/**
 * Reads the definitions of the library that do not depend on the protocol: the type of whole numbers, and the functions to
 * which attributes of fields refer.
 */
function readDefinitions(): readonly string[] {
  return readSourceFile("rust/package/lib.rs")
    .trimEnd()
    .split(/\n\n(?=\/\/\/ (?:A whole number|Reads a field))/)
    .slice(1);
}

function formatPrelude(protocol: Protocol, hasMaps: boolean): string {
  const { title, version } = protocol;
  const checker = hasStreamChecker(protocol) ? "pub use checker::{Finding, Profile, StreamChecker};\n" : "";
  const doc = formatDoc({ text: `${title}, version ${version}.` }, "").map((line) =>
    line.replace("///", "//!"),
  );
  return `${doc.join("\n")}
#![allow(nonstandard_style, uncommon_codepoints)]
#![allow(confusable_idents, mixed_script_confusables)]
#![allow(clippy::doc_lazy_continuation, clippy::doc_overindented_list_items)]

${checker === "" ? "" : "mod checker;\nmod machine;\n"}mod stream;
mod validation;
${checker === "" ? "" : "mod values;\n"}
${hasMaps ? "use std::collections::BTreeMap;\n" : ""}use std::fmt;

use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Number, Value};

${checker}pub use stream::{stream_key, Delivery, EventReader, Gap, Position};
pub use validation::{DecodeError, Issue};`;
}
