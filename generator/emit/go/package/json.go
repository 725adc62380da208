package events

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// DecodeError says why a JSON text is not an event.
type DecodeError struct {
	// Pointer is the JSON pointer of the refused value, such as "/data/exit_code". It is empty for the whole event.
	Pointer string

	// Err is the reason.
	Err error

	// Issues holds every place at which the event breaks the contract. The first one is that of Pointer and Err. It is empty
	// if the text is not JSON, or if the types of this package cannot hold the event.
	Issues []Issue
}

// Error returns the pointer and the reason, and the number of other issues.
func (e *DecodeError) Error() string {
	text := "invalid event: "
	if e.Pointer != "" {
		text += e.Pointer + ": "
	}
	text += e.Err.Error()
	if len(e.Issues) > 1 {
		text += " (and " + strconv.Itoa(len(e.Issues)-1) + " more)"
	}
	return text
}

// Unwrap returns the reason.
func (e *DecodeError) Unwrap() error { return e.Err }

// DecodeEvent decodes one event from its JSON text. The event is a pointer to one of the event types of this package, or
// an *UnknownEvent. An error is a *DecodeError.
func DecodeEvent(data []byte) (Event, error) {
	members, eventType, err := parseEvent(data)
	if err != nil {
		return nil, err
	}
	event := newEvent(eventType)
	if err := fillEvent(event, members); err != nil {
		return nil, err
	}
	return event, nil
}

// EncodeEvent returns the JSON text of an event. Unlike json.Marshal, it does not change the texts of unknown fields.
func EncodeEvent(event Event) ([]byte, error) {
	var buffer bytes.Buffer
	err := encodeStruct(&buffer, reflect.ValueOf(event).Elem(), event.EventType())
	return buffer.Bytes(), err
}

// Checks an event against the contract. Returns its members and its type.
func parseEvent(data []byte) (map[string]json.RawMessage, EventType, error) {
	if err := validateEvent(data); err != nil {
		return nil, "", err
	}
	members, err := splitObject(data, "")
	if err != nil {
		return nil, "", err
	}
	eventType, err := readType(members)
	return members, eventType, err
}

func decodeEvent(data []byte, event Event) error {
	members, eventType, err := parseEvent(data)
	if err != nil {
		return err
	}
	if unknown, ok := event.(*UnknownEvent); ok {
		unknown.setType(eventType)
	}
	if eventType != event.EventType() {
		return refuse(appendPointer("", discriminator), "is another event type: "+strconv.Quote(string(eventType)))
	}
	return fillEvent(event, members)
}

func fillEvent(event Event, members map[string]json.RawMessage) error {
	delete(members, discriminator)
	return decodeMembers(members, reflect.ValueOf(event).Elem(), "")
}

func readType(members map[string]json.RawMessage) (EventType, error) {
	pointer := appendPointer("", discriminator)
	data, ok := members[discriminator]
	if !ok {
		return "", refuse(pointer, "is missing")
	}
	var eventType EventType
	return eventType, decodeValue(data, reflect.ValueOf(&eventType).Elem(), pointer)
}

func decodeObject(data []byte, target any) error {
	return decodeValue(bytes.TrimSpace(data), reflect.ValueOf(target).Elem(), "")
}

func encodeObject(object any) ([]byte, error) {
	var buffer bytes.Buffer
	err := encodeStruct(&buffer, reflect.ValueOf(object), "")
	return buffer.Bytes(), err
}

// A field of a struct, as its tags describe it.
type field struct {
	name       string
	index      []int
	isOptional bool
	isNullable bool
}

var fieldsByType sync.Map

func listFields(structType reflect.Type) []field {
	if known, ok := fieldsByType.Load(structType); ok {
		return known.([]field)
	}
	var fields []field
	for _, each := range reflect.VisibleFields(structType) {
		name, options, _ := strings.Cut(each.Tag.Get("json"), ",")
		isOptional := options == "omitzero" || each.Tag.Get("optional") == "true"
		// A json tag cannot hold every name.
		if odd, ok := each.Tag.Lookup("name"); ok {
			name = odd
		} else if each.Anonymous || name == "-" {
			continue
		}
		fields = append(fields, field{name, each.Index, isOptional, each.Tag.Get("null") == "true"})
	}
	fieldsByType.Store(structType, fields)
	return fields
}

