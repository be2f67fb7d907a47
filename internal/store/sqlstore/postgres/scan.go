package postgres

import (
	"bytes"
	"encoding/binary"
	"reflect"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	"mintmark/internal/store/sqlstore/db"
)

// scanRow returns the Scan of the current row. A row has up to sixty columns, most of them strings
// and integers, which scanFast copies: the driver would look up a codec for each. The driver reads
// the others.
func scanRow(rows pgx.Rows) db.Scan {
	return func(columns ...any) error {
		raw, fields := rows.RawValues(), rows.FieldDescriptions()
		if len(columns) != len(raw) {
			return rows.Scan(columns...) // reports what is wrong
		}
		for i, into := range columns {
			if scanFast(into, &fields[i], raw[i]) {
				continue
			}
			err := rows.Conn().TypeMap().Scan(fields[i].DataTypeOID, fields[i].Format, raw[i], into)
			if err != nil {
				return pgx.ScanArgError{ColumnIndex: i, FieldName: fields[i].Name, Err: err}
			}
		}
		return nil
	}
}

// scanFast copies a column that is a string, an integer or a boolean, and reports whether it was
// one. Strings may contain escapes.
func scanFast(into any, field *pgconn.FieldDescription, raw []byte) bool {
	const wholeNumber = 8 // bytes
	switch {
	case raw == nil:
		return scanNull(into)
	case field.DataTypeOID == pgtype.TextOID:
		text := string(raw)
		if bytes.IndexByte(raw, escape) >= 0 {
			text = unescaped(text)
		}
		return scanText(into, text)
	case field.DataTypeOID == pgtype.Int8OID && field.Format == pgx.BinaryFormatCode &&
		len(raw) == wholeNumber:
		number := int64(binary.BigEndian.Uint64(raw))
		switch into := into.(type) {
		case *int:
			*into = int(number)
		case *int64:
			*into = number
		case db.Time:
			return into.Scan(number) == nil
		default:
			return false
		}
		return true
	case field.DataTypeOID == pgtype.BoolOID && field.Format == pgx.BinaryFormatCode &&
		len(raw) == 1:
		to, fits := into.(*bool)
		if fits {
			*to = raw[0] != 0
		}
		return fits
	}
	return false
}

// scanNull is scanFast for NULL.
func scanNull(into any) bool {
	switch into := into.(type) {
	case *int:
		*into = 0
	case *int64:
		*into = 0
	case *bool:
		*into = false
	case db.Time:
		return into.Scan(nil) == nil
	default:
		return scanText(into, "")
	}
	return true
}

// scanText copies to a string, or to a type whose kind is string.
func scanText(into any, text string) bool {
	if to, fits := into.(*string); fits {
		*to = text
		return true
	}
	to := reflect.ValueOf(into)
	if to.Kind() != reflect.Pointer || to.Elem().Kind() != reflect.String {
		return false
	}
	to.Elem().SetString(text)
	return true
}
