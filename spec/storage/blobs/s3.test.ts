import t from 'tap'
import { isFailure } from '../../../server/base/errors.ts'
import { S3_REQUEST_TIMEOUT_MS, S3_RETRIES } from '../../../server/base/limits.ts'
import { openS3 } from '../../../storage/blobs/s3.ts'
import { blob, listed, outcome, putOne, sameBytes } from './blobs.ts'
import { blobStoreContract } from './contract.ts'
import { BUCKET, freshStore, refuse, startS3 } from './s3-service.ts'

const service = await startS3(t)
t.afterEach(() => {
  service.fault = () => false
  service.requests.length = 0
})

blobStoreContract(t, async (t) => {
  const { store } = freshStore(t, service)
  const name = `s3:ab/${'0'.repeat(62)}`
  return { store, absent: [`${name}-aaaaaaaa:10`, `${name}-aaaaaaaa:0`] }
})

t.test('objects are named by the prefix and the hash', async (t) => {
  const { store, prefix } = freshStore(t, service)
  const value = blob(100)
  await putOne(store, value)
  const hex = Buffer.from(value.hash).toString('hex')
  t.match(service.requests[0], `PUT /${BUCKET}/${prefix}/${hex.slice(0, 2)}/${hex.slice(2)}-`)
})

t.test('the hash of every object is sent in a signed header, and the service checks it', async (t) => {
  const { store } = freshStore(t, service)
  const value = blob(100)
  const seen: (string | undefined)[] = []
  service.fault = ({ headers }) => {
    seen.push(headers['x-amz-checksum-sha256'], headers['authorization'])
    return false
  }
  await putOne(store, value)
  t.equal(seen[0], Buffer.from(value.hash).toString('base64'))
  t.match(seen[1], /SignedHeaders=[^,]*x-amz-checksum-sha256/)
})

t.test('stores with different prefixes do not see each other’s blobs', async (t) => {
  const [one, two] = [freshStore(t, service), freshStore(t, service)]
  const location = await putOne(one.store, blob(100))
  t.same(await listed(two.store), [])
  t.equal(await outcome(two.store.read(location)), 'corrupt')
  t.same(await listed(one.store), [location])
})

t.test('a prefix may be empty, or a path', async (t) => {
  for (const prefix of ['', '/a/b-c_d/', 'mail.example']) {
    const store = openS3(service.options(prefix))
    const location = await putOne(store, blob(100))
    t.ok((await listed(store)).includes(location), prefix)
    sameBytes(t, await store.read(location), blob(100).bytes, 'readable')
    await store.remove([location])
    t.notOk((await listed(store)).includes(location))
    await store.close()
  }
})

t.test('a listing reads all pages, and skips objects that are no blobs', async (t) => {
  const { store, prefix } = freshStore(t, service)
  service.pageSize = 3
  t.teardown(() => {
    service.pageSize = 1_000
  })
  const locations = await store.put(Array.from({ length: 8 }, (_, seed) => blob(20, seed)))
  const alien = openS3(service.options(`${prefix}/alien`))
  await putOne(alien, blob(20, 99))
  await alien.close()
  t.same(await listed(store), locations.toSorted())
  t.ok(service.requests.filter((line) => line === `GET /${BUCKET}/`).length >= 3)
})

for (const [what, status] of [
  ['an error of the service', 500],
  ['a service that is busy', 503],
  ['a limit of the rate', 429],
] as const) {
  t.test(`the request is repeated after ${what}, with longer and longer pauses`, async (t) => {
    const { store, clock } = freshStore(t, service)
    let failures = 3
    service.fault = (ctx) => {
      if (failures-- <= 0) return false
      ctx.status = status
      return true
    }
    const location = await putOne(store, blob(5_000))
    t.equal(clock.pauses.length, 3)
    t.ok(clock.pauses[1]! >= clock.pauses[0]! && clock.pauses[2]! >= clock.pauses[1]!, `${clock.pauses}`)
    sameBytes(t, await store.read(location), blob(5_000).bytes, 'it is stored in the end')
    t.same(await listed(store), [location], 'once')
  })
}

t.test('a service that keeps failing is unavailable, after a limited number of attempts', async (t) => {
  const { store } = freshStore(t, service)
  const location = await putOne(store, blob(100))
  service.fault = (ctx) => {
    ctx.status = 500
    return true
  }
  for (const [what, act] of [
    ['put', () => store.put([blob(100)])],
    ['read', () => store.read(location)],
    ['remove', () => store.remove([location])],
    ['list', () => listed(store)],
  ] as const) {
    service.requests.length = 0
    t.equal(await outcome(act()), 'storageUnavailable', what)
    t.equal(service.requests.length, S3_RETRIES + 1, `${what}: attempts`)
  }
})

t.test('a refused request is not repeated', async (t) => {
  const store = openS3({ ...service.options('refused'), secretAccessKey: 'wrong' })
  t.equal(await outcome(store.put([blob(100)])), 'storageUnavailable')
  t.equal(service.requests.length, 1)
  await store.close()
})

t.test('a missing bucket is unavailable, not a corrupt blob', async (t) => {
  const { store } = freshStore(t, service)
  const location = await putOne(store, blob(100))
  const lost = openS3({ ...service.options('mail'), bucket: 'elsewhere' })
  t.equal(await outcome(lost.read(location)), 'storageUnavailable', 'read')
  t.equal(await outcome(lost.put([blob(100)])), 'storageUnavailable', 'put')
  t.equal(await outcome(lost.remove([location])), 'storageUnavailable', 'remove')
  t.equal(await outcome(listed(lost)), 'storageUnavailable', 'list')
  await lost.close()
})

