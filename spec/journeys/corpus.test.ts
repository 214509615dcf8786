import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import t from 'tap'
import { startCore, type TestMailbox } from '../support/core.ts'
import { emlFiles, OWN_CORPUS, SHARED_CORPORA, sharedMissing } from '../support/corpora.ts'

t.test('every mail of our own corpus is returned unchanged', async (t) => {
  const { mailbox, core } = await startCore(t)
  const files = emlFiles(OWN_CORPUS)
  t.ok(files.length >= 5, 'there are mails to test with')
  t.same(await changedOnTheWay(core, await mailbox('hello'), files, OWN_CORPUS), [])
})

t.test('every mail of the shared corpora is returned unchanged', { skip: sharedMissing() }, async (t) => {
  const { mailbox, core } = await startCore(t)
  const files = emlFiles(SHARED_CORPORA)
  t.ok(files.length >= 1_000, 'there are mails to test with')
  t.same(await changedOnTheWay(core, await mailbox('hello'), files, SHARED_CORPORA), [])
})

type TestableCore = Awaited<ReturnType<typeof startCore>>['core']

/** Uploads, imports and reads each; names of refused or changed files. Only what Email/parse cannot read may be refused. */
async function changedOnTheWay(
  core: TestableCore,
  hello: TestMailbox,
  files: readonly string[],
  base: string,
): Promise<string[]> {
  const changed: string[] = []
  for (const file of files) {
    const bytes = readFileSync(file)
    if (bytes.length === 0) continue
    // An upload may keep the octets that it is given.
    const sent = sha256(bytes)
    const uploaded = (await core.upload(hello.principal, hello.accountId, 'message/rfc822', bytes))!
    const emails = { m: { blobId: uploaded.blobId, mailboxIds: { [hello.roles['archive']!]: true } } }
    const { created } = await hello.call('Email/import', { emails })
    const blobId = created?.m.blobId as string | undefined
    if (!blobId) {
      const { notParsable } = await hello.call('Email/parse', { blobIds: [uploaded.blobId] })
      if (notParsable?.includes(uploaded.blobId)) continue
    }
    const back = blobId && (await core.download(hello.principal, hello.accountId, blobId))
    if (!back || sha256(back.bytes) !== sent) changed.push(relative(base, file))
  }
  return changed
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
