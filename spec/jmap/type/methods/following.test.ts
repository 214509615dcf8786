import * as fc from 'fast-check'
import t from 'tap'
import { startCore, type TestMailbox } from '../../../support/core.ts'
import { forEachEngine } from '../../../support/engines.ts'
import { mail } from '../../mails.ts'

/** Actions of a client on a few existing emails and folders. */
type Step =
  | { readonly kind: 'receive'; readonly thread: number }
  | { readonly kind: 'flag' | 'seen' | 'move' | 'destroy'; readonly index: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('receive' as const), thread: fc.nat(3) }),
  fc.record({
    kind: fc.constantFrom('flag' as const, 'seen' as const, 'move' as const, 'destroy' as const),
    index: fc.nat(20),
  }),
)

async function act(box: TestMailbox, ids: string[], step: Step, number: number): Promise<void> {
  if (step.kind === 'receive') {
    const root = `root-${step.thread}@example.org`
    const raw = mail({ subject: `Thread ${step.thread}`, id: `${number}@example.org`, references: [root] })
    ids.push(await box.receive(raw, Date.UTC(2026, 0, 1) + ((number * 7919) % 1000) * 1000))
    return
  }
  if (ids.length === 0) return
  const id = ids[step.index % ids.length]!
  if (step.kind === 'destroy') {
    await box.call('Email/set', { destroy: [id] })
    ids.splice(ids.indexOf(id), 1)
    return
  }
  const { keywords, mailboxIds } = (await box.call('Email/get', { ids: [id], properties: ['keywords', 'mailboxIds'] }))
    .list[0]
  const keyword = step.kind === 'flag' ? '$flagged' : '$seen'
  const patch =
    step.kind === 'move'
      ? { mailboxIds: { [(box.roles['inbox']! in mailboxIds ? box.roles['archive'] : box.roles['inbox'])!]: true } }
      : { [`keywords/${keyword}`]: keywords[keyword] ? null : true }
  await box.call('Email/set', { update: { [id]: patch } })
}

/** A client's cache of ids that it updates by /changes only. */
async function follow(box: TestMailbox, type: string, cache: Set<string>, state: string, maxChanges: number) {
  for (;;) {
    const page = await box.call(`${type}/changes`, { sinceState: state, maxChanges })
    for (const id of page.created) cache.add(id)
    for (const id of page.destroyed) cache.delete(id)
    state = page.newState
    if (!page.hasMoreChanges) return state
  }
}

const QUERIES = [
  {},
  { collapseThreads: true },
  { filter: { inMailbox: 'inbox' }, sort: [{ property: 'receivedAt', isAscending: false }] },
  { filter: { inMailbox: 'inbox' }, collapseThreads: true },
  {
    filter: { notKeyword: '$seen' },
    sort: [{ property: 'subject' }, { property: 'receivedAt' }],
    collapseThreads: true,
  },
  { filter: { someInThreadHaveKeyword: '$flagged' } },
  { filter: { noneInThreadHaveKeyword: '$seen' }, collapseThreads: true },
  { sort: [{ property: 'hasKeyword', keyword: '$flagged', isAscending: false }, { property: 'size' }] },
  { sort: [{ property: 'someInThreadHaveKeyword', keyword: '$flagged' }], collapseThreads: true },
]

await forEachEngine(t, async (t, engine) => {
  t.test('a client that only follows changes has the same list as a fresh query (RFC 8620 5.2, 5.6)', async (t) => {
    const { mailbox } = await startCore(t, engine)
    let boxes = 0
    const property = fc.asyncProperty(
      fc.array(fc.array(step, { maxLength: 6 }), { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 1, max: 4 }),
      async (rounds, maxChanges) => {
        const box = await mailbox(`client${++boxes}`)
        const filled = QUERIES.map((query) => ({
          ...query,
          ...(query.filter && 'inMailbox' in query.filter && { filter: { inMailbox: box.roles['inbox']! } }),
        }))
        const present: string[] = []
        const caches = new Map<string, { ids: Set<string>; state: string }>()
        for (const type of ['Email', 'Thread'])
          caches.set(type, { ids: new Set(), state: (await box.call(`${type}/get`, { ids: [] })).state })
        const lists = []
        for (const query of filled) {
          const { ids, queryState, canCalculateChanges } = await box.call('Email/query', query)
          t.equal(canCalculateChanges, true)
          lists.push({ query, ids: ids as string[], state: queryState as string })
        }
        let number = 0
        for (const steps of rounds) {
          for (const one of steps) await act(box, present, one, ++number)
          for (const [type, cache] of caches) cache.state = await follow(box, type, cache.ids, cache.state, maxChanges)
          for (const list of lists) {
            const changes = await box.call('Email/queryChanges', {
              ...list.query,
              sinceQueryState: list.state,
              calculateTotal: true,
            })
            list.ids = list.ids.filter((id) => !changes.removed.includes(id))
            for (const { id, index } of changes.added) list.ids.splice(index, 0, id)
            list.state = changes.newQueryState
            const fresh = await box.call('Email/query', { ...list.query, calculateTotal: true })
            if (JSON.stringify(list.ids) !== JSON.stringify(fresh.ids) || changes.total !== fresh.total)
              throw new Error(`${JSON.stringify(list.query)}: ${list.ids} is not ${fresh.ids}`)
          }
          const emails = (await box.call('Email/query', {})).ids as string[]
          if (JSON.stringify([...caches.get('Email')!.ids].sort()) !== JSON.stringify(emails.sort()))
            throw new Error('the ids of emails differ')
          const threads = (await box.call('Thread/query', {})).ids as string[]
          if (JSON.stringify([...caches.get('Thread')!.ids].sort()) !== JSON.stringify(threads.sort()))
            throw new Error('the ids of threads differ')
        }
      },
    )
    const numRuns = engine === 'sqlite' ? 12 : 3
    await fc.assert(property, { numRuns, seed: 20260101 })
    t.ok(boxes >= numRuns)
  })
})
