/** `posthouse audience import|export`: subscribers as CSV. */
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import {
  exportCsv,
  type ImportedRow,
  importCsv,
  OUTCOMES_HEADER,
  outcomeLine,
} from '../../jmap/newsletters/csv/transfer.ts'
import { AudienceAdministration } from '../administration/audience-administration.ts'
import { CsvFault } from '../base/csv.ts'
import { errorMessage, Failure } from '../base/errors.ts'
import { type Command, type Invocation, optional, UsageError } from './command.ts'
import { ORGANIZATION } from './keys.ts'
import { PRIVATE, writeWhole } from './whole-file.ts'
import { chooseOrganization, withCore } from './with-core.ts'

export const audienceImport: Command = {
  name: 'audience import',
  summary: 'adds the subscribers of a CSV file to an audience, with an outcome for each row',
  description:
    'The first line names the columns: email_address, display_name, merge_fields (JSON); every other column is a merge field. The rules are those\n' +
    'of the API. Importing a file again changes nothing but what is new in it.',
  positionals: '<audience> <file>',
  options: {
    organization: ORGANIZATION,
    outcomes: { value: '<file>', help: 'write the outcome of each row as CSV to this file' },
  },
  async run(invocation) {
    const [id, file] = twoOf(invocation, 'audience import needs the id of an audience and a file')
    const { terminal } = invocation
    const counts = new Map<string, number>()
    await withCore(invocation, async ({ core, admin, json }) => {
      const organization = await chooseOrganization(admin, optional(invocation, 'organization'))
      const audiences = new AudienceAdministration(core, organization)
      const audience = await audiences.find(id)
      await withOutcomes(optional(invocation, 'outcomes'), async (write) => {
        let rows = 0
        for await (const batch of importCsv(octetsOf(file), (added) => audiences.add(audience.id, added))) {
          for (const { outcome } of batch) counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
          rows += batch.length
          await write(batch)
          terminal.printError(`${rows} rows\n`)
        }
      }).catch((error: unknown) => {
        throw error instanceof CsvFault ? cannotImport(file, error) : error
      })
      const shown = Object.fromEntries(counts)
      const lines = [...counts].map(([outcome, count]) => `${outcome}: ${count}\n`)
      terminal.print(json ? `${JSON.stringify({ audience_id: audience.id, ...shown })}\n` : lines.join(''))
    })
    return 0
  },
}

export const audienceExport: Command = {
  name: 'audience export',
  summary: 'writes the subscribers of an audience as CSV to a file or to standard output',
  positionals: '<audience> [file]',
  options: { organization: ORGANIZATION },
  async run(invocation) {
    const [id, file, more] = invocation.positionals
    if (id === undefined || more !== undefined) throw new UsageError('audience export needs the id of an audience')
    await withCore(invocation, async ({ core, admin, json }) => {
      const organization = await chooseOrganization(admin, optional(invocation, 'organization'))
      const audiences = new AudienceAdministration(core, organization)
      const audience = await audiences.find(id)
      const lines = exportCsv((before) => audiences.page(audience.id, before))
      if (file === undefined) {
        for await (const text of lines) invocation.terminal.print(text)
        return
      }
      await writeWhole(file, lines)
      if (json) invocation.terminal.print(`${JSON.stringify({ audience_id: audience.id, file })}\n`)
    })
    return 0
  },
}

function twoOf({ positionals }: Invocation, fault: string): [string, string] {
  const [one, two, more] = positionals
  if (one === undefined || two === undefined || more !== undefined) throw new UsageError(fault)
  return [one, two]
}

async function withOutcomes(
  file: string | null,
  use: (write: (rows: readonly ImportedRow[]) => Promise<void>) => Promise<void>,
): Promise<void> {
  if (file === null) return use(async () => {})
  const handle = await open(file, 'w', PRIVATE).catch((error: unknown) => {
    throw new Failure('configuration', `${file} cannot be written: ${errorMessage(error)}`)
  })
  try {
    await handle.write(OUTCOMES_HEADER)
    await use(async (rows) => void (await handle.write(rows.map(outcomeLine).join(''))))
  } finally {
    await handle.close()
  }
}

async function* octetsOf(file: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(file)
  } catch (error) {
    throw cannotImport(file, error)
  }
}

function cannotImport(file: string, error: unknown): Failure {
  return new Failure('configuration', `${file} cannot be imported: ${errorMessage(error)}`)
}
