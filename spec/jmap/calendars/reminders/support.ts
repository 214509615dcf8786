import type { Test } from 'tap'
import type { JsonObject } from '../../../../server/base/json.ts'
import { silentLogger } from '../../../../server/base/logger.ts'
import { reminderWorker } from '../../../../server/workers/reminders.ts'
import { startCore, type TestCore, type TestMailbox } from '../../../support/core.ts'
import type { EngineName } from '../../../support/engines.ts'
import { calendarOf } from '../support.ts'

export interface Letter {
  readonly subject: string
  readonly text: string
  readonly receivedAt: string
  readonly from: string
  readonly to: string
  readonly source: string
  readonly isInInbox: boolean
}

/** A worker of reminders for a core, whose clock goes to the next reminder and not beyond it. */
export function withReminders<T extends Pick<TestCore, 'core' | 'clock'>>(t: Pick<Test, 'teardown'>, test: T) {
  const { core, clock } = test
  const worker = reminderWorker({ core, clock, logger: silentLogger })
  worker.start()
  t.teardown(() => worker.stop())
  return {
    ...test,
    worker,
    /** Lets the worker calculate what has changed. */
    async settle() {
      worker.wake()
      await worker.settled()
    },
    /** Lets time pass until a time in UTC, with each reminder sent when it is due. */
    async goTo(time: string) {
      await passUntil(Date.parse(time), test, worker)
    },
  }
}

export async function startReminders(t: Test, engine: EngineName) {
  return withReminders(t, await startCore(t, engine))
}

async function passUntil(
  end: number,
  { core, clock }: Pick<TestCore, 'core' | 'clock'>,
  worker: ReturnType<typeof reminderWorker>,
): Promise<void> {
  for (;;) {
    worker.wake()
    await worker.settled()
    if (clock.now() >= end) return
    const next = await core.reminders.nextAt()
    clock.advance(next !== null && next > clock.now() && next < end ? next - clock.now() : end - clock.now())
  }
}

/** An event in the first calendar of a mailbox; returns its id. */
export async function createEvent(box: TestMailbox, event: object): Promise<string> {
  const calendarIds = { [await calendarOf(box)]: true }
  const whole = { calendarIds, title: 'Lunch', duration: 'PT1H', timeZone: 'Etc/UTC', ...event }
  const set = await box.call('CalendarEvent/set', { create: { e: whole } })
  if (!set.created?.e) throw new Error(JSON.stringify(set))
  return set.created.e.id
}

export function mailAlert(offset: string, more: JsonObject = {}): JsonObject {
  return { action: 'email', trigger: { '@type': 'OffsetTrigger', offset }, ...more }
}

/** All mail of a mailbox, by its time. */
export async function lettersOf(box: TestMailbox): Promise<Letter[]> {
  const { ids } = await box.call('Email/query', { sort: [{ property: 'receivedAt', isAscending: true }] })
  const { list } = await box.call('Email/get', {
    ids,
    properties: ['subject', 'receivedAt', 'from', 'to', 'source', 'mailboxIds', 'bodyValues', 'textBody'],
    fetchTextBodyValues: true,
  })
  return ids.map((id: string) => {
    const email = list.find((one: { id: string }) => one.id === id)
    return {
      subject: email.subject,
      text: email.bodyValues[email.textBody[0].partId].value,
      receivedAt: email.receivedAt,
      from: email.from[0].email,
      to: email.to[0].email,
      source: email.source,
      isInInbox: email.mailboxIds[box.roles['inbox']!] === true,
    }
  })
}

/** When each mail came. */
export async function timesOf(box: TestMailbox): Promise<string[]> {
  return (await lettersOf(box)).map(({ receivedAt }) => receivedAt)
}
