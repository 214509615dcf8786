/**
 * Input against its schema: one ajv instance; each schema is compiled when it is first needed, since all of them take a third of a
 * second. Only a query is coerced: it holds nothing but text.
 */
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import { REST_DETAILS_MAX } from '../../server/base/limits.ts'
import { type DetailCode, type FieldDetail, invalidFields } from '../errors/api-error.ts'
import { isAddress } from './addresses.ts'
import type { JsonSchema } from './schema.ts'
import { parseTime } from './timestamps.ts'

type Values = { [name: string]: unknown }

/** Gives back the checked value with defaults filled in. @throws Problem validation_error with one detail per fault */
export type Validator = (value: unknown) => unknown

export class Validators {
  readonly #ajv = new Ajv({
    allErrors: true,
    useDefaults: true,
    verbose: true,
    strict: true,
    allowUnionTypes: true,
    strictRequired: false,
    formats: {
      'date-time': (text: string) => parseTime(text) !== null,
      email: isAddress,
    },
  })

  body(schema: JsonSchema): Validator {
    const validator = this.#compiled(schema)
    return (value) => check(validator(), value)
  }

  query(schema: JsonSchema): (query: URLSearchParams) => unknown {
    const validator = this.#compiled(schema)
    const properties = (schema['properties'] ?? {}) as { [name: string]: JsonSchema }
    return (query) => check(validator(), coerce(query, properties))
  }

  /** For tests and development: whether an answer is what the endpoint says it gives, with no member more. */
  answer(schema: JsonSchema): (body: unknown) => string | null {
    const validator = this.#compiled(schema, closed)
    return (body) => {
      const validate = validator()
      if (validate(body)) return null
      return (validate.errors ?? []).map((error) => `${error.instancePath || '/'} ${error.message}`).join('; ')
    }
  }

  #compiled(schema: JsonSchema, change: (schema: JsonSchema) => JsonSchema = (same) => same): () => ValidateFunction {
    let validate: ValidateFunction | undefined
    return () => {
      validate ??= this.#ajv.compile(change(schema))
      return validate
    }
  }
}

function check(validate: ValidateFunction, value: unknown): unknown {
  if (validate(value)) return value
  throw invalidFields(toDetails(validate.errors ?? []))
}

const TRUE = new Set(['true', '1', 'yes'])
const FALSE = new Set(['false', '0', 'no'])

/** Text that does not read as the declared type stays text, for the validator to refuse. A name given twice becomes a list. */
function coerce(query: URLSearchParams, properties: { [name: string]: JsonSchema }): Values {
  const values: Values = {}
  for (const [name, schema] of Object.entries(properties)) {
    const given = query.getAll(name)
    if (given.length > 1) values[name] = given
    else if (given.length === 1) values[name] = coerceOne(given[0]!, schema['type'])
  }
  return values
}

function coerceOne(text: string, type: unknown): unknown {
  if (type === 'integer') return /^-?\d{1,15}$/.test(text) ? Number(text) : text
  if (type !== 'boolean') return text
  if (TRUE.has(text.toLowerCase())) return true
  return FALSE.has(text.toLowerCase()) ? false : text
}

/** The contract's conventions: ISO 8601 in UTC with milliseconds. */
const INSTANT = '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$'

/** A copy in which objects with declared members take no others, and times are as all answers have them. */
function closed(schema: JsonSchema): JsonSchema {
  return Object.fromEntries(
    Object.entries(schema)
      .map(([keyword, value]) => {
        if (keyword === 'properties') {
          const properties = Object.entries(value as { [name: string]: JsonSchema })
          return [keyword, Object.fromEntries(properties.map(([name, child]) => [name, closed(child)]))]
        }
        if (keyword === 'items') return [keyword, closed(value as JsonSchema)]
        if (keyword === 'anyOf') return [keyword, (value as JsonSchema[]).map(closed)]
        return [keyword, value]
      })
      .concat(schema['properties'] ? [['additionalProperties', false]] : [])
      .concat(schema['format'] === 'date-time' ? [['pattern', INSTANT]] : []),
  )
}

function toDetails(errors: readonly ErrorObject[]): FieldDetail[] {
  const details = new Map<string, FieldDetail>()
  for (const error of withoutOtherBranches(errors)) {
    if (details.size >= REST_DETAILS_MAX) break
    const detail = toDetail(error)
    const key = `${detail.field} ${detail.code}`
    if (!details.has(key)) details.set(key, detail)
  }
  return [...details.values()]
}

