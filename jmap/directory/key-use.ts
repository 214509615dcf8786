/** lastUsedAt of an API key: written at intervals, outside the requests (decision D5). */
import { errorMessage } from '../../server/base/errors.ts'
import { LAST_USED_EVERY_MS } from '../../server/base/limits.ts'
import { epochOf, formatUTCDate } from '../protocol/primitives.ts'
import type { Services } from '../type/context.ts'
import { findStored, updateStored } from '../type/object-store.ts'
import { ApiKey } from './api-key.type.ts'

export function isUseDue(lastUsedAt: string | null, now: number): boolean {
  return lastUsedAt === null || now - epochOf(lastUsedAt) >= LAST_USED_EVERY_MS
}

/** Records that a key was used now. Never rejects: a full disk must not stop reads. */
export async function noteKeyUse(
  { store, logger }: Pick<Services, 'store' | 'logger'>,
  organization: number,
  key: number,
): Promise<void> {
  try {
    await store.write([organization], async (work) => {
      const unit = work.account(organization)
      const found = await findStored(unit, organization, ApiKey, key)
      // Another request may have recorded it meanwhile, or the key is deleted.
      if (!found || !isUseDue(found.data.lastUsedAt, unit.now)) return
      const data = { ...found.data, lastUsedAt: formatUTCDate(unit.now) }
      await updateStored(unit, ApiKey, { id: key, data }, ['lastUsedAt'])
    })
  } catch (error) {
    logger.warn({ error: errorMessage(error) }, 'the use of an API key could not be recorded')
  }
}

/** Records in progress: one at a time for each key. */
export class KeyUses {
  readonly #write: (organization: number, key: number) => Promise<void>
  readonly #underWay = new Map<string, Promise<void>>()

  constructor(write: (organization: number, key: number) => Promise<void>) {
    this.#write = write
  }

  note(organization: number, key: number): void {
    const name = `${organization}/${key}`
    if (this.#underWay.has(name)) return
    const done = this.#write(organization, key)
      .catch(() => {})
      .finally(() => this.#underWay.delete(name))
    this.#underWay.set(name, done)
  }

  /** Resolves when all started records are done. */
  async settle(): Promise<void> {
    await Promise.all(this.#underWay.values())
  }
}
