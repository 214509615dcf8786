/** RFC 8620 5.3: a /set is judged by the state that it leads to. Random sets against a model of a few lines, on both engines. */
import fc from 'fast-check'
import t from 'tap'
import { type Result, startCore } from '../../../support/core.ts'
import { forEachEngine } from '../../../support/engines.ts'

/** Sequences of sets per engine and type. */
const RUNS = { sqlite: 30, postgres: 10 }
const MAX_DEPTH = 3

/** By id, or `#` and the creation id. */
type State<T> = ReadonlyMap<string, T>
type Op<T> = { readonly key: string; readonly next: T | null }

function after<T>(state: State<T>, ops: readonly Op<T>[]): State<T> {
  const next = new Map(state)
  for (const { key, next: object } of ops)
    if (object === null) next.delete(key)
    else next.set(key, object)
  return next
}

/**
 * If the final state is right, every record was made. In any case the state that is left is right, and no refused record could have
 * been made after the others.
 * @returns the state that is left, by the keys of the ops
 */
function judge<T>(
  state: State<T>,
  ops: readonly Op<T>[],
  made: ReadonlySet<Op<T>>,
  isRight: (state: State<T>) => boolean,
) {
  const left = after(
    state,
    ops.filter((op) => made.has(op)),
  )
  if (!isRight(left)) throw new Error('the state that is left is not right')
  if (isRight(after(state, ops)) && made.size < ops.length)
    throw new Error('the final state is right, and records are refused')
  for (const op of ops)
    if (!made.has(op) && isRight(after(left, [op]))) throw new Error(`${op.key} is refused for no reason`)
  return left
}

/** The ops that an answer says were made. */
function madeOf<T>(ops: readonly Op<T>[], answer: Result): Set<Op<T>> {
  const done = new Set<string>([
    ...Object.keys(answer.created ?? {}).map((creationId) => `#${creationId}`),
    ...Object.keys(answer.updated ?? {}),
    ...(answer.destroyed ?? []),
  ])
  return new Set(ops.filter(({ key }) => done.has(key)))
}

/** Keys of new objects become their ids. */
function renamed<T>(
  state: State<T>,
  answer: Result,
  rename: (object: T, idOf: (key: string) => string) => T,
): State<T> {
  const idOf = (key: string): string => (key.startsWith('#') ? answer.created[key.slice(1)].id : key)
  return new Map([...state].map(([key, object]) => [idOf(key), rename(object, idOf)]))
}

interface Folder {
  readonly name: string
  /** A key; null: top level. */
  readonly parent: string | null
  readonly role: string | null
}

function isRightTree(state: State<Folder>): boolean {
  const folders = [...state.values()]
  const depthOf = (folder: Folder, depth = 1): number => {
    if (folder.parent === null || depth > MAX_DEPTH) return depth
    const above = state.get(folder.parent)
    return above ? depthOf(above, depth + 1) : Number.POSITIVE_INFINITY
  }
  const places = folders.map(({ name, parent }) => `${parent} ${name}`)
  const roles = folders.flatMap(({ role }) => role ?? [])
  return (
    new Set(places).size === places.length &&
    new Set(roles).size === roles.length &&
    folders.every((folder) => depthOf(folder) <= MAX_DEPTH)
  )
}

const place = fc.nat({ max: 9 })
const folderPart = fc.record({
  name: fc.constantFrom('a', 'b', 'c'),
  parent: place,
  role: fc.constantFrom(null, null, null, 'important'),
})
const changes = fc.record({
  /** For each folder what becomes of it. */
  old: fc.array(fc.tuple(fc.constantFrom('keep', 'destroy', 'update', 'rename', 'move'), folderPart), { maxLength: 8 }),
  create: fc.array(folderPart, { maxLength: 4 }),
})