/**
 * Of a union's branches only the one is told that the value's type chose: `to[1].email` is missing, rather than that `to` should
 * have been a string, or an object, or an array.
 */
function withoutOtherBranches(errors: readonly ErrorObject[]): ErrorObject[] {
  let left = [...errors]
  for (const union of errors.filter((error) => error.keyword === 'anyOf')) {
    const branches = (union.schema as unknown[]).map((_, i) => {
      return left.filter((error) => isBelow(error, `${union.schemaPath}/${i}`, union.instancePath))
    })
    const chosen = branches.find((branch) => branch.length > 0 && !branch.some((error) => isTypeError(error, union)))
    const dropped = new Set(branches.filter((branch) => branch !== chosen).flat())
    if (chosen) dropped.add(union)
    left = left.filter((error) => !dropped.has(error))
  }
  return left
}

function isBelow(error: ErrorObject, schemaPath: string, instancePath: string): boolean {
  return error.schemaPath.startsWith(`${schemaPath}/`) && error.instancePath.startsWith(instancePath)
}

function isTypeError(error: ErrorObject, union: ErrorObject): boolean {
  return error.keyword === 'type' && error.instancePath === union.instancePath
}

function toDetail(error: ErrorObject): FieldDetail {
  const missing = error.keyword === 'required' ? String(error.params['missingProperty']) : null
  const field = fieldOf(error.instancePath, missing)
  const [code, words] = told(error)
  return { field, code, message: `${field ?? 'The request body'} ${words}.` }
}

/** `/to/1/email` as the client would write it: `to[1].email`. */
function fieldOf(instancePath: string, missing: string | null): string | null {
  const names = instancePath
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
  if (missing !== null) names.push(missing)
  if (names.length === 0) return null
  return names.map((name, i) => (/^\d+$/.test(name) ? `[${name}]` : i === 0 ? name : `.${name}`)).join('')
}

function told(error: ErrorObject): [DetailCode, string] {
  const limit = error.params['limit'] as number | undefined
  const described = (error.parentSchema?.['description'] as string | undefined) ?? ''
  switch (error.keyword) {
    case 'required':
      return ['required', 'is required']
    case 'type':
      return ['invalid_type', `must be ${typeWords(error.params['type'] as string | string[])}`]
    case 'anyOf':
      return ['invalid_type', 'has the wrong type']
    case 'enum':
      return ['not_allowed', `must be one of ${(error.params['allowedValues'] as unknown[]).map(String).join(', ')}`]
    case 'const':
      return ['not_allowed', `must be ${String(error.params['allowedValue'])}`]
    case 'minLength':
      return ['too_short', `must have at least ${limit} character${limit === 1 ? '' : 's'}`]
    case 'maxLength':
      return ['too_long', `must have at most ${limit} characters`]
    case 'minItems':
      return ['too_short', `must have at least ${limit} item${limit === 1 ? '' : 's'}`]
    case 'maxItems':
      return ['too_long', `must have at most ${limit} items`]
    case 'minProperties':
      return ['too_short', `must have at least ${limit} member${limit === 1 ? '' : 's'}`]
    case 'maxProperties':
      return ['too_long', `must have at most ${limit} members`]
    case 'minimum':
      return ['out_of_range', `must be at least ${limit}`]
    case 'maximum':
      return ['out_of_range', `must be at most ${limit}`]
    case 'format':
      return [
        'invalid_format',
        `must be ${error.params['format'] === 'email' ? 'an email address' : 'an ISO 8601 time'}`,
      ]
    case 'pattern':
      return ['invalid_format', described ? `is not valid: ${described}` : 'is not valid']
    case 'propertyNames':
      return ['invalid_format', `has a name that is not valid: ${String(error.params['propertyName']).slice(0, 80)}`]
    default:
      return ['invalid_format', 'is not valid']
  }
}

function typeWords(types: string | string[]): string {
  const names = Array.isArray(types) ? types : [types]
  return names.map((name) => (name === 'null' ? 'null' : `${/^[aeio]/.test(name) ? 'an' : 'a'} ${name}`)).join(' or ')
}
