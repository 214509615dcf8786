/** How much a request may have to read: a host that has sockets and a writer to keep free decides by it which thread runs it (server/threads). */
import type { JmapRequest } from '../protocol/messages.ts'
import type { Registry } from './registry.ts'
import type { Weight } from './weight.ts'

const ORDER: readonly Weight[] = ['little', 'some', 'much']

export interface RequestWeight {
  /** Whether it may write, and so must run where the writer is, or ask it to. */
  readonly writes: boolean
  /** Of its heaviest call that does not write; `some` if there are many. */
  readonly reads: Weight
}

/** Calls that are little together. */
const FEW_CALLS = 8

export function weightOf({ methods }: Registry, { methodCalls }: JmapRequest): RequestWeight {
  let writes = false
  let reads: Weight = 'little'
  let count = 0
  for (const [name, args] of methodCalls) {
    const method = methods.get(name)
    if (!method) continue
    if (method.writes) writes = true
    else {
      reads = heavier(reads, method.weight(args))
      count++
    }
  }
  return { writes, reads: count > FEW_CALLS ? heavier(reads, 'some') : reads }
}

function heavier(a: Weight, b: Weight): Weight {
  return ORDER.indexOf(a) < ORDER.indexOf(b) ? b : a
}
