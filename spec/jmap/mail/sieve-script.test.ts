/** RFC 9661: scripts as objects, which one is active, and that it runs at delivery. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the syntax of variables in Sieve
import t from 'tap'
import { BLOB_KEEP_MS, UPLOAD_LIFETIME_MS } from '../../../server/base/limits.ts'
import { type Result, startCore, type TestMailbox } from '../../support/core.ts'
import { forEachEngine } from '../../support/engines.ts'
import { mail } from '../mails.ts'

const SIEVE = 'urn:ietf:params:jmap:sieve'
const WORK =
  'require ["fileinto", "imap4flags"]; if header :contains "subject" "report" { fileinto :flags "\\\\Seen" "Work"; }'

async function upload(box: TestMailbox, text: string): Promise<string> {
  const { created } = await box.call('Blob/upload', { create: { b: { data: [{ 'data:asText': text }] } } })
  return created.b.id
}

async function create(box: TestMailbox, name: string | null, text = 'keep;', more = {}): Promise<Result> {
  const blobId = await upload(box, text)
  return box.call('SieveScript/set', { create: { s: { name, blobId } }, ...more })
}

const scripts = async (box: TestMailbox): Promise<Result[]> => (await box.call('SieveScript/get', { ids: null })).list
const activeNames = async (box: TestMailbox) =>
  (await scripts(box)).filter((one) => one.isActive).map(({ name }) => name)

await forEachEngine(t, async (t, engine) => {
  const { core, mailbox, clock } = await startCore(t, engine)

  t.test('the session has the limits and extensions of scripts (RFC 9661 1.3)', async (t) => {
    const box = await mailbox('session')
    const session = (await core.session(box.principal, 'https://example.test')) as Result
    t.match(session.capabilities[SIEVE], { implementation: /^Posthouse/ })
    const { sieveExtensions, ...told } = session.accounts[box.accountId].accountCapabilities[SIEVE]
    t.same(told, {
      maxSizeScriptName: 512,
      maxSizeScript: 1_048_576,
      maxNumberScripts: 100,
      maxNumberRedirects: 0,
      notificationMethods: null,
      externalLists: null,
    })
    const requires = `require [${sieveExtensions.map((name: string) => `"${name}"`)}];`
    t.match(await create(box, 'all', requires), { notCreated: null }, 'all of them can be required')
  })

  t.test('a script is stored with its octets, inactive, under a unique name (RFC 9661 2)', async (t) => {
    const box = await mailbox('keeps')
    const { created, newState } = await create(box, 'Mine', WORK)
    const { id, ...told } = created.s
    t.same(told, { isActive: false })
    const { list, state } = await box.call('SieveScript/get', { ids: [id] })
    t.match(list, [{ id, name: 'Mine', isActive: false }])
    t.equal(state, newState)
    const download = await core.download(box.principal, box.accountId, list[0].blobId)
    t.equal(Buffer.from(download!.bytes).toString(), WORK)
    t.match((await create(box, null)).created.s, { name: /^script \d+$/ })
    t.match((await create(box, null)).created.s, { name: /^script \d+$/ })
  })

  t.test('names are unique, of 1 to 512 octets, without control characters (RFC 9661 2)', async (t) => {
    const box = await mailbox('names')
    const { id } = (await create(box, 'Mine')).created.s
    t.match((await create(box, 'Mine')).notCreated.s, { type: 'alreadyExists', existingId: id })
    t.match((await create(box, 'mine')).notCreated, null)
    for (const name of ['', 'a\nb', 'a\u2028', 'x'.repeat(513), 'é'.repeat(257)])
      t.match(
        (await create(box, name)).notCreated.s,
        { type: 'invalidProperties', properties: ['name'] },
        name.slice(0, 9),
      )
    t.match((await create(box, 'é'.repeat(256))).notCreated, null)
    const other = (await create(box, 'Other')).created.s.id
    const rename = async (name: string) => box.call('SieveScript/set', { update: { [other]: { name } } })
    t.match((await rename('Mine')).notUpdated[other], { type: 'alreadyExists', existingId: id })
    t.same((await rename('New')).updated, { [other]: null })
  })

  t.test('scripts exchange names in one call, and one takes the name of a destroyed one (RFC 8620 5.3)', async (t) => {
    const box = await mailbox('swap')
    const [a, b] = [(await create(box, 'A')).created.s.id, (await create(box, 'B')).created.s.id]
    const swapped = await box.call('SieveScript/set', { update: { [a]: { name: 'B' }, [b]: { name: 'A' } } })
    t.same(swapped.updated, { [a]: null, [b]: null })
    const taken = await create(box, 'B', 'stop;', { destroy: [a] })
    t.same([taken.destroyed, taken.notCreated], [[a], null])
  })

  t.test('a script without a name does not get the name of another of the call (RFC 9661 2)', async (t) => {
    const box = await mailbox('unnamed')
    const blobId = await upload(box, 'keep;')
    const wanted = { blobId, name: 'script 2' }
    const scripts = { a: { blobId }, b: { blobId, name: null }, c: wanted }
    const { created } = await box.call('SieveScript/set', { create: scripts })
    t.equal(Object.keys(created).length, 3)
    t.equal(new Set([created.a.name, created.b.name, 'script 2']).size, 3)
  })

  t.test('a script that cannot run is not stored (RFC 9661 2.4: invalidSieve, blobNotFound, tooLarge)', async (t) => {
    const box = await mailbox('wrong')
    t.match((await create(box, 'a', 'keep;\nnonsense;')).notCreated.s, {
      type: 'invalidSieve',
      description: 'Line 2: There is no command "nonsense".',
    })
    t.match((await create(box, 'a', 'require "vnd.nonsense";')).notCreated.s, { type: 'invalidSieve' })
    const set = (blobId: string) => box.call('SieveScript/set', { create: { s: { name: 'a', blobId } } })
    t.match((await set('blb_none')).notCreated.s, { type: 'blobNotFound', notFound: ['blb_none'] })
    const latin = await core.upload(box.principal, box.accountId, 'application/sieve', Buffer.from('# \xe9', 'latin1'))
    t.match((await set(latin!.blobId)).notCreated.s, { type: 'invalidSieve', description: /UTF-8/ })
    const large = await core.upload(box.principal, box.accountId, 'application/sieve', Buffer.alloc(1_048_577, '#'))
    t.match((await set(large!.blobId)).notCreated.s, { type: 'tooLarge', maxSize: 1_048_576 })
    t.same(await scripts(box), [])
    const told = await box.call('SieveScript/set', { create: { s: { blobId: latin!.blobId, isActive: true } } })
    t.match(told.notCreated.s, { type: 'invalidProperties', properties: ['isActive'] })
  })

  t.test('validate returns the error and stores nothing (RFC 9661 2.6)', async (t) => {
    const box = await mailbox('validates')
    const validate = async (text: string) =>
      (await box.call('SieveScript/validate', { blobId: await upload(box, text) })).error
    t.equal(await validate(WORK), null)
    t.match(await validate('keep'), { type: 'invalidSieve', description: /^Line 1: / })
    t.match((await box.call('SieveScript/validate', { blobId: 'blb_none' })).error, { type: 'blobNotFound' })
    t.same(await scripts(box), [])
  })

  t.test(
    'at most one script is active; the response has the activated and the deactivated one (RFC 9661 2.4)',
    async (t) => {
      const box = await mailbox('active')
      const first = await create(box, 'first', 'keep;', { onSuccessActivateScript: '#s' })
      t.match(first.created.s, { isActive: true })
      const second = (await create(box, 'second')).created.s.id
      t.same(await activeNames(box), ['first'])
      const swap = await box.call('SieveScript/set', { onSuccessActivateScript: second })
      t.same(swap.updated, { [first.created.s.id]: { isActive: false }, [second]: { isActive: true } })
      t.not(swap.newState, swap.oldState)
      t.same(await activeNames(box), ['second'])
      const again = await box.call('SieveScript/set', { onSuccessActivateScript: second })
      t.same([again.updated, again.newState], [null, again.oldState])
      const none = await box.call('SieveScript/set', { onSuccessDeactivateScript: true })
      t.same(none.updated, { [second]: { isActive: false } })
      t.same(await activeNames(box), [])
      const both = { onSuccessDeactivateScript: true, onSuccessActivateScript: second }
      t.same((await box.call('SieveScript/set', both)).updated, { [second]: { isActive: true } })
      const other = await box.call('SieveScript/set', { update: { [second]: { name: '2' } }, ...both })
      t.same(other.updated, { [second]: null }, 'it stays so')
    },
  )

  t.test('no script is activated after a refused record, or by an unknown id (RFC 9661 2.4)', async (t) => {
    const box = await mailbox('refused')
    await create(box, 'first', 'keep;', { onSuccessActivateScript: '#s' })
    const second = (await create(box, 'second')).created.s.id
    for (const more of [{ destroy: ['siv_none'] }, { update: { [second]: { name: 'first' } } }])
      await box.call('SieveScript/set', { ...more, onSuccessActivateScript: second })
    await create(box, 'third', 'nonsense;', { onSuccessActivateScript: '#s' })
    for (const id of ['siv_none', '#none', ''])
      t.same((await box.call('SieveScript/set', { onSuccessActivateScript: id })).updated, null)
    t.same(await activeNames(box), ['first'])
  })

  t.test('the active script cannot be destroyed (RFC 9661 2.4: sieveIsActive)', async (t) => {
    const box = await mailbox('destroys')
    const { id } = (await create(box, 'a', 'keep;', { onSuccessActivateScript: '#s' })).created.s
    t.match((await box.call('SieveScript/set', { destroy: [id] })).notDestroyed[id], { type: 'sieveIsActive' })
    await box.call('SieveScript/set', { onSuccessDeactivateScript: true })
    t.same((await box.call('SieveScript/set', { destroy: [id] })).destroyed, [id])
    t.same(await scripts(box), [])
  })

  t.test('an update replaces the octets; an invalid one leaves the old ones', async (t) => {
    const box = await mailbox('updates')
    const { id } = (await create(box, 'a', 'keep;')).created.s
    const before = (await scripts(box))[0].blobId
    const wrong = await box.call('SieveScript/set', { update: { [id]: { blobId: await upload(box, 'nonsense;') } } })
    t.match(wrong.notUpdated[id], { type: 'invalidSieve' })
    t.equal((await scripts(box))[0].blobId, before)
    const blobId = await upload(box, 'discard;')
    t.same((await box.call('SieveScript/set', { update: { [id]: { blobId } } })).updated, { [id]: null })
    t.match(await scripts(box), [{ id, name: 'a', blobId }])
    const isActive = await box.call('SieveScript/set', { update: { [id]: { isActive: true } } })
    t.match(isActive.notUpdated[id], { type: 'invalidProperties', properties: ['isActive'] })
  })

  t.test('scripts are filtered by name and isActive, and sorted by both (RFC 9661 2.5)', async (t) => {
    const box = await mailbox('queries')
    const id: { [name: string]: string } = {}
    for (const name of ['b one', 'A two', 'c one']) id[name] = (await create(box, name)).created.s.id
    await box.call('SieveScript/set', { onSuccessActivateScript: id['c one']! })
    const find = async (args: object) => (await box.call('SieveScript/query', { ...args })).ids
    t.same(await find({ filter: { name: 'ONE' } }), [id['b one'], id['c one']])
    t.same(await find({ filter: { isActive: true } }), [id['c one']])
    t.same(
      await find({ filter: { operator: 'NOT', conditions: [{ isActive: true }] }, sort: [{ property: 'name' }] }),
      [id['A two'], id['b one']],
    )
    const sort = [{ property: 'isActive', isAscending: false }, { property: 'name' }]
    t.same(await find({ sort }), [id['c one'], id['A two'], id['b one']])
  })

  t.test('Blob/lookup finds the scripts of octets (RFC 9404 4.3)', async (t) => {
    const box = await mailbox('looks-up')
    const ids = []
    for (const name of ['a', 'b']) ids.push((await create(box, name, '# the same\nkeep;')).created.s.id)
    const { blobId } = (await scripts(box))[0]
    const other = await upload(box, '# another\nkeep;')
    const { list } = await box.call('Blob/lookup', { typeNames: ['SieveScript', 'Email'], ids: [blobId, other] })
    t.same(list, [
      { id: blobId, matchedIds: { SieveScript: ids, Email: [] } },
      { id: other, matchedIds: { SieveScript: [], Email: [] } },
    ])
  })

  t.test('the number of scripts of an account is limited', async (t) => {
    const box = await mailbox('many')
    const blobId = await upload(box, 'keep;')
    const all = Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`s${i}`, { blobId }]))
    const { created, notCreated } = await box.call('SieveScript/set', { create: all })
    t.equal(Object.keys(created).length, 100)
    t.match(Object.values(notCreated), [{ type: 'overQuota' }])
  })

  t.test('the octets of a script stay as long as the script', async (t) => {
    const box = await mailbox('sweeps')
    const { id } = (await create(box, 'a', '# only here\nkeep;')).created.s
    const { blobId } = (await scripts(box))[0]
    clock.advance(UPLOAD_LIFETIME_MS + BLOB_KEEP_MS)
    await core.sweep()
    t.ok(await core.download(box.principal, box.accountId, blobId))
    await box.call('SieveScript/set', { destroy: [id] })
    clock.advance(UPLOAD_LIFETIME_MS + BLOB_KEEP_MS)
    await core.sweep()
    t.notOk(await core.download(box.principal, box.accountId, blobId), 'control')
  })

  t.test('the active script decides where mail goes; a change takes effect at once', async (t) => {
    const box = await mailbox('delivers')
    const work = (await box.call('Mailbox/set', { create: { w: { name: 'Work' } } })).created.w.id
    const placeOf = async (subject: string) => {
      const { list } = await box.call('Email/get', { ids: [await box.receive(mail({ subject }))] })
      return { mailboxes: Object.keys(list[0].mailboxIds), keywords: Object.keys(list[0].keywords) }
    }
    const { id } = (await create(box, 'a', WORK)).created.s
    const inbox = { mailboxes: [box.roles['inbox']], keywords: [] }
    t.same(await placeOf('a report'), inbox, 'it is not active yet')
    await box.call('SieveScript/set', { onSuccessActivateScript: id })
    t.same(await placeOf('a report'), { mailboxes: [work], keywords: ['$seen'] })
    t.same(await placeOf('lunch'), inbox)
    await box.call('SieveScript/set', {
      update: { [id]: { blobId: await upload(box, WORK.replace('report', 'lunch')) } },
    })
    t.same(await placeOf('a report'), inbox)
    t.same(await placeOf('lunch'), { mailboxes: [work], keywords: ['$seen'] })
    const endless = `require "variables"; discard; set "a" "x"; ${'set "a" "${a}${a}"; '.repeat(15_000)}`
    await box.call('SieveScript/set', { update: { [id]: { blobId: await upload(box, endless) } } })
    t.same(await placeOf('lunch'), inbox, 'a script that takes too much does not lose the mail')
  })
})
