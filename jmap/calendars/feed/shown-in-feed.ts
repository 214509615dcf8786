/** What others see of an event: RFC 8984 4.4.3. */
import type { Json, JsonObject } from '../../../server/base/json.ts'
import { isObject } from '../../protocol/json-object.ts'
import type { StoredEvent } from '../event/stored-event.ts'

/** RFC 8984 4.4.3: of private events only these may be shared. A rule is part of their times. */
const OF_PRIVATE: readonly string[] = [
  '@type',
  'uid',
  'created',
  'updated',
  'sequence',
  'start',
  'duration',
  'timeZone',
  'endTimeZone',
  'showWithoutTime',
  'freeBusyStatus',
  'privacy',
  'recurrenceRule',
  'recurrenceOverrides',
  'recurrenceId',
  'recurrenceIdTimeZone',
  'excluded',
]

/** Alerts, keywords and colours are those of the owner (JMAP Calendars 5.4). */
const OF_OWNER: readonly string[] = ['alerts', 'useDefaultAlerts', 'keywords', 'color']

/** Calendar programs show an event without a title as a mistake. */
const PRIVATE_TITLE = 'Busy'

/** null: it is not shown. Secret events and drafts are the owner's alone. */
export function shownInFeed({ event, isDraft }: StoredEvent): JsonObject | null {
  const { privacy = 'public', status } = event
  if (isDraft || privacy === 'secret') return null
  // Values that a later specification adds are treated as private (RFC 8984 4.4.3).
  if (privacy === 'public') return narrowed(event, (name) => !OF_OWNER.includes(name))
  if (status === 'cancelled' || event.freeBusyStatus === 'free') return null
  return { ...narrowed(event, (name) => OF_PRIVATE.includes(name)), title: PRIVATE_TITLE }
}

function narrowed(event: JsonObject, isShown: (name: string) => boolean): JsonObject {
  const entries = Object.entries(event)
    .filter(([name]) => isShown(name))
    .map(([name, value]): readonly [string, Json] => [
      name,
      name === 'recurrenceOverrides' ? narrowedOverrides(value, isShown) : value,
    ])
  return Object.fromEntries(entries)
}

/** Patches name properties by paths. */
function narrowedOverrides(overrides: Json, isShown: (name: string) => boolean): Json {
  if (!isObject(overrides)) return {}
  const entries = Object.entries(overrides).map(([recurrenceId, patch]): readonly [string, Json] => [
    recurrenceId,
    isObject(patch)
      ? Object.fromEntries(Object.entries(patch).filter(([path]) => isShown(path.split('/', 1)[0] ?? '')))
      : {},
  ])
  return Object.fromEntries(entries)
}
