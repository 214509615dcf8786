/**
 * The data of the organizations' classifiers in memory: read on first use, updated with what this process learns, and read again at
 * times if another process has learned.
 */
import { forgetOldest } from '../../../server/base/forget-oldest.ts'
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
  /** null: too little was learned for a result. */
  table: TokenTable | null
  checkedAt: number
}

/** The change that learning one message makes to an organization's data. */
export interface Lesson {
  readonly tokens: readonly number[]
  /** The kind as which the message was learned before, and the new one. */
  readonly before: SpamKind | null
  readonly after: SpamKind | null
  readonly totals: Totals
  readonly version: number
  /** Whether tokens were also removed. */
  readonly forgot: boolean
}

type Needs = Pick<Services, 'store' | 'clock'>

export class SpamModels {
  /** In the order of use, the latest last. */
  readonly #models = new Map<number, Promise<Model>>()

  /** null: there is no result. */
  async classify(
    { store, clock }: Needs,
    organization: number,
    tokens: () => readonly number[],
  ): Promise<BayesFact | null> {
    const { totals, table } = await this.#model(store, organization, clock.now())
    return table && classify(tokens(), totals, table)
  }

  /** Called after a commit that learned here. */
  async follow(organization: number, lesson: Lesson): Promise<void> {
    const known = this.#models.get(organization)
    if (!known) return
    const model = await known.catch(() => null)
    // The model was read after this lesson.
    if (!model || model.version >= lesson.version) return
    if (!model.table && isTaught(lesson.totals)) {
      this.#models.delete(organization)
      return
    }
    const hasAll = model.version === lesson.version - 1 && !lesson.forgot
    learn(model.table, lesson)
    model.totals = lesson.totals
    // Lessons of other processes are read at the next use, not after each of them.
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
    forgetOldest(this.#models, BAYES_MODELS_MAX)
    return loading
  }
}

/** Not a valid version, so it differs from any stored one. */
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
    // A large table is read in slices, so that other work can run in between.
    await new Promise((resolve) => setImmediate(resolve))
  }
}

const byStore = new WeakMap<Store, SpamModels>()

/** The models live as long as their store. */
export function modelsOf(store: Store): SpamModels {
  const models = byStore.get(store) ?? new SpamModels()
  byStore.set(store, models)
  return models
}
