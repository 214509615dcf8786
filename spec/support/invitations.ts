/** Messages about events that a core sends, read by other libraries than its own. */
import ICAL from 'ical.js'
import { type AddressObject, simpleParser } from 'mailparser'
import type { Core } from '../../jmap/services.ts'

const FOR_GOOD = 3_600_000

/** Writes the messages that are due, as the worker does. */
export async function writeInvitations({ scheduling }: Core): Promise<void> {
  for (;;) {
    const tasks = await scheduling.claim('test', 10, FOR_GOOD)
    if (tasks.length === 0) return
    for (const task of tasks) await scheduling.send(task)
  }
}

/** A property of a VEVENT: its text, and its parameters. */
export interface SentProperty {
  readonly value: string
  readonly [parameter: string]: string
}

export interface SentInvitation {
  /** Of the envelope, sorted. */
  readonly to: readonly string[]
  readonly from: string
  readonly subject: string
  readonly text: string
  readonly html: string
  readonly method: string
  readonly prodId: string
  /** By the names of properties, each with all of its values. */
  readonly events: readonly { readonly [name: string]: readonly SentProperty[] }[]
  readonly ics: string
  /** Types of the parts, in order. */
  readonly types: readonly string[]
  readonly source: string
}

/** Messages about events that were queued since the last call, by recipient and method. */
export async function sentInvitations(core: Core): Promise<SentInvitation[]> {
  await writeInvitations(core)
  const queued = await core.claimSubmissions('test', 1_000, FOR_GOOD)
  const sent = await Promise.all(
    queued.map(async ({ bytes, recipients }) =>
      readInvitation(
        bytes,
        recipients.map(({ address }) => address),
      ),
    ),
  )
  const keyOf = ({ to, method, ics }: SentInvitation) => `${to.join()} ${method} ${ics}`
  return sent.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
}

/** A mail about an event, as these libraries read it. @param to of the envelope */
export async function readInvitation(bytes: Uint8Array, to: readonly string[]): Promise<SentInvitation> {
  const source = Buffer.from(bytes).toString()
  const mail = await simpleParser(Buffer.from(bytes))
  const part = mail.attachments.find(({ contentType }) => contentType === 'text/calendar')
  const ics = part?.content.toString() ?? ''
  const calendar = new ICAL.Component(ICAL.parse(ics))
  return {
    to: to.toSorted(),
    from: (mail.from as AddressObject).text,
    subject: mail.subject ?? '',
    text: mail.text ?? '',
    html: String(mail.html),
    method: String(calendar.getFirstPropertyValue('method')),
    prodId: String(calendar.getFirstPropertyValue('prodid')),
    events: calendar.getAllSubcomponents('vevent').map(eventOf),
    ics,
    types: [...source.matchAll(/^Content-Type: ([\w/-]+)/gim)].map(([, type]) => type!.toLowerCase()),
    source,
  }
}

function eventOf(event: InstanceType<typeof ICAL.Component>): { [name: string]: SentProperty[] } {
  const all: { [name: string]: SentProperty[] } = {}
  for (const property of event.getAllProperties()) {
    const [, parameters] = property.toJSON() as [string, { [name: string]: string }]
    const entry = { ...parameters, value: property.getValues().map(String).join() }
    all[property.name] = [...(all[property.name] ?? []), entry]
  }
  return all
}
