/** Gmail's extension X-GM-EXT-1 and its limits, against a server that speaks as Gmail does. */
import t from 'tap'
import type { SourceItem } from '../../../../server/imports/import-source.ts'
import type { ServedFolder } from '../../../support/imap-server.ts'
import { foldersOf, mail, openSource, readFolder } from '../../../support/imap-source.ts'

const capabilities = ['IMAP4rev1', 'NAMESPACE', 'SPECIAL-USE', 'X-GM-EXT-1', 'AUTH=PLAIN']
const raw = mail('hello')

const allMail: ServedFolder = {
  path: '[Gmail]/Tous les messages',
  attributes: ['\\All'],
  messages: [
    { uid: 1, raw, labels: ['\\Inbox', '\\Important', 'Familie/M&APw-nchen'], flags: ['\\Seen'] },
    { uid: 2, raw, labels: ['\\Sent', '\\Starred'] },
    { uid: 3, raw },
    { uid: 4, raw, labels: ['\\Important'] },
    { uid: 5, raw, labels: ['\\Draft'], flags: ['\\Draft'] },
  ],
}
const others: ServedFolder[] = [
  { path: 'INBOX', messages: [{ uid: 8, raw, labels: ['\\Important', 'Familie/M&APw-nchen'] }] },
  { path: 'Familie/M&APw-nchen', messages: [{ uid: 3, raw, labels: ['\\Inbox'] }] },
  { path: '[Gmail]', attributes: ['\\Noselect'] },
  { path: '[Gmail]/Suivis', attributes: ['\\Flagged'], messages: [{ uid: 1, raw }] },
  { path: '[Gmail]/Important', attributes: ['\\Important'], messages: [{ uid: 1, raw }] },
  { path: '[Gmail]/Spam', attributes: ['\\Junk'], messages: [{ uid: 1, raw, labels: ['Familie/M&APw-nchen'] }] },
  { path: '[Gmail]/Corbeille', attributes: ['\\Trash'], messages: [{ uid: 1, raw }] },
]

const placesOf = (item: SourceItem) => item.places.map(({ path, role }) => `${path.join('/')} ${role}`)

t.test('All Mail is read once, with labels as folders and keywords, and Spam and Trash beside it', async (t) => {
  const { source } = await openSource(t, { capabilities, folders: [...others, allMail] })
  const folders = await foldersOf(source)
  t.same(folders.map(({ role }) => role).toSorted(), ['all', 'junk', 'trash'])
  const { items } = await readFolder(source, folders.find(({ role }) => role === 'all')!)
  t.same(items.map(placesOf), [
    ['Inbox inbox', 'Familie/München null'],
    ['Sent sent'],
    ['Archive archive'],
    ['Archive archive'],
    ['Drafts drafts'],
  ])
  t.same(
    items.map((item) => (item.kind === 'message' ? item.keywords : null)),
    [['$seen', '$important'], ['$flagged'], [], ['$important'], ['$draft']],
  )
  const spam = await readFolder(source, folders.find(({ role }) => role === 'junk')!)
  t.same(spam.items.map(placesOf), [[]], 'a label does not take a message out of Spam')
})

t.test('labels may be literals, and are decoded once', async (t) => {
  const labels = [Buffer.from('Say "hi" (twice)'), Buffer.from('\\Starred'), Buffer.from('Caf&AOk-/A &- B'), '&-AOk-']
  const folder = {
    ...allMail,
    messages: [
      { uid: 1, raw, labels },
      { uid: 2, raw, labels: ['\\Inbox'] },
    ],
  }
  const { source } = await openSource(t, { capabilities, folders: [folder] })
  const { items } = await readFolder(source, (await foldersOf(source))[0]!)
  t.same(items.map(placesOf), [['Say "hi" (twice) null', 'Café/A & B null', '&AOk- null'], ['Inbox inbox']])
  t.match(items, [{ keywords: ['$flagged'] }, { keywords: [] }])
})

t.test('where All Mail is hidden, each label is read, and its messages know their other labels', async (t) => {
  const { source } = await openSource(t, { capabilities, folders: others })
  const folders = await foldersOf(source)
  t.same(
    folders.map(({ path }) => path.join('/')),
    ['INBOX', 'Familie/München', '[Gmail]/Corbeille', '[Gmail]/Spam'],
  )
  const [inbox, family] = folders
  t.same((await readFolder(source, inbox!)).items.map(placesOf), [['INBOX inbox', 'Familie/München null']])
  t.same((await readFolder(source, family!)).items.map(placesOf), [['Familie/München null', 'Inbox inbox']])
})

t.test('limits of servers pause an import, with the time if the server says it', async (t) => {
  const replies = [
    ['NO [THROTTLED] slow down', null],
    ['NO [OVERQUOTA] enough', null],
    ['NO [LIMIT] enough', null],
    ['BAD Account exceeded command or bandwidth limits. (Failure)', null],
    ['NO [ALERT] Account exceeded bandwidth limits. (Failure)', null],
    ['NO Too many simultaneous connections. (Failure)', 600_000],
  ] as const
  let refusal = ''
  const { source, clock } = await openSource(t, {
    capabilities,
    folders: [allMail],
    reply: ({ tag, args }) => (args.includes('BODY') ? `${tag} ${refusal}\r\n` : null),
  })
  const [folder] = await foldersOf(source)
  for (const [text, wait] of replies) {
    refusal = text
    const { items, fault } = await readFolder(source, folder!)
    t.same(items, [], text)
    t.match(fault, { fault: 'throttled', until: wait === null ? null : clock.now() + wait }, text)
  }
})

t.test('a limit in a BYE pauses too, and another BYE is a cut', async (t) => {
  const byes = [
    ['* BYE Account exceeded command or bandwidth limits.', 'throttled'],
    ['* BYE Server shutting down', 'cut'],
  ] as const
  let bye = ''
  const { source } = await openSource(t, {
    capabilities,
    folders: [allMail],
    reply: ({ args }) => (args.includes('BODY') ? { cut: `${bye}\r\n` } : null),
  })
  const [folder] = await foldersOf(source)
  for (const [text, fault] of byes) {
    bye = text
    t.equal((await readFolder(source, folder!)).fault?.fault, fault, text)
  }
})
