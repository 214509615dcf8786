import t from 'tap'
import { contentOf } from '../../../../jmap/delivery/spam/content.ts'
import { judgeSpam } from '../../../../jmap/delivery/spam/judge.ts'
import { SpamModels } from '../../../../jmap/delivery/spam/models.ts'
import { tokensOf } from '../../../../jmap/delivery/spam/tokens.ts'
import type { SpamVerdict } from '../../../../jmap/delivery/spam/verdict.ts'
import { parseMessage } from '../../../../jmap/message/structure.ts'
import { BAYES_LEARNED_MIN, BAYES_RELOAD_MS } from '../../../../server/base/spam-limits.ts'
import { spamTotals } from '../../../../storage/repos/spam-learned.ts'
import { startCore, type TestCore, type TestMailbox } from '../../../support/core.ts'
import { forEachEngine } from '../../../support/engines.ts'
import { letter, OFFERS, REPORTS } from './letters.ts'

await forEachEngine(t, async (t, engine) => {
  const core = await startCore(t, engine)

  t.test('a move into Junk teaches spam, a move out of it wanted mail, each once', async (t) => {
    const { organization, box } = await newMailbox(core, 'moves.test')
    const spam = await box.receive(letter('Offer', OFFERS[0]!))
    await move(box, spam, 'junk')
    t.match(await totalsOf(core, organization), { spam: 1, ham: 0 })
    await move(box, spam, 'junk')
    t.match(await totalsOf(core, organization), { spam: 1, ham: 0 })
    await move(box, spam, 'inbox')
    t.match(await totalsOf(core, organization), { spam: 0, ham: 1 })
  })

  t.test('moves from Junk to Trash, and from the inbox to another folder, teach nothing', async (t) => {
    const { organization, box } = await newMailbox(core, 'no-lesson.test')
    const first = await box.receive(letter('One', REPORTS[0]!))
    await move(box, first, 'archive')
    t.match(await totalsOf(core, organization), { spam: 0, ham: 0 })
    await move(box, first, 'junk')
    t.match(await totalsOf(core, organization), { spam: 1, ham: 0 })
    await move(box, first, 'trash')
    t.match(await totalsOf(core, organization), { spam: 1, ham: 0 })
  })

  t.test('$junk and $notjunk teach, removing them unlearns, and they take precedence over a move', async (t) => {
    const { organization, box } = await newMailbox(core, 'keywords.test')
    const email = await box.receive(letter('One', OFFERS[1]!))
    await update(box, email, { 'keywords/$junk': true })
    t.match(await totalsOf(core, organization), { spam: 1, ham: 0 })
    await update(box, email, { 'keywords/$junk': null })
    t.match(await totalsOf(core, organization), { spam: 0, ham: 0 })
    await update(box, email, { 'keywords/$notjunk': true, mailboxIds: { [box.roles['junk']!]: true } })
    t.match(await totalsOf(core, organization), { spam: 0, ham: 1 })
    await update(box, email, { 'keywords/$flagged': true })
    t.match(await totalsOf(core, organization), { spam: 0, ham: 1 })
  })

  t.test('an answer teaches wanted mail, except for a message marked as junk', async (t) => {
    const { organization, box } = await newMailbox(core, 'answers.test')
    const junk = await box.receive(letter('One', OFFERS[2]!))
    await update(box, junk, { 'keywords/$junk': true })
    await update(box, junk, { 'keywords/$answered': true })
    t.match(await totalsOf(core, organization), { spam: 1, ham: 0 })
    const wanted = await box.receive(letter('Two', REPORTS[2]!))
    await update(box, wanted, { 'keywords/$answered': true })
    t.match(await totalsOf(core, organization), { spam: 1, ham: 1 })
  })

  t.test('the same message in two mailboxes of an organization is learned once', async (t) => {
    const { organization, box, other } = await newMailbox(core, 'copies.test')
    const raw = letter('One', OFFERS[3]!)
    await move(box, await box.receive(raw), 'junk')
    await move(other, await other.receive(raw), 'junk')
    t.match(await totalsOf(core, organization), { spam: 1, ham: 0 })
    await move(other, await other.receive(letter('Two', OFFERS[3]!)), 'junk')
    t.match(await totalsOf(core, organization), { spam: 2, ham: 0 })
  })

  t.test('an email that is destroyed before it is learned causes no error', async (t) => {
    const { organization, box } = await newMailbox(core, 'destroyed.test')
    const email = await box.receive(letter('One', OFFERS[4]!))
    const { roles } = box
    const moved = { [email]: { mailboxIds: { [roles['junk']!]: true } } }
    t.same((await box.call('Email/set', { update: moved, destroy: [] })).notUpdated, null)
    t.same((await box.call('Email/set', { destroy: [email] })).destroyed, [email])
    const next = await box.receive(letter('Two', OFFERS[4]!))
    await move(box, next, 'junk')
    t.ok((await totalsOf(core, organization)).spam >= 1)
  })

  // One organization whose classifier learns, in the order of these tests, and one without lessons.
  const taught = await newMailbox(core, 'taught.test')
  const other = await newMailbox(core, 'untaught.test')
  const organizations = [taught.organization, other.organization]
  const elsewhere = new SpamModels()
  const askElsewhere = () => {
    const bytes = Buffer.from(letter('Hello there', OFFERS[0]!))
    const parsed = parseMessage(bytes)
    return elsewhere.classify(core, taught.organization, () => tokensOf(parsed, contentOf(parsed, bytes)))
  }

  t.test('a classifier that has learned too little gives no result', async (t) => {
    await teach(core, taught.box, BAYES_LEARNED_MIN - 1)
    t.notOk(hasBayes((await judge(core, organizations, OFFERS[0]!)).get(taught.organization)))
    t.equal(await askElsewhere(), null)
  })

  t.test('a classifier that has learned enough gives results for its own organization only', async (t) => {
    await teach(core, taught.box, 1)
    const offer = await judge(core, organizations, OFFERS[0]!)
    t.match(offer.get(taught.organization)?.symbols, [{ name: 'BAYES_SPAM' }])
    t.notOk(hasBayes(offer.get(other.organization)))
    const report = (await judge(core, organizations, REPORTS[0]!)).get(taught.organization)
    t.match(report?.symbols, [{ name: 'BAYES_HAM' }])
    t.ok(report!.score < 0 && offer.get(taught.organization)!.score > 3)
  })

  t.test('lessons of another process are read after a while', async (t) => {
    t.equal(await askElsewhere(), null)
    core.clock.advance(BAYES_RELOAD_MS)
    t.ok((await askElsewhere())!.probability > 0.95)
  })

  t.test('mail similar to marked spam goes to Junk, in that organization only', async (t) => {
    const boxes = [taught.box, other.box]
    const bytes = Buffer.from(letter('KETTLES TODAY!!', OFFERS[2]!))
    const recipients = boxes.map(({ account, address }) => ({ account, address }))
    const message = { bytes, recipients, receivedAt: Date.UTC(2026, 0, 1), mailFrom: 'sender@example.org', verdict: {} }
    const [results] = await core.core.ingest([message])
    const places = results!.map((result, i) => placeOf(boxes[i]!, result as { emailId: string }))
    t.match(await Promise.all(places), [
      { mailboxIds: { [taught.box.roles['junk']!]: true }, spamVerdict: { symbols: [{ name: 'BAYES_SPAM' }] } },
      { mailboxIds: { [other.box.roles['inbox']!]: true }, spamVerdict: { symbols: [{ name: 'SUBJECT_CAPITALS' }] } },
    ])
  })
})