var rawType = reflect.TypeOf(json.RawMessage(nil))

// A closed list of texts.
type closedList interface{ isListed() bool }

func decodeMembers(members map[string]json.RawMessage, target reflect.Value, pointer string) error {
	for _, field := range listFields(target.Type()) {
		data, ok := members[field.name]
		place := appendPointer(pointer, field.name)
		value := target.FieldByIndex(field.index)
		if !ok {
			if !field.isOptional {
				return refuse(place, "is missing")
			}
			value.SetZero()
			continue
		}
		if isNull(data) && value.Type() != rawType {
			if !field.isNullable {
				return refuse(place, "must not be null")
			}
			value.SetZero()
			// An optional field that is null stays in Extra, so that it differs from an absent one.
			if !field.isOptional {
				delete(members, field.name)
			}
			continue
		}
		delete(members, field.name)
		if err := decodeValue(data, value, place); err != nil {
			return err
		}
	}
	if len(members) == 0 {
		members = nil
	}
	target.FieldByName("Extra").Set(reflect.ValueOf(members))
	return nil
}

func decodeValue(data []byte, target reflect.Value, pointer string) error {
	if target.Type() == rawType {
		target.SetBytes(bytes.Clone(data))
		return nil
	}
	switch target.Kind() {
	case reflect.Pointer:
		target.Set(reflect.New(target.Type().Elem()))
		return decodeValue(data, target.Elem(), pointer)
	case reflect.Struct:
		members, err := splitObject(data, pointer)
		if err != nil {
			return err
		}
		return decodeMembers(members, target, pointer)
	case reflect.Map:
		return decodeMap(data, target, pointer)
	case reflect.Slice:
		return decodeSlice(data, target, pointer)
	default:
		return decodeScalar(data, target, pointer)
	}
}

func decodeMap(data []byte, target reflect.Value, pointer string) error {
	members, err := splitObject(data, pointer)
	if err != nil {
		return err
	}
	target.Set(reflect.MakeMapWithSize(target.Type(), len(members)))
	for name, member := range members {
		value := reflect.New(target.Type().Elem()).Elem()
		if err := decodeItem(member, value, appendPointer(pointer, name)); err != nil {
			return err
		}
		target.SetMapIndex(reflect.ValueOf(name), value)
	}
	return nil
}

func decodeSlice(data []byte, target reflect.Value, pointer string) error {
	var items []json.RawMessage
	if err := json.Unmarshal(data, &items); err != nil || items == nil {
		return refuse(pointer, "must be a list")
	}
	target.Set(reflect.MakeSlice(target.Type(), len(items), len(items)))
	for i, item := range items {
		if err := decodeItem(item, target.Index(i), appendPointer(pointer, strconv.Itoa(i))); err != nil {
			return err
		}
	}
	return nil
}

// Decodes a member of a map or list. A pointer is nil for null.
func decodeItem(data []byte, target reflect.Value, pointer string) error {
	if target.Kind() == reflect.Pointer && isNull(data) {
		return nil
	}
	return decodeValue(data, target, pointer)
}

func decodeScalar(data []byte, target reflect.Value, pointer string) error {
	switch target.Kind() {
	case reflect.Int64:
		number, err := parseInteger(data)
		if err != nil {
			return &DecodeError{Pointer: pointer, Err: err}
		}
		target.SetInt(number)
		return nil
	case reflect.Float64:
		number, err := strconv.ParseFloat(string(data), 64)
		if err != nil {
			return refuse(pointer, "must be a number that fits float64")
		}
		target.SetFloat(number)
		return nil
	}
	if err := json.Unmarshal(data, target.Addr().Interface()); err != nil || isNull(data) {
		return refuse(pointer, "must be a "+target.Kind().String())
	}
	if list, ok := target.Interface().(closedList); ok && !list.isListed() {
		return refuse(pointer, strconv.Quote(target.String())+" is not one of the listed values")
	}
	return nil
}

// Parses a JSON number without a fraction. 1.0 and 1e3 are whole numbers, too.
func parseInteger(data []byte) (int64, error) {
	if number, err := strconv.ParseInt(string(data), 10, 64); err == nil {
		return number, nil
	}
	number, err := strconv.ParseFloat(string(data), 64)
	if err != nil || number != math.Trunc(number) {
		return 0, errors.New("must be a whole number")
	}
	if math.Abs(number) > 1<<53 {
		return 0, errors.New("must be a whole number that fits int64")
	}
	return int64(number), nil
}

