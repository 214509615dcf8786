/** libical's recurrences: a rule, a start and the instances, one JSON file each. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expand, recurrenceId } from '../../../jmap/calendars/recurrence/expand.ts'
import { prepare } from '../../../jmap/calendars/recurrence/prepare.ts'
import { localOf, ruleOf } from './ical-components.ts'

type Case = {
  readonly rrule: string
  readonly dtstart: string
  readonly instances?: readonly string[]
  readonly error?: string
}

export type Verdict = { readonly name: string; readonly fault: string | null }

export function libicalVerdicts(corpora: string): Verdict[] {
  const folder = join(corpora, 'libical/recur')
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort()
  return files.map((name) => ({ name, fault: faultOf(JSON.parse(readFileSync(join(folder, name), 'utf8')) as Case) }))
}

function faultOf(given: Case): string | null {
  const wanted = given.instances ?? []
  const wantsError = given.error !== undefined || wanted.some((instance) => instance.includes('***'))
  let found: string[]
  try {
    found = instancesOf(given)
  } catch (error) {
    return wantsError ? null : `${given.rrule}: ${String(error)}`
  }
  // libical does not implement some combinations; what RFC 8984 says of them is compared in spec/jmap/calendars/recurrence.
  if (wanted.some((instance) => instance.includes('UNIMPLEMENTED'))) return null
  if (wantsError) return `${given.rrule}: no error, but ${found.slice(0, 3).join(' ')}`
  const isEqual = found.length === wanted.length && found.every((one, index) => one === wanted[index])
  return isEqual
    ? null
    : `${given.rrule} from ${given.dtstart}\n  wanted ${wanted.join(' ')}\n  found  ${found.join(' ')}`
}

/** Starts that the rule does not produce are none of libical's instances. Times in UTC are compared like local ones. */
function instancesOf({ rrule, dtstart, instances = [] }: Case): string[] {
  const start = localOf(dtstart)
  if (start === null) throw new Error(`DTSTART ${dtstart}`)
  const rule = ruleOf(rrule, null, !dtstart.includes('T'))
  const last = instances.map((one) => localOf(one)).findLast((one) => one !== null) ?? start
  const isEndless = rule.count === undefined && rule.until === undefined
  const range = { start: Date.parse(`${start}Z`), end: isEndless ? Date.parse(`${last}Z`) + 1_000 : Date.UTC(2_199, 0) }
  const prepared = prepare({ start, recurrenceRule: rule }, { startOutsideRules: 'ignored' })
  return expand(prepared, range).map((instance) => {
    const text = recurrenceId(instance).replaceAll(/[-:]/g, '')
    return dtstart.includes('T') ? `${text}${dtstart.endsWith('Z') ? 'Z' : ''}` : text.slice(0, 8)
  })
}
