/** Compares our results for generated bounces (scripts/interop/make-bounces.ts) with what follows from how each was provoked. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readBounce } from '../../../../jmap/mail/reports/bounce.ts'
import { parseMessage } from '../../../../jmap/message/structure.ts'
import { type Count, count, tell } from './bounce-corpora.ts'

export interface MadeBounce {
  readonly file: string
  readonly server: string
  readonly kind: string
  readonly expected: readonly { readonly address: string; readonly action: string; readonly class: string | null }[]
}

export interface MadeFigures {
  readonly recipients: Count
  /** Failed, delayed or relayed. */
  readonly actions: Count
  readonly hard: Count
  readonly classes: Count
}

export function madeBounces(folder: string): MadeBounce[] {
  return JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8')) as MadeBounce[]
}

/** One half of them, by SHA-256 of their octets, is never looked at: only its totals are. */
export function isFrozen(bytes: Uint8Array): boolean {
  return createHash('sha256').update(bytes).digest()[0]! >= 128
}

export function measureMade(folder: string, made: readonly MadeBounce[]): MadeFigures {
  const figures: MadeFigures = { recipients: count(), actions: count(), hard: count(), classes: count() }
  for (const one of made) {
    const bytes = readFileSync(join(folder, one.file))
    const bounce = readBounce(bytes, parseMessage(bytes))
    for (const { address, action, class: wanted } of one.expected) {
      const found = bounce?.recipients.find(({ addresses }) => addresses.some((said) => isSame(said, address)))
      const name = `${one.file} ${one.kind} ${address}: ${found?.action} ${found?.class} ${found?.reason} ${found?.status}`
      tell(figures.recipients, name, found !== undefined)
      // RFC 3464 2.3.3: servers call the same success `delivered` or `relayed`.
      tell(figures.actions, name, found?.action === action || (wanted === null && found?.class === null))
      tell(figures.hard, name, found !== undefined && (found.class === 'hard') === (wanted === 'hard'))
      tell(figures.classes, name, found !== undefined && found.class === wanted)
    }
  }
  return figures
}

function isSame(said: string, address: string): boolean {
  return said.toLowerCase() === address.toLowerCase()
}