func splitObject(data []byte, pointer string) (map[string]json.RawMessage, error) {
	var members map[string]json.RawMessage
	err := json.Unmarshal(data, &members)
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return nil, &DecodeError{Pointer: pointer, Err: err}
	}
	if err != nil || members == nil {
		return nil, refuse(pointer, "must be an object")
	}
	return members, nil
}

func isNull(data []byte) bool { return string(data) == "null" }

func refuse(pointer, reason string) error {
	return &DecodeError{Pointer: pointer, Err: errors.New(reason)}
}

func appendPointer(pointer, name string) string {
	return pointer + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}

// Encodes a struct. The one of an event begins with the event type.
func encodeStruct(buffer *bytes.Buffer, value reflect.Value, eventType EventType) error {
	names := map[string]bool{discriminator: eventType != ""}
	buffer.WriteByte('{')
	if eventType != "" {
		if err := encodeMember(buffer, discriminator, reflect.ValueOf(eventType)); err != nil {
			return err
		}
	}
	for _, field := range listFields(value.Type()) {
		member := value.FieldByIndex(field.index)
		if field.isOptional && member.IsZero() {
			continue
		}
		if field.isNullable && member.IsZero() {
			member = reflect.ValueOf(json.RawMessage("null"))
		}
		names[field.name] = true
		if err := encodeMember(buffer, field.name, member); err != nil {
			return err
		}
	}
	extra := value.FieldByName("Extra")
	for _, name := range sortKeys(extra) {
		if names[name.String()] {
			continue
		}
		if err := encodeMember(buffer, name.String(), extra.MapIndex(name)); err != nil {
			return err
		}
	}
	return buffer.WriteByte('}')
}

// Encodes a name and its value, after a comma where other members precede it.
func encodeMember(buffer *bytes.Buffer, name string, value reflect.Value) error {
	if buffer.Bytes()[buffer.Len()-1] != '{' {
		buffer.WriteByte(',')
	}
	if err := encodeValue(buffer, reflect.ValueOf(name)); err != nil {
		return err
	}
	buffer.WriteByte(':')
	return encodeValue(buffer, value)
}

func encodeValue(buffer *bytes.Buffer, value reflect.Value) error {
	switch {
	case value.Type() == rawType:
		return encodeRaw(buffer, value.Bytes())
	case value.Kind() == reflect.Pointer && value.IsNil():
		return encodeRaw(buffer, nil)
	case value.Kind() == reflect.Pointer:
		return encodeValue(buffer, value.Elem())
	case value.Kind() == reflect.Struct:
		return encodeStruct(buffer, value, "")
	case value.Kind() == reflect.Map:
		return encodeMap(buffer, value)
	case value.Kind() == reflect.Slice:
		return encodeSlice(buffer, value)
	}
	encoder := json.NewEncoder(buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value.Interface()); err != nil {
		return err
	}
	// The encoder ends each value with a line break.
	buffer.Truncate(buffer.Len() - 1)
	return nil
}

func encodeRaw(buffer *bytes.Buffer, data []byte) error {
	if data == nil {
		data = []byte("null")
	}
	if !json.Valid(data) {
		return errors.New("a json.RawMessage is not JSON")
	}
	buffer.Write(data)
	return nil
}

func encodeMap(buffer *bytes.Buffer, value reflect.Value) error {
	buffer.WriteByte('{')
	for _, name := range sortKeys(value) {
		if err := encodeMember(buffer, name.String(), value.MapIndex(name)); err != nil {
			return err
		}
	}
	return buffer.WriteByte('}')
}

func encodeSlice(buffer *bytes.Buffer, value reflect.Value) error {
	buffer.WriteByte('[')
	for i := 0; i < value.Len(); i++ {
		if i > 0 {
			buffer.WriteByte(',')
		}
		if err := encodeValue(buffer, value.Index(i)); err != nil {
			return err
		}
	}
	return buffer.WriteByte(']')
}

func sortKeys(value reflect.Value) []reflect.Value {
	keys := value.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
	return keys
}
