// Decision D20, promise W4: images and videos of newsletters, on both engines
import { createHash } from 'node:crypto'
import { connect } from 'node:net'
import t from 'tap'
import { imageTurns } from '../../jmap/images/image-turns.ts'
import { openImage } from '../../jmap/images/library.ts'
import { reEncode } from '../../jmap/images/re-encode.ts'
import { Newsletter } from '../../jmap/newsletters/newsletter/newsletter.type.ts'
import {
  ASSET_IMAGE_MAX_BYTES,
  ASSET_PIECE_BYTES,
  ASSET_UPLOADS_PER_KEY_MAX,
  ASSET_VIDEO_MAX_BYTES,
  IMAGE_MAX_SIDE,
  IMAGES_WAITING_PER_ORGANIZATION_MAX,
} from '../../server/base/image-limits.ts'
import { SYSTEM } from '../../server/base/principal.ts'
import { UNLIMITED_PLAN } from '../../server/base/sending-limits.ts'
import { updateNewsletter } from '../../storage/repos/newsletters.ts'
import { audiencesOf } from '../jmap/newsletters/world.ts'
import type { Result } from '../support/core.ts'
import { forEachEngine } from '../support/engines.ts'
import { startHttp, type TestHttpOptions } from '../support/http-server.ts'
import { noise, png } from '../support/png.ts'
import { MP4, mp4, WEBM } from '../support/videos.ts'

const BLUE = png({ width: 64, height: 32, comment: '<script>alert(1)</script>' })
const IMAGE_LIMITS = { width: 100, height: 100, bytes: 100_000, filePixels: 1_000_000 }
const QUOTA = 60_000

async function startAssets(t: Parameters<typeof startHttp>[0], options: TestHttpOptions = {}) {
  const http = await startHttp(t, options)
  const { key } = await http.key({ scopes: ['newsletters:write', 'newsletters:read'] })
  const Authorization = `Bearer ${key}`
  const ask = async (method: string, path: string, body?: Uint8Array | object, more: Record<string, string> = {}) => {
    const isOctets = body instanceof Uint8Array
    const type = isOctets ? {} : { 'Content-Type': 'application/json' }
    const sent = body === undefined ? {} : { body: isOctets ? Buffer.from(body) : JSON.stringify(body) }
    const answer = await fetch(http.url + path, { method, headers: { Authorization, ...type, ...more }, ...sent })
    const text = await answer.text()
    return { status: answer.status, headers: answer.headers, body: (text ? JSON.parse(text) : null) as Result }
  }
  const upload = (bytes: Uint8Array, filename = 'a.png', type = 'application/octet-stream') =>
    ask('POST', `/v1/newsletter-assets?filename=${encodeURIComponent(filename)}`, bytes, { 'Content-Type': type })
  const used = async () => (await ask('GET', '/v1/newsletter-assets')).body.storage.used_bytes as number
  const open = async (url: string, headers: Record<string, string> = {}, method = 'GET') => {
    const answer = await fetch(url, { method, headers })
    return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) }
  }
  return { ...http, Authorization, ask, upload, used, open }
}

