/** Links of providers whose rooms exist when somebody enters them, such as Jitsi: a template and a random name. */
import { randomBytes } from 'node:crypto'
import { base32Encode } from '../../../server/base/base32.ts'
import { MEETING_ROOM_BYTES } from '../../../server/base/conferencing-limits.ts'

const ROOM = '{room}'

/** Why a template cannot be used; null: it can. */
export function templateFault(template: string): string | null {
  if (/[\u0000-\u0020\u007f-\uffff"'<>\\^`|]/.test(template)) return 'urlTemplate is a URL in ASCII without spaces.'
  const url = /^https:\/\/[^/]/.test(template) ? URL.parse(template.replaceAll(ROOM, 'room')) : null
  if (!url) return 'urlTemplate is an https:// URL.'
  if (url.username !== '' || url.password !== '') return 'urlTemplate has no user name or password.'
  // Text in the host would let a room choose whose server is asked.
  if (template.slice('https://'.length).split(/[/?#]/, 1)[0]!.includes(ROOM)) return `${ROOM} stands after the host.`
  if (template.split(ROOM).length > 2) return `${ROOM} stands in urlTemplate once.`
  if (/[{}]/.test(template.replace(ROOM, ''))) return `Of braces, urlTemplate has ${ROOM} only.`
  if (!template.includes(ROOM) && (url.search !== '' || url.hash !== ''))
    return `A urlTemplate with a query or a fragment says where ${ROOM} stands.`
  return null
}

/** A link to a room that nobody else has. @param template without a fault */
export function newRoom(template: string): string {
  const room = base32Encode(randomBytes(MEETING_ROOM_BYTES))
  return template.includes(ROOM) ? template.replace(ROOM, room) : `${template.replace(/\/+$/, '')}/${room}`
}
