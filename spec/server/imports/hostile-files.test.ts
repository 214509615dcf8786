// Promise P5

import { gzipSync } from 'node:zlib'
import t from 'tap'
import { FileSource } from '../../../server/imports/files/file-source.ts'
import { SourceError, type SourceItem } from '../../../server/imports/import-source.ts'
import type { StagedFile } from '../../../server/imports/staging/staged-store.ts'
import { staged } from '../../support/imports.ts'
import { type ZipEntry, zipOf } from '../../support/zip-file.ts'

const FROM = 'From a@example.org Mon Mar 02 10:00:00 +0000 2015\n'
const EML = 'Subject: a message\n\nText\n'
const MBOX = `${FROM}Subject: one\n\nText\n\n${FROM}Subject: two\n\nText\n`
const MAX_OCTETS = 1_000_000

/** What a source gives: folders with the items in them, or its fault. @param after positions by key */
async function read(name: string, file: StagedFile, after: { readonly [key: string]: string } = {}) {
  const source = new FileSource([{ name, generation: 'x', open: async () => file }])
  const signal = new AbortController().signal
  const found: { readonly folder: string; readonly item: SourceItem }[] = []
  try {
    for (const folder of await source.folders()) {
      const options = { after: after[folder.key] ?? null, wants: () => true, maxOctets: MAX_OCTETS, signal }
      for await (const item of source.read(folder, options)) found.push({ folder: folder.path.join('/'), item })
    }
    return found
  } catch (error) {
    if (error instanceof SourceError) return error.fault
    throw error
  } finally {
    await source.close()
  }
}

const readZip = (entries: readonly ZipEntry[], count?: number) => read('a.zip', staged(zipOf(entries, count)))
const subjects = (found: Awaited<ReturnType<typeof read>>) =>
  typeof found === 'string'
    ? found
    : found.map(({ folder, item }) => {
        const place = item.places[0]?.path.join('/') ?? folder
        return `${place}: ${item.kind === 'message' ? /Subject: (.*)\r/.exec(item.raw.toString())?.[1] : item.kind}`
      })

t.test('a zip is read by its mboxes and by the folders of its messages', async (t) => {
  const entries = [
    { name: 'Takeout/Mail/Work.mbox', content: MBOX },
    { name: 'Old/Deep/1.eml', content: EML },
    { name: '2.EML', content: EML },
    { name: 'Apple.mbox/mbox', content: MBOX },
    { name: 'inner.zip', content: zipOf([{ name: 'x.eml', content: EML }]) },
    { name: 'readme.html', content: 'no mail' },
  ]
  const work = ['Work: one', 'Work: two', 'Apple: one', 'Apple: two']
  t.same(subjects(await readZip(entries)), [...work, 'Deep: a message', 'Inbox: a message'])
  const first = (await readZip(entries)) as Exclude<Awaited<ReturnType<typeof read>>, string>
  const after = { '0:0': first[0]!.item.position, '0:eml': '1' }
  const rest = await read('a.zip', staged(zipOf(entries)), after)
  t.same(subjects(rest), [...work.slice(1), 'Inbox: a message'], 'reading goes on after a position')
})

t.test('a zip that no honest program makes is refused', async (t) => {
  const good = { name: 'a.mbox', content: MBOX }
  for (const name of ['../a.mbox', '/etc/a.mbox', 'C:/a.mbox', 'x/../../a.eml', 'a\\b.mbox'])
    t.equal(await readZip([good, { name, content: EML }]), 'unusable', name)
  const zeros = Buffer.alloc(20_000_000)
  const bad: { readonly [what: string]: readonly ZipEntry[] } = {
    'a symbolic link': [good, { name: 'link.mbox', content: '/etc/passwd', mode: 0o120777 }],
    'a bomb': [good, { name: 'b.mbox', content: zeros }],
    'entries that overlap': [
      { name: 'a.mbox', content: MBOX },
      ...Array.from({ length: 40 }, (_, n) => ({ name: `${n}.mbox`, content: MBOX, overlaps: true })),
    ],
    'more octets than declared': [{ name: 'a.mbox', content: zeros, declared: 1_000 }],
    'an encrypted entry': [{ name: 'a.mbox', content: MBOX, isEncrypted: true }],
  }
  for (const [what, entries] of Object.entries(bad)) t.equal(await readZip(entries), 'unusable', what)
  t.equal(await readZip([good], 1_000_000), 'unusable', '1,000,000 entries')
  const whole = zipOf([good])
  for (const cut of [10, whole.length - 5]) t.equal(await read('a.zip', staged(whole.subarray(0, cut))), 'unusable')
  t.equal(await read('a.zip', staged(Buffer.from(MBOX))), 'unusable', 'an mbox that is named a zip')
  t.same(subjects(await readZip([good])), ['a: one', 'a: two'], 'control')
})

t.test('a compressed mbox is read, also after a position, and a bomb or a damaged one is refused', async (t) => {
  const gz = (octets: Buffer | string) => staged(gzipSync(octets))
  const two = (await read('a.mbox.gz', gz(MBOX))) as Exclude<Awaited<ReturnType<typeof read>>, string>
  t.same(subjects(two), ['a: one', 'a: two'])
  t.same(subjects(await read('a.mbox.gz', gz(MBOX), { 0: two[0]!.item.position })), ['a: two'])
  t.equal(
    await read('a.mbox.gz', gz(Buffer.concat([Buffer.from(MBOX), Buffer.alloc(20_000_000)]))),
    'unusable',
    'a bomb',
  )
  t.equal(await read('a.mbox.gz', staged(gzipSync(MBOX).subarray(0, 60))), 'unusable', 'truncated')
  t.equal(await read('a.mbox.gz', staged(Buffer.from(MBOX))), 'unusable', 'not compressed')
})

/** Zeros of any size that take no memory, after a beginning. */
function sparse(size: number, beginning: string): StagedFile & { readOctets: number } {
  const head = Buffer.from(beginning)
  return {
    size,
    readOctets: 0,
    async read(position, length) {
      this.readOctets += length
      const octets = Buffer.alloc(Math.min(length, size - position))
      if (position < head.length) head.copy(octets, 0, position)
      return octets
    },
    close: async () => {},
  }
}

t.test(
  'a file of 10 GB of zeros is refused at once, and an endless line is one message that is too large',
  async (t) => {
    const zeros = sparse(10 * 1024 ** 3, '')
    t.equal(await read('a.mbox', zeros), 'unusable')
    t.ok(zeros.readOctets < 1_000_000, 'it is not read')
    const line = sparse(30_000_000, `${MBOX}\n${FROM}Subject: endless\n\n`)
    const found = await read('a.mbox', line)
    t.match(subjects(found), ['a: one', 'a: two', 'a: unreadable'])
    t.match((found as { item: SourceItem }[])[2]!.item, { reason: 'too_large', position: '30000000' })
    t.same(subjects(await read('a.eml', sparse(30_000_000, EML))), ['Inbox: unreadable'])
  },
)
