/** How much a request may have to read: a host that has sockets and a writer to keep free decides by it which thread runs it (server/threads). */
import type { JsonObject } from '../../server/base/json.ts'
import { isObject } from '../protocol/json-object.ts'
import type { JmapRequest } from '../protocol/messages.ts'
import type { Registry } from './registry.ts'
import type { Weight } from './weight.ts'

const ORDER: readonly Weight[] = ['little', 'some', 'much']

export interface RequestWeight {
  /** Whether it may write, and so must run where the writer is, or ask it to. */
  readonly writes: boolean
  /** Of its heaviest call that does not write; `some` if there are many. */
  readonly reads: Weight
  /** The same for requests that read alike: their calls, with the names of their conditions. */
  readonly kind: string
}

/** Calls that are little together. */
const FEW_CALLS = 8
const KIND_MAX_LENGTH = 500

export function mayWrite({ methods }: Registry, { methodCalls }: JmapRequest): boolean {
  return methodCalls.some(([name]) => methods.get(name)?.writes === true)
}

export function weightOf({ methods }: Registry, { methodCalls }: JmapRequest): RequestWeight {
  let writes = false
  let reads: Weight = 'little'
  let count = 0
  let kind = ''
  for (const [name, args] of methodCalls) {
    const method = methods.get(name)
    if (!method) continue
    if (method.writes) writes = true
    else {
      const weight = method.weight(args)
      reads = heavier(reads, weight)
      if (kind.length < KIND_MAX_LENGTH) kind += `${name} ${weight}${conditionsOf(args)};`
      count++
    }
  }
  return { writes, reads: count > FEW_CALLS ? heavier(reads, 'some') : reads, kind }
}

function conditionsOf({ filter }: JsonObject): string {
  return isObject(filter) ? ` ${Object.keys(filter).join().slice(0, KIND_MAX_LENGTH)}` : ''
}

function heavier(a: Weight, b: Weight): Weight {
  return ORDER.indexOf(a) < ORDER.indexOf(b) ? b : a
}
