import { once } from 'node:events'
import process from 'node:process'
import type { Worker } from 'node:worker_threads'
import t from 'tap'
import { openICalendar, readICalendar } from '../../../jmap/calendars/icalendar/read-icalendar.ts'
import { calendarSteps } from '../../../jmap/calendars/icalendar/read-steps.ts'
import { writeMessage } from '../../../jmap/calendars/itip/write-message.ts'
import type { Event } from '../../../jmap/calendars/jscalendar/event.ts'
import { findMarks } from '../../../jmap/message/decode-ranges.ts'
import { parseMessage } from '../../../jmap/message/structure.ts'
import { ManualClock } from '../../../server/base/clock.ts'
import { FREED_FROM_BYTES, WORK_HERE_MAX_BYTES, WORK_THREAD_IDLE_MS } from '../../../server/base/limits.ts'
import { SCHEDULING_HERE_MAX_BYTES } from '../../../server/base/scheduling-limits.ts'
import { MessageThreads } from '../../../server/threads/message-threads.ts'

const large = (subject: string) =>
  Buffer.from(`Subject: ${subject}\r\nFrom: a@b\r\n\r\n${'word '.repeat(WORK_HERE_MAX_BYTES / 4)}`)

t.test('a large message is parsed like a small one, and the caller keeps its octets', async (t) => {
  const threads = new MessageThreads(new ManualClock())
  t.teardown(() => threads.close())
  for (const bytes of [Buffer.from('Subject: small\r\n\r\nbody'), large('large')]) {
    const before = Buffer.from(bytes)
    t.same(await threads.parse(bytes), parseMessage(before))
    t.same(bytes, before)
  }
})

t.test('a large message is lent without a copy: its memory goes away and comes back', async (t) => {
  const threads = new MessageThreads(new ManualClock())
  t.teardown(() => threads.close())
  const given = large('lent')
  const before = Buffer.from(given)
  const { parsed, message } = await threads.parseLent(given)
  t.same(parsed, parseMessage(before))
  t.same(Buffer.from(message), before)
  t.equal(given.buffer.byteLength, 0, 'it was transferred')
  t.equal(message.buffer.byteLength, message.length, 'and can be lent again')
  t.same(await threads.parseLent(message), { parsed, message: before })
})

t.test('octets that share their memory with others, and small ones, stay where they are', async (t) => {
  const threads = new MessageThreads(new ManualClock())
  t.teardown(() => threads.close())
  const memory = Buffer.concat([large('first'), large('second')])
  const half = memory.length / 2
  for (const bytes of [memory.subarray(0, half), memory.subarray(half), Buffer.from('Subject: small\r\n\r\nbody')]) {
    const before = Buffer.from(bytes)
    const { parsed, message } = await threads.parseLent(bytes)
    t.same(parsed, parseMessage(before))
    t.equal(message, bytes)
    t.same(bytes, before)
  }
})

t.test('a thread that ends with a message has failed for now, and the next message has another', async (t) => {
  const threads = new MessageThreads(new ManualClock(), 1)
  t.teardown(() => threads.close())
  const started = once(process, 'worker') as Promise<[Worker]>
  const bytes = large('lost')
  const lent = threads.parseLent(bytes)
  const [worker] = await started
  t.equal(bytes.length, 0, 'the thread has the octets')
  await Promise.all([worker.terminate(), t.rejects(lent, { code: 'storageUnavailable', message: /has ended/ })])
  t.equal((await threads.parseLent(large('next'))).parsed.subject, 'next')
})

t.test('a large body is decoded and marked like a small one', async (t) => {
  const threads = new MessageThreads(new ManualClock())
  t.teardown(() => threads.close())
  const text = 'Ümläute und ='.repeat(WORK_HERE_MAX_BYTES / 2)
  const base64 = Buffer.from(text).toString('base64').replace(/.{76}/g, '$&\r\n')
  const size = Buffer.byteLength(text)
  t.equal(Buffer.from(await threads.decode(Buffer.from(base64), 'base64')).toString(), text)
  const marked = Buffer.from(base64)
  t.same(await threads.findMarks(marked, 'base64', size), findMarks(Buffer.from(base64), 'base64', size))
  t.equal(marked.buffer.byteLength, 0, 'it was transferred')
  const none = Buffer.from('!'.repeat(FREED_FROM_BYTES))
  t.same(Buffer.from(await threads.decode(none, 'base64')), none, 'what is no base64 stays as it is')
  const given = Buffer.from(base64)
  t.equal(Buffer.from(await threads.decodeGiven(given, 'base64')).toString(), text)
  t.equal(given.buffer.byteLength, 0, 'it was transferred')
})