await forEachEngine(t, async (t, engine) => {
  const { mailbox, organization, domainId, request } = await startCore(t, engine, { maxMailboxDepth: MAX_DEPTH })
  const callOf = async (name: string, args: object): Promise<Result> => {
    const [answer] = await request([[name, { accountId: organization.accountId, ...args }]])
    return answer![1]
  }

  t.test(
    'mailboxes change names, places and roles, and are created and destroyed, in one call (RFC 8620 5.3)',
    async (t) => {
      const box = await mailbox('trees')
      const system = (await box.call('Mailbox/get', { ids: null })).list.map(({ id }: Result) => id)
      const [whole, partial] = [{ count: 0 }, { count: 0 }]
      const run = async (sets: readonly (typeof changes extends fc.Arbitrary<infer C> ? C : never)[]) => {
        let state: State<Folder> = new Map()
        for (const { old, create } of sets) {
          const keys = [...state.keys(), ...create.map((_, i) => `#k${i}`)]
          const parentOf = (at: number) => keys[at] ?? null
          const ops: Op<Folder>[] = create.map(({ parent, ...rest }, i) => ({
            key: `#k${i}`,
            next: { ...rest, parent: parentOf(parent) },
          }))
          for (const [i, [key, before]] of [...state].entries()) {
            const [what, part] = old[i] ?? ['keep', null]
            if (what === 'keep' || part === null) continue
            const asked = { ...part, parent: parentOf(part.parent) }
            const next =
              what === 'rename'
                ? { ...before, name: asked.name }
                : what === 'move'
                  ? { ...before, parent: asked.parent }
                  : asked
            if (
              what === 'destroy' ||
              JSON.stringify(next) !== JSON.stringify({ name: before.name, parent: before.parent, role: before.role })
            )
              ops.push({ key, next: what === 'destroy' ? null : next })
          }
          const answer = await box.call(
            'Mailbox/set',
            setOf(ops, ({ name, parent: parentId, role }) => ({ name, parentId, role })),
          )
          const made = madeOf(ops, answer)
          const left = judge(state, ops, made, isRightTree)
          ;(made.size === ops.length ? whole : partial).count++
          state = renamed(left, answer, (folder, idOf) => ({ ...folder, parent: folder.parent && idOf(folder.parent) }))
          const { list } = await box.call('Mailbox/get', { ids: null, properties: ['name', 'parentId', 'role'] })
          const own = list.filter(({ id }: Result) => !system.includes(id))
          const found = own.map(({ id, name, parentId: parent, role }: Result) => [id, { name, parent, role }])
          if (
            JSON.stringify(sorted(found)) !==
            JSON.stringify(sorted([...state].map(([id, { name, parent, role }]) => [id, { name, parent, role }])))
          )
            throw new Error('the server has another state')
        }
        const { notDestroyed } = await box.call('Mailbox/set', { destroy: [...state.keys()] })
        if (notDestroyed) throw new Error('a tree that goes as a whole is refused')
      }
      const property = fc.asyncProperty(fc.array(changes, { minLength: 2, maxLength: 5 }), run)
      await fc.assert(property, { numRuns: RUNS[engine], seed: 1, endOnFailure: true })
      t.ok(whole.count > 0 && partial.count > 0, `${whole.count} sets made whole, ${partial.count} in part`)
    },
  )

  /** A type whose objects have one value that must be unique. */
  interface Unique {
    /** Mutable: objects may swap it. */
    readonly isMutable: boolean
    call(args: object): Promise<Result>
    toCreate(value: string): object
    toUpdate(value: string): object
    read(): Promise<[id: string, value: string][]>
  }

  async function keepsValuesUnique(type: Unique): Promise<string> {
    const counts = { whole: 0, partial: 0 }
    const isRight = (state: State<string>) => new Set(state.values()).size === state.size
    const values = fc.constantFrom('a', 'b', 'c', 'd')
    const kinds = type.isMutable ? (['keep', 'destroy', 'update'] as const) : (['keep', 'destroy'] as const)
    const step = fc.record({
      old: fc.array(fc.tuple(fc.constantFrom(...kinds), values), { maxLength: 6 }),
      create: fc.array(values, { maxLength: 3 }),
    })
    const run = async (
      steps: readonly { old: readonly (readonly [string, string])[]; create: readonly string[] }[],
    ) => {
      let state: State<string> = new Map()
      for (const { old, create } of steps) {
        const ops: Op<string>[] = create.map((value, i) => ({ key: `#k${i}`, next: value }))
        for (const [i, [key, before]] of [...state].entries()) {
          const [what, value] = old[i] ?? ['keep', before]
          if (what === 'destroy') ops.push({ key, next: null })
          else if (what === 'update' && value !== before) ops.push({ key, next: value })
        }
        const made = { create: type.toCreate, update: type.toUpdate }
        const answer = await type.call(
          setOf(ops, (value, key) => (key.startsWith('#') ? made.create(value) : made.update(value))),
        )
        const done = madeOf(ops, answer)
        counts[done.size === ops.length ? 'whole' : 'partial']++
        state = renamed(judge(state, ops, done, isRight), answer, (value) => value)
        if (JSON.stringify(sorted(await type.read())) !== JSON.stringify(sorted([...state])))
          throw new Error('the server has another state')
      }
      await type.call({ destroy: [...state.keys()] })
    }
    const property = fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 5 }), run)
    await fc.assert(property, { numRuns: RUNS[engine], seed: 1, endOnFailure: true })
    if (counts.whole === 0 || counts.partial === 0) throw new Error('only one kind of set was tried')
    return JSON.stringify(counts)
  }

  t.test('scripts change names, and are created and destroyed, in one call (RFC 8620 5.3)', async (t) => {
    const box = await mailbox('scripts')
    const upload = await box.call('Blob/upload', { create: { b: { data: [{ 'data:asText': 'keep;' }] } } })
    const blobId = upload.created.b.id as string
    const counts = await keepsValuesUnique({
      isMutable: true,
      call: (args) => box.call('SieveScript/set', { ...args }),
      toCreate: (name) => ({ name, blobId }),
      toUpdate: (name) => ({ name }),
      read: async () =>
        (await box.call('SieveScript/get', { ids: null })).list.map(({ id, name }: Result) => [id, name]),
    })
    t.ok(counts, counts)
  })

  t.test('aliases and suppressed addresses are created and destroyed in one call (RFC 8620 5.3)', async (t) => {
    const { accountId: mailboxId } = await mailbox('owner')
    for (const [name, property, toCreate] of [
      ['Alias', 'localPart', (localPart: string) => ({ domainId, mailboxId, localPart })],
      ['Suppression', 'email', (letter: string) => ({ email: `${letter}@example.org` })],
    ] as const) {
      const read = async () => (await callOf(`${name}/get`, { ids: null })).list as Result[]
      const counts = await keepsValuesUnique({
        isMutable: false,
        call: (args) => callOf(`${name}/set`, args),
        toCreate,
        toUpdate: toCreate,
        read: async () => (await read()).map((object) => [object.id, object[property].replace(/@.*/, '')]),
      })
      t.ok(counts, `${name}: ${counts}`)
    }
  })
})

function setOf<T>(ops: readonly Op<T>[], toObject: (object: T, key: string) => object) {
  const given = ops.flatMap(({ key, next }) => (next === null ? [] : [[key, toObject(next, key)] as const]))
  return {
    create: Object.fromEntries(
      given.filter(([key]) => key.startsWith('#')).map(([key, object]) => [key.slice(1), object]),
    ),
    update: Object.fromEntries(given.filter(([key]) => !key.startsWith('#'))),
    destroy: ops.filter(({ next }) => next === null).map(({ key }) => key),
  } as unknown as { [name: string]: never }
}

function sorted(entries: readonly (readonly [string, unknown])[]) {
  return entries.toSorted(([a], [b]) => (a < b ? -1 : 1))
}
