/**
 * Validates input against its schema by ajv. A schema is compiled once, when it is first needed: compiling all of them takes a third of a
 * second. Most input is valid: one validator ends at the first fault, and one that finds all of them is compiled after a fault. Only a query
 * is coerced, since it holds nothing but text.
 */
import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv'
import { REST_DETAILED_VALUES_MAX, REST_DETAILS_MAX } from '../../server/base/limits.ts'
import { type DetailCode, type FieldDetail, invalidFields } from '../errors/api-error.ts'
import { isAddress } from './addresses.ts'
import type { JsonSchema } from './schema.ts'
import { parseTime } from './timestamps.ts'

/** Returns the checked value with defaults filled in. @throws ApiError validation_error with one detail per fault */
export type Validator = (value: unknown) => unknown

const OPTIONS: Options = {
  useDefaults: true,
  verbose: true,
  strict: true,
  allowUnionTypes: true,
  strictRequired: false,
  // The schemas are ours, and a test checks them: compiling the schema of schemas would take 60 ms of the first request.
  meta: false,
  validateSchema: false,
  // Half of the time to compile, and V8 runs the code as fast without it.
  code: { optimize: false },
  formats: {
    'date-time': (text: string) => parseTime(text) !== null,
    email: isAddress,
  },
}

export function bodyValidator(schema: JsonSchema): Validator {
  return (value) => check(schema, value)
}

export function queryValidator(schema: JsonSchema): (query: URLSearchParams) => unknown {
  return (query) => check(schema, coerce(query, schema.properties ?? {}))
}

/** For tests and development: the fault of a response; null: it matches its declaration, without further members. */
export function answerFault(schema: JsonSchema): (body: unknown) => string | null {
  return (body) => {
    const validate = ofAnswer(schema)
    if (validate(body)) return null
    return (validate.errors ?? []).map((error) => `${error.instancePath || '/'} ${error.message}`).join('; ')
  }
}

const FIRST_FAULT = new Ajv(OPTIONS)
const ALL_FAULTS = new Ajv({ ...OPTIONS, allErrors: true })
const ofInput = compiledOnce(FIRST_FAULT, (schema) => schema)
const ofFaultyInput = compiledOnce(ALL_FAULTS, (schema) => schema)
const ofAnswer = compiledOnce(ALL_FAULTS, closed)

function compiledOnce(ajv: Ajv, change: (schema: JsonSchema) => JsonSchema): (schema: JsonSchema) => ValidateFunction {
  const known = new WeakMap<JsonSchema, ValidateFunction>()
  return (schema) => {
    let validate = known.get(schema)
    if (!validate) {
      validate = ajv.compile(change(schema))
      known.set(schema, validate)
    }
    return validate
  }
}

function check(schema: JsonSchema, value: unknown): unknown {
  const isValid = ofInput(schema)
  if (isValid(value)) return value
  // The faults of a hundred thousand values would take seconds.
  const validate = hasMoreValues(value, REST_DETAILED_VALUES_MAX) ? isValid : ofFaultyInput(schema)
  validate(value)
  throw invalidFields(toDetails(validate.errors ?? []))
}

function hasMoreValues(value: unknown, max: number): boolean {
  let left = max
  const walk = (one: unknown): void => {
    if (--left < 0 || typeof one !== 'object' || one === null) return
    for (const member of Object.values(one)) {
      if (left < 0) return
      walk(member)
    }
  }
  walk(value)
  return left < 0
}

const TRUE = new Set(['true', '1', 'yes'])
const FALSE = new Set(['false', '0', 'no'])

/** Text that is not of the declared type stays text, which the validator refuses. A name given twice becomes a list. */
function coerce(query: URLSearchParams, properties: NonNullable<JsonSchema['properties']>): object {
  const values: { [name: string]: unknown } = {}
  for (const [name, schema] of Object.entries(properties)) {
    const [first, ...more] = query.getAll(name)
    if (first !== undefined) values[name] = more.length > 0 ? [first, ...more] : coerceOne(first, schema.type)
  }
  return values
}

function coerceOne(text: string, type: JsonSchema['type']): unknown {
  if (type === 'integer') return /^-?\d{1,15}$/.test(text) ? Number(text) : text
  if (type !== 'boolean') return text
  if (TRUE.has(text.toLowerCase())) return true
  return FALSE.has(text.toLowerCase()) ? false : text
}

/** ISO 8601 in UTC with milliseconds. */
const INSTANT = '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$'

