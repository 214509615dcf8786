/**
 * Gathers settings as raw text: from the command line, else the environment, else the config file. Each value keeps its source, so that a
 * refusal can name it.
 */
import { readFileSync } from 'node:fs'
import { errorMessage, Failure } from '../base/errors.ts'
import { declarationOf, optionOf, SETTING_NAMES, type SettingName, variableOf } from './settings.ts'

export interface RawSetting {
  readonly text: string
  /** As its owner wrote it: `--http-port`, `POSTHOUSE_HTTP_PORT`, `http_port in posthouse.json`. */
  readonly from: string
}

export type RawSettings = ReadonlyMap<SettingName, RawSetting>

/** Options of the command line by their setting's name; a flag is `true`. */
export type OptionValues = { readonly [N in SettingName]?: string | boolean }
export type Environment = { readonly [name: string]: string | undefined }

/** @throws Failure `configuration` for unknown settings and unreadable files */
export function gatherSettings(options: OptionValues, environment: Environment): RawSettings {
  refuseUnknown(environment)
  const raw = new Map<SettingName, RawSetting>()
  const keep = (name: SettingName, setting: RawSetting | null) => {
    if (setting && !raw.has(name)) raw.set(name, setting)
  }
  for (const name of SETTING_NAMES) keep(name, fromOption(name, options[name]))
  for (const name of SETTING_NAMES) keep(name, fromVariable(name, environment))
  const file = raw.get('config')
  if (file) for (const [name, setting] of fromFile(file)) keep(name, setting)
  return raw
}

const PREFIX = 'POSTHOUSE_'
/** What Kubernetes gives to all containers beside a service named posthouse, such as POSTHOUSE_SERVICE_HOST and POSTHOUSE_PORT_25_TCP. */
const OF_A_SERVICE =
  /^POSTHOUSE_(SERVICE_HOST|SERVICE_PORT(_[A-Z0-9_]+)?|PORT(_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)$/

/** A name that is spelt wrong would leave its setting at the default without a word. */
function refuseUnknown(environment: Environment): void {
  const known = new Set(
    SETTING_NAMES.flatMap((name) => {
      const variable = variableOf(name)
      return declarationOf(name).secret ? [variable, `${variable}_FILE`] : [variable]
    }),
  )
  const unknown = Object.keys(environment).filter(
    (name) => name.startsWith(PREFIX) && !known.has(name) && !OF_A_SERVICE.test(name),
  )
  if (unknown.length === 0) return
  const lines = unknown.map((name) => `${name}: there is no setting "${name.slice(PREFIX.length).toLowerCase()}"`)
  throw new Failure('configuration', lines.join('\n'))
}

function fromOption(name: SettingName, value: string | boolean | undefined): RawSetting | null {
  return value === undefined ? null : { text: String(value), from: optionOf(name) }
}

function fromVariable(name: SettingName, environment: Environment): RawSetting | null {
  const variable = variableOf(name)
  const value = environment[variable]
  const path = declarationOf(name).secret ? environment[`${variable}_FILE`] : undefined
  if (value !== undefined && path !== undefined)
    throw new Failure('configuration', `${variable} and ${variable}_FILE are both set; remove one of them`)
  if (path !== undefined) return { text: readText(path, `${variable}_FILE`).trim(), from: `${variable}_FILE` }
  // In compose files and unit files an empty variable means that it is not set.
  return value === undefined || value === '' ? null : { text: value, from: variable }
}

function fromFile({ text: path, from }: RawSetting): [SettingName, RawSetting][] {
  const content = readText(path, from)
  let value: unknown
  try {
    value = JSON.parse(content)
  } catch (error) {
    throw new Failure('configuration', `${path} is not valid JSON: ${errorMessage(error)}`)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Failure('configuration', `${path} must hold one JSON object of settings`)
  return Object.entries(value).flatMap(([key, entry]) => {
    const name = SETTING_NAMES.find((known) => known === key)
    if (name === undefined || name === 'config')
      throw new Failure('configuration', `${path}: there is no setting "${key}"`)
    return entry === null ? [] : [[name, { text: toText(entry, key, path), from: `${key} in ${path}` }]]
  })
}

function toText(entry: unknown, key: string, path: string): string {
  if (Array.isArray(entry) && entry.every((item) => typeof item === 'string')) return entry.join(',')
  if (typeof entry === 'string' || typeof entry === 'number' || typeof entry === 'boolean') return String(entry)
  throw new Failure('configuration', `${path}: ${key} must be a string, a number, true, false or a list of strings`)
}

function readText(path: string, from: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new Failure('configuration', `${from}: ${path} cannot be read: ${errorMessage(error)}`)
  }
}
