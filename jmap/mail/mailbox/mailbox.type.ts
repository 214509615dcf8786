import { MAIL, SERVICE } from '../../type/capabilities.ts'
import { defineType } from '../../type/define-type.ts'
import { p } from '../../type/property.ts'

/** RFC 8621 2: the roles of the IANA registry, except the attributes that JMAP does not use; the last three by RFC 9979. */

const MAILBOX_ROLES = [
  'all',
  'archive',
  'drafts',
  'flagged',
  'important',
  'inbox',
  'junk',
  'sent',
  'subscribed',
  'trash',
  'memos',
  'scheduled',
  'snoozed',
] as const
export type MailboxRole = (typeof MAILBOX_ROLES)[number]

const SCOPES = { read: 'mailboxes:read', write: 'mailboxes:write' }

/** RFC 8621 2 */
const MailboxRights = p.object({
  mayReadItems: p.bool(),
  mayAddItems: p.bool(),
  mayRemoveItems: p.bool(),
  maySetSeen: p.bool(),
  maySetKeywords: p.bool(),
  mayCreateChild: p.bool(),
  mayRename: p.bool(),
  mayDelete: p.bool(),
  maySubmit: p.bool(),
})

export const Mailbox = defineType({
  name: 'Mailbox',
  capability: MAIL,
  spec: 'RFC 8621 2',
  idPrefix: 'fld',
  accounts: 'mailbox',
  methods: ['get', 'changes', 'set', 'query', 'queryChanges'],
  properties: {
    id: p.id().server().fixed(),
    name: p.string({ minLength: 1 }),
    parentId: p.id().nullable().defaults(null),
    role: p.oneOf(MAILBOX_ROLES).nullable().defaults(null),
    sortOrder: p.uint({ maximum: 2_147_483_647 }).defaults(0),
    totalEmails: p.uint().server(),
    unreadEmails: p.uint().server(),
    totalThreads: p.uint().server(),
    unreadThreads: p.uint().server(),
    // Vendor: threads with an unread email in this mailbox itself (decision D9).
    ownUnreadThreads: p.uint().server().extension(SERVICE),
    myRights: MailboxRights.server(),
    isSubscribed: p.bool().defaults(true),
  },
  filters: {
    parentId: p.id().nullable(),
    name: p.string(),
    role: p.string().nullable(),
    hasAnyRole: p.bool(),
    isSubscribed: p.bool(),
  },
  sorts: ['sortOrder', 'name', 'parentId'],
  args: {
    set: {
      onDestroyRemoveEmails: p.bool().defaults(false),
      // Vendor: moves emails that would be in no mailbox to the Trash.
      onDestroyTrashEmails: p.bool().defaults(false),
      // Vendor: takes along all mailboxes below, those too that were made a moment ago.
      onDestroyRemoveChildren: p.bool().defaults(false),
    },
    query: { sortAsTree: p.bool().defaults(false), filterAsTree: p.bool().defaults(false) },
  },
  ofBlob: ({ emails }) => emails.flatMap(({ mailboxes }) => mailboxes),
  scopes: SCOPES,
  // RFC 8621 1.3.1
  account: ({ services: { limits }, principal: { scopes } }) => ({
    maxMailboxDepth: limits.maxMailboxDepth,
    maxSizeMailboxName: limits.maxSizeMailboxName,
    mayCreateTopLevelMailbox: scopes === null || scopes.includes(SCOPES.write),
  }),
})
