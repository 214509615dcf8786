/** Allowed imports between the rooms of jmap/. */
import type { Room } from './rooms.ts'

const TABLE = [
  'services',
  'service',
  'in-process-core',
  'standard-registry',
  'process-request',
  'direct-request',
  'blob-transfer',
]

/** From the lowest room to the highest. */
const ORDER: readonly (readonly [name: string, paths: readonly string[]])[] = [
  ['protocol', ['jmap/protocol/']],
  ['message', ['jmap/message/']],
  ['images', ['jmap/images/']],
  ['videos', ['jmap/videos/']],
  ['sieve', ['jmap/sieve/']],
  ['jscalendar', ['jmap/calendars/jscalendar/']],
  ['recurrence', ['jmap/calendars/recurrence/']],
  ['icalendar', ['jmap/calendars/icalendar/']],
  ['itip', ['jmap/calendars/itip/']],
  ['newsletter content', ['jmap/newsletters/content/']],
  ['type', ['jmap/type/']],
  ['events', ['jmap/events/']],
  // The states of subscribers, which a suppression moves, and the types that they are declared by.
  [
    'subscriber states',
    [
      'jmap/newsletters/states/',
      ...['audience/audience', 'subscriber/subscriber', 'opt-out/opt-out'].map(
        (name) => `jmap/newsletters/${name}.type.ts`,
      ),
    ],
  ],
  ['policy', ['jmap/policy/']],
  // Messages of newsletters in the queue: how each is made, and what becomes of it.
  [
    'newsletter runs',
    [
      'jmap/newsletters/run/',
      ...[
        'links/merge-values',
        'links/recipient-links',
        'newsletter/newsletter.type',
        'newsletter/stored-newsletter',
      ].map((name) => `jmap/newsletters/${name}.ts`),
    ],
  ],
  ['mail', ['jmap/mail/']],
  ['imports', ['jmap/imports/']],
  ['calendars', ['jmap/calendars/']],
  ['delivery', ['jmap/delivery/']],
  ['bookings', ['jmap/bookings/']],
  ['directory', ['jmap/directory/']],
  ['notices', ['jmap/notices/']],
  // It suspends the mailboxes of the directory, and writes to owners.
  ['billing', ['jmap/billing/']],
  ['newsletters', ['jmap/newsletters/']],
  ['webhooks', ['jmap/webhooks/']],
  ['maintenance', ['jmap/maintenance/']],
  ['push', ['jmap/push/']],
  // The core: its table of services, its list of types, and the modules that only these use.
  ['core', [...TABLE, 'idempotency'].map((name) => `jmap/${name}.ts`)],
]

/** Pure rooms may import fewer rooms than those below them. */
const PURE: { readonly [name: string]: readonly string[] } = {
  protocol: [],
  message: ['protocol'],
  images: [],
  videos: [],
  sieve: ['protocol', 'message'],
  jscalendar: ['protocol'],
  recurrence: ['protocol', 'jscalendar'],
  icalendar: ['protocol', 'message', 'jscalendar', 'recurrence'],
  itip: ['protocol', 'message', 'jscalendar', 'recurrence', 'icalendar'],
  'newsletter content': ['protocol', 'message'],
}

/** A room may import every room before it; the pure ones only those in PURE. */
export const JMAP_ROOMS: { readonly [name: string]: Room } = Object.fromEntries(
  ORDER.map(([name, paths], at) => {
    const below = ORDER.slice(0, at).map(([other]) => other)
    return [name, { paths, mayImport: PURE[name] ?? below }]
  }),
)
