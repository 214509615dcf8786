/**
 * Random commands of an organizer and of attendees in mailboxes of one server, compared with a model in memory whenever the mail is delivered. Mails
 * come in their order, and older ones come again.
 */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import type { TestMailbox } from '../../../support/core.ts'
import { forEachEngine } from '../../../support/engines.ts'
import { type SentInvitation, sentInvitations } from '../../../support/invitations.ts'
import { startApi } from '../../../support/rest-api.ts'
import { eventsOf, participant } from '../scheduling/support.ts'

/** Sequences per engine. */
const RUNS = { sqlite: 20, postgres: 4 }
const MAX_STEPS = 12
const GUESTS = ['bob', 'eve', 'joe'] as const
type Guest = (typeof GUESTS)[number]

const day = fc.integer({ min: 1, max: 3 })
const guest = fc.constantFrom(...GUESTS)
const command = fc.oneof(
  fc.record({ kind: fc.constant('rename' as const), title: fc.constantFrom('A', 'B', 'C') }),
  fc.record({ kind: fc.constant('move' as const), day }),
  fc.record({ kind: fc.constant('invite' as const), guest }),
  fc.record({ kind: fc.constant('uninvite' as const), guest }),
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('answer' as const),
      guest,
      status: fc.constantFrom('accepted', 'declined', 'tentative'),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('deliver' as const), again: fc.array(fc.nat(), { maxLength: 2 }) }),
  },
)
type Command = typeof command extends fc.Arbitrary<infer C> ? C : never

const startOf = (n: number) => `2036-06-0${n}T09:00:00`

/** What a guest has of the event. */
interface Copy {
  readonly title: string
  readonly day: number
  readonly answer: string
  readonly isCancelled: boolean
}

type Letter =
  | { readonly to: Guest; readonly kind: 'request'; readonly title: string; readonly day: number }
  | { readonly to: Guest; readonly kind: 'cancel' }
  | { readonly to: 'ada'; readonly from: Guest; readonly status: string; readonly day: number }

/** RFC 5546 and decision D32, in as few words as they need. */
class SchedulingModel {
  title = 'A'
  day = 1
  /** Answers that the organizer knows. */
  readonly invited = new Map<Guest, string>()
  readonly copies = new Map<Guest, Copy>()
  #letters: Letter[] = []

  /** false: it changes nothing, and is not asked of the server. */
  run(one: Exclude<Command, { kind: 'deliver' }>): boolean {
    if (one.kind === 'rename') return one.title !== this.title && this.#change({ title: one.title })
    if (one.kind === 'move') return one.day !== this.day && this.#change({ day: one.day })
    if (one.kind === 'answer') return this.#answer(one.guest, one.status)
    if (this.invited.has(one.guest) === (one.kind === 'invite')) return false
    if (one.kind === 'invite') {
      this.invited.set(one.guest, 'needs-action')
      this.#letters.push(this.#request(one.guest))
    } else {
      this.invited.delete(one.guest)
      this.#letters.push({ to: one.guest, kind: 'cancel' })
    }
    return true
  }

  deliver(): void {
    for (const letter of this.#letters.splice(0)) {
      if (letter.to === 'ada') {
        // An answer to another time does not count.
        if (this.invited.has(letter.from) && letter.day === this.day) this.invited.set(letter.from, letter.status)
        continue
      }
      const copy = this.copies.get(letter.to)
      if (letter.kind === 'cancel') this.copies.set(letter.to, { ...copy!, isCancelled: true })
      else {
        const { title, day } = letter
        const answer = copy?.day === day ? copy.answer : 'needs-action'
        this.copies.set(letter.to, { title, day, answer, isCancelled: false })
      }
    }
  }

  #change(change: { readonly title?: string; readonly day?: number }): boolean {
    Object.assign(this, change)
    for (const guest of this.invited.keys()) {
      if (change.day !== undefined) this.invited.set(guest, 'needs-action')
      this.#letters.push(this.#request(guest))
    }
    return true
  }

  #answer(guest: Guest, status: string): boolean {
    const copy = this.copies.get(guest)
    if (!copy || copy.isCancelled || copy.answer === status) return false
    this.copies.set(guest, { ...copy, answer: status })
    this.#letters.push({ to: 'ada', from: guest, status, day: copy.day })
    return true
  }

  #request(to: Guest): Letter {
    return { to, kind: 'request', title: this.title, day: this.day }
  }
}

