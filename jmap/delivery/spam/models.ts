/**
 * What the classifiers of organizations have learned, in memory: read whole when first asked for, kept up with by what this process
 * learns itself, and read anew now and then where another process has learned.
 */
import { BAYES_MODELS_MAX, BAYES_PAGE, BAYES_RELOAD_MS } from '../../../server/base/spam-limits.ts'
import type { Reader, Store } from '../../../storage/ports.ts'
import { type SpamKind, spamTokensAfter, spamTotals } from '../../../storage/repos/spam-learned.ts'
import type { Services } from '../../type/context.ts'
import { classify, isTaught, type Totals } from './bayes.ts'
import type { BayesFact } from './facts.ts'
import { TokenTable } from './token-table.ts'

interface Model {
  totals: Totals
  version: number
  /** null: too little was learned to be asked. */
  table: TokenTable | null
  checkedAt: number
}

/** What one message changed in what an organization has learned. */
export interface Lesson {
  readonly tokens: readonly number[]
  /** As what it was learned so far, and is from now on. */
  readonly before: SpamKind | null
  readonly after: SpamKind | null
  readonly totals: Totals
  readonly version: number
  /** Tokens were forgotten as well. */
  readonly forgot: boolean
}

type Needs = Pick<Services, 'store' | 'clock'>

export class SpamModels {
  /** The one used last stands last. */
  readonly #models = new Map<number, Promise<Model>>()

  /** null where nothing can be said. */
  async classify(
    { store, clock }: Needs,
    organization: number,
    tokens: () => readonly number[],
  ): Promise<BayesFact | null> {
    const { totals, table } = await this.#model(store, organization, clock.now())
    return table && classify(tokens(), totals, table)
  }

  /** After the commit of what was learned here. */
  async follow(organization: number, lesson: Lesson): Promise<void> {
    const known = this.#models.get(organization)
    if (!known) return
    const model = await known.catch(() => null)
    // It was read after the lesson.
    if (!model || model.version >= lesson.version) return
    if (!model.table && isTaught(lesson.totals)) {
      this.#models.delete(organization)
      return
    }
    const hasAll = model.version === lesson.version - 1 && !lesson.forgot
    learn(model.table, lesson)
    model.totals = lesson.totals
    // What is missing of others is read when it is looked for next, not after each of their lessons.
    model.version = hasAll ? lesson.version : INCOMPLETE
  }

  async #model(store: Store, organization: number, now: number): Promise<Model> {
    const known = this.#models.get(organization)
    if (known) {
      this.#models.delete(organization)
      this.#models.set(organization, known)
      const model = await known
      if (now - model.checkedAt < BAYES_RELOAD_MS && now >= model.checkedAt) return model
      model.checkedAt = now
      const { version } = await store.read((reader) => spamTotals(reader, organization))
      if (version === model.version) return model
    }
    const loading = store.read((reader) => load(reader, organization, now))
    this.#models.set(organization, loading)
    loading.catch(() => this.#models.delete(organization))
    if (this.#models.size > BAYES_MODELS_MAX) this.#models.delete(this.#models.keys().next().value!)
    return loading
  }
}

/** No version: whatever the stored one is, it is another. */
const INCOMPLETE = -1

function learn(table: TokenTable | null, { tokens, before, after }: Lesson): void {
  if (before !== null) table?.add(tokens, -Number(before === 'spam'), -Number(before === 'ham'))
  if (after !== null) table?.add(tokens, Number(after === 'spam'), Number(after === 'ham'))
}

async function load(reader: Reader, organization: number, now: number): Promise<Model> {
  const { spam, ham, version } = await spamTotals(reader, organization)
  const totals = { spam, ham }
  const model = { totals, version, checkedAt: now }
  if (!isTaught(totals)) return { ...model, table: null }
  const table = new TokenTable()
  for (let after = -1; ; ) {
    const page = await spamTokensAfter(reader, organization, after, BAYES_PAGE)
    for (const row of page) table.set(row.token, row)
    if (page.length < BAYES_PAGE) return { ...model, table }
    after = page.at(-1)!.token
    // A large table is read in turns, so that others are not kept waiting.
    await new Promise((resolve) => setImmediate(resolve))
  }
}

const byStore = new WeakMap<Store, SpamModels>()

/** They live as long as the store that they are in. */
export function modelsOf(store: Store): SpamModels {
  const models = byStore.get(store) ?? new SpamModels()
  byStore.set(store, models)
  return models
}
