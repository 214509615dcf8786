/**
 * Which records of a zone are written for a domain (decision D33). Pure. Records of others are neither changed nor deleted; an SPF record
 * of others gets our mechanism, because a name has one SPF record (RFC 7208 3.2). Ours are those that were written here before.
 */
import type { HeldRecord, RecordUpdate, ZoneRecord } from '../../type/dns-provider-port.ts'
import type { DnsFinding } from '../../type/host-ports.ts'
import { type JudgeOptions, judge, relevanceOf } from '../domain/judge.ts'
import type { ExpectedRecord, RecordKey } from '../domain/records.ts'

/** A record that was written here, as stored with the domain. */
export interface WrittenRecord {
  readonly name: string
  readonly type: ZoneRecord['type']
  readonly value: string
  readonly priority?: number
  /** The SPF record of others that it replaced. */
  readonly replaced?: string
}

/** A record that is not written, because others use its name. */
export interface RecordConflict {
  readonly key: RecordKey
  readonly wanted: ZoneRecord
  readonly found: readonly HeldRecord[]
}

export interface RecordPlan {
  readonly create: readonly ZoneRecord[]
  readonly update: readonly RecordUpdate[]
  readonly remove: readonly HeldRecord[]
  readonly conflicts: readonly RecordConflict[]
  /** All that is written here once the plan is carried out. */
  readonly written: readonly WrittenRecord[]
}

/** Kept out of zones: CAA would keep other authorities from issuing certificates for the domain's web site; TLSA is of the mail host. */
const LEFT_OUT: readonly RecordKey[] = ['caa', 'tlsa']

export function wantedRecords(expected: readonly ExpectedRecord[]): ExpectedRecord[] {
  return expected.filter(({ key, value }) => value !== null && !LEFT_OUT.includes(key))
}

export function planRecords(
  expected: readonly ExpectedRecord[],
  held: readonly HeldRecord[],
  written: readonly WrittenRecord[],
  options: JudgeOptions,
): RecordPlan {
  const state: State = { create: [], update: [], remove: [], conflicts: [], written: [] }
  const wanted = wantedRecords(expected)
  for (const record of wanted) planOne(state, record, held, written, options)
  for (const old of written) {
    if (state.written.some((record) => isSame(record, old))) continue
    planRemoval(state, old, held)
  }
  return state
}

export function isEmptyPlan({ create, update, remove }: RecordPlan): boolean {
  return create.length + update.length + remove.length === 0
}

interface State {
  readonly create: ZoneRecord[]
  readonly update: RecordUpdate[]
  readonly remove: HeldRecord[]
  readonly conflicts: RecordConflict[]
  readonly written: WrittenRecord[]
}

function planOne(
  state: State,
  expected: ExpectedRecord,
  held: readonly HeldRecord[],
  written: readonly WrittenRecord[],
  options: JudgeOptions,
): void {
  const record = zoneRecordOf(expected)
  const atName = held.filter(({ name }) => name === record.name)
  const isOurs = (one: Named) => written.some((mine) => isSame(mine, one))
  const exact = atName.find((one) => isSame(one, record))
  if (exact) {
    const mine = written.find((one) => isSame(one, record))
    if (mine) state.written.push(mine)
    return
  }
  // RFC 1034 3.6.2: an alias stands alone at its name.
  const inTheWay = atName.filter(({ type }) => (record.type === 'CNAME' ? type !== 'CNAME' : type === 'CNAME'))
  const isRelevant = relevanceOf(expected)
  const same = atName.filter((one) => one.type === record.type && isRelevant(one))
  const mine = same.filter(isOurs)
  const others = same.filter((one) => !isOurs(one))
  const finding: DnsFinding = others.length > 0 ? { status: 'found', records: others } : { status: 'absent' }
  if (judge(expected, finding, options).status === 'verified') return
  const merged =
    isSpf(expected) && others.length === 1 && mine.length === 0 ? mergeSpf(others[0]!.value, options) : null
  if (merged !== null) {
    const after = { ...record, value: merged, ttl: others[0]!.ttl }
    state.update.push({ before: others[0]!, after })
    state.written.push({ ...writtenOf(after), replaced: others[0]!.value })
    return
  }
  if (inTheWay.length + others.length > 0) {
    state.conflicts.push({ key: expected.key, wanted: record, found: [...inTheWay, ...others] })
    return
  }
  const [first, ...more] = mine
  state.remove.push(...more)
  if (!first) {
    state.create.push(record)
    state.written.push(writtenOf(record))
    return
  }
  const { replaced } = written.find((one) => isSame(one, first))!
  const merge = replaced !== undefined && isSpf(expected) ? mergeSpf(replaced, options) : null
  // One that was merged into the record of others stays merged.
  const after = merge === null ? record : { ...record, value: merge }
  if (!isSame(first, after)) state.update.push({ before: first, after })
  state.written.push({ ...writtenOf(after), ...(merge !== null && { replaced: replaced! }) })
}

function planRemoval(state: State, old: WrittenRecord, held: readonly HeldRecord[]): void {
  const before = held.find((one) => isSame(one, old))
  if (!before || state.update.some((one) => one.before === before) || state.remove.includes(before)) return
  if (old.replaced === undefined) state.remove.push(before)
  else state.update.push({ before, after: { ...before, value: old.replaced } })
}

export function zoneRecordOf({ host, type, value, priority, ttl }: ExpectedRecord): ZoneRecord {
  return { name: host, type, value: value!, ...(priority !== undefined && { priority }), ttl }
}

function writtenOf({ name, type, value, priority }: ZoneRecord): WrittenRecord {
  return { name, type, value, ...(priority !== undefined && { priority }) }
}

type Named = Pick<ZoneRecord, 'name' | 'type' | 'value' | 'priority'>

function isSame(a: Named, b: Named): boolean {
  const value = ({ type, value: text }: Named) => (type === 'TXT' ? text : text.toLowerCase())
  return a.name === b.name && a.type === b.type && value(a) === value(b) && (a.priority ?? 0) === (b.priority ?? 0)
}

function isSpf({ key }: ExpectedRecord): boolean {
  return key === 'spf' || key === 'mail_from_spf'
}

/** Octets of one SPF record, so that its answer fits into one packet with others (RFC 7208 3.4). */
const SPF_MAX_BYTES = 450

/** Our mechanism before the first term that ends the evaluation (RFC 7208 5.1, 6.1); null: the record cannot take it. */
export function mergeSpf(value: string, { spfMechanism }: Pick<JudgeOptions, 'spfMechanism'>): string | null {
  const terms = value.trim().split(/ +/)
  const end = terms.findIndex((term, i) => i > 0 && /^(?:[+\-~?]?all$|redirect=)/i.test(term))
  const at = end < 0 ? terms.length : end
  const merged = [...terms.slice(0, at), spfMechanism, ...terms.slice(at)].join(' ')
  return Buffer.byteLength(merged) > SPF_MAX_BYTES ? null : merged
}