await forEachEngine(t, async (t, engine) => {
  const plan = { ...UNLIMITED_PLAN, newsletterMediaBytes: QUOTA }
  const world = await startAssets(t, { engine, limits: { plan } })
  const { ask, upload, used, open, store, organization, core } = world

  t.test(
    'an image is encoded again, served for ever at one URL, and one asset however often it is uploaded',
    async (t) => {
      const first = await upload(BLUE, 'May "1".png', 'image/png')
      t.equal(first.status, 201)
      t.match(first.body, {
        object: 'newsletter_asset',
        id: /^nwa_/,
        kind: 'image',
        filename: 'May "1".png',
        content_type: 'image/png',
        checksum: createHash('sha256').update(BLUE).digest('hex'),
        image_url: first.body.url,
        video_url: null,
        width: 64,
        height: 32,
        duration_seconds: null,
        deduplicated: false,
        storage: { limit_bytes: QUOTA },
      })
      const { id, url, thumbnail_url, size_bytes } = first.body
      const shown = await open(url)
      t.same([shown.status, shown.headers.get('content-type'), shown.bytes.length], [200, 'image/png', size_bytes])
      t.notMatch(shown.bytes.toString('latin1'), 'script', 'no metadata of the file')
      t.match(shown.headers.get('cache-control'), /immutable/)
      t.match(
        [shown.headers.get('x-content-type-options'), shown.headers.get('content-security-policy')],
        ['nosniff', /default-src 'none'.*sandbox$/],
      )
      t.match(shown.headers.get('content-disposition'), /^inline/)
      const part = await open(url, { Range: 'bytes=2-5' })
      t.same([part.status, part.bytes], [206, shown.bytes.subarray(2, 6)])
      const outside = await open(url, { Range: 'bytes=99999-' })
      t.same([outside.status, outside.headers.get('content-range')], [416, `bytes */${size_bytes}`])
      t.equal(outside.headers.get('cache-control'), 'no-store', 'no cache keeps an error as it keeps the file')
      t.equal((await open(url, { 'If-None-Match': shown.headers.get('etag')! })).status, 304)
      t.equal((await open(url, {}, 'HEAD')).bytes.length, 0)
      t.equal((await open(url, {}, 'POST')).status, 405)
      t.match(await open(thumbnail_url), { status: 200, headers: { get: Function } })
      for (const wrong of [url.replace('.png', '.gif'), url.replace(/.\.png$/, 'A.png'), `${url}x`])
        t.equal((await open(wrong)).status, 404)
      const again = await upload(BLUE, 'other.png')
      t.match(again, { status: 201, body: { id, deduplicated: true, filename: 'May "1".png' } })
      t.same(await used(), again.body.storage.used_bytes)
      t.equal((await ask('GET', `/v1/newsletter-assets/${id}`)).body.url, url)
      t.equal((await ask('DELETE', `/v1/newsletter-assets/${id}`)).status, 204)
      t.same([(await open(url)).status, await used()], [404, 0], 'its octets count no more')
    },
  )

  t.test('strange ranges get the part that is asked for, all of it, or 416, and HEAD knows none', async (t) => {
    const { id, url } = (await upload(BLUE)).body
    const { bytes, headers } = await open(url)
    const { length } = bytes
    const part = (start: number, end: number) => [206, end - start, `bytes ${start}-${end - 1}/${length}`]
    const whole = [200, length, null]
    const none = [416, Number, `bytes */${length}`]
    const cases: [range: string, expected: readonly unknown[]][] = [
      ['bytes=0-0', part(0, 1)],
      ['bytes=-1', part(length - 1, length)],
      [`bytes=-${length + 5}`, part(0, length)],
      [`bytes=3-${'9'.repeat(15)}`, part(3, length)],
      ['bytes=-0', none],
      [`bytes=${length}-`, none],
      ['bytes=0-1,3-4', whole],
      ['bytes=0-5,2-7,-3', whole],
      [`bytes=${'0-,'.repeat(2_000)}0-1`, whole],
      ['bytes=5-2', whole],
      ['bytes=-', whole],
      ['bytes=--5', whole],
      ['bytes=1e1-', whole],
      [`bytes=${'9'.repeat(20)}-`, whole],
      ['items=0-1', whole],
    ]
    for (const [Range, expected] of cases) {
      const answer = await open(url, { Range })
      t.match([answer.status, answer.bytes.length, answer.headers.get('content-range')], expected, Range.slice(0, 40))
    }
    for (const condition of ['"other"', `W/${headers.get('etag')}`, new Date().toUTCString()])
      t.equal((await open(url, { Range: 'bytes=0-0', 'If-Range': condition })).status, 200, condition)
    t.equal((await open(url, { Range: 'bytes=0-0', 'If-Range': headers.get('etag')! })).status, 206, 'control')
    const head = await open(url, { Range: 'bytes=0-0' }, 'HEAD')
    t.same([head.status, head.headers.get('content-length')], [200, String(length)], 'RFC 9110 14.2')
    await ask('DELETE', `/v1/newsletter-assets/${id}`)
  })

  t.test('WebP becomes what every mail client reads, and a video gets a picture', async (t) => {
    const webp = await reEncode(1, BLUE, IMAGE_LIMITS)
    if (!('bytes' in webp)) throw new Error(webp.fault)
    t.match((await upload(webp.bytes, 'a.webp', 'image/webp')).body, { content_type: 'image/jpeg', kind: 'image' })
    const video = await upload(MP4, 'clip.mov', 'video/mp4')
    t.match(video.body, { kind: 'video', content_type: 'video/mp4', width: 640, height: 360, duration_seconds: 12.5 })
    t.same((await open(video.body.video_url)).bytes, MP4, 'videos stay as they are')
    t.equal((await open(video.body.thumbnail_url)).headers.get('content-type'), 'image/jpeg')
    t.match((await upload(mp4('iso5', 0), 'fragments.mp4')).body, { width: 640, duration_seconds: null })
    const webm = await upload(WEBM, 'clip.webm')
    t.match(webm.body, { content_type: 'video/webm', width: 320, height: 180, duration_seconds: 2 })
    const { data } = (await ask('GET', '/v1/newsletter-assets?limit=10')).body
    for (const { id } of data) await ask('DELETE', `/v1/newsletter-assets/${id}`)
  })

  t.test('what is not what it says is refused by name, and nothing is kept of it', async (t) => {
    const html = Buffer.from('<html><script>alert(1)</script>')
    const refused: [Uint8Array, string, string, string][] = [
      [html, 'a.png', 'image/png', 'none of JPEG'],
      [Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'a.svg', 'image/svg+xml', 'none of JPEG'],
      [Buffer.concat([Buffer.from('GIF89a'), html]), 'a.gif', 'image/gif', 'damaged'],
      [png({ width: 8, height: 8, claims: { width: 30_000, height: 30_000 } }), 'bomb.png', 'image/png', 'too large'],
      [BLUE, 'a.jpg', 'image/png', 'png, not jpg'],
      [BLUE, 'a.png', 'text/html', 'png, not text/html'],
      [Buffer.concat([MP4, html]), 'a.mp4', 'video/mp4', 'no whole MP4'],
      [mp4('isom').subarray(0, 40), 'a.mp4', 'video/mp4', 'no whole MP4'],
      [Buffer.concat([WEBM, html]), 'a.webm', 'video/webm', 'no whole WebM'],
      [Buffer.alloc(0), 'a.png', 'image/png', 'octets'],
      [BLUE, '../a.png', 'image/png', ''],
    ]
    for (const [bytes, name, type, words] of refused) {
      const { status, body } = await upload(bytes, name, type)
      t.same([status, body.error.type], [422, 'validation_error'], name)
      t.ok(JSON.stringify(body).includes(words), words)
    }
    t.match(await ask('POST', '/v1/newsletter-assets', BLUE, { 'Content-Type': 'image/png' }), {
      status: 422,
      body: { error: { details: [{ field: 'filename' }] } },
    })
    t.equal(
      (await upload(Buffer.concat([BLUE, Buffer.alloc(ASSET_IMAGE_MAX_BYTES)]), 'a.png')).status,
      403,
      'over quota first',
    )
    t.equal(await used(), 0)
    t.equal((await upload(BLUE)).status, 201, 'control')
  })

  t.test('the quota of the plan holds under concurrency, and deleting frees it', async (t) => {
    const before = await used()
    const images = Array.from({ length: 6 }, (_, i) => png({ width: 60 + i, height: 60, paint: noise() }))
    const answers = []
    for (const pair of [images.slice(0, 3), images.slice(3)])
      answers.push(...(await Promise.all(pair.map((image, i) => upload(image, `${i}.png`)))))
    t.ok(answers.some(({ status }) => status === 201))
    t.match(
      answers.filter(({ status }) => status !== 201).map(({ body }) => body.error.code),
      answers.filter(({ status }) => status === 403).map(() => 'quota_exceeded'),
    )
    t.ok(answers.some(({ status }) => status === 403))
    t.ok((await used()) <= QUOTA)
    for (const { status, body } of answers)
      if (status === 201) t.equal((await ask('DELETE', `/v1/newsletter-assets/${body.id}`)).status, 204)
    t.equal(await used(), before)
  })

  t.test('uploads of another organization, and of another key, are not found', async (t) => {
    const { accountId } = organization
    const theirs = await world.organizationWith('theirs.test')
    const far = await core.upload(SYSTEM, theirs.accountId, 'image/png', BLUE)
    const { principal } = await world.key({ scopes: ['newsletters:write'] })
    const near = await core.upload(principal, accountId, 'image/png', png({ width: 3, height: 3 }))
    const own = await core.upload(SYSTEM, accountId, 'image/png', png({ width: 4, height: 4 }))
    const { call } = audiencesOf(world)
    const make = async (blobId: string) => {
      const { created, notCreated } = await call('NewsletterAsset/set', {
        create: { a: { filename: 'a.png', blobIds: [blobId] } },
      })
      return created?.a ? 'created' : notCreated.a.type
    }
    t.same(
      [await make(far!.blobId), await make(near!.blobId), await make('blb_nothing')],
      Array(3).fill('blobNotFound'),
    )
    t.equal(await make(own!.blobId), 'created', 'control')
    const reader = await world.key({ scopes: ['newsletters:read'] })
    t.equal(await core.upload(reader.principal, accountId, 'image/png', BLUE), null)
  })

  t.test('an image of one endless row is refused by its header', async (t) => {
    const long = await upload(png({ width: IMAGE_MAX_SIDE + 1, height: 1 }))
    t.match(long, { status: 422, body: { error: { details: [{ message: /one of its sides/ }] } } })
    t.match(await reEncode(1, png({ width: 1, height: IMAGE_MAX_SIDE + 1 }), IMAGE_LIMITS), {
      fault: /one of its sides/,
    })
    const { status, body } = await upload(png({ width: IMAGE_MAX_SIDE, height: 1 }))
    t.equal(status, 201, 'control')
    await ask('DELETE', `/v1/newsletter-assets/${body.id}`)
  })

  t.test('what one request makes of uploads is bounded, however often it names them', async (t) => {
    const piece = await core.upload(SYSTEM, organization.accountId, 'video/mp4', Buffer.alloc(ASSET_PIECE_BYTES))
    const blobIds = Array(ASSET_VIDEO_MAX_BYTES / ASSET_PIECE_BYTES).fill(piece!.blobId)
    const named = Object.fromEntries('abc'.split('').map((name) => [name, { filename: 'a.mp4', blobIds }]))
    const { notCreated } = await audiencesOf(world).call('NewsletterAsset/set', { create: named })
    t.same(
      'abc'.split('').map((name) => notCreated[name].type),
      ['invalidProperties', 'invalidProperties', 'rateLimit'],
    )
  })

  t.test('when too many images of the organization wait, one more is not refused for good', async (t) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const waiting = Array.from({ length: IMAGES_WAITING_PER_ORGANIZATION_MAX + 1 }, () =>
      imageTurns.within(organization.account, () => promise),
    )
    const image = png({ width: 21, height: 5 })
    t.match(await upload(image), { status: 503, body: { error: { code: 'service_unavailable' } } })
    resolve()
    await Promise.all(waiting)
    const { status, body } = await upload(image)
    t.equal(status, 201, 'control')
    await ask('DELETE', `/v1/newsletter-assets/${body.id}`)
  })

  t.test('an asset of a newsletter that will be sent is not deleted', async (t) => {
    const { body: asset } = await upload(BLUE)
    const blocks = [{ type: 'image', url: asset.url, alt: 'Blue' }]
    const { call } = audiencesOf(world)
    const { id } = (await call('Newsletter/set', { create: { n: { blocks } } })).created.n
    const setStatus = (status: 'scheduled' | 'draft') =>
      store.write([organization.account], async (work) => {
        await updateNewsletter(work.account(organization.account), core.ids.decode(Newsletter, id)!.object, { status })
      })
    await setStatus('scheduled')
    t.match(await ask('DELETE', `/v1/newsletter-assets/${asset.id}`), {
      status: 409,
      body: { error: { code: 'asset_in_use' } },
    })
    await setStatus('draft')
    const images = async () => {
      const { body } = await ask('POST', `/v1/newsletters/${id}/preflight`)
      return body.items.find(({ key }: Result) => key === 'images')
    }
    t.not((await images()).status, 'fail')
    t.equal((await ask('DELETE', `/v1/newsletter-assets/${asset.id}`)).status, 204, 'control')
    t.match(await images(), { status: 'fail', message: /were deleted/ }, 'nobody gets it with a broken image')
  })

  t.test('a URL of the own namespace names the asset again, and no other does', async (t) => {
    const { body: image } = await upload(BLUE)
    const { body: video } = await upload(MP4, 'clip.mp4')
    const name = (body: object) => ask('POST', '/v1/newsletter-assets', { filename: 'x', ...body })
    t.match(await name({ url: image.url }), { status: 201, body: { id: image.id, deduplicated: true } })
    t.match(await name({ url: video.url, thumbnail_url: video.thumbnail_url }), { status: 201, body: { id: video.id } })
    t.match(await name({ url: video.url }), { status: 422, body: { error: { details: [{ field: 'thumbnail_url' }] } } })
    t.match(await name({ url: 'https://example.com/a.png' }), {
      status: 422,
      body: { error: { details: [{ field: 'url' }] } },
    })
    const gone = image.url
    await ask('DELETE', `/v1/newsletter-assets/${image.id}`)
    t.match(await name({ url: gone }), { status: 422, body: { error: { details: [{ code: 'unknown_reference' }] } } })
    await ask('DELETE', `/v1/newsletter-assets/${video.id}`)
  })
})