async function placeOf(box: TestMailbox, { emailId }: { emailId: string }) {
  const properties = ['mailboxIds', 'spamVerdict']
  return (await box.call('Email/get', { ids: [emailId], properties })).list[0]
}

async function newMailbox(core: TestCore, domain: string) {
  const organization = await core.organizationWith(domain)
  return {
    organization: organization.account,
    box: await organization.mailbox('anna'),
    other: await organization.mailbox('ben'),
  }
}

async function update(box: TestMailbox, email: string, patch: Record<string, unknown>): Promise<void> {
  const result = await box.call('Email/set', { update: { [email]: patch as never } })
  if (result.notUpdated) throw new Error(JSON.stringify(result.notUpdated))
}

function move(box: TestMailbox, email: string, role: string): Promise<void> {
  return update(box, email, { mailboxIds: { [box.roles[role]!]: true } })
}

/** Marks as many offers as junk as reports as wanted. */
async function teach({ core }: TestCore, box: TestMailbox, rounds: number): Promise<void> {
  const recipients = [{ account: box.account, address: box.address }]
  const texts = Array.from({ length: rounds }, (_, i) => [OFFERS[i % OFFERS.length]!, REPORTS[i % REPORTS.length]!])
  const messages = texts.flat().map((text) => {
    const bytes = Buffer.from(letter('Lesson', text))
    return { bytes, recipients, receivedAt: Date.UTC(2026, 0, 1), mailFrom: 'sender@example.org' }
  })
  const results = (await core.ingest(messages)).flat() as { emailId: string }[]
  const patches = results.map(({ emailId }, i) => [emailId, { [`keywords/${i % 2 ? '$notjunk' : '$junk'}`]: true }])
  const { notUpdated } = await box.call('Email/set', { update: Object.fromEntries(patches) })
  if (notUpdated) throw new Error(JSON.stringify(notUpdated))
  await core.drainMarks()
}

async function totalsOf({ core, store }: TestCore, organization: number) {
  await core.drainMarks()
  return store.read((reader) => spamTotals(reader, organization))
}

function judge({ store, clock }: TestCore, organizations: readonly number[], text: string) {
  const bytes = Buffer.from(letter('Hello there', text))
  const facts = { bytes, receivedAt: clock.now(), mailFrom: 'sender@example.org' }
  const logger = { error: () => {} } as never
  return judgeSpam({ store, clock, logger }, organizations, parseMessage(bytes), facts)
}

function hasBayes(verdict: SpamVerdict | undefined): boolean {
  return verdict!.symbols.some(({ name }) => name.startsWith('BAYES'))
}
