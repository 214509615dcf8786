import t from 'tap'
import { parseMessage } from '../../../../jmap/mail/message/structure.ts'
import type { SpamVerdict } from '../../../../jmap/mail/spam/facts.ts'
import { judgeSpam } from '../../../../jmap/mail/spam/judge.ts'
import { BAYES_LEARNED_MIN } from '../../../../server/base/spam-limits.ts'
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

  t.test('what goes from Junk to Trash, or from the inbox to another folder, teaches nothing', async (t) => {
    const { organization, box } = await newMailbox(core, 'no-lesson.test')
    const first = await box.receive(letter('One', REPORTS[0]!))
    await move(box, first, 'archive')
    t.match(await totalsOf(core, organization), { spam: 0, ham: 0 })
    await move(box, first, 'junk')
    t.match(await totalsOf(core, organization), { spam: 1, ham: 0 })
    await move(box, first, 'trash')
    t.match(await totalsOf(core, organization), { spam: 1, ham: 0 })
  })

  t.test('$junk and $notjunk teach, their end is unlearned, and they speak louder than a move', async (t) => {
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

  t.test('an answer teaches wanted mail, but not of what is marked as junk', async (t) => {
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

  t.test('an email that is destroyed before it was learned from does no harm', async (t) => {
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

  t.test(
    'a classifier is asked when enough of both kinds was learned, and knows only its own organization',
    async (t) => {
      const taught = await newMailbox(core, 'taught.test')
      const other = await newMailbox(core, 'untaught.test')
      const organizations = [taught.organization, other.organization]
      for (let i = 0; i < BAYES_LEARNED_MIN - 1; i++) await teach(taught.box, i)
      t.notOk(hasBayes((await judge(core, organizations, OFFERS[0]!)).get(taught.organization)))
      await teach(taught.box, BAYES_LEARNED_MIN - 1)
      await core.core.drainMarks()
      const offer = await judge(core, organizations, OFFERS[0]!)
      t.match(offer.get(taught.organization)?.symbols, [{ name: 'BAYES_SPAM' }])
      t.notOk(hasBayes(offer.get(other.organization)))
      const report = (await judge(core, organizations, REPORTS[0]!)).get(taught.organization)
      t.match(report?.symbols, [{ name: 'BAYES_HAM' }])
      t.ok(report!.score < 0 && offer.get(taught.organization)!.score > 3)
    },
  )
})

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

/** One offer that is marked as junk, one report that is marked as wanted. */
async function teach(box: TestMailbox, round: number): Promise<void> {
  const offer = await box.receive(letter(`Offer ${round}`, OFFERS[round % OFFERS.length]!))
  const report = await box.receive(letter(`Report ${round}`, REPORTS[round % REPORTS.length]!))
  await update(box, offer, { 'keywords/$junk': true })
  await update(box, report, { 'keywords/$notjunk': true })
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