/** A copy in which objects with declared members take no others, and times have the form of answers. */
function closed({ properties, items, anyOf, ...rest }: JsonSchema): JsonSchema {
  const members = properties && Object.entries(properties).map(([name, child]) => [name, closed(child)])
  return {
    ...rest,
    ...(members && { properties: Object.fromEntries(members), additionalProperties: false }),
    ...(items && { items: closed(items) }),
    ...(anyOf && { anyOf: anyOf.map(closed) }),
    ...(rest.format === 'date-time' && { pattern: INSTANT }),
  }
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

/** Of a union only the branch that the value's type selects: "to[1].email is required", and not "to must be a string". */
function withoutOtherBranches(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const kept: ErrorObject[] = []
  for (const error of errors) {
    if (error.keyword !== 'anyOf') {
      kept.push(error)
      continue
    }
    // The errors of its branches are directly before that of a union.
    let from = kept.length
    while (from > 0 && branchOf(kept[from - 1]!, error) !== null) from--
    const branches = [...Map.groupBy(kept.splice(from), (one) => branchOf(one, error)).values()]
    kept.push(...(branches.find((branch) => !branch.some((one) => isTypeError(one, error))) ?? [error]))
  }
  return kept
}

/** Number of the union's branch that an error is in; null: none. */
function branchOf({ schemaPath, instancePath }: ErrorObject, union: ErrorObject): string | null {
  const isBelow = schemaPath.startsWith(`${union.schemaPath}/`) && instancePath.startsWith(union.instancePath)
  return isBelow ? (schemaPath.slice(union.schemaPath.length + 1).split('/', 1)[0] ?? null) : null
}

function isTypeError(error: ErrorObject, union: ErrorObject): boolean {
  return error.keyword === 'type' && error.instancePath === union.instancePath
}

function toDetail(error: ErrorObject): FieldDetail {
  const missing = error.keyword === 'required' ? String(error.params['missingProperty']) : null
  const field = fieldOf(error.instancePath, missing)
  const [code, words] = faultOf(error)
  return { field, code, message: `${field ?? 'The request body'} ${words}.` }
}

/** `/to/1/email` as the client writes it: `to[1].email`. */
function fieldOf(instancePath: string, missing: string | null): string | null {
  const names = instancePath
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
  if (missing !== null) names.push(missing)
  if (names.length === 0) return null
  return names.map((name, i) => (/^\d+$/.test(name) ? `[${name}]` : i === 0 ? name : `.${name}`)).join('')
}

const BOUNDS: { readonly [keyword: string]: readonly [code: DetailCode, words: string, unit: string] } = {
  minLength: ['too_short', 'must have at least', 'character'],
  maxLength: ['too_long', 'must have at most', 'character'],
  minItems: ['too_short', 'must have at least', 'item'],
  maxItems: ['too_long', 'must have at most', 'item'],
  maxProperties: ['too_long', 'must have at most', 'member'],
  minimum: ['out_of_range', 'must be at least', ''],
  maximum: ['out_of_range', 'must be at most', ''],
}

function faultOf({ keyword, params, parentSchema }: ErrorObject): readonly [DetailCode, string] {
  const bound = BOUNDS[keyword]
  if (bound) {
    const [code, words, unit] = bound
    const limit: number = params['limit']
    return [code, `${words} ${limit}${unit && ` ${unit}${limit === 1 ? '' : 's'}`}`]
  }
  switch (keyword) {
    case 'required':
      return ['required', 'is required']
    case 'type':
      return ['invalid_type', `must be ${typeWords([params['type']].flat())}`]
    case 'anyOf':
      return ['invalid_type', 'has the wrong type']
    case 'enum':
      return ['not_allowed', `must be one of ${params['allowedValues'].map(String).join(', ')}`]
    case 'const':
      return ['not_allowed', `must be ${String(params['allowedValue'])}`]
    case 'format':
      return ['invalid_format', `must be ${params['format'] === 'email' ? 'an email address' : 'an ISO 8601 time'}`]
    case 'pattern': {
      const description: string | undefined = parentSchema?.['description']
      return ['invalid_format', description ? `is not valid: ${description.replace(/\.$/, '')}` : 'is not valid']
    }
    default:
      return ['invalid_format', 'is not valid']
  }
}

function typeWords(types: readonly string[]): string {
  return types.map((name) => (name === 'null' ? name : `${/^[aeio]/.test(name) ? 'an' : 'a'} ${name}`)).join(' or ')
}
