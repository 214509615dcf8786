// Decisions D21, D32
import t from 'tap'
import { DeletionRace } from '../support/deletion-race.ts'
import { faults, startApi } from '../support/rest-api.ts'

t.test('calendar events', async (t) => {
  const race = new DeletionRace()
  const { ask, core, mailbox, key, stranger } = await startApi(t, { aroundStore: (store) => race.around(store) })
  const ada = await mailbox('ada')
  const outside = await stranger()
  const of = `mailbox=${encodeURIComponent(ada.address)}`
  const create = (event: object) => ask('POST', '/v1/calendar/events', { body: { mailbox: ada.address, ...event } })
  const read = (id: string) => ask('GET', `/v1/calendar/events/${id}?${of}`)
  const change = (id: string, event: object) =>
    ask('PATCH', `/v1/calendar/events/${id}`, { body: { mailbox: ada.address, ...event } })
  const list = (query: string) => ask('GET', `/v1/calendar/events?${of}&${query}`)

  await t.test('an event is created with its defaults, read, changed and deleted', async (t) => {
    const made = await create({ title: 'Planning', start: '2027-01-05T09:00', timezone: 'Europe/Berlin' })
    t.equal(made.status, 201)
    t.match(made.body, {
      object: 'calendar_event',
      id: /^cev_/,
      mailbox: ada.address,
      calendar_id: /^cal_/,
      uid: /^[0-9a-f-]{36}$/,
      title: 'Planning',
      description: null,
      location: null,
      video_url: null,
      color: null,
      all_day: false,
      start: '2027-01-05T08:00:00.000Z',
      end: '2027-01-05T08:30:00.000Z',
      timezone: 'Europe/Berlin',
      duration: 'PT30M',
      status: 'confirmed',
      free_busy_status: 'busy',
      privacy: 'public',
      recurrence: null,
      recurrence_id: null,
      reminders: [],
      organizer: null,
      attendees: [],
      created_at: /Z$/,
      updated_at: /Z$/,
    })
    const { id } = made.body
    t.same((await read(id)).body, made.body)
    const changed = await change(id, {
      title: 'Plan',
      description: 'What comes next',
      location: 'Room 1',
      video_url: 'https://meet.example.com/plan',
      color: 'tomato',
      end: '2027-01-05T10:15',
      status: 'tentative',
      free_busy_status: 'free',
      privacy: 'private',
      reminders: [{ minutes_before: 10 }, { minutes_before: 0 }],
    })
    t.equal(changed.status, 200)
    t.match(changed.body, {
      title: 'Plan',
      description: 'What comes next',
      location: 'Room 1',
      video_url: 'https://meet.example.com/plan',
      color: 'tomato',
      start: '2027-01-05T08:00:00.000Z',
      end: '2027-01-05T09:15:00.000Z',
      duration: 'PT1H15M',
      status: 'tentative',
      free_busy_status: 'free',
      privacy: 'private',
    })
    t.same(changed.body.reminders, [{ minutes_before: 10 }, { minutes_before: 0 }])
    t.same((await read(id)).body, changed.body)
    const cleared = await change(id, {
      description: null,
      location: null,
      video_url: null,
      reminders: null,
      color: null,
      timezone: null,
    })
    t.match(cleared.body, { description: null, location: null, video_url: null, color: null, timezone: null })
    t.same(cleared.body.reminders, [])
    t.equal(cleared.body.start, '2027-01-05T09:00:00.000Z', 'the wall time in the zone of the owner, UTC')
    t.equal((await ask('DELETE', `/v1/calendar/events/${id}?${of}`)).status, 204)
    t.equal((await read(id)).status, 404)
  })

  await t.test('times are local or instants, with duration or end', async (t) => {
    const berlin = { title: 'x', timezone: 'Europe/Berlin' }
    const shown = async (event: object) => {
      const { body } = await create(event)
      return [body.start, body.end, body.timezone, body.duration]
    }
    const zone = 'Europe/Berlin'
    t.same(await shown({ ...berlin, start: '2027-07-05T09:00:30', duration: 'PT1H' }), [
      '2027-07-05T07:00:30.000Z',
      '2027-07-05T08:00:30.000Z',
      zone,
      'PT1H',
    ])
    t.same(await shown({ ...berlin, start: '2027-07-05T09:00:00+09:00', end: '2027-07-05T01:00Z' }), [
      '2027-07-05T00:00:00.000Z',
      '2027-07-05T01:00:00.000Z',
      zone,
      'PT1H',
    ])
    t.same(
      (await shown({ ...berlin, start: '2027-03-28T02:30' }))[0],
      '2027-03-28T01:30:00.000Z',
      'the clock skips this hour: it goes forward',
    )
    t.same((await shown({ ...berlin, start: '2027-10-31T02:30' }))[0], '2027-10-31T00:30:00.000Z', 'the first passing')
    t.same(await shown({ title: 'x', all_day: true, start: '2027-01-05' }), ['2027-01-05', '2027-01-06', null, 'P1D'])
    t.same(await shown({ title: 'x', all_day: true, start: '2027-01-05', end: '2027-01-08' }), [
      '2027-01-05',
      '2027-01-08',
      null,
      'P3D',
    ])
    t.same((await shown({ title: 'x', start: '2027-01-05T09:00', timezone: null })).slice(0, 3), [
      '2027-01-05T09:00:00.000Z',
      '2027-01-05T09:30:00.000Z',
      null,
    ])
  })

  await t.test('changes of times keep what is not named', async (t) => {
    const { id } = (await create({ title: 'x', start: '2027-01-05T09:00', timezone: 'Europe/Berlin' })).body
    const times = async (event: object) => {
      const { start, end } = (await change(id, event)).body
      return [start, end]
    }
    t.same(await times({ start: '2027-01-05T10:00' }), ['2027-01-05T09:00:00.000Z', '2027-01-05T09:30:00.000Z'])
    t.same(await times({ end: '2027-01-05T12:00' }), ['2027-01-05T09:00:00.000Z', '2027-01-05T11:00:00.000Z'])
    t.same(await times({ timezone: 'America/New_York' }), ['2027-01-05T15:00:00.000Z', '2027-01-05T17:00:00.000Z'])
    t.same(await times({ all_day: true, start: '2027-01-05' }), ['2027-01-05', '2027-01-06'])
    t.equal((await change(id, { all_day: false })).status, 422, 'only together with start')
  })

  await t.test('If-Match refuses a change of an event that has changed since', async (t) => {
    const { id } = (await create({ title: 'x', start: '2027-01-05T09:00' })).body
    const tag = String((await read(id)).headers.get('etag'))
    const matching = (title: string) =>
      ask('PATCH', `/v1/calendar/events/${id}`, {
        body: { mailbox: ada.address, title },
        headers: { 'If-Match': tag },
      })
    t.equal((await matching('first')).status, 200)
    t.equal((await matching('second')).status, 412)
    const gone = await ask('DELETE', `/v1/calendar/events/${id}?${of}`, { headers: { 'If-Match': tag } })
    t.equal(gone.status, 412)
    t.equal((await read(id)).body.title, 'first')
  })

  await t.test('a series is listed once, or by its instances, which have ids', async (t) => {
    const weekly = { frequency: 'weekly', interval: 1, count: 4, by_day: ['mo'] }
    const made = await create({
      title: 'Weekly',
      start: '2028-03-20T09:00',
      timezone: 'Europe/Berlin',
      recurrence: weekly,
    })
    t.same(made.body.recurrence, { ...weekly, until: null })
    const { id } = made.body
    const march = 'from=2028-03-01T00:00:00Z&to=2028-05-01T00:00:00Z'
    const once = await list(march)
    t.same(
      once.body.data.map((event: { id: string }) => event.id),
      [id],
    )
    const all = await list(`${march}&expand=1`)
    t.same(
      all.body.data.map((event: { id: string; start: string }) => [event.id, event.start]),
      [
        [`${id}_20280320T090000`, '2028-03-20T08:00:00.000Z'],
        [`${id}_20280327T090000`, '2028-03-27T07:00:00.000Z'],
        [`${id}_20280403T090000`, '2028-04-03T07:00:00.000Z'],
        [`${id}_20280410T090000`, '2028-04-10T07:00:00.000Z'],
      ],
    )
    const [, second] = all.body.data
    t.equal(second.recurrence_id, '2028-03-27T09:00:00')
    t.same((await read(second.id)).body, second)
    const moved = await change(second.id, { start: '2028-03-27T11:00', title: 'Later' })
    t.match(moved.body, { id: second.id, title: 'Later', start: '2028-03-27T09:00:00.000Z' })
    t.equal((await read(id)).body.title, 'Weekly', 'the others stay')
    t.equal((await ask('DELETE', `/v1/calendar/events/${id}_20280403T090000?${of}`)).status, 204)
    t.equal((await read(`${id}_20280403T090000`)).status, 404)
    const left = await list(`${march}&expand=true`)
    t.same(
      left.body.data.map((event: { start: string }) => event.start),
      ['2028-03-20T08:00:00.000Z', '2028-03-27T09:00:00.000Z', '2028-04-10T07:00:00.000Z'],
    )
    t.equal((await change(second.id, { recurrence: null })).status, 422, 'not of one instance')
    t.equal((await change(id, { recurrence: null })).body.recurrence, null)
    t.equal((await list(`${march}&expand=yes`)).body.data.length, 1)
  })

  await t.test('an all-day series has dates in its ids', async (t) => {
    const { id } = (
      await create({
        title: 'Day',
        all_day: true,
        start: '2029-01-01',
        recurrence: { frequency: 'monthly', until: '2029-03-15' },
      })
    ).body
    const { body } = await list('from=2029-01-01T00:00:00Z&to=2029-12-01T00:00:00Z&expand=1')
    t.same(
      body.data.map((event: { id: string; recurrence_id: string }) => [event.id, event.recurrence_id]),
      ['2029-01-01', '2029-02-01', '2029-03-01'].map((date) => [`${id}_${date.replaceAll('-', '')}`, date]),
    )
    t.equal((await read(id)).body.recurrence.until, '2029-03-15')
  })

  await t.test('lists go on after the last event of a page, although others come and go', async (t) => {
    const ids: string[] = []
    for (let hour = 10; hour < 20; hour++)
      ids.push((await create({ title: String(hour), start: `2030-01-01T${hour}:00` })).body.id)
    const day = 'from=2030-01-01T00:00:00Z&to=2030-01-02T00:00:00Z&limit=4'
    const titles = (page: { body: { data: { title: string }[] } }) => page.body.data.map(({ title }) => title)
    const first = await list(day)
    t.same(titles(first), ['10', '11', '12', '13'])
    t.match(first.body.pagination, { has_more: true, limit: 4 })
    for (const id of [ids[0], ids[3]]) await ask('DELETE', `/v1/calendar/events/${id}?${of}`)
    await create({ title: 'new', start: '2030-01-01T08:00' })
    const second = await list(`${day}&cursor=${first.body.pagination.next_cursor}`)
    t.same(titles(second), ['14', '15', '16', '17'])
    const third = await list(`${day}&cursor=${second.body.pagination.next_cursor}`)
    t.same(titles(third), ['18', '19'])
    t.match(third.body.pagination, { has_more: false, next_cursor: null })
    const other = await list(
      `from=2030-01-01T00:00:00Z&to=2030-01-03T00:00:00Z&cursor=${first.body.pagination.next_cursor}`,
    )
    t.equal(other.body.error.code, 'invalid_cursor')
  })

  await t.test('attendees are the full list, with their answers', async (t) => {
    const made = await create({
      title: 'Meeting',
      start: '2027-02-01T09:00',
      send_invitations: false,
      attendees: [{ email: 'bob@example.org', name: 'Bob' }, { email: 'Eve@Example.org' }],
    })
    t.equal(made.status, 201)
    t.same(made.body.organizer?.email, ada.address)
    t.same(made.body.attendees, [
      { email: 'bob@example.org', name: 'Bob', status: 'needs-action', invitation_status: null },
      { email: 'eve@example.org', name: null, status: 'needs-action', invitation_status: null },
    ])
    const { id } = made.body
    const changed = await change(id, {
      send_invitations: false,
      attendees: [{ email: 'eve@example.org', name: 'Eve' }, { email: 'joe@example.org' }],
    })
    t.same(
      changed.body.attendees.map(({ email, name }: { email: string; name: string | null }) => [email, name]),
      [
        ['eve@example.org', 'Eve'],
        ['joe@example.org', null],
      ],
    )
    t.same((await change(id, { send_invitations: false, attendees: [] })).body.attendees, [])
  })

  await t.test('what is wrong is named', async (t) => {
    const wrong: [object, string][] = [
      [{ title: 'x' }, 'start'],
      [{ start: '2027-01-01T09:00' }, 'title'],
      [{ title: '', start: '2027-01-01T09:00' }, 'title'],
      [{ title: 'x', start: 'tomorrow' }, 'start'],
      [{ title: 'x', start: '2027-02-30T09:00' }, 'start'],
      [{ title: 'x', start: '2027-01-01' }, 'start'],
      [{ title: 'x', start: '2027-01-01T09:00', all_day: true }, 'start'],
      [{ title: 'x', start: '2027-01-01T09:00', timezone: 'Mars/Base' }, 'timezone'],
      [{ title: 'x', start: '2027-01-01T09:00', end: '2027-01-01T09:00' }, 'end'],
      [{ title: 'x', start: '2027-01-01T09:00', end: '2027-01-01T10:00', duration: 'PT1H' }, 'end'],
      [{ title: 'x', start: '2027-01-01T09:00', duration: 'an hour' }, 'duration'],
      [{ title: 'x', start: '2027-01-01', all_day: true, end: '2027-01-01' }, 'end'],
      [{ title: 'x', start: '2027-01-01', all_day: true, duration: 'PT1H' }, 'duration'],
      [{ title: 'x', start: '2027-01-01T09:00', calendar_id: 'cal_none' }, 'calendar_id'],
      [{ title: 'x', start: '2027-01-01T09:00', video_url: 'javascript:alert(1)' }, 'video_url'],
      [
        { title: 'x', start: '2027-01-01T09:00', reminders: [{ minutes_before: 40_321 }] },
        'reminders[0].minutes_before',
      ],
      [{ title: 'x', start: '2027-01-01T09:00', attendees: [{ email: 'no' }] }, 'attendees[0].email'],
      [
        { title: 'x', start: '2027-01-01T09:00', attendees: [{ email: 'a@b.test' }, { email: 'A@b.test' }] },
        'attendees[1].email',
      ],
      [
        { title: 'x', start: '2027-01-01T09:00', recurrence: { frequency: 'daily', count: 2, until: '2027-02-01' } },
        'recurrence.until',
      ],
      [
        { title: 'x', start: '2027-01-01T09:00', recurrence: { frequency: 'daily', until: 'soon' } },
        'recurrence.until',
      ],
      [
        { title: 'x', start: '2027-01-01T09:00', recurrence: { frequency: 'daily', by_day: ['xx'] } },
        'recurrence.by_day[0]',
      ],
    ]
    for (const [event, field] of wrong) {
      const answer = await create(event)
      t.equal(answer.status, 422, JSON.stringify(event))
      t.ok(
        faults(answer).some(([name]) => name === field),
        `${field}: ${JSON.stringify(answer.body)}`,
      )
    }
    t.equal((await list('from=2027-01-02T00:00:00Z&to=2027-01-01T00:00:00Z')).status, 422)
    t.equal((await list('from=2027-01-01T00:00:00Z&to=2028-01-03T00:00:00Z&expand=1')).status, 422)
    t.equal((await list('from=2027-01-01T00:00:00Z&to=2028-01-03T00:00:00Z')).status, 200, 'control: not expanded')
    t.equal((await list('from=2027-01-01T00:00:00Z&to=2027-02-01T00:00:00Z&expand=maybe')).status, 422)
  })

  await t.test('an invitation is answered, or that to one instance', async (t) => {
    const host = { '@type': 'Participant', calendarAddress: 'mailto:host@example.org', roles: { owner: true } }
    const guest = { '@type': 'Participant', calendarAddress: `mailto:${ada.address}`, roles: { attendee: true } }
    const [calendar] = (await ada.call('Calendar/get', { ids: null })).list
    const { created } = await ada.call('CalendarEvent/set', {
      create: {
        e: {
          calendarIds: { [calendar.id]: true },
          title: 'Weekly',
          start: '2027-03-01T09:00:00',
          timeZone: 'Etc/UTC',
          recurrenceRule: { '@type': 'RecurrenceRule', frequency: 'weekly', count: 3 },
          organizerCalendarAddress: 'mailto:host@example.org',
          participants: { host, guest },
        },
      },
    })
    const { id } = created.e
    const respond = (event: string, body: object) =>
      ask('POST', `/v1/calendar/events/${event}/respond`, { body: { mailbox: ada.address, ...body } })
    const answered = await respond(id, { status: 'tentative', comment: 'Perhaps' })
    t.equal(answered.status, 200)
    t.match(answered.body.attendees, [{ email: ada.address, status: 'tentative' }])
    t.match(answered.body.organizer, { email: 'host@example.org' })
    const instance = await respond(`${id}_20270308T090000`, { status: 'declined' })
    t.match(instance.body, { recurrence_id: '2027-03-08T09:00:00', attendees: [{ status: 'declined' }] })
    t.match((await read(id)).body.attendees, [{ status: 'tentative' }], 'the others keep their answer')
    const { list: stored } = await ada.call('CalendarEvent/get', { ids: [id] })
    t.match(stored[0].participants.guest, { participationStatus: 'tentative', participationComment: 'Perhaps' })
    t.equal((await respond(id, { status: 'needs-action' })).status, 422)
    const own = (await create({ title: 'Own', start: '2027-03-02T09:00', attendees: [{ email: 'bob@example.org' }] }))
      .body
    t.same(faults(await respond(own.id, { status: 'accepted' })), [['event_id', 'not_allowed']])
    const alone = (await create({ title: 'Alone', start: '2027-03-02T09:00' })).body
    t.same(faults(await respond(alone.id, { status: 'accepted' })), [['mailbox', 'not_allowed']])
    t.equal((await respond(`${id}_20270309T090000`, { status: 'accepted' })).status, 404, 'no such instance')
    const { guest: _gone, ...others } = { host, guest, other: { ...guest } }
    const uninvite = () => ada.call('CalendarEvent/set', { update: { [id]: { participants: others } } })
    const late = await race.run(0, uninvite, () => respond(id, { status: 'accepted' }))
    t.match(
      [late?.status, late?.body.error.code],
      [409, 'conflict'],
      'the participant has gone since the event was read',
    )
  })

  await t.test('an answer that arrives while attendees are changed stays', async (t) => {
    const made = await create({
      title: 'Race',
      start: '2027-04-01T09:00',
      send_invitations: false,
      attendees: [{ email: 'bob@example.org' }],
    })
    const { id } = made.body
    const { participants } = (await ada.call('CalendarEvent/get', { ids: [id] })).list[0]
    const bob = Object.keys(participants).find((one) => participants[one].calendarAddress === 'mailto:bob@example.org')
    const answer = (status: string) =>
      ada.call('CalendarEvent/set', { update: { [id]: { [`participants/${bob}/participationStatus`]: status } } })
    let at = 0
    for (; ; at++) {
      await answer('needs-action')
      const attendees = [{ email: 'bob@example.org', name: `Bob ${at}` }, { email: `joe${at}@example.org` }]
      const changed = await race.run(
        at,
        () => answer('accepted'),
        () => change(id, { send_invitations: false, attendees }),
      )
      if (changed === null) break
      t.equal(changed.status, 200)
      t.match((await read(id)).body.attendees, [
        { email: 'bob@example.org', name: `Bob ${at}`, status: 'accepted' },
        { email: `joe${at}@example.org` },
      ])
    }
    t.ok(at > 0, 'control: the answer came in between')
  })

  await t.test('events of mailboxes that the key may not use are refused, those of others not found', async (t) => {
    const bob = await mailbox('bob')
    const limited = await key(['calendar:read', 'calendar:write'], { mailboxIds: [bob.accountId] })
    const { id } = (await create({ title: 'x', start: '2027-01-01T09:00' })).body
    const asked = await ask('GET', `/v1/calendar/events/${id}?${of}`, { key: limited })
    t.equal(asked.body.error.code, 'mailbox_access_denied')
    const foreign = outside
    t.equal((await ask('GET', `/v1/calendar/events/${id}?${of}`, { key: foreign.key })).status, 404)
    const own = `mailbox=${encodeURIComponent(bob.address)}`
    t.equal((await ask('GET', `/v1/calendar/events/${id}?${own}`)).status, 404, 'an event of another mailbox')
    const reader = await key(['calendar:read'])
    t.equal((await ask('DELETE', `/v1/calendar/events/${id}?${of}`, { key: reader })).body.error.code, 'missing_scope')
  })

  await t.test('an event is read by one request to the core, a page of events by two', async (t) => {
    const { id } = (await create({ title: 'Counted', start: '2028-06-01T09:00' })).body
    const requests = async (run: () => Promise<{ status: number }>) => {
      const { process } = core
      let count = 0
      const counting: typeof process = (...args) => {
        count++
        return process(...args)
      }
      Object.assign(core, { process: counting })
      const { status } = await run()
      Object.assign(core, { process })
      return `${status}, ${count}`
    }
    t.equal(await requests(() => read(id)), '200, 1')
    t.equal(await requests(() => change(id, { title: 'Changed' })), '200, 2')
    t.equal(await requests(() => list('from=2028-06-01T00:00:00Z&to=2028-06-02T00:00:00Z')), '200, 2')
    t.equal(await requests(() => ask('DELETE', `/v1/calendar/events/${id}?${of}`)), '204, 2')
  })

  await t.test('the mailbox that a request names decides, not the one that the id of the event leads to', async (t) => {
    const bob = await mailbox('rob')
    const { id } = (await create({ title: 'Mine', start: '2028-07-01T09:00' })).body
    const asked = async (event: string, address: string, more: object = {}) => {
      const { status, body } = await ask('GET', `/v1/calendar/events/${event}?mailbox=${address}`, more)
      return status === 200 ? status : [status, body.error.code, body.error.message]
    }
    const noEvent = [404, 'not_found', 'There is no such event.']
    const noMailbox = [404, 'not_found', 'There is no such mailbox.']
    t.equal(await asked(id, ada.address.toUpperCase()), 200, 'control')
    t.same(await asked(id, bob.address), noEvent)
    t.same(await asked(id, 'nobody@example.test'), noMailbox)
    t.same(await asked(id, 'x'), noMailbox)
    for (const wrong of ['cev_none', 'no id!', `${id}_20280701T090000`, bob.accountId])
      t.same(await asked(encodeURIComponent(wrong), ada.address), noEvent, wrong)
    const limited = { key: await key(['calendar:read'], { mailboxIds: [bob.accountId] }) }
    const [status, code] = (await asked(id, ada.address, limited)) as string[]
    t.same([status, code], [403, 'mailbox_access_denied'])
    t.same(await asked(id, bob.address, limited), noEvent)
    t.same(((await asked('cev_none', ada.address, limited)) as string[]).slice(0, 2), [403, 'mailbox_access_denied'])
    const foreign = { key: outside.key }
    t.same(await asked(id, ada.address, foreign), noMailbox)
    t.same(await asked(id, 'stranger@other.test', foreign), noEvent)
  })

  await t.test('where the mailbox names no zone, that of its default calendar counts', async (t) => {
    const eve = await mailbox('eve')
    const [{ id }] = (await eve.call('Calendar/get', { ids: null })).list
    await eve.call('Calendar/set', { update: { [id]: { timeZone: 'Asia/Tokyo' } } })
    const day = { calendarIds: { [id]: true }, title: 'Breakfast', start: '2028-08-02T07:00:00', duration: 'PT1H' }
    await eve.call('CalendarEvent/set', { create: { e: day } })
    const found = async (from: string, to: string) =>
      (await ask('GET', `/v1/calendar/events?mailbox=${eve.address}&from=${from}&to=${to}`)).body.data
    t.match(await found('2028-08-01T20:00:00Z', '2028-08-02T00:00:00Z'), [{ start: '2028-08-01T22:00:00.000Z' }])
    t.same(await found('2028-08-02T05:00:00Z', '2028-08-02T09:00:00Z'), [])
    const day2 = 'from=2028-08-02T00:00:00Z&to=2028-08-03T00:00:00Z'
    for (const wrong of ['cal_none', '', 'no id!', encodeURIComponent(ada.accountId)])
      t.same(faults(await list(`${day2}&calendar_id=${wrong}`)), [['calendar_id', 'unknown_reference']], wrong)
  })
})