t.test('uploads that are received', async (t) => {
  let frame: Uint8Array | null = png({ width: 320, height: 180, paint: () => [0, 128, 0, 255] })
  const world = await startAssets(t, { videoFrame: async () => frame })
  const { url, upload, Authorization, ask, open } = world

  t.test('the picture of a video is its frame with a play button, or the button alone', async (t) => {
    const looks = async (video: Buffer) => {
      const { bytes } = await open((await upload(video, 'clip.mp4')).body.thumbnail_url)
      const { data, info } = await (await openImage(bytes, 1_000_000)).raw().toBuffer({ resolveWithObject: true })
      const at = (x: number, y: number) => [...data.subarray((y * info.width + x) * 3, (y * info.width + x) * 3 + 3)]
      const isNear = (pixel: readonly number[], wanted: readonly number[]) =>
        pixel.every((channel, i) => Math.abs(channel - wanted[i]!) < 12)
      const [corner, middle] = [at(20, 20), at(info.width / 2, Math.floor(info.height / 2))]
      return { isFrame: isNear(corner, [0, 128, 0]), hasButton: isNear(middle, [255, 255, 255]) }
    }
    t.same(await looks(MP4), { isFrame: true, hasButton: true })
    frame = null
    t.same(await looks(mp4('mp42')), { isFrame: false, hasButton: true }, 'control')
  })

  t.test('a file that fills its last piece is taken like one that does not', async (t) => {
    for (const size of [ASSET_PIECE_BYTES - 1, ASSET_PIECE_BYTES, 2 * ASSET_PIECE_BYTES])
      t.match(await upload(Buffer.alloc(size)), { status: 422, body: { error: { type: 'validation_error' } } })
  })

  t.test('too large ones are refused before they are stored', async (t) => {
    const big = await upload(Buffer.concat([BLUE, Buffer.alloc(ASSET_IMAGE_MAX_BYTES)]), 'a.png')
    t.equal(big.status, 413)
    const { port, hostname } = new URL(url)
    const socket = connect(Number(port), hostname)
    const head = `POST /v1/newsletter-assets?filename=a.mp4 HTTP/1.1\r\nHost: x\r\nAuthorization: ${Authorization}\r\nContent-Length: ${ASSET_VIDEO_MAX_BYTES + 1}\r\n\r\n`
    socket.write(head)
    const [answer] = await new Promise<Buffer[]>((resolve) => socket.once('data', (chunk) => resolve([chunk])))
    t.match(answer!.toString(), /^HTTP\/1.1 413 /)
    socket.destroy()
  })

  t.test('a key receives only some at once, and an upload that breaks off leaves no asset', async (t) => {
    const { port, hostname } = new URL(url)
    const head = `POST /v1/newsletter-assets?filename=a.png HTTP/1.1\r\nHost: x\r\nAuthorization: ${Authorization}\r\nContent-Length: 1000\r\n\r\n12345`
    const slow = Array.from({ length: ASSET_UPLOADS_PER_KEY_MAX }, () => connect(Number(port), hostname))
    for (const socket of slow) socket.write(head)
    // Each of them is admitted once a further one is refused.
    let last = await upload(BLUE)
    for (let i = 0; i < 200 && last.status === 201; i++) last = await upload(png({ width: 5 + i, height: 5 }))
    t.match(last, { status: 429, body: { error: { code: 'rate_limit_exceeded' } } })
    for (const socket of slow) socket.destroy()
    let next = await upload(BLUE)
    for (let i = 0; i < 200 && next.status === 429; i++) next = await upload(BLUE)
    t.equal(next.status, 201)
    const { data } = (await ask('GET', '/v1/newsletter-assets?limit=100')).body
    t.notOk(data.some(({ size_bytes }: Result) => size_bytes === 0))
  })
})