await forEachEngine(t, async (t, engine) => {
  const { ask, mailbox, core, clock } = await startApi(t, {}, engine)
  const ada = await mailbox('ada')
  const boxes = new Map<Guest, TestMailbox>()
  for (const name of GUESTS) boxes.set(name, await mailbox(name))
  const tally = new Map<string, number>()
  const asked = async (method: string, path: string, body: object) => {
    const answer = await ask(method, `/v1/calendar/events${path}`, { body })
    assert.ok(answer.status < 300, `${method} ${path}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }

  async function runSequence(commands: readonly Command[]): Promise<void> {
    const model = new SchedulingModel()
    const own = { mailbox: ada.address }
    const first = { title: 'A', start: startOf(1), timezone: 'UTC' }
    const { id, uid } = await asked('POST', '', { ...own, ...first })
    const [waiting, delivered]: [SentInvitation[], SentInvitation[]] = [[], []]
    const ingest = async ({ source, to }: SentInvitation) => {
      const recipients = [ada, ...boxes.values()]
        .filter(({ address }) => to.includes(address))
        .map(({ account, address }) => ({ account, address }))
      await core.ingest([{ bytes: Buffer.from(source), recipients, receivedAt: clock.now(), mailFrom: ada.address }])
    }
    const copyOf = async (name: Guest) => (await eventsOf(boxes.get(name)!)).find((event) => event.uid === uid)
    const run = async (one: Exclude<Command, { kind: 'deliver' }>) => {
      if (one.kind === 'rename') return asked('PATCH', `/${id}`, { ...own, title: one.title })
      if (one.kind === 'move') return asked('PATCH', `/${id}`, { ...own, start: startOf(one.day) })
      if (one.kind === 'answer') {
        const copy = await copyOf(one.guest)
        return asked('POST', `/${copy.id}/respond`, { mailbox: boxes.get(one.guest)!.address, status: one.status })
      }
      const attendees = [...model.invited.keys()].map((name) => ({ email: boxes.get(name)!.address }))
      return asked('PATCH', `/${id}`, { ...own, attendees })
    }
    const compare = async () => {
      const { attendees } = await ask('GET', `/v1/calendar/events/${id}?mailbox=${ada.address}`).then(
        ({ body }) => body,
      )
      const answers = attendees.map(({ email, status }: { email: string; status: string }) => [
        email.split('@')[0],
        status,
      ])
      assert.deepEqual(answers.toSorted(), [...model.invited].toSorted(), 'the organizer')
      for (const name of GUESTS) {
        const event = await copyOf(name)
        const found = event && {
          title: event.title,
          day: Number(event.start.slice(9, 10)),
          answer: participant(event, boxes.get(name)!.address)?.participationStatus,
          isCancelled: event.status === 'cancelled',
        }
        assert.deepEqual(found, model.copies.get(name), name)
      }
    }
    for (const one of [...commands, { kind: 'deliver' as const, again: [] }]) {
      clock.advance(1_000)
      if (one.kind !== 'deliver') {
        if (!model.run(one)) continue
        tally.set(one.kind, (tally.get(one.kind) ?? 0) + 1)
        await run(one)
        waiting.push(...(await sentInvitations(core)))
        continue
      }
      for (const mail of waiting) await ingest(mail)
      delivered.push(...waiting.splice(0))
      for (const pick of one.again) if (delivered.length > 0) await ingest(delivered[pick % delivered.length]!)
      model.deliver()
      await compare()
    }
  }

  t.test('organizer and attendees have what the model has after random commands', async (t) => {
    const property = fc.asyncProperty(fc.array(command, { minLength: 1, maxLength: MAX_STEPS }), runSequence)
    await fc.assert(property, {
      numRuns: RUNS[engine],
      seed: Number(process.env['MODEL_SEED'] ?? 1),
      endOnFailure: true,
    })
    if (engine === 'sqlite') t.equal(tally.size, 5, JSON.stringify([...tally]))
    else t.ok(tally.get('invite'))
  })
})
