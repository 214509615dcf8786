import t from 'tap'
import { PUSH_GATHER_MS } from '../../../../server/base/push-limits.ts'
import { forEachEngine } from '../../../support/engines.ts'
import { eventStream } from '../../../support/event-stream.ts'
import { startHttp } from '../../../support/http-server.ts'
import { openSocket } from '../../../support/jmap-socket.ts'
import { startPushWorker } from '../../../support/push-delivery.ts'
import { PushClient, startPushService } from '../../../support/push-service.ts'
import { createEvent, timesOf, withReminders } from './support.ts'

const shown = (offset: string) => ({ trigger: { '@type': 'OffsetTrigger', offset } })

await forEachEngine(t, async (t, engine) => {
  const http = withReminders(t, await startHttp(t, { engine }))
  const { alice, ask, request, clock, goTo, login, url, key } = http
  const service = await startPushService(t)
  const pushes = startPushWorker(t, http, service)
  const call = async (args: object) => {
    const [response] = await request([['PushSubscription/set', args as never]], alice.principal)
    await pushes.settled()
    clock.advance(PUSH_GATHER_MS)
    return response![1] as { created: { s: { id: string } } }
  }
  const source = async (types: string, headers: Record<string, string> = {}) =>
    eventStream(t, await ask(`/jmap/eventsource?types=${types}&closeafter=no&ping=0`, { headers }))
  let day = 2
  const nextDay = () => `2026-01-${String(day++).padStart(2, '0')}`

  t.test(
    'an alert reaches clients over an event source, a WebSocket and a push subscription (JMAP Calendars 6.4)',
    async (t) => {
      const client = new PushClient()
      const types = ['CalendarAlert']
      const create = { s: { deviceClientId: 'd', url: `${service.url}/a`, keys: client.keys, types } }
      const { id: subscription } = (await call({ create })).created.s
      const { verificationCode } = client.open(await service.next())
      await call({ update: { [subscription]: { verificationCode } } })
      clock.advance(2_000)
      await pushes.settled()
      const today = nextDay()
      const id = await createEvent(alice, {
        uid: 'lunch',
        start: `${today}T12:00:00`,
        recurrenceRule: { frequency: 'daily', count: 1 },
        alerts: { soon: shown('-PT10M') },
      })
      const stream = await source('CalendarAlert')
      const { socket, ...socketClient } = await openSocket(t, `${url.replace(/^http/, 'ws')}/jmap/ws`, {
        Authorization: login,
      })
      socketClient.send({ '@type': 'WebSocketPushEnable', dataTypes: types })
      socketClient.send({
        '@type': 'Request',
        using: ['urn:ietf:params:jmap:core'],
        methodCalls: [['Core/echo', {}, 'c']],
      })
      await socketClient.next()
      await goTo(`${today}T11:50:00Z`)
      const alert = {
        '@type': 'CalendarAlert',
        accountId: alice.accountId,
        calendarEventId: id,
        uid: 'lunch',
        recurrenceId: `${today}T12:00:00`,
        alertId: 'soon',
      }
      t.match(await stream.nextEvent(), { event: 'calendarAlert', data: alert })
      t.same(await socketClient.next(), alert)
      await pushes.settled()
      t.same(client.open(await service.next()), alert)
      t.same(await timesOf(alice), [], 'no mail')
      const count = service.received.length
      await pushes.settled()
      clock.advance(600_000)
      await pushes.settled()
      t.equal(service.received.length, count, 'once')
      await call({ destroy: [subscription] })
    },
  )

  t.test('a client that reconnects gets the alerts that it missed, and those of other types get none', async (t) => {
    const today = nextDay()
    await createEvent(alice, { uid: 'first', start: `${today}T12:00:00`, alerts: { a: shown('PT0S') } })
    await createEvent(alice, { uid: 'second', start: `${today}T12:05:00`, alerts: { a: shown('PT0S') } })
    const stream = await source('CalendarAlert')
    const mails = await source('Email')
    await goTo(`${today}T12:00:00Z`)
    t.match(await stream.nextEvent(), { data: { uid: 'first', recurrenceId: null } })
    // The id follows in a block of its own.
    await stream.next()
    const id = stream.lastId
    await stream.close()
    await goTo(`${today}T12:05:00Z`)
    const again = await source('CalendarAlert', { 'Last-Event-ID': id })
    t.match(await again.nextEvent(), { event: 'calendarAlert', data: { uid: 'second' } })
    await alice.receive('From: a@example.org\nSubject: Hi\n\nHi\n')
    t.match(await mails.nextEvent(), { event: 'state', data: { changed: { [alice.accountId]: { Email: String } } } })
  })

  t.test('all types include alerts, for who may read events', async (t) => {
    const today = nextDay()
    const { key: reader } = await key({ scopes: ['calendar:read', 'messages:read'] })
    const { key: other } = await key({ scopes: ['messages:read'] })
    const open = (token: string) => source('*', { Authorization: `Bearer ${token}` })
    const [first, second] = [await open(reader), await open(other)]
    await createEvent(alice, { start: `${today}T12:00:00`, alerts: { a: shown('PT0S') } })
    t.match(await first.nextEvent(), { event: 'state' })
    await goTo(`${today}T12:00:00Z`)
    t.match(await first.nextEvent(), { event: 'calendarAlert' })
    await alice.receive('From: a@example.org\nSubject: Hi\n\nHi\n')
    t.match(await second.nextEvent(), { event: 'state', data: { changed: { [alice.accountId]: { Email: String } } } })
  })

  t.test('an alert that is late by more than 15 minutes is not pushed', async (t) => {
    const today = nextDay()
    await createEvent(alice, { uid: 'late', start: `${today}T12:00:00`, alerts: { a: shown('PT0S') } })
    await createEvent(alice, { uid: 'in time', start: `${today}T12:10:00`, alerts: { a: shown('PT0S') } })
    await http.settle()
    const stream = await source('CalendarAlert')
    await http.worker.stop()
    clock.advance(Date.parse(`${today}T12:16:00Z`) - clock.now())
    http.worker.start()
    await http.settle()
    t.match(await stream.nextEvent(), { data: { uid: 'in time' } })
  })
})
