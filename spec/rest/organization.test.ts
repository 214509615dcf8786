// Decision D31; promises W3, W4
import { createServer, type RequestListener } from 'node:http'
import t from 'tap'
import { systemClock } from '../../server/base/clock.ts'
import { LOGO_MAX_BYTES, LOGO_MAX_HEIGHT, LOGO_MAX_WIDTH } from '../../server/base/image-limits.ts'
import { createImageFetcher } from '../../server/egress/image-fetcher.ts'
import { Egress } from '../../server/egress/safe-fetch.ts'
import { findLogo } from '../../storage/repos/organization-logos.ts'
import { listenOnLoopback } from '../support/loopback-server.ts'
import { noise, png } from '../support/png.ts'
import { faults, startApi } from '../support/rest-api.ts'

t.test('the organization', async (t) => {
  const answers = new Map<string, RequestListener>()
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.url!)
    const answer = answers.get(request.url!)
    if (answer) answer(request, response)
    else response.writeHead(404).end()
  })
  const url = `http://127.0.0.1:${await listenOnLoopback(t, server)}`
  const give = (path: string, body: Buffer | string, type = 'image/png') => {
    answers.set(path, (_request, response) => response.writeHead(200, { 'content-type': type }).end(body))
    return url + path
  }
  const egress = new Egress({ clock: systemClock, allowLoopback: true })
  const strict = new Egress({ clock: systemClock })
  t.teardown(() => Promise.all([egress.close(), strict.close()]))
  let fetchWith = egress
  const { ask, organization, store, core, key } = await startApi(t, {
    fetchImage: (address) => createImageFetcher(fetchWith.fetch.bind(fetchWith), ['https:', 'http:'])(address),
  })
  const path = '/v1/organization'
  const patch = (body: object) => ask('PATCH', path, { body })
  const logo = () => store.read((reader) => findLogo(reader, organization.account))

  t.test('it is read and changed', async (t) => {
    const before = await ask('GET', path)
    t.match(before, {
      status: 200,
      body: { object: 'organization', id: organization.accountId, logo_url: null, accent_color: null, slug: /-\d+$/ },
    })
    t.match(await patch({ accent_color: '#1A56B0', name: 'Example & Co' }), {
      status: 200,
      body: { accent_color: '#1a56b0', name: 'Example & Co', slug: before.body.slug },
    })
    t.same(faults(await patch({ accent_color: 'red;}' })), [['accent_color', 'invalid_format']])
    t.same(faults(await patch({ name: '' })), [['name', 'too_short']])
    t.same(faults(await patch({})), [[null, 'required']])
    t.match((await patch({ accent_color: null })).body, { accent_color: null })
    const limited = await key(['organization:read'])
    t.equal((await ask('PATCH', path, { body: { name: 'x' }, key: limited })).status, 403)
    t.equal((await ask('GET', path, { key: limited })).status, 200, 'control')
  })

  t.test('a logo is fetched once and encoded again', async (t) => {
    const secret = 'GPS 52.5200 13.4050'
    const image = png({ width: 900, height: 300, comment: secret })
    t.match(image.toString('latin1'), secret, 'control')
    const logo_url = give('/logo.png', Buffer.concat([image, Buffer.from('<script>alert(1)</script>')]))
    t.match(await patch({ logo_url }), { status: 200, body: { logo_url } })
    const kept = await logo()
    t.match(kept, { type: 'image/webp', width: 360, height: LOGO_MAX_HEIGHT })
    const text = Buffer.from(kept!.image).toString('latin1')
    t.match(text, /^RIFF[\s\S]{4}WEBP/)
    t.notMatch(text, secret)
    t.notMatch(text, 'script')
    await patch({ logo_url, accent_color: '#ffcc00' })
    t.same(asked, ['/logo.png'], 'the same URL is not fetched again')
    await patch({ logo_url: give('/noise', png({ width: LOGO_MAX_WIDTH, height: LOGO_MAX_HEIGHT, paint: noise() })) })
    const noisy = await logo()
    t.ok(noisy!.image.length <= LOGO_MAX_BYTES, `${noisy!.image.length} octets`)
    t.not(noisy!.tag, kept!.tag)
    t.match((await patch({ logo_url: null })).body, { logo_url: null })
    t.equal(await logo(), null)
  })

  t.test('what is no image, too large or not to be reached is refused, and the logo stays', async (t) => {
    const good = give('/good.png', png({ width: 64, height: 64 }))
    await patch({ logo_url: good })
    const { tag } = (await logo())!
    const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
    answers.set('/endless', (_request, response) => {
      const pour = () => {
        while (response.writable && response.write(Buffer.alloc(65_536))) {}
      }
      response.on('drain', pour)
      response.writeHead(200)
      pour()
    })
    answers.set('/inside', (_request, response) =>
      response.writeHead(302, { location: 'http://169.254.169.254/x' }).end(),
    )
    answers.set('/round', (_request, response) => response.writeHead(302, { location: '/round' }).end())
    const wrong: readonly (readonly [what: string, url: string, why: RegExp])[] = [
      ['no image', give('/page', '<html></html>', 'image/png'), /no JPEG/],
      ['SVG', give('/logo.svg', svg, 'image/svg+xml'), /no JPEG/],
      ['SVG that is called PNG', give('/svg.png', svg), /no JPEG/],
      [
        '50,000 x 50,000',
        give('/bomb.png', png({ width: 8, height: 8, claims: { width: 50_000, height: 50_000 } })),
        /damaged, or too large/,
      ],
      ['cut off', give('/cut.png', png({ width: 400, height: 400, paint: noise() }).subarray(0, 5_000)), /damaged/],
      ['empty', give('/empty', ''), /no JPEG/],
      ['absent', `${url}/absent`, /answered 404/],
      ['endless', `${url}/endless`, /more than \d+ octets/],
      ['a redirect inside', `${url}/inside`, /not on the public Internet/],
      ['redirects in a circle', `${url}/round`, /redirects/],
      ['no URL', 'logo.png', /not https/],
      ['a file', 'file:///etc/passwd', /not https/],
    ]
    for (const [what, logo_url, why] of wrong) {
      const answer = await patch({ logo_url })
      t.same(faults(answer), [['logo_url', 'invalid_format']], what)
      t.match(answer.body.error.message, why, what)
    }
    t.match(await logo(), { tag })
    t.match((await ask('GET', path)).body, { logo_url: good })
    fetchWith = strict
    const count = asked.length
    t.same(faults(await patch({ logo_url: `${url}/logo.png` })), [['logo_url', 'invalid_format']], 'a private address')
    t.equal(asked.length, count, 'no request was made')
    fetchWith = egress
    t.equal((await patch({ logo_url: `${url}/logo.png` })).status, 200, 'control')
    t.ok(core)
  })
})