t.test('a calendar of any size is read in a thread, and a text that is none is refused in words', async (t) => {
  const threads = new MessageThreads(new ManualClock())
  t.teardown(() => threads.close())
  const now = '2026-01-01T00:00:00Z'
  const lines = ['BEGIN:VCALENDAR', 'BEGIN:VEVENT', 'UID:u', 'DTSTART:20260301T090000Z', 'END:VEVENT', 'END:VCALENDAR']
  const text = Buffer.from(lines.join('\r\n'))
  t.same(await threads.readCalendar(text, now), readICalendar(text, { now }))
  t.match(await threads.readCalendar(Buffer.from('none'), now), { refusal: 'The text has no VCALENDAR.' })
  t.same(await threads.readCalendarSteps(text, now), calendarSteps(openICalendar(text, { now })))
  t.match(await threads.readCalendarSteps(Buffer.from('none'), now), { refusal: 'The text has no VCALENDAR.' })
})

t.test('messages about a large event are planned and written as those about a small one', async (t) => {
  const threads = new MessageThreads(new ManualClock())
  t.teardown(() => threads.close())
  const event = (description: string): Event => ({
    '@type': 'Event',
    uid: 'u',
    start: '2026-03-01T09:00:00',
    description,
    organizerCalendarAddress: 'mailto:ada@example.org',
    participants: { a: { calendarAddress: 'mailto:bob@example.org', roles: { attendee: true } } },
  })
  for (const after of [event('small'), event('large '.repeat(SCHEDULING_HERE_MAX_BYTES))]) {
    const job = { before: null, after, isOrigin: true, at: 0, own: [], maxRecipients: 50 }
    const octets = Buffer.from(JSON.stringify(job))
    const [message, ...more] = await threads.planScheduling(octets)
    t.same(more, [])
    t.match(message, { method: 'REQUEST', to: ['bob@example.org'] })
    t.same(await threads.writeScheduling(octets, message!), writeMessage(job, message!))
  }
})

t.test('while a large message is parsed, other tasks of this thread run', async (t) => {
  const threads = new MessageThreads(new ManualClock())
  t.teardown(() => threads.close())
  let turns = 0
  let isDone = false
  const parsed = threads.parse(large('x')).finally(() => {
    isDone = true
  })
  while (!isDone) {
    turns++
    await new Promise((resolve) => setImmediate(resolve))
  }
  await parsed
  t.ok(turns > 10)
})

t.test('more messages than threads: they wait, and each gets its own result', async (t) => {
  const threads = new MessageThreads(new ManualClock(), 1)
  t.teardown(() => threads.close())
  const subjects = ['a', 'b', 'c', 'd']
  const parsed = await Promise.all(subjects.map((subject) => threads.parse(large(subject))))
  t.same(
    parsed.map(({ subject }) => subject),
    subjects,
  )
})

t.test('a calendar that waits for a thread is given up by a signal; one under way is read', async (t) => {
  const threads = new MessageThreads(new ManualClock(), 1)
  t.teardown(() => threads.close())
  const abort = new AbortController()
  const read = () => threads.readCalendar(Buffer.from('x'), '2026-01-01T00:00:00Z', abort.signal)
  const [underWay, waits] = [read(), read()]
  abort.abort()
  await t.rejects(waits, { name: 'AbortError' })
  t.match(await underWay, { refusal: /\w/ })
  t.match(await read(), { refusal: /\w/ }, 'the thread is free again')
})

t.test('a thread without work ends, and the next message has another', async (t) => {
  const clock = new ManualClock()
  const threads = new MessageThreads(clock, 1)
  t.teardown(() => threads.close())
  await threads.parse(large('first'))
  clock.advance(WORK_THREAD_IDLE_MS + 1)
  t.equal((await threads.parse(large('second'))).subject, 'second')
})

t.test(
  'when the threads are closed, work under way fails, and later messages are parsed in the calling thread',
  async (t) => {
    const threads = new MessageThreads(new ManualClock(), 1)
    const underWay = [threads.parse(large('a')), threads.parse(large('b'))]
    const failed = Promise.allSettled(underWay)
    await threads.close()
    for (const { status } of await failed) t.equal(status, 'rejected')
    t.equal((await threads.parse(large('c'))).subject, 'c')
  },
)
