// Decisions D23, D32
import t from 'tap'
import { zoomAt } from '../support/meetings.ts'
import { faults, startApi } from '../support/rest-api.ts'
import { CREDENTIALS, startZoom } from '../support/zoom.ts'

t.test('conferencing', async (t) => {
  const zoom = await startZoom(t)
  const adapter = zoomAt(t, zoom)
  const api = await startApi(t, { zoomFault: (credentials) => adapter.fault(credentials) })
  const { ask, mailbox } = api
  const [ada, bob] = [await mailbox('ada'), await mailbox('bob')]
  const folder = (box = ada) => `/v1/mailboxes/${box.accountId}/conferencing`
  const jitsi = (url_template: unknown, box = ada) => ask('PUT', `${folder(box)}/jitsi`, { body: { url_template } })
  const credentials = {
    account_id: CREDENTIALS.accountId,
    client_id: CREDENTIALS.clientId,
    client_secret: CREDENTIALS.clientSecret,
  }
  const NONE = { connected: false, url_template: null, account: null }

  t.test('providers are connected, listed and disconnected', async (t) => {
    const none = { object: 'conferencing', ...NONE }
    t.same((await ask('GET', folder())).body, {
      data: [
        { ...none, provider: 'zoom' },
        { ...none, provider: 'jitsi' },
      ],
    })
    const made = await jitsi('https://meet.example.com/{room}')
    const shown = { ...none, provider: 'jitsi', connected: true, url_template: 'https://meet.example.com/{room}' }
    t.match(made, { status: 200, body: shown })
    t.match((await jitsi('https://meet.example.com/x/')).body, { url_template: 'https://meet.example.com/x/' })
    const zoomed = await ask('PUT', `${folder()}/zoom`, { body: credentials })
    t.match(zoomed, { status: 200, body: { provider: 'zoom', connected: true, account: CREDENTIALS.accountId } })
    const listed = await ask('GET', folder())
    t.same(
      listed.body.data.map(({ connected }: { connected: boolean }) => connected),
      [true, true],
    )
    const { list } = await ada.call('ConferencingConnection/get', { ids: null })
    const { store } = api
    const rows = (await store.read(({ sql }) => sql.raw('select data from object'))) as { data: string }[]
    const stored = rows.map(({ data }) => data).join()
    t.match(stored, '"provider":"zoom"', 'control: the connection is there')
    for (const text of [zoomed.text, listed.text, JSON.stringify(list), stored])
      t.notMatch(text, CREDENTIALS.clientSecret, 'the secret is nowhere to be read')
    t.match((await ask('GET', folder(bob))).body.data, [NONE, NONE], 'the other mailbox has none')
    t.equal((await ask('DELETE', `${folder()}/zoom`)).status, 204)
    t.equal((await ask('DELETE', `${folder()}/zoom`)).status, 404)
    t.equal((await ask('DELETE', `${folder()}/teams`)).status, 404)
    t.match((await ask('GET', folder())).body.data[0], NONE)
  })

  t.test('what cannot be used is refused, and what was connected stays', async (t) => {
    await jitsi('https://meet.example.com/{room}')
    for (const wrong of [
      'http://meet.example.com/',
      'javascript:alert(1)',
      'https://{room}.example.com/',
      'https://meet.example.com:{room}/',
      'https://user:pw@meet.example.com/',
      'https://meet.example.com/?a=b',
      'https://meet.example.com/#a',
      'https://meet.example.com/{room}/{room}',
      'https://meet.example.com/{name}',
      'https://meet.example.com/a b',
      'https://meet.example.com/"onclick="x',
      'https://',
    ])
      t.same(faults(await jitsi(wrong)), [['url_template', 'invalid_format']], wrong)
    t.same(faults(await jitsi('')), [['url_template', 'too_short']])
    t.same(faults(await jitsi(null)), [['url_template', 'invalid_type']])
    t.match((await ask('GET', folder())).body.data[1], { url_template: 'https://meet.example.com/{room}' })
    const refused = await ask('PUT', `${folder()}/zoom`, { body: { ...credentials, client_secret: 'another' } })
    t.same(faults(refused), [['client_secret', 'invalid_format']])
    t.match(refused.body.error.message, 'Invalid client_id or client_secret', 'in the words of Zoom')
    t.notMatch(refused.text, /another/)
    t.match((await ask('GET', folder())).body.data[0], NONE)
    t.same(faults(await ask('PUT', `${folder()}/zoom`, { body: { account_id: 'a' } })), [
      ['client_id', 'required'],
      ['client_secret', 'required'],
    ])
    const both = { provider: 'jitsi', urlTemplate: 'https://meet.example.com/', account: 'a' }
    const { notCreated } = await bob.call('ConferencingConnection/set', { create: { c: both } })
    t.match(notCreated.c, { type: 'invalidProperties', properties: ['account'] })
    const second = { provider: 'jitsi', urlTemplate: 'https://meet.example.com/' }
    const { notCreated: twice } = await ada.call('ConferencingConnection/set', { create: { c: second } })
    t.match(twice.c, { type: 'alreadyExists', existingId: String })
  })

  t.test('an event gets a room of its own, and loses it', async (t) => {
    await jitsi('https://meet.example.com/{room}')
    const event = { mailbox: ada.address, title: 'Call', start: '2026-02-02T09:00', conferencing_provider: 'jitsi' }
    const [one, other] = [
      await ask('POST', '/v1/calendar/events', { body: event }),
      await ask('POST', '/v1/calendar/events', { body: event }),
    ]
    const ready = { conferencing_provider: 'jitsi', conferencing_status: 'ready', conferencing_note: null }
    t.match(one, { status: 201, body: { ...ready, video_url: /^https:\/\/meet\.example\.com\/[a-z2-7]{24}$/ } })
    t.not(one.body.video_url, other.body.video_url)
    const path = `/v1/calendar/events/${one.body.id}`
    const patch = (body: object) => ask('PATCH', path, { body: { mailbox: ada.address, ...body } })
    const { video_url } = one.body
    t.match((await patch({ start: '2026-02-02T10:00' })).body, { ...ready, video_url }, 'it moves with the event')
    t.match((await patch({ conferencing_provider: 'jitsi' })).body, { video_url }, 'it is asked for twice')
    const none = { conferencing_provider: null, conferencing_status: null, video_url: null }
    t.match((await patch({ conferencing_provider: null })).body, none)
    t.match((await patch({ video_url: 'https://own.example.com/' })).body, { video_url: 'https://own.example.com/' })
    const again = await patch({ conferencing_provider: 'jitsi' })
    t.match(again.body.video_url, /meet\.example\.com/)
    t.not(again.body.video_url, video_url)
    const back = await patch({ conferencing_provider: null })
    t.equal(back.body.video_url, 'https://own.example.com/', 'the own link is still there')
    const forged = { conferencing: { provider: 'jitsi', status: 'failed', note: 'no' } }
    const update = { [one.body.id]: forged }
    t.match((await ada.call('CalendarEvent/set', { update })).updated, { [one.body.id]: { conferencing: {} } })
    t.match((await ask('GET', `${path}?mailbox=${ada.address}`)).body, ready, 'clients do not write the status')
  })

  t.test('a provider that is not connected is refused, on events and pages', async (t) => {
    const event = { mailbox: bob.address, title: 'Call', start: '2026-02-02T09:00', conferencing_provider: 'jitsi' }
    const page = { mailbox: bob.address, name: 'Call', conferencing_provider: 'jitsi' }
    for (const [path, body] of [
      ['/v1/calendar/events', event],
      ['/v1/booking-pages', page],
    ] as const) {
      const answer = await ask('POST', path, { body })
      t.match(answer, { status: 422, body: { error: { code: 'provider_not_connected' } } }, path)
      t.same(faults(answer), [['conferencing_provider', 'not_allowed']])
    }
    await jitsi('https://meet.example.com/', bob)
    t.equal((await ask('POST', '/v1/calendar/events', { body: event })).status, 201, 'control')
    const made = await ask('POST', '/v1/booking-pages', { body: page })
    t.match(made, { status: 201, body: { conferencing_provider: 'jitsi' } }, 'control')
    const path = `/v1/booking-pages/${made.body.id}`
    t.equal((await ask('PATCH', path, { body: { conferencing_provider: 'zoom' } })).status, 422)
    await ask('DELETE', `${folder(bob)}/jitsi`)
    t.match((await ask('PATCH', path, { body: { description: 'Still here' } })).body, {
      conferencing_provider: 'jitsi',
    })
    t.match((await ask('PATCH', path, { body: { conferencing_provider: null } })).body, { conferencing_provider: null })
    t.equal((await ask('PATCH', path, { body: { conferencing_provider: 'jitsi' } })).status, 422)
  })
})
