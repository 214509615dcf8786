/** `posthouse calendar import|export`: calendars of mailboxes as iCalendar files. */
import { readFile, stat } from 'node:fs/promises'
import { IMPORT_MAX_BYTES } from '../base/calendar-exchange-limits.ts'
import { errorMessage, Failure } from '../base/errors.ts'
import { type Command, type Invocation, optional, required, UsageError } from './command.ts'
import { ORGANIZATION } from './keys.ts'
import { writeWhole } from './whole-file.ts'
import { type CommandContext, chooseOrganization, withCore } from './with-core.ts'

const OPTIONS = {
  mailbox: { value: '<address>', help: 'the mailbox that has the calendar' },
  organization: ORGANIZATION,
}

export const calendarImport: Command = {
  name: 'calendar import',
  summary: 'stores the events of an iCalendar file in a mailbox',
  positionals: '<file>',
  options: {
    ...OPTIONS,
    calendar: { value: '<name>', help: 'the calendar for new events (default: the default calendar)' },
  },
  description: `Events that the mailbox has already are updated if the file has newer ones, else skipped, so that a file
can be imported again. Nobody is invited. The file has at most ${IMPORT_MAX_BYTES / 1_000_000} MB.`,
  async run(invocation) {
    const [file, more] = invocation.positionals
    if (file === undefined || more !== undefined) throw new UsageError('calendar import needs one file')
    const address = required(invocation, 'mailbox')
    const octets = await readCalendarFile(file)
    return withCore(invocation, async (context) => {
      const { mailbox, calendar } = await choose(context, invocation, address)
      const { refused, ...done } = await context.admin.importCalendar(mailbox, calendar, octets)
      if (refused !== null) throw new Failure('configuration', `${file} was not imported: ${refused}`)
      const { created, updated, skipped, failed, failures } = done
      if (context.json) {
        invocation.terminal.print(`${JSON.stringify({ created, updated, skipped, failed, failures })}\n`)
      } else {
        invocation.terminal.print(`${created} created, ${updated} updated, ${skipped} skipped, ${failed} failed\n`)
        for (const { uid, message } of failures) invocation.terminal.printError(`${uid ?? 'without uid'}: ${message}\n`)
      }
      return failed > 0 ? 1 : 0
    })
  },
}

export const calendarExport: Command = {
  name: 'calendar export',
  summary: 'writes the events of a mailbox as an iCalendar file',
  options: {
    ...OPTIONS,
    calendar: { value: '<name>', help: 'only events of this calendar (default: of all calendars)' },
    output: { value: '<file>', help: 'the file to write (default: standard output)' },
  },
  async run(invocation) {
    const address = required(invocation, 'mailbox')
    const output = optional(invocation, 'output')
    return withCore(invocation, async (context) => {
      const { mailbox, calendar } = await choose(context, invocation, address)
      const pages = context.admin.exportCalendar(mailbox, calendar)
      if (output !== null) await writeWhole(output, pages)
      else for await (const page of pages) invocation.terminal.print(page)
      return 0
    })
  },
}

/** @returns ids; of the calendar null if none is named */
async function choose({ admin }: CommandContext, invocation: Invocation, address: string) {
  const organization = await chooseOrganization(admin, optional(invocation, 'organization'))
  const mailbox = await admin.findMailbox(organization, address)
  if (!mailbox) throw new Failure('configuration', `there is no mailbox ${address}`)
  const name = optional(invocation, 'calendar')
  return { mailbox: mailbox.id, calendar: name === null ? null : await admin.findCalendar(mailbox.id, name) }
}

async function readCalendarFile(file: string): Promise<Uint8Array> {
  try {
    const { size } = await stat(file)
    if (size <= IMPORT_MAX_BYTES) return await readFile(file)
  } catch (error) {
    throw new Failure('configuration', `${file} cannot be read: ${errorMessage(error)}`)
  }
  throw new Failure('configuration', `${file} has more than ${IMPORT_MAX_BYTES / 1_000_000} MB`)
}
