import t from 'tap'
import { startCore, type TestMailbox } from '../../support/core.ts'
import { forEachEngine } from '../../support/engines.ts'
import { rule, setRules } from '../delivery/support.ts'
import { mail } from '../mails.ts'

const SEEN = { 'keywords/$seen': true }

async function counts(box: TestMailbox, id: string) {
  const properties = ['totalEmails', 'unreadEmails', 'totalThreads', 'unreadThreads']
  const { list } = await box.call('Mailbox/get', { ids: [id], properties })
  return properties.map((name) => list[0][name])
}

await forEachEngine(t, async (t, engine) => {
  const { mailbox } = await startCore(t, engine, { maxMailboxDepth: 4, maxSizeMailboxName: 100 })
  const hello = await mailbox('hello')
  const set = (args: object) => hello.call('Mailbox/set', { ...args })
  const folder = async (name: string, more: object = {}) =>
    (await set({ create: { f: { name, ...more } } })).created.f.id as string

  t.test('a new account has the system mailboxes, subscribed (decision D9)', async (t) => {
    const { list } = await (await mailbox('fresh')).call('Mailbox/get', { ids: null })
    t.same(
      list.map(({ name, role, sortOrder }: { [name: string]: unknown }) => [name, role, sortOrder]),
      [
        ['Inbox', 'inbox', 10],
        ['Drafts', 'drafts', 20],
        ['Sent', 'sent', 30],
        ['Archive', 'archive', 40],
        ['Junk', 'junk', 50],
        ['Trash', 'trash', 60],
      ],
    )
    for (const box of list) t.match(box, { parentId: null, isSubscribed: true, totalEmails: 0 })
  })

  t.test('myRights has all nine rights; the inbox cannot be deleted (RFC 8621 2)', async (t) => {
    const { list } = await hello.call('Mailbox/get', { ids: null, properties: ['role', 'myRights'] })
    for (const { role, myRights } of list) {
      t.same(Object.keys(myRights).sort(), [
        'mayAddItems',
        'mayCreateChild',
        'mayDelete',
        'mayReadItems',
        'mayRemoveItems',
        'mayRename',
        'maySetKeywords',
        'maySetSeen',
        'maySubmit',
      ])
      t.equal(myRights.mayDelete, role !== 'inbox')
    }
  })

  t.test('a sibling of the same name is alreadyExists with its id, ignoring case (pitfall 22)', async (t) => {
    const id = await folder('Projects')
    const { notCreated } = await set({ create: { a: { name: 'projects' } } })
    t.match(notCreated.a, { type: 'alreadyExists', existingId: id })
    t.ok((await set({ create: { a: { name: 'Projects', parentId: id } } })).created, 'elsewhere it is free')
    const other = await folder('Other projects')
    t.match((await set({ update: { [other]: { name: 'PROJECTS' } } })).notUpdated[other], { type: 'alreadyExists' })
  })

  t.test('names that differ in accents are different', async (t) => {
    await folder('Resume')
    t.ok(await folder('Résumé'))
  })

  t.test('a name is stored in Normalization Form C, and the response says so (RFC 5198 3)', async (t) => {
    const { created } = await set({ create: { a: { name: 'Mu\u0308ll' } } })
    t.equal(created.a.name, 'M\u00fcll')
    const { updated } = await set({ update: { [created.a.id]: { name: 'U\u0308ber' } } })
    t.same(updated[created.a.id], { name: '\u00dcber' })
    t.same(
      await set({ create: { b: { name: '\u00dcber' } } }).then(({ notCreated }) => notCreated.b.type),
      'alreadyExists',
    )
  })

  t.test('names that are empty, blank, too long or hold control characters are refused (RFC 8621 2)', async (t) => {
    for (const name of [
      '',
      '   ',
      'a\u0000b',
      'a\nb',
      'a\u007f',
      'a\u0085b',
      'a\u2028b',
      '\ufeffa',
      'a\ufffeb',
      'a\u0378b',
      'x'.repeat(101),
      'ü'.repeat(51),
    ])
      t.match((await set({ create: { a: { name } } })).notCreated.a, {
        type: 'invalidProperties',
        properties: ['name'],
      })
    t.ok(await folder('ü'.repeat(50)), 'the limit is in octets')
  })

  t.test('a missing parent is refused (RFC 8621 2)', async (t) => {
    const other = await mailbox('other')
    for (const parentId of ['x', other.roles['inbox']!, hello.accountId])
      t.match((await set({ create: { a: { name: 'Orphan', parentId } } })).notCreated.a, {
        type: 'invalidProperties',
        properties: ['parentId'],
      })
  })

  t.test('no mailbox can be below itself, alone or together with another (RFC 8621 2)', async (t) => {
    const top = await folder('Top')
    const middle = await folder('Middle', { parentId: top })
    for (const parentId of [top, middle])
      t.match((await set({ update: { [top]: { parentId } } })).notUpdated[top], {
        type: 'invalidProperties',
        properties: ['parentId'],
      })
    const [a, b, c] = [await folder('Loop a'), await folder('Loop b'), await folder('Loop c')]
    const { updated, notUpdated } = await set({
      update: { [a]: { parentId: b }, [b]: { parentId: a }, [c]: { parentId: a } },
    })
    t.equal(Object.keys(notUpdated).length, 1, 'of a loop one is refused')
    t.equal(Object.keys(updated).length, 2)
  })

  t.test(
    'mailboxes nest as deep as the session advertises, and no deeper, with all below them (RFC 8621 1.3.1)',
    async (t) => {
      const one = await folder('Depth 1')
      const two = await folder('Depth 2', { parentId: one })
      const three = await folder('Depth 3', { parentId: two })
      const four = await folder('Depth 4', { parentId: three })
      t.match((await set({ create: { a: { name: 'Depth 5', parentId: four } } })).notCreated.a, {
        type: 'invalidProperties',
        properties: ['parentId'],
      })
      const above = await folder('Above')
      t.match((await set({ update: { [one]: { parentId: above } } })).notUpdated[one], { type: 'invalidProperties' })
      t.same((await set({ update: { [two]: { parentId: above } } })).updated, { [two]: null })
    },
  )

  t.test('an account has a role once, and only roles of the registry (RFC 8621 2)', async (t) => {
    t.match((await set({ create: { a: { name: 'Second', role: 'inbox' } } })).notCreated.a, {
      type: 'invalidProperties',
      properties: ['role'],
    })
    for (const role of ['Inbox', 'nonsense', '', 7])
      t.match((await set({ create: { a: { name: 'Odd', role } } })).notCreated.a, { type: 'invalidProperties' })
    const id = await folder('Important', { role: 'important' })
    t.match((await set({ update: { [id]: { role: 'trash' } } })).notUpdated[id], { type: 'invalidProperties' })
  })

  t.test('every role of the registry is accepted, and no other attribute (RFC 8621 2, RFC 9979)', async (t) => {
    const box = await mailbox('registry')
    const missing = ['all', 'flagged', 'important', 'subscribed', 'memos', 'scheduled', 'snoozed']
    const create = Object.fromEntries(missing.map((role) => [role, { name: role, role }]))
    const made = await box.call('Mailbox/set', { create })
    t.same(Object.keys(made.created).sort(), missing.toSorted())
    const { list } = await box.call('Mailbox/get', { ids: null, properties: ['role'] })
    const roles = list.map(({ role }: { role: string }) => role)
    t.equal(new Set(roles).size, roles.length)
    for (const role of ['haschildren', 'noselect', 'marked', 'noinferiors', 'nonexistent', 'remote', 'INBOX'])
      t.match((await set({ create: { a: { name: 'Odd', role } } })).notCreated.a, {
        type: 'invalidProperties',
        properties: ['role'],
      })
  })

  t.test('a mailbox has one role: a new one replaces the old (RFC 8621 2)', async (t) => {
    const id = await folder('Flagged', { role: 'flagged' })
    t.same((await set({ update: { [id]: { role: 'all' } } })).updated, { [id]: null })
    t.equal((await hello.call('Mailbox/get', { ids: [id] })).list[0].role, 'all')
    t.ok(await folder('Flagged again', { role: 'flagged' }), 'the old one is free')
    t.match((await set({ update: { [id]: { role: ['all', 'flagged'] } } })).notUpdated[id], {
      type: 'invalidProperties',
    })
    t.same((await set({ update: { [id]: { role: null } } })).updated, { [id]: null })
  })

  t.test(
    'by default a new mailbox is at the top, subscribed, without a role and first in order (RFC 8621 2)',
    async (t) => {
      const id = await folder('Defaults')
      t.match((await hello.call('Mailbox/get', { ids: [id] })).list[0], {
        parentId: null,
        role: null,
        sortOrder: 0,
        isSubscribed: true,
        totalEmails: 0,
        unreadEmails: 0,
        totalThreads: 0,
        unreadThreads: 0,
      })
      const other = await folder('Told', { isSubscribed: false, sortOrder: 3 })
      t.match((await hello.call('Mailbox/get', { ids: [other] })).list[0], { isSubscribed: false, sortOrder: 3 })
    },
  )

  t.test('a mailbox has all properties of the RFC, and by default no others (RFC 8621 1.1, 2)', async (t) => {
    const { list } = await hello.call('Mailbox/get', { ids: [hello.roles['sent']!] })
    t.same(Object.keys(list[0]).sort(), [
      ...['id', 'isSubscribed', 'myRights', 'name', 'parentId', 'role', 'sortOrder'],
      ...['totalEmails', 'totalThreads', 'unreadEmails', 'unreadThreads'],
    ])
  })

  t.test('sortOrder is from 0 to 2^31 - 1 (RFC 8621 2)', async (t) => {
    t.ok(await folder('Last', { sortOrder: 2 ** 31 - 1 }))
    for (const sortOrder of [-1, 2 ** 31, 1.5, '1', null])
      t.match((await set({ create: { a: { name: 'Order', sortOrder } } })).notCreated.a, {
        type: 'invalidProperties',
        properties: ['sortOrder'],
      })
  })

  t.test('counts and rights cannot be set (RFC 8621 2)', async (t) => {
    for (const name of ['totalEmails', 'unreadEmails', 'totalThreads', 'unreadThreads'])
      t.match((await set({ create: { a: { name: 'Counted', [name]: 1 } } })).notCreated.a, {
        type: 'invalidProperties',
        properties: [name],
      })
    t.match((await set({ create: { a: { name: 'Rights', myRights: {} } } })).notCreated.a, { properties: ['myRights'] })
  })

  t.test(
    'an account must have an inbox: its role moves only if another mailbox takes it in the same call',
    async (t) => {
      const box = await mailbox('roles')
      const inbox = box.roles['inbox']!
      const refused = await box.call('Mailbox/set', { update: { [inbox]: { role: null } } })
      t.match(refused.notUpdated[inbox], { type: 'invalidProperties', properties: ['role'] })
      const archive = box.roles['archive']!
      const { updated } = await box.call('Mailbox/set', {
        update: { [inbox]: { role: 'archive' }, [archive]: { role: 'inbox' } },
      })
      t.same(Object.keys(updated).sort(), [inbox, archive].sort())
      const id = await box.receive(mail())
      t.same((await box.call('Email/get', { ids: [id], properties: ['mailboxIds'] })).list[0].mailboxIds, {
        [archive]: true,
      })
    },
  )

  t.test(
    'a mailbox with children is mailboxHasChild, even if its emails may be removed, and they stay (pitfall 22)',
    async (t) => {
      const parent = await folder('Parent')
      const child = await folder('Child', { parentId: parent })
      const email = await hello.receive(mail())
      await hello.call('Email/set', { update: { [email]: { mailboxIds: { [parent]: true } } } })
      const { notDestroyed } = await set({ destroy: [parent], onDestroyRemoveEmails: true })
      t.match(notDestroyed[parent], { type: 'mailboxHasChild' })
      t.same((await hello.call('Email/get', { ids: [email] })).notFound, [])
      const { destroyed } = await set({ destroy: [parent, child], onDestroyRemoveEmails: true })
      t.same([...destroyed].sort(), [parent, child].sort(), 'both in one call, in whatever order')
    },
  )

  t.test('a mailbox is destroyed if its children move away in the same call (RFC 8620 5.3)', async (t) => {
    const parent = await folder('Left alone')
    const child = await folder('Moves away', { parentId: parent })
    const refused = await set({ destroy: [parent], update: { [child]: { sortOrder: 1 } } })
    t.match(refused.notDestroyed[parent], { type: 'mailboxHasChild' }, 'control')
    const answer = await set({ destroy: [parent], update: { [child]: { parentId: null } } })
    t.same([answer.destroyed, answer.updated], [[parent], { [child]: null }])
  })

  t.test('a mailbox replaces another, with its name, its role and its children (RFC 8620 5.3)', async (t) => {
    const old = await folder('Replaced', { role: 'memos' })
    const child = await folder('Of the old one', { parentId: old })
    const email = await hello.receive(mail())
    await hello.call('Email/set', { update: { [email]: { mailboxIds: { [old]: true } } } })
    const { created, updated, destroyed } = await set({
      destroy: [old],
      create: { a: { name: 'Replaced', role: 'memos' }, a2: { name: 'Below', parentId: '#a' } },
      update: { [child]: { parentId: '#a' } },
      onDestroyTrashEmails: true,
    })
    t.same([destroyed, updated], [[old], { [child]: null }])
    const { list } = await hello.call('Mailbox/get', { ids: [child, created.a2.id], properties: ['parentId'] })
    t.same(
      list.map(({ parentId }: { parentId: string }) => parentId),
      [created.a.id, created.a.id],
    )
    const [kept] = (await hello.call('Email/get', { ids: [email], properties: ['mailboxIds'] })).list
    t.same(kept.mailboxIds, { [hello.roles['trash']!]: true })
  })

  t.test(
    'if the records of a call are not valid together, those that are valid without the others are made',
    async (t) => {
      const old = await folder('Knot')
      const child = await folder('In the knot', { parentId: old })
      const answer = await set({
        destroy: [old],
        create: { a: { name: 'Knot' }, b: { name: 'Knot' }, c: { name: 'Lost', parentId: '#b' } },
        update: { [child]: { parentId: '#a' } },
      })
      t.same([answer.destroyed, answer.updated, Object.keys(answer.created)], [[old], { [child]: null }, ['a']])
      t.match(answer.notCreated, {
        b: { type: 'alreadyExists' },
        c: { type: 'invalidProperties', properties: ['parentId'] },
      })
    },
  )

  t.test('emails move to the mailbox that becomes the Trash, and are not lost with the old one', async (t) => {
    const box = await mailbox('newbin')
    const { trash, archive } = box.roles as { trash: string; archive: string }
    const one = await box.receive(mail())
    await box.call('Email/set', { update: { [one]: { mailboxIds: { [archive]: true } } } })
    const both = { destroy: [archive, trash], onDestroyTrashEmails: true }
    const refused = await box.call('Mailbox/set', both)
    t.match(refused.notDestroyed, { [trash]: { type: 'mailboxHasEmail' } })
    t.same(refused.destroyed, [archive], 'control')
    const two = { destroy: [trash], create: { bin: { name: 'Bin', role: 'trash' } }, onDestroyTrashEmails: true }
    const { created, destroyed } = await box.call('Mailbox/set', two)
    t.same(destroyed, [trash])
    const [email] = (await box.call('Email/get', { ids: [one], properties: ['mailboxIds'] })).list
    t.same(email.mailboxIds, { [created.bin.id]: true })
    t.equal(created.bin.totalEmails, 1)
  })

  t.test('an object that cannot be destroyed is updated (RFC 8620 5.3)', async (t) => {
    const [parent, other] = [await folder('Stays'), await folder('Goes')]
    await folder('Holds it', { parentId: parent })
    const answer = await set({
      destroy: [parent, other],
      update: { [parent]: { sortOrder: 9 }, [other]: { sortOrder: 9 } },
    })
    t.same([answer.destroyed, answer.updated], [[other], { [parent]: null }])
    t.match(answer.notUpdated, { [other]: { type: 'willDestroy' } })
  })

  t.test('a mailbox with emails is mailboxHasEmail unless they may be removed (RFC 8621 2.5)', async (t) => {
    const full = await folder('Full')
    const only = await hello.receive(mail({ subject: 'Only here' }))
    const both = await hello.receive(mail({ subject: 'In both' }))
    await hello.call('Email/set', {
      update: { [only]: { mailboxIds: { [full]: true } }, [both]: { [`mailboxIds/${full}`]: true } },
    })
    t.match((await set({ destroy: [full] })).notDestroyed[full], { type: 'mailboxHasEmail' })
    t.same((await set({ destroy: [full], onDestroyRemoveEmails: true })).destroyed, [full])
    const { list, notFound } = await hello.call('Email/get', { ids: [only, both], properties: ['mailboxIds'] })
    t.same(notFound, [only])
    t.same(list[0].mailboxIds, { [hello.roles['inbox']!]: true })
  })

  t.test('emails of a destroyed mailbox can move to the Trash if they are in no other mailbox', async (t) => {
    const trash = hello.roles['trash']!
    const full = await folder('Thrown away')
    const only = await hello.receive(mail({ subject: 'Thrown away' }))
    const both = await hello.receive(mail({ subject: 'Kept elsewhere' }))
    await hello.call('Email/set', {
      update: { [only]: { mailboxIds: { [full]: true } }, [both]: { [`mailboxIds/${full}`]: true } },
    })
    t.same((await set({ destroy: [full], onDestroyTrashEmails: true })).destroyed, [full])
    const { list } = await hello.call('Email/get', { ids: [only, both], properties: ['mailboxIds'] })
    t.same(list[0].mailboxIds, { [trash]: true })
    t.same(list[1].mailboxIds, { [hello.roles['inbox']!]: true })
    t.match((await set({ destroy: [trash], onDestroyTrashEmails: true })).notDestroyed[trash], {
      type: 'mailboxHasEmail',
    })
  })

  t.test(
    'a mailbox that inbox rules move mail to cannot be destroyed, and the rules are named (decision D9)',
    async (t) => {
      const [used, free] = [await folder('Used by a rule'), await folder('Used by none')]
      const email = await hello.receive(mail())
      await hello.call('Email/set', { update: { [email]: { mailboxIds: { [used]: true } } } })
      const move = rule(
        [{ type: 'all_messages', value: true }],
        [{ type: 'move', target: { kind: 'custom', mailboxId: used } }],
      )
      const off = { ...rule(move.conditions, move.actions), name: 'Switched off', isEnabled: false }
      await setRules(hello, [rule(move.conditions, [{ type: 'star' }]), move, off])
      const { destroyed, notDestroyed } = await set({ destroy: [used, free], onDestroyRemoveEmails: true })
      t.match(notDestroyed[used], {
        type: 'mailboxUsedByRule',
        rules: [
          { id: move.id, name: move.name },
          { id: off.id, name: 'Switched off' },
        ],
      })
      t.same(destroyed, [free], 'one that no rule names goes')
      t.same((await hello.call('Email/get', { ids: [email] })).notFound, [])
      await setRules(hello, [])
      t.same(
        (await set({ destroy: [used], onDestroyRemoveEmails: true })).destroyed,
        [used],
        'and so does this one then',
      )
    },
  )

  t.test('the inbox cannot be destroyed', async (t) => {
    const inbox = hello.roles['inbox']!
    t.match((await set({ destroy: [inbox], onDestroyRemoveEmails: true })).notDestroyed[inbox], { type: 'forbidden' })
  })

  t.test('counts follow emails as they arrive, are read, move and are destroyed (RFC 8621 2)', async (t) => {
    const box = await mailbox('counts')
    const [inbox, archive] = [box.roles['inbox']!, box.roles['archive']!]
    const one = await box.receive(mail({ id: 'a@x' }))
    const two = await box.receive(mail({ id: 'b@x', inReplyTo: 'a@x', subject: 'Re: Lunch' }))
    await box.receive(mail({ id: 'c@x', subject: 'Other' }))
    t.same(await counts(box, inbox), [3, 3, 2, 2])
    await box.call('Email/set', { update: { [one]: SEEN } })
    t.same(await counts(box, inbox), [3, 2, 2, 2])
    await box.call('Email/set', { update: { [two]: { mailboxIds: { [archive]: true } } } })
    t.same(await counts(box, inbox), [2, 1, 2, 2], 'its thread is unread for the sake of the archived one')
    t.same(await counts(box, archive), [1, 1, 1, 1])
    await box.call('Email/set', { destroy: [two] })
    t.same(await counts(box, inbox), [2, 1, 2, 1])
    t.same(await counts(box, archive), [0, 0, 0, 0])
  })

  t.test('a draft does not count as unread (RFC 8621 2)', async (t) => {
    const box = await mailbox('drafts')
    const id = await box.receive(mail())
    await box.call('Email/set', { update: { [id]: { keywords: { $draft: true } } } })
    t.same(await counts(box, box.roles['inbox']!), [1, 0, 1, 0])
  })

  t.test('an email in two mailboxes counts in both', async (t) => {
    const box = await mailbox('both')
    const id = await box.receive(mail())
    await box.call('Email/set', { update: { [id]: { [`mailboxIds/${box.roles['archive']}`]: true } } })
    for (const role of ['inbox', 'archive']) t.same(await counts(box, box.roles[role]!), [1, 1, 1, 1])
  })

  t.test(
    'an unread email in the Trash does not make its thread unread elsewhere, nor the reverse (RFC 8621 2)',
    async (t) => {
      const box = await mailbox('trash')
      const [inbox, trash] = [box.roles['inbox']!, box.roles['trash']!]
      const read = await box.receive(mail({ id: 'a@x' }))
      const binned = await box.receive(mail({ id: 'b@x', inReplyTo: 'a@x', subject: 'Re: Lunch' }))
      await box.call('Email/set', { update: { [read]: SEEN, [binned]: { mailboxIds: { [trash]: true } } } })
      t.same(await counts(box, inbox), [1, 0, 1, 0])
      t.same(await counts(box, trash), [1, 1, 1, 1])
      await box.call('Email/set', { update: { [read]: { keywords: {} }, [binned]: SEEN } })
      t.same(await counts(box, inbox), [1, 1, 1, 1])
      t.same(await counts(box, trash), [1, 0, 1, 0])
    },
  )

  t.test('an unread email in the Trash and elsewhere makes its thread unread in both (RFC 8621 2)', async (t) => {
    const box = await mailbox('trash2')
    const id = await box.receive(mail())
    await box.call('Email/set', { update: { [id]: { [`mailboxIds/${box.roles['trash']}`]: true } } })
    for (const role of ['inbox', 'trash']) t.same(await counts(box, box.roles[role]!), [1, 1, 1, 1])
  })

  t.test('counts are right when another mailbox becomes the Trash, or none is the Trash', async (t) => {
    const box = await mailbox('newtrash')
    const [inbox, archive, trash] = [box.roles['inbox']!, box.roles['archive']!, box.roles['trash']!]
    const read = await box.receive(mail({ id: 'a@x' }))
    const filed = await box.receive(mail({ id: 'b@x', inReplyTo: 'a@x', subject: 'Re: Lunch' }))
    await box.call('Email/set', { update: { [read]: SEEN, [filed]: { mailboxIds: { [archive]: true } } } })
    t.same(await counts(box, inbox), [1, 0, 1, 1])
    await box.call('Mailbox/set', { update: { [trash]: { role: null }, [archive]: { role: 'trash' } } })
    t.same(await counts(box, inbox), [1, 0, 1, 0], 'what was the archive is the Trash')
    await box.call('Mailbox/set', { update: { [archive]: { role: null } } })
    t.same(await counts(box, inbox), [1, 0, 1, 1], 'without a Trash all counts')
    await box.call('Mailbox/set', { update: { [archive]: { role: 'trash' } } })
    await box.call('Mailbox/set', { destroy: [archive], onDestroyRemoveEmails: true })
    t.same(await counts(box, inbox), [1, 0, 1, 0])
  })

  t.test('ownUnreadThreads is returned only on request, and counts this mailbox only (decision D9)', async (t) => {
    const box = await mailbox('own')
    const [inbox, archive] = [box.roles['inbox']!, box.roles['archive']!]
    const read = await box.receive(mail({ id: 'a@x' }))
    const unread = await box.receive(mail({ id: 'b@x', inReplyTo: 'a@x', subject: 'Re: Lunch' }))
    await box.call('Email/set', { update: { [read]: SEEN, [unread]: { mailboxIds: { [archive]: true } } } })
    t.notOk('ownUnreadThreads' in (await box.call('Mailbox/get', { ids: [inbox] })).list[0])
    const properties = ['unreadThreads', 'ownUnreadThreads']
    t.same((await box.call('Mailbox/get', { ids: [inbox, archive], properties })).list, [
      { id: inbox, unreadThreads: 1, ownUnreadThreads: 0 },
      { id: archive, unreadThreads: 1, ownUnreadThreads: 1 },
    ])
  })
})
