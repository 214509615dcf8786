/** Octets in plain data on their way to another thread: transferred, not copied a second time by the structured clone. */
import type { Transfer } from '../../jmap/service.ts'
import { isWhole, type WholeOctets } from '../base/free-memory.ts'
import { PARSE_BEFORE_WRITER_MAX_BYTES } from '../base/limits.ts'

export interface Detached<T> {
  readonly value: T
  /** The memory to transfer with the value. */
  readonly transfer: readonly ArrayBuffer[]
}

/**
 * A copy of plain data whose octets can be transferred.
 * @param givenFrom pieces of more octets that have their memory to themselves are taken away from the caller instead of copied
 */
export function detach<T>(value: T, givenFrom = Number.POSITIVE_INFINITY): Detached<T> {
  const found: Uint8Array[] = []
  collectOctets(value, found)
  const isGiven = (bytes: Uint8Array): bytes is WholeOctets => bytes.length > givenFrom && isWhole(bytes)
  const copies = detachableAll(found.filter((bytes) => !isGiven(bytes))).values()
  const octets = found.map((bytes) => (isGiven(bytes) ? bytes : copies.next().value!))
  const transfer = [...new Set(octets.map(({ buffer }) => buffer))]
  const next = octets.values()
  return { value: replaceOctets(value, () => next.next().value!) as T, transfer }
}

/** Arguments of a call to another thread, as its line in the table of services says. */
export function detachArguments(args: readonly unknown[], { sent }: Transfer): Detached<readonly unknown[]> {
  if (!sent) return { value: args, transfer: [] }
  return detach(args, sent === 'given' ? PARSE_BEFORE_WRITER_MAX_BYTES : undefined)
}

/** Adds the octets of plain data in the order in which `replaceOctets` comes to them. */
function collectOctets(value: unknown, found: Uint8Array[]): void {
  if (value instanceof Uint8Array) found.push(value)
  else if (Array.isArray(value)) for (const item of value) collectOctets(item, found)
  else if (isPlain(value)) for (const member of Object.values(value)) collectOctets(member, found)
}

function replaceOctets(value: unknown, replace: (bytes: Uint8Array) => Uint8Array): unknown {
  if (value instanceof Uint8Array) return replace(value)
  if (Array.isArray(value)) return value.map((item) => replaceOctets(item, replace))
  if (!isPlain(value)) return value
  const copy: { [name: string]: unknown } = {}
  for (const [name, member] of Object.entries(value)) copy[name] = replaceOctets(member, replace)
  return copy
}

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
}

/** Octets up to which messages share their memory on the way: a transfer of one piece of memory costs as much as copying some kilobytes. */
const SHARED_BYTES = 262_144

/**
 * Copies that can be transferred, in the same order. Never the caller's own memory: it may need it again, and a slice of a pool would
 * take the whole pool along. Small ones share a piece of memory that is transferred once.
 */
export function detachableAll(all: readonly Uint8Array[]): Uint8Array<ArrayBuffer>[] {
  const copies: Uint8Array<ArrayBuffer>[] = []
  for (let from = 0; from < all.length; ) {
    let to = from
    let size = 0
    do size += all[to++]!.length
    while (to < all.length && size + all[to]!.length <= SHARED_BYTES)
    const memory = new Uint8Array(size)
    for (let at = 0; from < to; from++) {
      const bytes = all[from]!
      memory.set(bytes, at)
      copies.push(memory.subarray(at, at + bytes.length))
      at += bytes.length
    }
  }
  return copies
}
