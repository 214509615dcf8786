/** Subscribers as CSV records: the columns of an export, and what an import takes from a record. Pure. */
import { CSV_COLUMNS_MAX } from '../../../server/base/audience-limits.ts'
import { csvLine, plainCell } from '../../../server/base/csv.ts'
import type { JsonObject } from '../../../server/base/json.ts'
import type { SubscriberObject } from '../subscriber/subscriber.type.ts'

/** Columns of an export. `merge_fields` is a JSON object. */
const EXPORTED = [
  'email_address',
  'display_name',
  'status',
  'merge_fields',
  'consent_source',
  'created_at',
  'updated_at',
] as const

export const EXPORT_HEADER = csvLine(EXPORTED)

export function exportLine(subscriber: SubscriberObject): string {
  const { email, displayName, status, mergeFields, consentSource, createdAt, updatedAt } = subscriber
  const fields = Object.keys(mergeFields).length === 0 ? '' : JSON.stringify(mergeFields)
  return csvLine([email, displayName ?? '', status, fields, consentSource, createdAt, updatedAt])
}

/** Names under which other services export the two columns. */
const NAMES: { readonly [column: string]: string } = {
  email_address: 'email',
  email: 'email',
  'e-mail': 'email',
  'email address': 'email',
  display_name: 'displayName',
  name: 'displayName',
  merge_fields: 'mergeFields',
}

/** Columns of an export that an import leaves out: an import cannot set them. */
const LEFT_OUT = new Set(['id', 'status', 'consent_source', 'created_at', 'updated_at'])

export interface ColumnPlan {
  /** A row of Subscriber/add. */
  rowOf(record: readonly string[]): JsonObject
}

/** A name that a merge field may have: `First name` becomes `First_name`. */
function fieldName(column: string): string {
  const name = column.replace(/[^A-Za-z0-9_]+/g, '_')
  return (/^[A-Za-z]/.test(name) ? name : `f_${name}`).slice(0, 64)
}

/** From the first record. Every other column is a merge field. @returns what is wrong, in words */
export function planColumns(header: readonly string[]): ColumnPlan | string {
  if (header.length > CSV_COLUMNS_MAX) return `the first line names more than ${CSV_COLUMNS_MAX} columns`
  const names = header.map((cell) => cell.trim())
  const roles = names.map((name) => (Object.hasOwn(NAMES, name.toLowerCase()) ? NAMES[name.toLowerCase()]! : null))
  if (!roles.includes('email')) return 'the first line names no column email_address'
  const fault = sameColumns(names, roles)
  if (fault !== null) return fault
  return {
    rowOf(record) {
      const row: { [name: string]: JsonObject[string] } = {}
      // Without a prototype, so that a field `__proto__` of JSON is a name like any other, and refused.
      const fields: { [name: string]: JsonObject[string] } = Object.create(null)
      for (const [i, name] of names.entries()) {
        const cell = plainCell(record[i] ?? '')
        const role = roles[i]
        if (role === 'email') row['email'] = cell
        // An empty cell leaves what is stored.
        else if (cell === '') continue
        else if (role === 'displayName') row['displayName'] = cell
        else if (role === 'mergeFields') Object.assign(fields, objectOf(cell))
        else if (!LEFT_OUT.has(name.toLowerCase())) fields[fieldName(name)] = cell
      }
      return record.length > names.length ? {} : { ...row, mergeFields: fields }
    },
  }
}

/** Two columns that would be one, so that one of them would be lost. */
function sameColumns(names: readonly string[], roles: readonly (string | null)[]): string | null {
  const seen = new Map<string, string>()
  for (const [i, name] of names.entries()) {
    const lower = name.toLowerCase()
    const place = roles[i] ?? (LEFT_OUT.has(lower) ? lower : `field ${fieldName(lower)}`)
    const other = seen.get(place)
    if (other?.toLowerCase() === lower) return `the first line names the column ${name} twice`
    if (other !== undefined) return `the columns ${other} and ${name} of the first line are the same`
    seen.set(place, name)
  }
  return null
}

/** Other JSON, and text that is none, makes the row invalid by a name that no field may have. */
function objectOf(cell: string): JsonObject {
  try {
    const value: unknown = JSON.parse(cell)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject
  } catch {}
  return { '': cell }
}
