import type { Capability } from '../../../../jmap/type/capability.ts'
import { defineType } from '../../../../jmap/type/define-type.ts'
import { p } from '../../../../jmap/type/property.ts'

export const BOOKMARKS: Capability = { urn: 'urn:example:bookmarks', accounts: 'mailbox' }

export const Bookmark = defineType({
  name: 'Bookmark',
  capability: BOOKMARKS,
  spec: 'vendor',
  idPrefix: 'bmk',
  accounts: 'mailbox',
  methods: ['get', 'changes', 'set', 'query', 'queryChanges'],
  properties: {
    id: p.id().server().fixed(),
    url: p.string({ minLength: 1 }).fixed(),
    title: p.string().defaults(''),
  },
  filters: { title: p.string() },
  sorts: ['title'],
  scopes: { read: 'bookmarks:read', write: 'bookmarks:write' },
  account: () => ({ maxBookmarks: 100 }),
})