t.test('a full service is reported as full', async (t) => {
  const { store } = freshStore(t, service)
  for (const [status, code] of [
    [507, 'XMinioStorageFull'],
    [403, 'QuotaExceeded'],
  ] as const) {
    service.fault = (ctx) => {
      refuse(ctx, status, code)
      return true
    }
    t.equal(await outcome(store.put([blob(100)])), 'storageFull', code)
  }
})

t.test('a request is repeated after a lost connection', async (t) => {
  const { store } = freshStore(t, service)
  let failures = 2
  service.fault = ({ req }) => {
    if (failures-- > 0) req.socket.destroy()
    return false
  }
  const location = await putOne(store, blob(50_000))
  sameBytes(t, await store.read(location), blob(50_000).bytes, 'it is stored in the end')
})

t.test('an interrupted upload leaves no object', async (t) => {
  const { store } = freshStore(t, service)
  service.fault = ({ method, req }) => {
    if (method === 'PUT') req.once('data', () => req.socket.destroy())
    return method === 'PUT' ? new Promise((resolve) => req.once('close', () => resolve(true))) : false
  }
  t.equal(await outcome(store.put([blob(300_000)])), 'storageUnavailable')
  service.fault = () => false
  t.same(await listed(store), [])
  const location = await putOne(store, blob(300_000))
  t.same(await listed(store), [location], 'control: a complete upload does')
})

t.test('a request without a response in time is repeated, by the injected clock', async (t) => {
  const { store, clock } = freshStore(t, service)
  const location = await putOne(store, blob(100))
  let stalled = 0
  service.fault = ({ req }) => {
    if (stalled++ >= 2) return false
    clock.advance(S3_REQUEST_TIMEOUT_MS)
    return new Promise((resolve) => req.once('close', () => resolve(true)))
  }
  sameBytes(t, await store.read(location), blob(100).bytes, 'the third attempt')
  t.equal(stalled, 3)
})

t.test('a request whose response stops half-way is repeated, by the injected clock', async (t) => {
  const { store, clock } = freshStore(t, service)
  const location = await putOne(store, blob(100))
  let stalled = false
  service.fault = (ctx) => {
    if (stalled) return false
    stalled = true
    ctx.respond = false
    ctx.res.writeHead(200, { 'content-length': '100' })
    ctx.res.write('half', () => setImmediate(() => clock.advance(S3_REQUEST_TIMEOUT_MS)))
    return true
  }
  sameBytes(t, await store.read(location), blob(100).bytes, 'the second attempt')
})

t.test('octets that differ from the stored ones are corrupt', async (t) => {
  const { store } = freshStore(t, service)
  const location = await putOne(store, blob(1_000))
  const answer = (bytes: Uint8Array, status = 200, range?: string) => {
    service.fault = (ctx) => {
      ctx.status = status
      if (range) ctx.set('content-range', range)
      ctx.body = Buffer.from(bytes)
      return true
    }
  }
  answer(blob(1_000, 2).bytes)
  t.equal(await outcome(store.read(location)), 'corrupt', 'other octets')
  answer(blob(1_000).bytes.subarray(0, 999))
  t.equal(await outcome(store.read(location)), 'corrupt', 'too few')
  answer(blob(10).bytes, 206, 'bytes 0-9/999')
  t.equal(await outcome(store.read(location, { start: 0, end: 10 })), 'corrupt', 'a range of an object of another size')
  answer(blob(9).bytes, 206, 'bytes 0-9/1000')
  t.equal(await outcome(store.read(location, { start: 0, end: 10 })), 'corrupt', 'fewer octets than its header says')
  answer(blob(10).bytes, 206)
  t.equal(await outcome(store.read(location, { start: 0, end: 10 })), 'corrupt', 'a part without Content-Range')
  answer(blob(9).bytes, 206, 'bytes 0-8/1000')
  t.equal(await outcome(store.read(location, { start: 0, end: 10 })), 'storageUnavailable', 'a part that is too small')
  answer(blob(1_000).bytes.subarray(5, 30), 206, 'bytes 5-29/1000')
  const within = await store.read(location, { start: 10, end: 20 })
  sameBytes(t, within, blob(1_000).bytes.subarray(10, 20), 'a larger part is cut')
  answer(blob(1_000).bytes)
  t.equal(await outcome(store.read(location)), 'resolved', 'control: the stored octets')
  const cut = await store.read(location, { start: 10, end: 20 })
  sameBytes(t, cut, blob(1_000).bytes.subarray(10, 20), 'a whole object for a range is cut')
})

t.test('invalid settings are refused when the store is opened', async (t) => {
  const good = service.options('mail')
  const refused = (change: object) => {
    try {
      openS3({ ...good, ...change })
      return 'opened'
    } catch (error) {
      return isFailure(error) ? error.code : String(error)
    }
  }
  for (const change of [
    { endpoint: 'storage.example' },
    { endpoint: 'ftp://storage.example' },
    { endpoint: 'https://storage.example/?x=1' },
    { bucket: '' },
    { bucket: 'a/b' },
    { accessKeyId: ' ' },
    { secretAccessKey: '' },
    { prefix: 'a b' },
    { prefix: 'a//b' },
    { prefix: 'a/../b' },
  ]) {
    t.equal(refused(change), 'configuration', JSON.stringify(change))
  }
  t.equal(refused({ endpoint: 'https://storage.example/base/' }), 'opened', 'an address with a path')
})
